//! What is typed to take a baseline.

use std::path::PathBuf;

use clap::Args;

use super::SealedRuns;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee baseline -o baseline.json            record the last sealed runs of the nearest referee.yaml
  referee baseline --task T030                 print the baseline of one task
  referee baseline --evidence build/evidence   record another evidence directory
  referee run --baseline baseline.json         block only on findings that are not in the baseline

A run in which a tool failed or timed out cannot be recorded: the baseline would hide what was not found.")]
pub(crate) struct Baseline {
    #[command(flatten)]
    pub(crate) runs: SealedRuns,
    /// Write to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
