//! What is typed to take a baseline.

use std::path::PathBuf;

use clap::Args;
use referee_model::id::TaskId;

use super::{Specification, task_id};

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
    pub(crate) specification: Specification,
    /// Only this task (can be repeated).
    #[arg(long = "task", value_name = "TASK", value_parser = task_id)]
    pub(crate) tasks: Vec<TaskId>,
    /// Read this evidence directory, of a task or of all tasks, instead of that of the specification.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "workspace"])]
    pub(crate) evidence: Option<PathBuf>,
    /// Write to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
