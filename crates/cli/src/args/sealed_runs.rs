//! What is typed to name sealed runs.

use std::path::PathBuf;

use clap::Args;
use referee_model::id::TaskId;

use super::{Specification, task_id};

/// The last sealed runs of a specification, or those of an evidence directory.
#[derive(Debug, Args)]
pub(crate) struct SealedRuns {
    #[command(flatten)]
    pub(crate) specification: Specification,
    /// Only this task (can be repeated).
    #[arg(long = "task", value_name = "TASK", value_parser = task_id)]
    pub(crate) tasks: Vec<TaskId>,
    /// Read this evidence directory, of a task or of all tasks, instead of that of the specification.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "workspace"])]
    pub(crate) evidence: Option<PathBuf>,
}
