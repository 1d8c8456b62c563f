//! `referee explain`: what a person typed.

use std::path::PathBuf;

use clap::Args;
use referee_model::id::TaskId;

use super::{PlainFormat, task_id};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee explain                       explain the result of the task
  referee explain STEP.2                explain the result of an action
  referee explain lint --format json    print the explanation as JSON
  referee explain validation/findings   explain a rule
  referee explain TIMEOUT               explain an outcome, a decision or a code
  referee explain 74                    explain an exit code
  referee explain exit-codes            print a help topic
  referee explain --evidence evidence/T001
                                        explain another evidence directory")]
pub(crate) struct Explain {
    /// What to explain: an action (id or name), a rule, an outcome, an exit code, the code of an error, or a help topic
    /// [default: the task].
    #[arg(value_name = "SUBJECT")]
    pub(crate) subject: Option<String>,
    /// Evidence directory of a task [default: that of the specification's task].
    #[arg(long, value_name = "DIR", conflicts_with_all = ["task", "specification", "workspace"])]
    pub(crate) evidence: Option<PathBuf>,
    /// Task to explain, if the specification has several.
    #[arg(long, value_name = "TASK", value_parser = task_id)]
    pub(crate) task: Option<TaskId>,
    /// Specification [default: the nearest referee.yaml in this directory or a parent].
    #[arg(long, value_name = "FILE", env = "REFEREE_SPECIFICATION")]
    pub(crate) specification: Option<PathBuf>,
    /// Override the workspace directory.
    #[arg(long, value_name = "DIR", env = "REFEREE_WORKSPACE")]
    pub(crate) workspace: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
