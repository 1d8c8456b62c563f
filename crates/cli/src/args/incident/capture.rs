//! What is typed to `referee incident capture`.

use std::path::PathBuf;

use clap::Args;
use referee_model::id::TaskId;
use referee_model::limit;

use super::Root;
use crate::args::{PlainFormat, duration, task_id};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee incident capture         capture the last sealed run, if it failed
  referee incident capture --task T030
  referee incident capture --report evidence/T030
                                   capture another sealed run
  referee incident capture --log import.log --step import --message 'Import stopped'
  journalctl -u import -n 500 | referee incident capture --log - --step import
  referee incident capture --timeout 10m -- npm run import
                                   run a command, and capture it if it fails

With a command, exits as the command did: its exit code, 128 plus the signal number, 124 on timeout,
127 if it could not be started. A command that succeeds leaves no incident. Otherwise exits with 0,
also if the run passed and there is nothing to capture.")]
pub(crate) struct Capture {
    #[command(flatten)]
    pub(crate) root: Root,
    /// Id of the incident [default: generated; a failure of an open incident is added to it].
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Overwrite the incident with this id, if it is still new.
    #[arg(long, requires = "id")]
    pub(crate) force: bool,
    /// Failed report: an evidence directory, or an execution-report.json.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["tasks", "command"])]
    pub(crate) report: Option<PathBuf>,
    /// Capture the last sealed run of this task (can be repeated).
    #[arg(long = "task", value_name = "TASK", value_parser = task_id, conflicts_with_all = ["id", "command"])]
    pub(crate) tasks: Vec<TaskId>,
    /// Log to keep the end of; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    pub(crate) log: Option<PathBuf>,
    /// Bytes of the log to keep; 0 for 16 MiB [default: 16000].
    #[arg(long, value_name = "BYTES")]
    pub(crate) log_bytes: Option<usize>,
    /// Audit log with one JSON document per line, to keep the end of.
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Lines of the audit log to keep; 0 for all that fit into 256 KiB [default: 200].
    #[arg(long, value_name = "LINES")]
    pub(crate) audit_lines: Option<usize>,
    /// File with a JSON object of context.
    #[arg(long, value_name = "FILE")]
    pub(crate) context: Option<PathBuf>,
    /// Context as JSON; overrides the file.
    #[arg(long, value_name = "JSON")]
    pub(crate) context_json: Option<String>,
    /// Id of the failed run [default: that of the report].
    #[arg(long, value_name = "RUN", default_value = "")]
    pub(crate) run_id: String,
    /// Failed step; a report overrides it.
    #[arg(long, value_name = "STEP", default_value = "")]
    pub(crate) step: String,
    /// Failure class, if it cannot be computed from a report or command.
    #[arg(long, value_name = "CLASS")]
    pub(crate) failure_class: Option<String>,
    /// Message of the failure [default: from the report, log or command].
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// Year of the failed work.
    #[arg(long, value_name = "YEAR")]
    pub(crate) year: Option<i32>,
    /// Month of the failed work.
    #[arg(long, value_name = "MONTH")]
    pub(crate) month: Option<i64>,
    /// Timeout of the command, such as 90s or 10m [default: 24h].
    #[arg(long, value_name = "DURATION", value_parser = timeout, requires = "command")]
    pub(crate) timeout: Option<u64>,
    /// Output format; with json the command's own output goes to standard error.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
    /// Command to run.
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

fn timeout(text: &str) -> Result<u64, String> {
    duration::within(text, (100, limit::ACTION_DEADLINE_MS_MAX), "a time from 100ms to 24h, such as 10m")
}
