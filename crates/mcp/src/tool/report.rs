//! `referee_report`: the sealed report of a run, action by action, or a part of it.

use referee_model::id::{ActionId, ExecutionId, TaskId};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer::{Answer, Refusal, arguments, limit};
use crate::project::{self, Project, which};
use crate::resource;

/// Number of actions of a page, usually and at most.
const LISTED: usize = 10;
pub(super) const LISTED_MAX: usize = 100;

/// Maximum size of an answer, in bytes of JSON. The whole report is a resource.
const BYTES: usize = 512 * 1024;

/// Sections of a report that list actions.
const PHASES: [&str; 3] = ["prerequisiteExecution", "stepExecution", "cleanupExecution"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    specification: Option<String>,
    task: Option<TaskId>,
    run: Option<ExecutionId>,
    action: Option<ActionId>,
    #[serde(default)]
    status: Vec<String>,
    blocking: Option<bool>,
    pointer: Option<String>,
    #[serde(default)]
    after: usize,
    limit: Option<usize>,
}

impl Arguments {
    fn is_met_by(&self, action: &Value) -> bool {
        let status = action["status"].as_str().unwrap_or_default();
        self.action.as_ref().is_none_or(|id| action["actionId"] == id.as_str())
            && self.blocking.is_none_or(|blocking| action["blocking"] == blocking)
            && (self.status.is_empty() || self.status.iter().any(|asked| asked == status))
    }
}

pub(super) fn report(project: &Project, given: Value) -> Answer {
    let asked: Arguments = arguments(given)?;
    let limit = limit(asked.limit, LISTED, LISTED_MAX)?;
    let library = project.library(asked.specification.as_deref())?;
    let task = project::task(&library, asked.task.clone())?;
    let run = library.open(&task, &which(asked.run.clone()))?;
    let report: Value = serde_json::from_slice(run.report())?;
    let mut answer = Map::from_iter([
        ("taskId".to_owned(), json!(task)),
        ("executionId".to_owned(), json!(run.seal().execution_id)),
        ("summary".to_owned(), report["executionSummary"].clone()),
        ("report".to_owned(), json!(resource::report_of(&task, &run.seal().execution_id))),
    ]);
    match &asked.pointer {
        Some(pointer) => {
            let unknown = || Refusal::new(format!("the report has nothing at `{pointer}`"));
            answer.insert("part".to_owned(), report.pointer(pointer).ok_or_else(unknown)?.clone());
        }
        None => answer.extend(page(&report, &asked, limit)),
    }
    let answer = Value::Object(answer);
    let bytes = answer.to_string().len();
    if bytes > BYTES {
        return Err(Refusal::new(format!(
            "the answer has {bytes} bytes, and at most {BYTES} are given: ask for fewer actions by `limit`, or for a part by `pointer`"
        )));
    }
    Ok(answer)
}

/// Returns one page of the actions that are asked for, and their number.
fn page(report: &Value, asked: &Arguments, limit: usize) -> Map<String, Value> {
    let results = PHASES.iter().flat_map(|phase| report[*phase]["results"].as_array().into_iter().flatten());
    let met: Vec<&Value> = results.filter(|action| asked.is_met_by(action)).collect();
    let actions: Vec<&Value> = met.iter().copied().skip(asked.after).take(limit).collect();
    let end = asked.after.saturating_add(actions.len());
    Map::from_iter([
        ("actions".to_owned(), json!(actions)),
        ("total".to_owned(), json!(met.len())),
        ("next".to_owned(), json!((end < met.len()).then_some(end))),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(given: Value) -> Arguments {
        serde_json::from_value(given).unwrap()
    }

    #[test]
    fn actions_are_filtered_and_paged_over_all_phases() {
        let report = json!({
            "prerequisiteExecution": { "results": [{ "actionId": "PREREQ.1", "status": "SUCCESS", "blocking": false }] },
            "stepExecution": { "results": [
                { "actionId": "STEP.1", "status": "TEST_FAILURE", "blocking": true },
                { "actionId": "STEP.2", "status": "TIMEOUT", "blocking": true },
            ] },
            "cleanupExecution": { "results": [] },
        });
        let ids = |given: Value, limit: usize| {
            let page = page(&report, &asked(given), limit);
            let ids: Vec<String> = page["actions"]
                .as_array()
                .unwrap()
                .iter()
                .map(|action| action["actionId"].as_str().unwrap().into())
                .collect();
            (ids.join(" "), page["total"].as_u64().unwrap(), page["next"].as_u64())
        };
        assert_eq!(ids(json!({}), 2), ("PREREQ.1 STEP.1".into(), 3, Some(2)));
        assert_eq!(ids(json!({ "after": 2 }), 2), ("STEP.2".into(), 3, None));
        assert_eq!(ids(json!({ "after": 9 }), 2), (String::new(), 3, None));
        assert_eq!(ids(json!({ "blocking": true }), 9), ("STEP.1 STEP.2".into(), 2, None));
        assert_eq!(ids(json!({ "status": ["TIMEOUT", "SUCCESS"] }), 9), ("PREREQ.1 STEP.2".into(), 2, None));
        assert_eq!(ids(json!({ "action": "STEP.1" }), 9), ("STEP.1".into(), 1, None));
    }
}
