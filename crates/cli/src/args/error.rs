//! The arguments of `referee error`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use referee_model::limit;

use super::PlainFormat;

#[derive(Debug, Subcommand)]
pub(crate) enum ErrorCommand {
    /// Classify an agent's result, a verification report, a thrown error or an execution report.
    ///
    /// Exits with 0 if the error could be classified.
    Classify(Classify),
    /// List the error types.
    Types,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee error classify --agent-result agent-1.json
  referee error classify --agent-result agent-1.json --runner signal 9
                                       the agent was killed by a signal
  referee error classify --verification-report verification-1.json --format json
  referee error classify --report evidence/T001/execution-report.json
  gh pr create 2>&1 | referee error classify --system-error -
  my-agent --json | referee error classify --agent-result - --file-name agent-1.json")]
pub(crate) struct Classify {
    #[command(flatten)]
    pub(crate) input: ClassifyInput,
    /// How the agent ended, if known: `deadline`, `signal NUMBER` or `memory`; overrides the exit code.
    #[arg(long, num_args = 1..=2, value_names = ["WHAT", "NUMBER"], requires = "agent_result", allow_negative_numbers = true)]
    pub(crate) runner: Vec<String>,
    /// Number of last lines of each stream to keep (at most 16 KiB).
    #[arg(long, value_name = "N", default_value_t = limit::TAIL_LINES, value_parser = tail_lines)]
    pub(crate) tail_lines: usize,
    /// File name to record in the error [default: name of the file read].
    #[arg(long, value_name = "NAME")]
    pub(crate) file_name: Option<String>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

/// Document to classify; `-` is standard input.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ClassifyInput {
    /// Result of an agent's process, as JSON; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) agent_result: Option<PathBuf>,
    /// Verification report, as JSON; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) verification_report: Option<PathBuf>,
    /// Error thrown by a program: JSON with `message`, `name` and `stack`, or text; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) system_error: Option<PathBuf>,
    /// An execution-report.json; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

fn tail_lines(text: &str) -> Result<usize, String> {
    let lines = text.parse().ok().filter(|lines| *lines <= limit::TAIL_LINES_MAX);
    lines.ok_or_else(|| format!("expected a whole number from 0 to {}", limit::TAIL_LINES_MAX))
}
