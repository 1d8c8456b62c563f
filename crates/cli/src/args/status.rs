//! What is typed to see how tasks stand, and to run some again.

use std::path::PathBuf;

use clap::Args;
use referee_model::id::TaskId;

use super::{PlainFormat, Run, task_id};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee status                     show the status of all tasks
  referee status T031                show the status of one task
  referee status --write             also update the status lock and the checkboxes of tasks.md
  referee status --format json

Exits with 0 if every task is COMPLETE and no file contradicts the evidence. Files that contradict it are reported and
otherwise ignored.")]
pub(crate) struct Status {
    /// Only these tasks.
    #[arg(value_name = "TASK", value_parser = task_id)]
    pub(crate) tasks: Vec<TaskId>,
    /// Specification [default: the nearest referee.yaml in this directory or a parent].
    #[arg(long = "specification", value_name = "FILE", env = "REFEREE_SPECIFICATION")]
    pub(crate) specification: Option<PathBuf>,
    /// Override the workspace directory.
    #[arg(long, value_name = "DIR", env = "REFEREE_WORKSPACE")]
    pub(crate) workspace: Option<PathBuf>,
    /// Write the status lock and update the checkboxes of task lists.
    #[arg(long)]
    pub(crate) write: bool,
    /// Task list with checkboxes, relative to the workspace (can be repeated) [default: tasks.md, or that of the only
    /// feature below specs/].
    #[arg(long = "tasks", value_name = "FILE")]
    pub(crate) lists: Vec<String>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee retest T031                run a task and its dependencies again
  referee retest T031 T032 --jobs 4

Takes the options of `referee run`. Afterwards the status lock, if the project keeps one, and the checkboxes of the tasks in
tasks.md are updated.")]
pub(crate) struct Retest {
    #[command(flatten)]
    pub(crate) run: Run,
}
