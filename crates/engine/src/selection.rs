//! Selection of a task's actions: by profile, by name, or by what failed before (ruling 17).

use std::collections::{BTreeMap, BTreeSet};

use referee_judge::role;
use referee_model::id::ActionId;
use referee_model::plan::{Action, Phase, Plan};
pub use referee_model::selection::Profile;
use referee_model::selection::{LeftOut, Scope};

/// Selection on the command line. Default: everything that the specification's profile runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The profile. `None`: the specification's.
    pub profile: Option<Profile>,
    /// Steps to run, by id or name, with everything they need. Empty: all. A named step runs under every profile.
    pub only: Vec<String>,
    /// Actions to skip, by id or name, with everything that needs them.
    pub skip: Vec<String>,
    /// Whether steps that passed in the last sealed run are skipped.
    pub rerun_failed: bool,
}

impl Selection {
    /// Returns the names that match no action of these tasks.
    pub fn unknown<'selection>(&'selection self, tasks: &[&Plan]) -> Vec<&'selection str> {
        let is_known =
            |name: &&String| tasks.iter().any(|plan| plan.actions.iter().any(|action| is_named(action, name)));
        self.only.iter().chain(&self.skip).filter(|name| !is_known(name)).map(String::as_str).collect()
    }
}

/// The actions of a task that a run leaves out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selected {
    /// Profile of the run, and whether it is reduced.
    pub scope: Scope,
    /// The actions left out, with the reasons.
    pub left_out: BTreeMap<ActionId, LeftOut>,
}

/// Determines the actions that are left out. Prerequisites and cleanup run unless they are skipped by name.
pub(crate) fn select(plan: &Plan, selection: &Selection, passed_before: &BTreeSet<ActionId>) -> Selected {
    let profile = selection.profile.unwrap_or(plan.profile);
    let mut left_out: BTreeMap<ActionId, LeftOut> = BTreeMap::new();
    for step in plan.actions.iter().filter(|action| action.phase == Phase::Step) {
        let reason = if !selection.only.is_empty() {
            (!is_any_of(step, &selection.only)).then_some(LeftOut::NotNamed)
        } else if !profile.runs(role::level(step)) {
            Some(LeftOut::Profile)
        } else if passed_before.contains(&step.id) {
            Some(LeftOut::PassedBefore)
        } else {
            None
        };
        left_out.extend(reason.map(|reason| (step.id.clone(), reason)));
    }
    take_in_needs(plan, &mut left_out);
    for action in plan.actions.iter().filter(|action| is_any_of(action, &selection.skip)) {
        left_out.insert(action.id.clone(), LeftOut::Named);
    }
    leave_out_dependents(plan, &mut left_out);
    let reduced = profile != Profile::Strict || !left_out.is_empty();
    Selected { scope: Scope { profile, reduced }, left_out }
}

/// Adds back everything that the selected steps need.
fn take_in_needs(plan: &Plan, left_out: &mut BTreeMap<ActionId, LeftOut>) {
    // An action stands after all that it needs, so one backward pass reaches everything.
    for action in plan.actions.iter().rev() {
        if !left_out.contains_key(&action.id) {
            for need in &action.needs {
                left_out.remove(need);
            }
        }
    }
}

/// Leaves out actions that need one that is left out: they could not be judged.
pub(crate) fn leave_out_dependents(plan: &Plan, left_out: &mut BTreeMap<ActionId, LeftOut>) {
    for action in &plan.actions {
        if !left_out.contains_key(&action.id) && action.needs.iter().any(|need| left_out.contains_key(need)) {
            left_out.insert(action.id.clone(), LeftOut::NeedLeftOut);
        }
    }
}

fn is_any_of(action: &Action, names: &[String]) -> bool {
    names.iter().any(|name| is_named(action, name))
}

fn is_named(action: &Action, name: &str) -> bool {
    action.id.as_str() == name || action.name == name
}
