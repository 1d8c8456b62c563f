//! Whether a task is complete: rulings 15, 16 and 18.

use referee_model::outcome::Outcome;
use referee_model::plan::{Action, EvidenceKind, Phase, Plan, Role, SpecificationProblem, Work};
use referee_model::record::http::HttpEnding;
use referee_model::record::{Ending, Facts, Log, RunRecord, ServiceRecord, SkipReason, Stream};
use referee_model::report::{ActionReport, Ran};
use referee_model::verdict::CompletionEvaluation;
use referee_syntax::count::count;

use super::action_summary::ActionSummary;
use super::demands::Demands;
use crate::role;

/// Evaluates completion.
///
/// All of these are required: the specification can be run; the run ended by itself and accounts for every
/// action; a step ran; every prerequisite passed, and no prerequisite or step was skipped, except those that a
/// reduced run left out; every step passed, or failed as expected or without blocking (or, if not all must
/// pass, as many as the minimum pass rate requires); the required evidence was collected; all other conditions
/// of the specification are met.
///
/// Evidence of actions that a reduced run left out is not missing from that run.
pub(super) fn evaluate(
    plan: &Plan,
    run: &RunRecord,
    standing: &ActionSummary<'_>,
    demands: &Demands,
    actions: &[ActionReport],
) -> CompletionEvaluation {
    let collected = collected(run, actions);
    let missing: Vec<EvidenceKind> = plan
        .completion
        .required_evidence
        .iter()
        .copied()
        .filter(|kind| !collected.contains(kind) && (*kind != EvidenceKind::ErrorLogs || lacks_error_logs(actions)))
        .filter(|kind| !standing.left_out.iter().any(|action| leaves(action, *kind)))
        .collect();
    let (executed, blocking) = (standing.steps_executed, standing.steps_blocking());
    let pass_rate = percent(executed - blocking, executed);
    let obstacle = obstacle(plan, standing, pass_rate, &missing)
        .or_else(|| standing.voided.first().cloned())
        .or_else(|| standing.lost_services.first().cloned())
        .or_else(|| demands.unmet.first().or(demands.not_judged.first()).cloned());
    CompletionEvaluation {
        complete: obstacle.is_none(),
        pass_rate,
        test_pass_rate: test_pass_rate(actions),
        evidence_collected: collected,
        evidence_missing: missing,
        reason: obstacle.unwrap_or_else(|| reached(plan, executed, blocking)),
    }
}

/// Explains why a task is complete. If not all steps must pass, some may block all the same: then the reason says so.
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

/// Returns whether a task is incomplete only because of what a reduced run did not judge.
pub(super) fn lacks_judgement_alone(
    plan: &Plan,
    standing: &ActionSummary<'_>,
    demands: &Demands,
    completion: &CompletionEvaluation,
) -> bool {
    let obstacle = obstacle(plan, standing, completion.pass_rate, &completion.evidence_missing);
    obstacle.is_none() && demands.unmet.is_empty() && !demands.not_judged.is_empty()
}

/// Returns the first reason why a task is incomplete.
fn obstacle(
    plan: &Plan,
    standing: &ActionSummary<'_>,
    pass_rate: Option<f64>,
    missing: &[EvidenceKind],
) -> Option<String> {
    if let Some(fault) = standing.faults.first() {
        return Some(fault.clone());
    }
    if let Some(problem) = standing.problems.first() {
        return Some(format!("{}{}", SpecificationProblem::REASON, problem.message));
    }
    if standing.prerequisites_blocking() > 0 {
        return Some(format!("{} failed", count(standing.prerequisites_blocking(), "prerequisite")));
    }
    let Some(pass_rate) = pass_rate else {
        let awaited = standing.skipped.iter().find_map(|(_, reason)| match reason {
            SkipReason::DependencyNotPassed(task) => Some(task),
            _ => None,
        });
        if let Some(task) = awaited {
            return Some(format!("no step ran: the task {task}, which this one depends on, did not pass"));
        }
        return Some(match standing.left_out.len() {
            0 => "no step ran".to_owned(),
            left_out => format!("no step ran: {} left out of this reduced run", count(left_out, "action")),
        });
    };
    if !standing.skipped.is_empty() {
        return Some(format!("{} never ran", count(standing.skipped.len(), "action")));
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
    } else if !(0.0..=100.0).contains(&least) {
        return Some(format!("a pass rate of {least} % is needed, which there is not"));
    } else if pass_rate < least {
        return Some(format!("the pass rate is {pass_rate:.1} %, and {least:.1} % are needed"));
    }
    not_collected(missing)
}

/// Returns which required evidence is missing. None: it is complete.
pub(super) fn not_collected(missing: &[EvidenceKind]) -> Option<String> {
    (!missing.is_empty()).then(|| format!("required evidence was not collected: {}", names(missing)))
}

/// Returns the names of kinds of evidence in the spelling of documents.
pub(super) fn names(kinds: &[EvidenceKind]) -> String {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    names.join(", ")
}

/// Returns the kinds of evidence that the actions produced (ruling 18), in order.
fn collected(run: &RunRecord, actions: &[ActionReport]) -> Vec<EvidenceKind> {
    let mut kinds = Vec::new();
    let of_service = |service: &ServiceRecord| {
        let mut actions = actions.iter().filter(|report| report.action.id == service.action);
        service.log.is_some() && actions.any(|report| keeps_output(&report.action))
    };
    if actions.iter().any(|report| kept_log(report).is_some()) || run.services.iter().any(of_service) {
        kinds.push(EvidenceKind::TerminalOutput);
    }
    if actions.iter().filter_map(kept_log).any(|ran| ran.judgement.role == Some(Role::Test)) {
        kinds.push(EvidenceKind::TestExecutionLog);
    }
    if actions.iter().any(kept_answer) {
        kinds.push(EvidenceKind::ApiResponses);
    }
    if actions.iter().any(kept_error_log) {
        kinds.push(EvidenceKind::ErrorLogs);
    }
    if actions.iter().filter_map(ActionReport::ran).any(|ran| !ran.record.screenshots().is_empty()) {
        kinds.push(EvidenceKind::Screenshots);
    }
    if actions.iter().any(|report| report.ran().is_some() && report.action.evidence.duration) {
        kinds.push(EvidenceKind::PerformanceMetrics);
    }
    kinds
}

/// Returns whether any output of an action is kept: an empty log is not evidence (ruling 18).
fn keeps_output(action: &Action) -> bool {
    action.evidence.stdout || action.evidence.stderr
}

/// Returns the action's run, if it left a log that is kept.
fn kept_log(report: &ActionReport) -> Option<&Ran> {
    report.ran().filter(|ran| log(ran).is_some() && keeps_output(&report.action))
}

/// Returns whether an action that works produces a kind of evidence.
fn leaves(action: &Action, kind: EvidenceKind) -> bool {
    match (kind, &action.work) {
        (EvidenceKind::TerminalOutput, Work::Command(_) | Work::Service(_)) => keeps_output(action),
        (EvidenceKind::TestExecutionLog, Work::Command(command)) => {
            keeps_output(action) && role::tell(command).role == Role::Test
        }
        (EvidenceKind::ApiResponses, Work::Http(_)) => action.evidence.exchange,
        (EvidenceKind::Screenshots, Work::Interaction(interaction)) => interaction.takes_screenshots(),
        _ => false,
    }
}

/// Returns whether an action got a complete HTTP response, and keeps it.
fn kept_answer(report: &ActionReport) -> bool {
    report.action.evidence.exchange
        && report.ran().is_some_and(|ran| match &ran.record.facts {
            Facts::Http(facts) => matches!(facts.ending, HttpEnding::Answered(_)),
            _ => false,
        })
}

/// Returns whether an action failed with output on standard error that is kept.
fn kept_error_log(report: &ActionReport) -> bool {
    let said = |ran: &Ran| log(ran).is_some_and(|log| log.streams.stream_bytes(Stream::Stderr) > 0);
    report.action.evidence.stderr && report.ran().is_some_and(|ran| failed(ran) && said(ran))
}

/// Returns whether a failure lacks its standard error. Without failures nothing needs to be collected.
fn lacks_error_logs(actions: &[ActionReport]) -> bool {
    actions.iter().any(|report| {
        report.ran().is_some_and(|ran| {
            failed(ran) && has_started(ran) && (log(ran).is_none() || !report.action.evidence.stderr)
        })
    })
}

fn has_started(ran: &Ran) -> bool {
    match &ran.record.facts {
        Facts::Command(facts) => !matches!(facts.ending, Ending::CouldNotStart { .. }),
        Facts::Service(facts) => facts.started.as_ref().is_some_and(|started| started.pid.is_some()),
        Facts::File(_) | Facts::Glob(_) | Facts::Http(_) | Facts::Interaction(_) | Facts::NotExecuted => false,
    }
}

fn failed(ran: &Ran) -> bool {
    ran.judgement.outcome != Outcome::Success
}

fn log(ran: &Ran) -> Option<&Log> {
    match &ran.record.facts {
        Facts::Command(facts) => facts.log.as_ref(),
        Facts::Service(facts) => facts.log.as_ref(),
        Facts::File(_) | Facts::Glob(_) | Facts::Http(_) | Facts::Interaction(_) | Facts::NotExecuted => None,
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
