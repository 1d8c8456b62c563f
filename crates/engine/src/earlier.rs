//! The results of a task's last sealed run.

use std::collections::BTreeSet;
use std::path::Path;

use referee_ledger::chain_status::{ChainStanding, ChainStatus};
use referee_ledger::evidence::Evidence;
use referee_ledger::{State, Store, verify};
use referee_model::evidence_name;
use referee_model::id::{ActionId, TaskId};
use referee_model::plan::{Phase, Plan};
use serde_json::Value;

use crate::error::EngineError;

/// Results of an earlier run.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    /// The steps that passed. Empty if no earlier run can be relied on.
    pub(crate) steps: BTreeSet<ActionId>,
    /// Why no result of the earlier run is used. `None`: its results are used.
    pub(crate) note: Option<String>,
}

/// Returns the names of the tasks whose last sealed run below an evidence root was made from this specification.
/// An unreadable run counts as made from none.
///
/// # Errors
/// Fails if the root cannot be read.
pub fn tasks_of(root: &Path, specification: &str) -> Result<Vec<TaskId>, EngineError> {
    let Some(store) = Store::look(root, None)? else { return Ok(Vec::new()) };
    let mut tasks = store.tasks()?;
    tasks.retain(|task| plan_of(root, task).is_some_and(|plan| plan.specification.file == specification));
    Ok(tasks)
}

/// Returns the plan of a task's last run below an evidence root. `None`: there is no readable plan.
pub fn plan_of(root: &Path, task: &TaskId) -> Option<Plan> {
    let bytes = Evidence::open(&root.join(task.as_str())).ok()?.read(evidence_name::PLAN).ok()?;
    referee_model::plan::plan_document::read(&bytes).ok()
}

/// Returns the steps that passed in the task's last sealed run and whose definition is unchanged. If there is no
/// such run, if a later one was never sealed, or if the evidence does not match its seal, no step counts as
/// passed and all of them run. `plan` is the plan as stored: redacted like that of the earlier run.
pub(crate) fn passed_steps(plan: &Plan, state: Option<&State>) -> Result<Earlier, EngineError> {
    let nothing = |note: &str| Ok(Earlier { steps: BTreeSet::new(), note: Some(format!("{note}: all steps run")) });
    let store = Store::open_with(&plan.evidence_root, state)?;
    let Some(directory) = store.sealed(&plan.task) else {
        return nothing("there is no earlier run");
    };
    if !store.unfinished(&plan.task)?.is_empty() {
        return nothing("a later run was never sealed");
    }
    if let Some(survey) = Store::survey(&directory, &plan.task, state)?
        && !is_latest(&survey)
    {
        return nothing("what stands in the task's place is not the latest run of its chain");
    }
    if verify::integrity(&directory).map_or(true, |integrity| !integrity.findings.is_empty()) {
        return nothing("the evidence of the earlier run does not match its seal");
    }
    let evidence = Evidence::open(&directory)?;
    let report = serde_json::from_slice::<Value>(&evidence.read(evidence_name::EXECUTION_REPORT)?);
    let before = referee_model::plan::plan_document::read(&evidence.read(evidence_name::PLAN)?);
    let (Ok(report), Ok(before)) = (report, before) else {
        return nothing("the report of the earlier run cannot be read");
    };
    if !asks_the_same(plan, &before) {
        return nothing("what holds for all steps has changed since the earlier run");
    }
    let is_same = |id: &ActionId| plan.action(id).is_some_and(|action| before.action(id) == Some(action));
    Ok(Earlier { steps: passed(&report).into_iter().filter(is_same).collect(), note: None })
}

/// Returns whether the run in the task's place is the latest one, as far as the state outside the workspace
/// knows. Problems of the history do not matter here.
pub(crate) fn is_latest(survey: &ChainStatus) -> bool {
    matches!(survey.standing, ChainStanding::Head | ChainStanding::Publishing | ChainStanding::NotKept)
}

/// Returns whether everything but the actions is unchanged: the environment or a policy may change the result of
/// a step.
fn asks_the_same(plan: &Plan, before: &Plan) -> bool {
    let rest = |plan: &Plan| Plan {
        specification: before.specification.clone(),
        actions: Vec::new(),
        problems: Vec::new(),
        title: String::new(),
        ..plan.clone()
    };
    let prerequisites = |plan: &Plan| -> Vec<_> {
        plan.actions.iter().filter(|action| action.phase == Phase::Prerequisite).cloned().collect()
    };
    rest(plan) == rest(before) && prerequisites(plan) == prerequisites(before)
}

fn passed(report: &Value) -> BTreeSet<ActionId> {
    let results = report.pointer("/stepExecution/results").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let passed = results.iter().filter(|result| result["status"] == "SUCCESS");
    passed.filter_map(|result| ActionId::parse(result["actionId"].as_str()?).ok()).collect()
}
