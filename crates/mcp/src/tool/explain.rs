//! `referee_explain`: why a task, an action or a rule has its result.

use referee_engine::run_explanation as explanation;
use referee_model::id::{ExecutionId, TaskId};
use referee_model::outcome::Rule;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Answer, arguments};
use crate::project::{self, Project, which};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    specification: Option<String>,
    task: Option<TaskId>,
    run: Option<ExecutionId>,
    subject: Option<String>,
}

pub(super) fn explain(project: &Project, given: Value) -> Answer {
    let asked: Arguments = arguments(given)?;
    let subject = asked.subject.as_deref();
    if let Some(rule) = subject.and_then(Rule::parse) {
        return Ok(serde_json::from_slice(&explanation::of_rule(rule)?)?);
    }
    if let Some(unknown) = subject.filter(|subject| explanation::is_like_a_rule(subject)) {
        return Err(explanation::unknown(unknown, None, &[]).into());
    }
    let library = project.library(asked.specification.as_deref())?;
    let task = project::task(&library, asked.task)?;
    let recorded = library.recorded(&task, &which(asked.run))?;
    Ok(serde_json::from_slice(&explanation::of_run(&recorded, subject)?)?)
}
