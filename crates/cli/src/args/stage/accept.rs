//! What is typed to `referee stage accept`.

use clap::Args;

use super::Which;
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee stage accept explore -r run-2026-11-22-001
  referee stage accept explore --again
                                   begin another attempt

Accepting a stage begins an attempt. The handback and a copy of the outputs of the previous attempt
are moved to attempts/NNN; a finished stage becomes unfinished.")]
pub(crate) struct Accept {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Begin another attempt even if one is active, a question is open or the stage is done.
    #[arg(long)]
    pub(crate) again: bool,
    /// Adopt a run whose log was written in another location or on another machine.
    #[arg(long)]
    pub(crate) adopt: bool,
    /// Name to record in the log [default: `agent` in an agent's shell, else your user name].
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
