//! Actions without an outcome: those that never ran, and those whose run does not count.

use referee_model::id::ActionId;
use referee_model::plan::{ActionType, Phase, Plan};
use referee_model::record::SkipReason;
use referee_model::report::{ActionHistory, ActionReport};

use referee_model::evidence_name;

use super::evidence;

/// An action without an outcome (ruling 7).
#[document]
pub(crate) struct Skipped {
    /// Id of the action in the plan, such as `STEP.2`.
    action_id: ActionId,
    /// Part of the plan that the action belongs to.
    phase: Phase,
    /// Type of the action: command, request, or check of a file or a service.
    #[serde(rename = "type")]
    kind: ActionType,
    /// Name of the check in the specification.
    description: String,
    /// Why the action has no outcome, as data.
    reason: SkipReason,
    /// The reason as a sentence.
    message: String,
    /// Record of the first attempt, where the action was started and does not count.
    evidence: Option<String>,
}

impl Skipped {
    /// Returns the action as skipped. None: it has an outcome.
    pub(super) fn new(plan: &Plan, report: &ActionReport) -> Option<Self> {
        let ActionHistory::Skipped(reason) = &report.history else { return None };
        let action = &report.action;
        let was_started = matches!(reason, SkipReason::Superseded(_));
        Some(Self {
            action_id: action.id.clone(),
            phase: action.phase,
            kind: action.work.action_type(),
            description: action.name.clone(),
            reason: reason.clone(),
            message: reason.sentence(),
            evidence: was_started.then(|| evidence::shown(plan, &evidence_name::record(action, 1))),
        })
    }
}
