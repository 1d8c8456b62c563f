//! The arguments of `referee error`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use referee_model::limit;

use super::PlainFormat;

#[derive(Debug, Subcommand)]
pub(crate) enum ErrorCommand {
    /// Say what kind of failure an agent's result, a verification report, a thrown error or a report of ours tells of.
    ///
    /// Exits with 0 where it could be told, whatever it is.
    Classify(Classify),
    /// Print the thirteen types of errors: name, group, what each says.
    Types,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee error classify --agent-result agent-1.json
  referee error classify --agent-result agent-1.json --runner signal 9
                                       whoever ran the agent knows more than its exit code
  referee error classify --verification-report verification-1.json --format json
  referee error classify --report evidence/T001/execution-report.json
  gh pr create 2>&1 | referee error classify --system-error -
  my-agent --json | referee error classify --agent-result - --file-name agent-1.json")]
pub(crate) struct Classify {
    #[command(flatten)]
    pub(crate) input: ClassifyInput,
    /// What is known of the agent's end: `deadline`, `signal` with its number, or `memory`. It decides before anything
    /// that the exit code may mean.
    #[arg(long, num_args = 1..=2, value_names = ["WHAT", "NUMBER"], requires = "agent_result", allow_negative_numbers = true)]
    pub(crate) runner: Vec<String>,
    /// So many last lines of each stream, at most 16 KiB.
    #[arg(long, value_name = "N", default_value_t = limit::TAIL_LINES, value_parser = tail_lines)]
    pub(crate) tail_lines: usize,
    /// The name of the file that the error refers to; folders are left out. Default: the name of the file that is read.
    #[arg(long, value_name = "NAME")]
    pub(crate) file_name: Option<String>,
    /// How to print the error.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

/// What is read; `-` is standard input.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ClassifyInput {
    /// What an agent's process left, as JSON; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) agent_result: Option<PathBuf>,
    /// What checked an agent's work, as JSON of either shape; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) verification_report: Option<PathBuf>,
    /// An error that a program threw: JSON with `message`, `name` and `stack`, or the text that it printed; `-` is standard
    /// input.
    #[arg(long, value_name = "FILE")]
    pub(crate) system_error: Option<PathBuf>,
    /// An execution-report.json of ours: what it states; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

fn tail_lines(text: &str) -> Result<usize, String> {
    let lines = text.parse().ok().filter(|lines| *lines <= limit::TAIL_LINES_MAX);
    lines.ok_or_else(|| format!("expected a whole number from 0 to {}", limit::TAIL_LINES_MAX))
}
