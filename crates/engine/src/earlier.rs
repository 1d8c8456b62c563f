//! What the last sealed run of a task says of its steps.

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

/// What is known of an earlier run.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    /// The steps that passed in it. Empty where there is none that can be relied on.
    pub(crate) steps: BTreeSet<ActionId>,
    /// Why nothing of it is relied on, where nothing is.
    pub(crate) note: Option<String>,
}

/// Returns the tasks whose last sealed run in an evidence root was made from this specification, by name. What cannot be read
/// was made from none.
///
/// # Errors
/// Fails where the root cannot be looked at.
pub fn tasks_of(root: &Path, specification: &str) -> Result<Vec<TaskId>, EngineError> {
    let Some(store) = Store::look(root, None)? else { return Ok(Vec::new()) };
    let mut tasks = store.tasks()?;
    tasks.retain(|task| plan_of(root, task).is_some_and(|plan| plan.specification.file == specification));
    Ok(tasks)
}

/// Returns the plan of a task's last run in an evidence root. None: there is none that can be read.
pub fn plan_of(root: &Path, task: &TaskId) -> Option<Plan> {
    let bytes = Evidence::open(&root.join(task.as_str())).ok()?.read(evidence_name::PLAN).ok()?;
    referee_model::plan::plan_document::read(&bytes).ok()
}

/// Finds the steps that passed in the task's last sealed run, and are the same as then in every word. Where there is no such
/// run, where a later one died, or where its evidence is not as it was sealed, none counts as passed, so that all are run.
/// The plan is the one that would be stored: redacted as that of the earlier run was.
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

/// Whether a directory in the task's place is the latest run, as far as that is known outside the workspace. What is
/// wrong with the history is nothing to it.
pub(crate) fn is_latest(survey: &ChainStatus) -> bool {
    matches!(survey.standing, ChainStanding::Head | ChainStanding::Publishing | ChainStanding::NotKept)
}

/// Whether everything but the actions is as it was: a step may come out otherwise under another environment or policy.
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
