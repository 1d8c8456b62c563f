//! Why a task came out as it did, one sentence a reason, gravest first.

use referee_model::record::{Ending, RunEnding, ServiceRecord};
use referee_model::report::ActionReport;
use referee_model::verdict::Decision;

use super::Case;
use super::standing::Blocker;
use crate::skip;
use crate::wording::count;

/// Gives the reasons of a decision; never none.
pub(super) fn of(case: Case<'_>, decision: Decision, actions: &[ActionReport]) -> Vec<String> {
    if decision == Decision::Pass {
        return vec![passed(case)];
    }
    let Case { plan, run, standing, demands, completion } = case;
    let mut reasons = Vec::new();
    match &run.ending {
        RunEnding::Finished => {}
        RunEnding::Interrupted { signal } => reasons.push(format!("the run was interrupted by signal {signal}")),
        RunEnding::Failed { message } => reasons.push(format!("Referee itself failed: {message}")),
    }
    reasons.extend(standing.faults.iter().cloned());
    reasons.extend(standing.problems.iter().map(|problem| {
        let at = format!("{}:{}:{}", plan.specification.file, problem.line, problem.column);
        match &problem.action {
            Some(id) => format!("the specification is wrong: {id}: {} ({at})", problem.message),
            None => format!("the specification is wrong: {} ({at})", problem.message),
        }
    }));
    // Problems tell why nothing ran; what each action would say of it adds nothing.
    if standing.problems.is_empty() {
        reasons.extend(standing.gravest_first().iter().map(|Blocker { action, ran }| {
            format!("{} {}: {} ({})", action.id, action.name, ran.judgement.reason, ran.judgement.outcome.as_str())
        }));
        reasons.extend(
            standing
                .skipped
                .iter()
                .map(|(action, reason)| format!("{} {} never ran: {}", action.id, action.name, skip::because(reason))),
        );
    }
    let judged = decision == Decision::Fail || reasons.is_empty();
    if judged && standing.steps_executed > 0 {
        reasons.extend(demands.unmet.iter().cloned());
        reasons.extend(demands.not_judged.iter().cloned());
    }
    if reasons.is_empty() {
        reasons.push(completion.reason.clone());
    }
    reasons.extend(run.services.iter().filter_map(|service| ended_early(service, actions)));
    reasons
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
            count(left_out as u64, "action"),
            case.run.scope.profile.as_str()
        ),
    }
}

/// Says that a service ended by itself while checks ran: what ran afterwards may not have been checked against it.
fn ended_early(service: &ServiceRecord, actions: &[ActionReport]) -> Option<String> {
    let how = match &service.ending {
        Ending::Interrupted { .. } => return None,
        _ if service.in_cleanup => return None,
        Ending::Exited { code } => format!("with exit code {code}"),
        Ending::Signaled { signal } => format!("by {}", referee_model::signal::shown(*signal)),
        Ending::OutputLimitExceeded { limit_bytes } => format!("because it printed more than {limit_bytes} bytes"),
        Ending::DeadlineExceeded { .. } => "at its deadline".to_owned(),
        Ending::CouldNotStart { message, .. } => format!("before it began: {message}"),
    };
    let id = &service.action;
    let name = actions.iter().find(|report| report.action.id == *id).map_or("", |report| &report.action.name);
    Some(format!(
        "{} ended {how} while checks still ran: what ran afterwards may not have met it",
        format!("the service {id} {name}").trim_end()
    ))
}
