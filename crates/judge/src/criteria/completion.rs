//! Whether a task is complete: rulings 15, 16 and 18.

use referee_model::outcome::Outcome;
use referee_model::plan::{EvidenceKind, Phase, Plan, Role};
use referee_model::record::{Ending, Facts, Log, Stream};
use referee_model::report::{ActionReport, Ran};
use referee_model::verdict::CompletionEvaluation;

use super::standing::Standing;
use crate::wording::count;

/// Evaluates completion.
///
/// It takes all of these: the run ended by itself and accounts for every action; a step ran; every prerequisite held and
/// no prerequisite and no step was skipped; every step passed, or failed without blocking (or, where not all must, as
/// many as the least pass rate asks for); the required evidence was collected.
pub(super) fn evaluate(plan: &Plan, standing: &Standing<'_>, actions: &[ActionReport]) -> CompletionEvaluation {
    let collected = collected(actions);
    let missing: Vec<EvidenceKind> = plan
        .completion
        .required_evidence
        .iter()
        .copied()
        .filter(|kind| !collected.contains(kind) && (*kind != EvidenceKind::ErrorLogs || lacks_error_logs(actions)))
        .collect();
    let (executed, blocking) = (standing.steps_executed, standing.steps_blocking());
    let pass_rate = percent(executed - blocking, executed);
    let obstacle = obstacle(plan, standing, pass_rate, &missing);
    CompletionEvaluation {
        complete: obstacle.is_none(),
        pass_rate,
        test_pass_rate: test_pass_rate(actions),
        evidence_collected: collected,
        evidence_missing: missing,
        reason: obstacle.unwrap_or_else(|| reached(plan, executed, blocking)),
    }
}

/// Says why a task is complete. Where not all steps must pass, some of them may block all the same: that is said.
fn reached(plan: &Plan, executed: u64, blocking: u64) -> String {
    if plan.completion.all_steps_must_pass {
        return format!("{} ran and passed, or failed without blocking", count(executed, "step"));
    }
    let least = plan.completion.minimum_pass_rate;
    let passed = executed - blocking;
    let reached =
        format!("{passed} of {} passed, or failed without blocking: {least:.1} % are needed", count(executed, "step"));
    match blocking {
        0 => reached,
        1 => format!("{reached}; 1 step failed and blocks"),
        _ => format!("{reached}; {blocking} steps failed and block"),
    }
}

/// Returns the first thing that keeps a task from being complete.
fn obstacle(plan: &Plan, standing: &Standing<'_>, pass_rate: Option<f64>, missing: &[EvidenceKind]) -> Option<String> {
    if let Some(fault) = standing.faults.first() {
        return Some(fault.clone());
    }
    if standing.prerequisites_blocking() > 0 {
        return Some(format!("{} failed", count(standing.prerequisites_blocking(), "prerequisite")));
    }
    let Some(pass_rate) = pass_rate else {
        return Some("no step ran".to_owned());
    };
    if !standing.skipped.is_empty() {
        return Some(format!("{} never ran", count(standing.skipped.len() as u64, "action")));
    }
    let least = plan.completion.minimum_pass_rate;
    if plan.completion.all_steps_must_pass {
        if standing.steps_blocking() > 0 {
            return Some(format!(
                "{} of {} failed, and all must pass",
                standing.steps_blocking(),
                count(standing.steps_executed, "step")
            ));
        }
    } else if pass_rate < least || least.is_nan() {
        return Some(format!("the pass rate is {pass_rate:.1} %, and {least:.1} % are needed"));
    }
    (!missing.is_empty()).then(|| format!("required evidence was not collected: {}", names(missing)))
}

/// Returns the names of kinds of evidence, as documents spell them.
pub(super) fn names(kinds: &[EvidenceKind]) -> String {
    let names: Vec<&str> = kinds
        .iter()
        .map(|kind| match kind {
            EvidenceKind::TerminalOutput => "terminal-output",
            EvidenceKind::TestExecutionLog => "test-execution-log",
            EvidenceKind::ApiResponses => "api-responses",
            EvidenceKind::ErrorLogs => "error-logs",
            EvidenceKind::PerformanceMetrics => "performance-metrics",
            EvidenceKind::Screenshots => "screenshots",
        })
        .collect();
    names.join(", ")
}

/// Returns the kinds of evidence that the actions left (ruling 18), in their order.
fn collected(actions: &[ActionReport]) -> Vec<EvidenceKind> {
    let all: Vec<&Ran> = actions.iter().filter_map(ActionReport::ran).collect();
    let any = |holds: &dyn Fn(&Ran) -> bool| all.iter().any(|ran| holds(ran));
    let mut kinds = Vec::new();
    if any(&|ran| log(ran).is_some()) {
        kinds.push(EvidenceKind::TerminalOutput);
    }
    if any(&|ran| log(ran).is_some() && ran.judgement.role == Some(Role::Test)) {
        kinds.push(EvidenceKind::TestExecutionLog);
    }
    if any(&|ran| failed(ran) && log(ran).is_some_and(|log| log.streams.stream_bytes(Stream::Stderr) > 0)) {
        kinds.push(EvidenceKind::ErrorLogs);
    }
    if !all.is_empty() {
        kinds.push(EvidenceKind::PerformanceMetrics);
    }
    kinds
}

/// Whether a failure that must have left its standard error left none. Where nothing failed there is nothing to collect.
fn lacks_error_logs(actions: &[ActionReport]) -> bool {
    actions.iter().filter_map(ActionReport::ran).any(|ran| {
        let started =
            matches!(&ran.record.facts, Facts::Command(facts) if !matches!(facts.ending, Ending::CouldNotStart { .. }));
        failed(ran) && started && log(ran).is_none()
    })
}

fn failed(ran: &Ran) -> bool {
    ran.judgement.outcome != Outcome::Success
}

fn log(ran: &Ran) -> Option<&Log> {
    match &ran.record.facts {
        Facts::Command(facts) => facts.log.as_ref(),
        Facts::File(_) => None,
    }
}

/// Returns the passed tests of all steps in percent of those that ran, as far as judgements count them.
fn test_pass_rate(actions: &[ActionReport]) -> Option<f64> {
    let (mut passed, mut ran_at_all) = (0_u64, 0_u64);
    for ran in actions.iter().filter(|report| report.action.phase == Phase::Step).filter_map(ActionReport::ran) {
        if let Some(counts) = ran.judgement.counted_tests {
            passed = passed.saturating_add(counts.passed);
            ran_at_all = ran_at_all.saturating_add(counts.passed).saturating_add(counts.failed);
        }
    }
    percent(passed, ran_at_all)
}

#[expect(clippy::cast_precision_loss, reason = "a percentage of counts that are far below 2^53")]
fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}
