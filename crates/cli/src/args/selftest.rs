//! `referee selftest`.

use clap::Args;

use super::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee selftest                 make some faults on purpose, and see that none passes
  referee selftest --format json   what came of each, as data")]
pub(crate) struct Selftest {
    /// How to print what came of it.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
