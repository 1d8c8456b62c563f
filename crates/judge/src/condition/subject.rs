//! Resolves the subjects of conditions from the plan alone, independent of what ran.

use std::collections::BTreeMap;

use referee_model::condition::{Expression, Subject};
use referee_model::id::ActionId;
use referee_model::plan::{Action, Phase, Plan, Work};

use crate::role;

/// Actions of a plan by the names that conditions use.
#[derive(Debug)]
pub(super) struct Subjects<'a> {
    by_id: BTreeMap<&'a ActionId, &'a Action>,
    /// Last step that runs each tool, by the tool's canonical name.
    by_tool: BTreeMap<String, &'a Action>,
    last_step: Option<&'a Action>,
}

impl<'a> Subjects<'a> {
    pub(super) fn of(plan: &'a Plan) -> Self {
        let steps = || plan.actions.iter().filter(|action| action.phase == Phase::Step);
        let tool = |action: &'a Action| match &action.work {
            Work::Command(command) => Some((role::tell(command).tool?, action)),
            _ => None,
        };
        Self {
            by_id: plan.actions.iter().map(|action| (&action.id, action)).collect(),
            by_tool: steps().filter_map(tool).collect(),
            last_step: steps().next_back(),
        }
    }

    /// Returns the action that a condition refers to, or the reason why there is none.
    pub(super) fn resolve(&self, subject: &Subject) -> Result<&'a Action, String> {
        match subject {
            Subject::Action(id) => {
                self.by_id.get(id).copied().ok_or_else(|| format!("{id} is not an action of this task"))
            }
            Subject::LastStep => self.last_step.ok_or_else(|| "the task has no step".to_owned()),
            Subject::Tool(name) => {
                let found = self.by_tool.get(&canonical(name)).copied();
                found.ok_or_else(|| format!("no step of the task is known to run {name}"))
            }
        }
    }
}

/// Returns whether a condition refers to an action.
pub(crate) fn speaks_of(plan: &Plan, expression: &Expression, id: &ActionId) -> bool {
    let subjects = Subjects::of(plan);
    expression.fields().any(|field| subjects.resolve(&field.of).is_ok_and(|action| action.id == *id))
}

/// Returns the last step that runs a command; the expected output is that of this step (ruling 14).
pub(crate) fn last_command(plan: &Plan) -> Option<&Action> {
    let runs_command = |action: &&Action| action.phase == Phase::Step && matches!(action.work, Work::Command(_));
    plan.actions.iter().rev().find(runs_command)
}

/// Returns the canonical name of a tool; seed 1 calls tsc by its language.
fn canonical(name: &str) -> String {
    match name.to_lowercase().as_str() {
        "typescript" => "tsc".to_owned(),
        other => other.to_owned(),
    }
}
