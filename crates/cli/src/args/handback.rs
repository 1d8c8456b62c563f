//! What is typed to `referee handback`.

use clap::Args;

use super::PlainFormat;
use super::stage::Which;

#[derive(Debug, Args)]
#[command(after_help = "\
Shows the handback in run/output-data/handback.json, who has control, and all problems with their
remedies. Nothing runs: the last verdict of the stage's specification counts, if it is about the
current outputs.

Exit codes:
  0 handback shown · 1 handback missing or unreadable; with --check also if the stage cannot be
  finalized

Examples:
  referee handback explore --run-dir runs/run-2026-01-19-001
  referee handback explore --check --format json")]
pub(crate) struct Handback {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Exit with 1 unless the handback allows the stage to be finalized.
    #[arg(long)]
    pub(crate) check: bool,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human, env = "REFEREE_FORMAT")]
    pub(crate) format: PlainFormat,
}
