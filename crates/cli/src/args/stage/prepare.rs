//! What is typed to `referee stage prepare`.

use clap::Args;

use super::Which;
use crate::args::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee stage prepare specify -r run-2026-11-22-001
  referee stage prepare specify --dry-run
                                   show what would be copied

Only published outputs are copied; a file that changed since it was published is refused. All
missing files are reported at once.")]
pub(crate) struct Prepare {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Show what would be copied without writing anything.
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Prepare again even if an attempt is active or done, which ends it.
    #[arg(long)]
    pub(crate) again: bool,
    /// Adopt a run whose log was written in another location or on another machine.
    #[arg(long)]
    pub(crate) adopt: bool,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
