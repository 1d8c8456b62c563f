//! `referee explain`: what a person typed.

use std::path::PathBuf;

use clap::Args;
use referee_model::id::TaskId;

use super::{PlainFormat, task_id};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee explain                       why the task came out as it did
  referee explain STEP.2                why this action did, and what that means for the task
  referee explain lint --format json    the same as data, an action by its name
  referee explain validation/findings   what a rule says
  referee explain --evidence evidence/T001
                                        of another folder than the last sealed run's")]
pub(crate) struct Explain {
    /// An action, by id or name, or a rule, by the id that reports name it by. Without one, the task.
    #[arg(value_name = "ACTION|RULE")]
    pub(crate) subject: Option<String>,
    /// The folder of one task's evidence. Default: that of the specification's task.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["task", "specification", "workspace"])]
    pub(crate) evidence: Option<PathBuf>,
    /// The task, where the specification has several.
    #[arg(long, value_name = "TASK", value_parser = task_id)]
    pub(crate) task: Option<TaskId>,
    /// The specification that says where evidence is. Default: the nearest referee.yaml, from here upwards.
    #[arg(long, value_name = "FILE", env = "REFEREE_SPECIFICATION")]
    pub(crate) specification: Option<PathBuf>,
    /// The workspace, whatever the specification says.
    #[arg(long, value_name = "DIR", env = "REFEREE_WORKSPACE")]
    pub(crate) workspace: Option<PathBuf>,
    /// How to print the explanation.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}
