//! What is typed to `referee stage accept`.

use clap::Args;

use super::Which;
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee stage accept explore -r run-2026-11-22-001
  referee stage accept explore --again
                                   begin another attempt; what the one before left is kept

Every acceptance begins an attempt. What passed control in the attempt before is put aside into
attempts/NNN, with a copy of what it wrote; a stage that was done is not done any more.")]
pub(crate) struct Accept {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Begin another attempt also where one is on, where a question waits, or where the stage is done.
    #[arg(long)]
    pub(crate) again: bool,
    /// Take on a run whose log was written at another place or machine, as it is.
    #[arg(long)]
    pub(crate) adopt: bool,
    /// Who takes control, as the log says it. Default: `agent` in an agent's shell, or your user's name.
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// How to print the answer.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
