//! What is typed to `referee stage finalize`.

use clap::Args;

use super::Which;
use crate::args::PlainFormat;
use crate::args::gate_options::GateArguments;
use crate::args::incident::Root;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee stage finalize explore -r run-2026-11-22-001
  referee stage finalize explore --dry-run
                                   show what would happen

Validates outputs, runs the stage's specification, and compares the results with the handback:
  success, confirmed   the stage is done and its outputs are published (exit 0)
  question             the stage waits for `referee stage answer` (exit 1)
  error                the stage failed, and the error is captured as an incident (exit 1)
  anything else        the stage is unchanged and all problems are reported (exit 1, or the exit code
                       of the specification)")]
pub(crate) struct Finalize {
    #[command(flatten)]
    pub(crate) which: Which,
    #[command(flatten)]
    pub(crate) gate: GateArguments,
    /// Show what would happen to the stage without running or writing anything.
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Finalize without a handback (refused in an agent's shell).
    #[arg(long)]
    pub(crate) without_handback: bool,
    /// Adopt a run whose log was written in another location or on another machine.
    #[arg(long)]
    pub(crate) adopt: bool,
    #[command(flatten)]
    pub(crate) incidents: Root,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
