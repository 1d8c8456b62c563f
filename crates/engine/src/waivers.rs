//! The waivers of a run: read before its first action, recorded in its context, and applied to its judgements.

use referee_judge::baseline;
use referee_judge::waiver::Waivers;
use referee_ledger::State;
use referee_ledger::waivers::{self, Approvers};
use referee_model::plan::{Action, Plan};
use referee_model::report::Ran;
use referee_model::run_context::waiver::{Waiver, WaiverScope, WaiverStanding};
use referee_model::time::Timestamp;

use crate::stored_baseline::StoredBaseline;

mod approval;

pub use self::approval::{GivenWaiver, WaiverRequest, WaiverSubject, give, revoke, standing_of, standings};

/// Returns the waivers of a workspace, redacted for storage.
pub(crate) fn found(plan: &Plan, state: Option<&State>, at: Timestamp, redact: &dyn Fn(&str) -> String) -> Vec<Waiver> {
    let mut found = waivers::find(&plan.workspace, &Approvers::load(state, at));
    for waiver in &mut found {
        waiver.id = redact(&waiver.id);
        match &mut waiver.standing {
            WaiverStanding::Refused { reason } => *reason = redact(reason),
            WaiverStanding::Signed { approver, terms, .. } => {
                for text in [approver, &mut terms.reason, &mut terms.person] {
                    *text = redact(text);
                }
                // Redacted too, because it is compared with redacted names.
                for text in names(&mut terms.scope) {
                    *text = redact(text);
                }
            }
        }
    }
    found
}

fn names(scope: &mut WaiverScope) -> Vec<&mut String> {
    match scope {
        WaiverScope::Action { task, action } => task.iter_mut().chain([action]).collect(),
        WaiverScope::Rule { tool, rule } => vec![tool, rule],
        WaiverScope::File { path } => vec![path],
        WaiverScope::Weakening { subject } => vec![subject],
    }
}

/// Lifts the block of a judged action, if waivers cover all of it. Live runs and replays share this code.
pub(crate) fn lift(plan: &Plan, action: &Action, ran: Ran, held: Option<&StoredBaseline>, waivers: Waivers<'_>) -> Ran {
    let known = held.and_then(|held| baseline::of_action(&held.baseline, plan, action));
    waivers.lift(plan, action, ran, known)
}
