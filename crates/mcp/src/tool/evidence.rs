//! `referee_evidence_verify`: whether the evidence of a run is as it was sealed.

use referee_model::id::{ExecutionId, TaskId};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Answer, arguments, document};
use crate::project::{self, Project, which};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    specification: Option<String>,
    task: Option<TaskId>,
    run: Option<ExecutionId>,
    #[serde(default)]
    replay: bool,
}

pub(super) fn verify(project: &Project, given: Value) -> Answer {
    let asked: Arguments = arguments(given)?;
    let library = project.library(asked.specification.as_deref())?;
    let task = project::task(&library, asked.task)?;
    document(&library.verify(&task, &which(asked.run), asked.replay, project.context.now())?)
}
