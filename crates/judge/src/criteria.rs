//! The judged task, and all tasks of a specification: rulings 12 to 18, and design, "Exit codes".

use std::collections::BTreeMap;

use referee_model::condition_inputs::ConditionInputs;
use referee_model::id::ActionId;
use referee_model::outcome::{AgentAction, Outcome};
use referee_model::plan::Plan;
use referee_model::record::{RunEnding, RunRecord, SkipReason};
use referee_model::report::ActionReport;
use referee_model::verdict::{CompletionEvaluation, Decision, Exit, Next, OverallStatus, Verdict};

use self::action_summary::ActionSummary;
use self::demands::Demands;
use self::weaker::Weaker;
use crate::build_error::{self, Parts};
use crate::condition::Context;

mod action_summary;
pub mod changed_code;
mod completion;
mod contradiction;
mod demands;
mod evaluator;
mod inputs;
mod known_tests;
pub mod probe;
pub mod probe_audit;
mod protection;
mod reasons;
mod silent;
mod suite;
mod weaker;

pub use self::evaluator::{EvaluatorOutput, why_not_asked};
pub use self::inputs::{ROUNDING_MS, TICK_MS};
pub use self::protection::stands;
pub use self::suite::suite;
pub(crate) use self::weaker::told as weaker;
pub use self::weaker::{PROBE, tests_run};
pub use crate::classify::named::is_whole;

/// Everything that a decision depends on.
#[derive(Debug, Clone, Copy)]
struct Case<'a> {
    plan: &'a Plan,
    run: &'a RunRecord,
    standing: &'a ActionSummary<'a>,
    demands: &'a Demands,
    completion: &'a CompletionEvaluation,
    protection: &'a protection::ProtectionState,
    weaker: &'a Weaker,
}

/// Judges a task from its plan, the facts of its run, its judged actions, the data from raw output that
/// conditions need ([`crate::condition::wanted`]), and the answer of the evaluator, if the plan has one.
///
/// Fails closed: whatever is missing or inconsistent is a fault of the engine, never a pass.
pub fn verdict(
    plan: &Plan,
    run: &RunRecord,
    actions: &[ActionReport],
    materials: &BTreeMap<ActionId, ConditionInputs>,
    output: EvaluatorOutput<'_>,
) -> Verdict {
    evaluator::apply(by_rules(plan, run, actions, materials), plan, run, actions, output)
}

/// Judges a task by the rules alone, as input for the evaluator. If the plan has an evaluator, this is not the
/// verdict yet.
pub fn by_rules(
    plan: &Plan,
    run: &RunRecord,
    actions: &[ActionReport],
    materials: &BTreeMap<ActionId, ConditionInputs>,
) -> Verdict {
    let standing = ActionSummary::of(plan, run, actions);
    let mut demands = demands::evaluate(Context { plan, actions, materials, run }, &standing);
    let protection = protection::evaluate(run, actions);
    demands.unmet.extend(protection.tests.failed.iter().cloned());
    if !standing.blocking.is_empty() {
        // The failures block already, and may be the reason why the other tests were not reported.
        demands.unmet.extend(protection.tests.missing.iter().cloned());
    }
    let silent = silent::evaluate(run, actions);
    demands.unmet.extend(silent.iter().cloned());
    let mut completion = completion::evaluate(plan, run, &standing, &demands, actions);
    if run.ending != RunEnding::Finished && completion.complete {
        completion.complete = false;
        completion.reason = String::from("the run did not end by itself");
    }
    let mut weaker = weaker::find(plan, run, actions, &protection.tests);
    if standing.blocking.is_empty() {
        weaker.blocking.extend(protection.tests.missing.iter().cloned());
    }
    if let Some(first) = weaker.blocking.first().filter(|_| completion.complete) {
        completion.complete = false;
        completion.reason.clone_from(first);
    }
    let case = Case {
        plan,
        run,
        standing: &standing,
        demands: &demands,
        completion: &completion,
        protection: &protection,
        weaker: &weaker,
    };
    let void_each_time = inputs::are_void_each_time(run, actions);
    let (decision, exit) = decide(case);
    let mut reasons = reasons::of(case, decision);
    // The lower number of tests is reported elsewhere; this names the tests, even if the number prevents judgement.
    if !weaker.blocking.is_empty() {
        let tests = &protection.tests;
        let which = tests.failed.iter().chain(&tests.missing).chain(&silent);
        let more: Vec<String> = which.filter(|which| !reasons.contains(which)).cloned().collect();
        reasons.extend(more);
    }
    reasons.extend(weaker.told.iter().cloned());
    let blocking: Vec<_> = standing.blocking.iter().map(|blocker| blocker.action.id.clone()).collect();
    let parts = Parts { decision, blocking: &blocking, reasons: &reasons };
    Verdict {
        overall: overall(case),
        decision,
        next: next(run, decision),
        agent_action: agent_action(case, decision, exit, void_each_time),
        build_error: build_error::of(run, actions, &parts),
        reasons,
        blocking,
        exit,
        criteria: demands.criteria,
        completion,
        // Set later, if a baseline was used: see `baseline::apply`.
        baseline: None,
        // Set later, if waivers applied: see `waiver::apply`.
        waivers: Vec::new(),
        evaluator: None,
    }
}

/// Returns who acts next: after a pass of a whole run, the work is done. After a pass of a reduced run it never
/// is: a whole run is still needed (ruling 17).
fn next(run: &RunRecord, decision: Decision) -> Next {
    if decision == Decision::Pass && !run.scope.reduced { Next::Done } else { Next::Planner }
}

/// Returns the decision, and the exit code of the program.
///
/// | the run ended by | and                                               | decision | exit                |
/// |------------------|---------------------------------------------------|----------|---------------------|
/// | a signal         | any                                               | BLOCKED  | interrupted         |
/// | a fault          | something blocks                                  | FAIL     | internal            |
/// | a fault          | nothing blocks                                    | BLOCKED  | internal            |
/// | itself           | protected files differ from their baseline        | BLOCKED  | specification       |
/// | itself           | the plan has problems                             | BLOCKED  | specification       |
/// | itself           | it is weaker than its baseline, and that blocks   | BLOCKED  | specification       |
/// | itself           | a specification error blocks, or skipped          | BLOCKED  | specification       |
/// | itself           | a prerequisite is not met                         | BLOCKED  | prerequisite        |
/// | itself           | a task that this one depends on did not pass      | BLOCKED  | nothing ran         |
/// | itself           | something else blocks                             | FAIL     | the most severe of all |
/// | itself           | no step ran: the time was used up                 | BLOCKED  | timeout             |
/// | itself           | no step ran, for another reason                   | BLOCKED  | nothing ran         |
/// | itself           | a prerequisite or step was skipped, not left out  | FAIL     | by the skip reason  |
/// | itself           | a success condition or an expected output is not met or unknown, a failure condition triggered or unknown, or a red phase passes | FAIL | failed |
/// | itself           | an input changed after steps had read it          | BLOCKED  | specification       |
/// | itself           | a service ended by itself while checks still ran  | BLOCKED  | prerequisite        |
/// | itself           | one of these was not judged in a reduced run      | BLOCKED  | nothing ran         |
/// | itself           | not complete                                      | FAIL     | failed              |
/// | itself           | none of these                                     | PASS     | passed              |
///
/// Unaccounted actions are a fault, too. If a condition was not judged and the task is incomplete for another
/// reason as well, it fails.
fn decide(case: Case<'_>) -> (Decision, Exit) {
    let Case { plan, run, standing, demands, completion, protection, weaker } = case;
    if let RunEnding::Interrupted { signal } = run.ending {
        return (Decision::Blocked, Exit::Interrupted { signal });
    }
    if run.ending != RunEnding::Finished || !standing.faults.is_empty() {
        return (if standing.blocking.is_empty() { Decision::Blocked } else { Decision::Fail }, Exit::Internal);
    }
    if !protection.drifted.is_empty() || !standing.problems.is_empty() || !weaker.blocking.is_empty() {
        return (Decision::Blocked, Exit::Specification);
    }
    let blocked = standing.blocking.iter().map(|blocker| exit_of(blocker.outcome()));
    let skipped = standing.skipped.iter().map(|(_, reason)| exit_of_skip(reason));
    match blocked.chain(skipped).min() {
        Some(exit @ (Exit::Specification | Exit::Prerequisite)) => (Decision::Blocked, exit),
        Some(exit) if !standing.blocking.is_empty() => (Decision::Fail, exit),
        Some(Exit::Timeout) if standing.steps_executed == 0 => (Decision::Blocked, Exit::Timeout),
        _ if standing.steps_executed == 0 => (Decision::Blocked, Exit::NothingRan),
        Some(exit) => (Decision::Fail, exit),
        None if !demands.unmet.is_empty() => (Decision::Fail, Exit::Failed),
        None if !standing.voided.is_empty() => (Decision::Blocked, Exit::Specification),
        None if !standing.lost_services.is_empty() => (Decision::Blocked, Exit::Prerequisite),
        None if completion.complete => (Decision::Pass, Exit::Passed),
        None if completion::lacks_judgement_alone(plan, standing, demands, completion) => {
            (Decision::Blocked, Exit::NothingRan)
        }
        None => (Decision::Fail, Exit::Failed),
    }
}

fn exit_of(outcome: Outcome) -> Exit {
    match outcome {
        Outcome::SpecificationError => Exit::Specification,
        Outcome::PrerequisiteFailure => Exit::Prerequisite,
        Outcome::ExecutionError => Exit::Execution,
        Outcome::Timeout => Exit::Timeout,
        // A blocking success is contradictory, and counts as a failed check.
        Outcome::TestFailure | Outcome::ValidationFailure | Outcome::Success => Exit::Failed,
    }
}

fn exit_of_skip(reason: &SkipReason) -> Exit {
    match reason {
        SkipReason::SpecificationError | SkipReason::ProtectedFilesDrifted => Exit::Specification,
        SkipReason::PrerequisiteFailed(_)
        | SkipReason::NotConfined
        | SkipReason::NoCleanRoom
        | SkipReason::NotPerformed => Exit::Prerequisite,
        SkipReason::DeadlinePassed => Exit::Timeout,
        SkipReason::NeedNotMet(_) | SkipReason::EarlierFailure(_) | SkipReason::Superseded(_) => Exit::Failed,
        SkipReason::LeftOut(_) | SkipReason::DependencyNotPassed(_) => Exit::NothingRan,
        SkipReason::Interrupted | SkipReason::EngineFailed => Exit::Internal,
    }
}

/// Returns the status of the run as a whole (ruling 15). Steps that failed without blocking do not fail the
/// whole: the run is a partial success, even if no step succeeded outright.
fn overall(case: Case<'_>) -> OverallStatus {
    let Case { run, standing, completion, .. } = case;
    let steps_passed = standing.steps_executed - standing.steps_blocking();
    match run.ending {
        RunEnding::Interrupted { .. } => OverallStatus::Interrupted,
        RunEnding::Failed { .. } => OverallStatus::InternalError,
        RunEnding::Finished if !standing.faults.is_empty() => OverallStatus::InternalError,
        RunEnding::Finished if !standing.problems.is_empty() || standing.only_specification_errors => {
            OverallStatus::SpecificationError
        }
        RunEnding::Finished if !case.protection.drifted.is_empty() && standing.steps_executed == 0 => {
            OverallStatus::SpecificationError
        }
        RunEnding::Finished if standing.prerequisites_blocking() > 0 || steps_passed == 0 => OverallStatus::Failure,
        RunEnding::Finished if completion.complete && standing.all_succeeded => OverallStatus::Success,
        RunEnding::Finished => OverallStatus::PartialSuccess,
    }
}

/// Returns the action that the agent is asked to take: after a pass of a whole run to request the new status,
/// after one of a reduced run to run the whole task, else the remedy for the most severe blocking outcome (seed
/// 1, "Error handling coverage").
///
/// For checks that a reduced run did not make there is nothing to fix: another run is requested. A required
/// other task is treated like a prerequisite: another run alone does not help.
fn agent_action(case: Case<'_>, decision: Decision, exit: Exit, void_each_time: bool) -> AgentAction {
    if decision == Decision::Pass {
        let reduced = case.run.scope.reduced;
        return if reduced { AgentAction::RequestRetest } else { AgentAction::RequestStatusUpdate };
    }
    if matches!(exit, Exit::Interrupted { .. }) {
        return AgentAction::RequestRetest;
    }
    if exit == Exit::Specification {
        // Only the timing is wrong: the files that the checks saw have changed. If a check itself writes, this
        // recurs in each run.
        let only_voided = case.standing.is_only_voided() && case.weaker.blocking.is_empty() && !void_each_time;
        let is_work_alone =
            !case.weaker.blocking.is_empty() && !case.weaker.in_specification && case.standing.is_well_specified();
        let is_work_alone = is_work_alone && case.protection.drifted.is_empty();
        return match (only_voided, is_work_alone) {
            (true, _) => AgentAction::RequestRetest,
            (false, true) => AgentAction::ImplementFix,
            (false, false) => AgentAction::FixSpecification,
        };
    }
    if let Some(most_severe) = case.standing.most_severe_first().first() {
        return most_severe.ran.judgement.remedy.unwrap_or(AgentAction::RequestRetest);
    }
    let reduced = !case.standing.left_out.is_empty();
    match exit {
        Exit::Timeout => AgentAction::OptimizeOrIncreaseTimeout,
        Exit::NothingRan if case.standing.awaits_another_task() => AgentAction::FixPrerequisite,
        Exit::Prerequisite => AgentAction::FixPrerequisite,
        Exit::NothingRan if reduced => AgentAction::RequestRetest,
        Exit::Failed if case.demands.is_unmet_by_work() => AgentAction::ImplementFix,
        // Nothing failed, but the result is not a pass: the specification requires more than its checks provide.
        Exit::NothingRan | Exit::Failed => AgentAction::FixSpecification,
        _ => AgentAction::RequestRetest,
    }
}

#[cfg(test)]
mod tests;
