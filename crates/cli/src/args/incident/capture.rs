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
  referee incident capture         the last sealed run of the nearest referee.yaml, if it failed
  referee incident capture --task T030
  referee incident capture --report evidence/T030
                                   another sealed run
  referee incident capture --log import.log --step import --message 'Import stopped'
  journalctl -u import -n 500 | referee incident capture --log - --step import
  referee incident capture --timeout 10m -- npm run import
                                   run the command, and capture it if it fails

With a command it exits as the command did: with its code, with 128 and the signal's number, with
124 at the deadline, with 127 where it could not be started; whatever becomes of the capture. A
command that passes leaves no incident. Else it exits with 0, also where the run passed and there is
nothing to capture.")]
pub(crate) struct Capture {
    #[command(flatten)]
    pub(crate) root: Root,
    /// The id that the incident is to have. Without it one is made, and a failure that an open incident has already becomes an
    /// occurrence of that.
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Write the incident of this id anew, as long as it is new. When it was captured stays.
    #[arg(long, requires = "id")]
    pub(crate) force: bool,
    /// The report that failed: the folder of a sealed run, or an execution-report.json.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["tasks", "command"])]
    pub(crate) report: Option<PathBuf>,
    /// The last sealed run of this task; may be given several times.
    #[arg(long = "task", value_name = "TASK", value_parser = task_id, conflicts_with_all = ["id", "command"])]
    pub(crate) tasks: Vec<TaskId>,
    /// A log, whose end is kept; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    pub(crate) log: Option<PathBuf>,
    /// Bytes of the log that are kept; 0 for 16 MiB. Default 16000.
    #[arg(long, value_name = "BYTES")]
    pub(crate) log_bytes: Option<usize>,
    /// An audit log, a JSON document a line, whose last lines are kept.
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Lines of the audit log that are kept; 0 for all that fit into 256 KiB. Default 200.
    #[arg(long, value_name = "LINES")]
    pub(crate) audit_lines: Option<usize>,
    /// What is known of the circumstances: a file with a JSON object.
    #[arg(long, value_name = "FILE")]
    pub(crate) context: Option<PathBuf>,
    /// More of it, as JSON; it goes before the file.
    #[arg(long, value_name = "JSON")]
    pub(crate) context_json: Option<String>,
    /// The run that failed. Default: what the report says.
    #[arg(long, value_name = "RUN", default_value = "")]
    pub(crate) run_id: String,
    /// What failed. Where a report says it, the report is right.
    #[arg(long, value_name = "STEP", default_value = "")]
    pub(crate) step: String,
    /// The class, where nothing tells it: of a report or a command it is computed.
    #[arg(long, value_name = "CLASS")]
    pub(crate) failure_class: Option<String>,
    /// What is wrong, in a sentence. Default: what report, log or command tell.
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// The year that the failed work was about.
    #[arg(long, value_name = "YEAR")]
    pub(crate) year: Option<i32>,
    /// The month that the failed work was about.
    #[arg(long, value_name = "MONTH")]
    pub(crate) month: Option<i64>,
    /// How long the command may take: a number with s, m or h. Default: a day.
    #[arg(long, value_name = "DURATION", value_parser = timeout, requires = "command")]
    pub(crate) timeout: Option<u64>,
    /// How to print what was captured; with json a command's own output goes to standard error.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
    /// The command, behind `--`.
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

fn timeout(text: &str) -> Result<u64, String> {
    duration::within(text, (100, limit::ACTION_DEADLINE_MS_MAX), "a time from 100ms to 24h, such as 10m")
}
