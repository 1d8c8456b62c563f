//! What is typed to run checks whenever their inputs change.

use clap::Args;

use super::Run;
use super::duration::within;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee watch                        run the nearest referee.yaml, and again after each change
  referee watch --only unit -q         run one step again, and print only the decision
  referee watch --interval 2s          look for changes every two seconds

Takes all options of `referee run`. Each run is sealed as usual. Inputs are the files that a verdict is about: those that git tracks
or does not ignore, without `outputs` and evidence. Ctrl-C ends it with the exit code of the last run.")]
pub(crate) struct Watch {
    #[command(flatten)]
    pub(crate) run: Run,
    /// Time between two looks at the inputs; a run starts when two looks in a row see the same change.
    #[arg(long, value_name = "DURATION", default_value = "500ms", value_parser = interval)]
    pub(crate) interval: u64,
}

/// Reads an interval, as milliseconds.
fn interval(text: &str) -> Result<u64, String> {
    within(text, (50, 3_600_000), "a time from 50ms to 1h, such as 500ms or 2s")
}
