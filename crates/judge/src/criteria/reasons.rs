//! Reasons for the decision on a task, one sentence each, most severe first.

use referee_model::record::{RunEnding, SkipReason};
use referee_model::verdict::Decision;
use referee_syntax::count::count;

use super::action_summary::Blocker;
use super::{Case, completion};
use crate::skip;

/// Returns the reasons of a decision; never empty.
pub(super) fn of(case: Case<'_>, decision: Decision) -> Vec<String> {
    if decision == Decision::Pass {
        return vec![passed(case)];
    }
    let Case { plan, run, standing, demands, completion, protection, weaker } = case;
    let mut reasons = Vec::new();
    match &run.ending {
        RunEnding::Finished => {}
        RunEnding::Interrupted { signal } => reasons.push(format!("the run was interrupted by signal {signal}")),
        RunEnding::Failed { message } => reasons.push(format!("Referee itself failed: {message}")),
    }
    reasons.extend(standing.faults.iter().cloned());
    reasons.extend(protection.drifted.iter().cloned());
    reasons.extend(standing.problems.iter().map(|problem| problem.verdict_reason(&plan.specification.file)));
    reasons.extend(weaker.blocking.iter().cloned());
    // Problems explain why nothing ran; the reasons of individual actions would add nothing.
    if standing.problems.is_empty() {
        reasons.extend(standing.most_severe_first().iter().map(|Blocker { action, ran }| ran.verdict_reason(action)));
        reasons.extend(
            standing
                .skipped
                .iter()
                // The drift is reported above, once for all actions.
                .filter(|(_, reason)| protection.drifted.is_empty() || **reason != SkipReason::ProtectedFilesDrifted)
                .map(|(action, reason)| format!("{} {} {}", action.id, action.name, unjudged(reason))),
        );
    }
    let judged = decision == Decision::Fail || reasons.is_empty();
    if judged && standing.steps_executed > 0 {
        reasons.extend(demands.unmet.iter().cloned());
        reasons.extend(demands.not_judged.iter().cloned());
    }
    reasons.extend(standing.voided.iter().cloned());
    reasons.extend(standing.lost_services.iter().cloned());
    // A task that did not reach its steps has no evidence that could be missing.
    let missing = completion::not_collected(&completion.evidence_missing).filter(|_| standing.steps_executed > 0);
    reasons.extend(missing);
    if reasons.is_empty() {
        reasons.push(completion.reason.clone());
    }
    reasons
}

fn unjudged(reason: &SkipReason) -> String {
    match reason {
        SkipReason::Superseded(_) => format!("does not count: {}", skip::because(reason)),
        _ => format!("never ran: {}", skip::because(reason)),
    }
}

fn passed(case: Case<'_>) -> String {
    let standing = case.standing;
    let steps = count(standing.steps_executed, "step");
    let passed = match standing.steps_executed - standing.steps_succeeded {
        0 => format!("{steps} passed"),
        others => format!("{steps} passed, {others} of them with failures that do not block"),
    };
    match standing.left_out.len() {
        0 => passed,
        left_out => format!(
            "{passed}; {} left out of this reduced run (profile {})",
            count(left_out, "action"),
            case.run.scope.profile.as_str()
        ),
    }
}
