//! `referee selftest`.

use clap::Args;

use super::PlainFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee selftest                 test that deliberate faults are detected
  referee selftest --format json   print the results as JSON")]
pub(crate) struct Selftest {
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
