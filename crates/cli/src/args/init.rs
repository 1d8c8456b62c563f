//! The arguments of `referee init`.

use clap::Args;

use super::{PlainFormat, duration};

/// Milliseconds in which the time for one check must lie.
const TRY_LEAST: u64 = 1_000;
const TRY_MOST: u64 = 24 * 3_600_000;

#[derive(Debug, Args)]
#[command(after_help = "\
Each check is run once before it is written, as `referee run` would, with its evidence in a private directory. Prerequisites
such as `npm ci` are run, too.
  passes                 written
  fails                  written, with a note that the project does not pass it yet
  cannot run here        written as a comment, with the reason and the remedy
  modifies files         written as a comment; the files are restored
Files that a check creates, such as coverage/, are removed and listed under `outputs`. Checks that passed run again beside
referee.yaml and evidence/; a check that then fails needs an entry in the ignore file of its tool. Do not edit the project
while checks run: edits are attributed to the check.

Examples:
  referee init                     run the proposed checks, and write referee.yaml
  referee init --print             print the specification without writing it
  referee init --no-run            write the proposed checks without running them
  referee init --force             overwrite an existing referee.yaml
  referee init --try-timeout 20m   allow more time for slow checks
  referee init --write-ignores     also update .prettierignore and similar files
  referee init --format json       print the proposals and the results as JSON

Exit codes:
  0 written (or printed), even if the project does not pass yet · 2 a specification exists already
  4 no check was found, or none works · 130, 143 interrupted")]
pub(crate) struct Init {
    /// Print the specification without writing it.
    #[arg(long)]
    pub(crate) print: bool,
    /// Overwrite an existing referee.yaml.
    #[arg(long, conflicts_with = "print")]
    pub(crate) force: bool,
    /// Write the checks without running them first.
    #[arg(long)]
    pub(crate) no_run: bool,
    /// Timeout of each trial run.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = try_timeout, conflicts_with = "no_run")]
    pub(crate) try_timeout: u64,
    /// Exclude evidence/ and referee.yaml in .prettierignore, .markdownlintignore and .eslintignore.
    #[arg(long, conflicts_with_all = ["print", "no_run"])]
    pub(crate) write_ignores: bool,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

fn try_timeout(text: &str) -> Result<u64, String> {
    duration::within(text, (TRY_LEAST, TRY_MOST), "a time from 1s to 24h, such as 90s or 20m")
}
