//! What is typed to see how tasks stand, and to run some again.

use std::path::PathBuf;

use clap::Args;
use referee_model::id::TaskId;

use super::{PlainFormat, Run, task_id};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee status                     how every task stands, by its sealed evidence
  referee status T031                one of them
  referee status --write             also write .specify/state/task-status-lock.json and the checkboxes of tasks.md
  referee status --format json

Exits with 0 where every task is COMPLETE and no file says otherwise. A file that says otherwise than the evidence is
reported, and never believed.")]
pub(crate) struct Status {
    /// The tasks. Default: all.
    #[arg(value_name = "TASK", value_parser = task_id)]
    pub(crate) tasks: Vec<TaskId>,
    /// The specification. Default: the nearest referee.yaml, from here upwards.
    #[arg(long = "specification", value_name = "FILE", env = "REFEREE_SPECIFICATION")]
    pub(crate) specification: Option<PathBuf>,
    /// The workspace, whatever the specification says.
    #[arg(long, value_name = "DIR", env = "REFEREE_WORKSPACE")]
    pub(crate) workspace: Option<PathBuf>,
    /// Write the status lock of all tasks, set the checkboxes of the list of tasks, and write down what says otherwise.
    #[arg(long)]
    pub(crate) write: bool,
    /// The list of tasks with checkboxes, relative to the workspace; may be given several times. Default: tasks.md, or that
    /// of the only feature below specs/.
    #[arg(long = "tasks", value_name = "FILE")]
    pub(crate) lists: Vec<String>,
    /// How to print it.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee retest T031                run this task again, and those that it depends on
  referee retest T031 T032 --jobs 4

Takes the options of `referee run`; the names of tasks go first, where `run` takes files. Afterwards the status is written,
where the project keeps one, and the checkboxes of these tasks in tasks.md: [x] where they are complete, else [ ].")]
pub(crate) struct Retest {
    #[command(flatten)]
    pub(crate) run: Run,
}
