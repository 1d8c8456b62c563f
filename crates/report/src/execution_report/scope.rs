//! The part of a task that a run set out to do (ruling 17).

use referee_model::id::ActionId;
use referee_model::record::SkipReason;
use referee_model::report::{ActionHistory, Report};
use referee_model::selection::{LeftOut, Profile};

/// Part of the task that was to run. A reduced run decides on what ran, and never counts as done.
#[document]
pub(super) struct Scope {
    /// Profile of the run; every one but `strict` makes a reduced run.
    profile: Profile,
    /// Whether anything was left out.
    reduced: bool,
    /// Actions that the run left out, in plan order; empty where it left out none.
    left_out: Vec<LeftOutAction>,
}

/// An action that the run left out.
#[document]
struct LeftOutAction {
    /// Id of the action that did not run.
    action_id: ActionId,
    /// Why the action was left out.
    reason: LeftOut,
}

impl Scope {
    pub(super) fn new(report: &Report) -> Self {
        let left_out = report.actions.iter().filter_map(|action| match &action.history {
            ActionHistory::Skipped(SkipReason::LeftOut(reason)) => {
                Some(LeftOutAction { action_id: action.action.id.clone(), reason: *reason })
            }
            ActionHistory::Skipped(_) | ActionHistory::Ran(_) => None,
        });
        let left_out: Vec<LeftOutAction> = left_out.collect();
        // A run that left something out is a reduced one, whatever its header says.
        Self { profile: report.run.scope.profile, reduced: report.run.scope.reduced || !left_out.is_empty(), left_out }
    }
}
