//! What is typed to `referee stage prepare`.

use clap::Args;

use super::Which;
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee stage prepare specify -r run-2026-11-22-001
  referee stage prepare specify --dry-run
                                   say what would be copied, and write nothing

Only what the other stages published is taken, and only as they published it: a file that changed
since is refused by name. Everything that is missing is told at once.")]
pub(crate) struct Prepare {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Write nothing: say what would be put into the stage.
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Prepare the stage also where an attempt is on or done, which is over then: where a stage before was done again.
    #[arg(long)]
    pub(crate) again: bool,
    /// Take on a run whose log was written at another place or machine, as it is.
    #[arg(long)]
    pub(crate) adopt: bool,
    /// How to print the answer.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
