//! What the shape of a plan cannot say.

use std::collections::BTreeSet;

use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::plan::{Action, Evaluator, Plan, Work};

/// Checks a plan that was read.
///
/// # Errors
/// Returns what is wrong, in a sentence.
pub(super) fn check(plan: &Plan) -> Result<(), String> {
    for (key, folder) in [("workspace", &plan.workspace), ("evidenceRoot", &plan.evidence_root)] {
        if !folder.is_absolute() {
            return Err(format!("`{key}` is not an absolute folder"));
        }
    }
    if !(0.0..=100.0).contains(&plan.completion.minimum_pass_rate) {
        return Err("`minimumPassRate` lies outside 0 to 100".to_owned());
    }
    if plan.depends_on.contains(&plan.task) {
        return Err(format!("{} depends on itself", plan.task));
    }
    order(plan)?;
    plan.actions.iter().try_for_each(tries)?;
    problems(plan)
}

/// Actions stand in the order of their phases, each once, and what one needs comes before it.
fn order(plan: &Plan) -> Result<(), String> {
    if plan.actions.len() > limit::ACTIONS {
        return Err(format!("more than {} actions", limit::ACTIONS));
    }
    if let Some(pair) = plan.actions.windows(2).find(|pair| pair[0].phase > pair[1].phase) {
        return Err(format!("{} comes after {}, which belongs to a later phase", pair[1].id, pair[0].id));
    }
    let mut before: BTreeSet<&ActionId> = BTreeSet::new();
    for action in &plan.actions {
        if let Some(need) = action.needs.iter().find(|need| !before.contains(need)) {
            return Err(format!("{} needs {need}, which does not come before it", action.id));
        }
        if Evaluator::owns(&action.id) {
            return Err(format!("{} is the id of an evaluator, which is no action", action.id));
        }
        if !before.insert(&action.id) {
            return Err(format!("{} stands twice", action.id));
        }
    }
    Ok(())
}

fn tries(action: &Action) -> Result<(), String> {
    if action.retries > limit::RETRIES {
        return Err(format!("{} is tried again more than {} times", action.id, limit::RETRIES));
    }
    Ok(())
}

/// What cannot be run has a problem that says so: without it the task would pass over it.
fn problems(plan: &Plan) -> Result<(), String> {
    if plan.problems.iter().any(|problem| problem.line == 0 || problem.column == 0) {
        return Err("a problem stands at line or column 0".to_owned());
    }
    let covered = |action: &Action| {
        plan.problems.iter().any(|problem| problem.action.as_ref().is_none_or(|about| about == &action.id))
    };
    let unsupported = |action: &&Action| matches!(action.work, Work::Unsupported(_));
    match plan.actions.iter().filter(unsupported).find(|action| !covered(action)) {
        Some(action) => Err(format!("{} cannot be run, and no problem says so", action.id)),
        None => Ok(()),
    }
}
