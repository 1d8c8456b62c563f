//! The arguments of `referee init`.

use clap::Args;

use super::{PlainFormat, duration};

/// Milliseconds in which the time for one check must lie.
const TRY_LEAST: u64 = 1_000;
const TRY_MOST: u64 = 24 * 3_600_000;

#[derive(Debug, Args)]
#[command(after_help = "\
Each proposed check is run once before it is written, as `referee run` would run it, with its evidence in a private
folder. What is proposed as a prerequisite, such as `npm ci`, runs too: it is part of the specification.
  passes                 it is written
  fails                  it is written, and you are told that the project does not pass it yet
  does not work here     it is written as a comment, with the reason and what it needs
  edits files            it is written as a comment, and the files are put back as they were
What a check leaves behind, such as coverage/, is removed again and written under `outputs`. Checks that passed run a second
time beside referee.yaml and evidence/: one that then fails needs an entry in the file that its tool ignores by.
Do not edit the project meanwhile: an edit looks like one of the check that runs.

Examples:
  referee init                     try what fits the project, and write referee.yaml
  referee init --print             show what would be written, and write nothing
  referee init --no-run            write what is proposed, and run nothing
  referee init --force             in place of the one that is there
  referee init --try-timeout 20m   for checks that take long
  referee init --write-ignores     add the lines to .prettierignore and the like that they need
  referee init --format json       what was found and why, and how each check came out, as data

Exit codes:
  0 written (or shown), also where the project does not pass yet · 2 there is a specification already
  4 no check was found, or none works, and nothing was written · 130, 143 interrupted, and nothing was written")]
pub(crate) struct Init {
    /// Print the specification, and write nothing.
    #[arg(long)]
    pub(crate) print: bool,
    /// Write in place of a referee.yaml that is there.
    #[arg(long, conflicts_with = "print")]
    pub(crate) force: bool,
    /// Write what is proposed without running it.
    #[arg(long)]
    pub(crate) no_run: bool,
    /// Stop a check that runs longer when it is tried.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = try_timeout, conflicts_with = "no_run")]
    pub(crate) try_timeout: u64,
    /// Add the lines that keep tools from evidence/ and referee.yaml to .prettierignore, .markdownlintignore and
    /// .eslintignore; files of other kinds are yours to change.
    #[arg(long, conflicts_with_all = ["print", "no_run"])]
    pub(crate) write_ignores: bool,
    /// How to print what was found; json does not keep it from being written.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

fn try_timeout(text: &str) -> Result<u64, String> {
    duration::within(text, (TRY_LEAST, TRY_MOST), "a time from 1s to 24h, such as 90s or 20m")
}
