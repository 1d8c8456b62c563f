//! `referee_plan`: the actions that would run, in order.

use referee_engine::suite;
use referee_model::id::TaskId;
use referee_model::plan::plan_document;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{Answer, Refusal, arguments, document, limit};
use crate::project::Project;

/// Number of actions of a page, usually and at most.
const LISTED: usize = 50;
pub(super) const LISTED_MAX: usize = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    specification: Option<String>,
    task: Option<TaskId>,
    #[serde(default)]
    after: usize,
    limit: Option<usize>,
}

pub(super) fn plan(project: &Project, given: Value) -> Answer {
    let asked: Arguments = arguments(given)?;
    let limit = limit(asked.limit, LISTED, LISTED_MAX)?;
    let (mut tasks, mut actions) = (Vec::new(), Vec::new());
    for loaded in project.context.load(&project.names(asked.specification.as_deref())?)?.all {
        for plan in loaded?.suite.tasks {
            if asked.task.as_ref().is_some_and(|task| *task != plan.task) {
                continue;
            }
            let mut shown =
                document(&plan_document::KIND.versioned(&suite::shown(&plan, &project.context.environment)))?;
            let Some(Value::Array(planned)) = shown.get_mut("actions").map(Value::take) else {
                return Err(Refusal::internal("a plan lists its actions"));
            };
            tasks.push(json!({ "taskId": plan.task, "title": plan.title, "actionCount": planned.len() }));
            actions.extend(planned.into_iter().map(|action| json!({ "taskId": plan.task, "action": action })));
        }
    }
    if let Some(task) = asked.task.filter(|_| tasks.is_empty()) {
        return Err(Refusal::new(format!("task not found: {task}")));
    }
    let total = actions.len();
    let page: Vec<Value> = actions.into_iter().skip(asked.after).take(limit).collect();
    let end = asked.after.saturating_add(page.len());
    Ok(json!({ "tasks": tasks, "actions": page, "total": total, "next": (end < total).then_some(end) }))
}
