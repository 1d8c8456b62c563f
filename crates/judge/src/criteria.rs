//! The judged task: rulings 15, 16 and 18, and design, "Exit codes".

use referee_model::outcome::{AgentAction, Outcome};
use referee_model::plan::Plan;
use referee_model::record::{RunEnding, RunRecord, SkipReason};
use referee_model::report::ActionReport;
use referee_model::verdict::{CompletionEvaluation, Decision, Exit, Next, OverallStatus, Verdict};

use self::standing::{Blocker, Standing};
use crate::build_error::{self, Parts};
use crate::wording::count;

mod completion;
mod standing;

/// Judges a task from its plan, the facts of its run, and its judged actions.
///
/// It fails closed: whatever is missing or does not fit together is a fault of the engine, never a pass.
pub fn verdict(plan: &Plan, run: &RunRecord, actions: &[ActionReport]) -> Verdict {
    let standing = Standing::of(plan, run, actions);
    let mut completion = completion::evaluate(plan, &standing, actions);
    if run.ending != RunEnding::Finished && completion.complete {
        completion.complete = false;
        completion.reason = String::from("the run did not end by itself");
    }
    let (decision, exit) = decide(run, &standing, &completion);
    let reasons = reasons(run, &standing, &completion, decision);
    let blocking: Vec<_> = standing.blocking.iter().map(|blocker| blocker.action.id.clone()).collect();
    let parts = Parts { decision, blocking: &blocking, reasons: &reasons };
    Verdict {
        overall: overall(run, &standing, &completion),
        decision,
        next: if decision == Decision::Pass { Next::Done } else { Next::Planner },
        agent_action: agent_action(&standing, decision, exit),
        build_error: build_error::of(run, actions, &parts),
        reasons,
        blocking,
        completion,
        exit,
    }
}

/// What gates, and what a program exits with.
///
/// | the run ended by | and                                             | decision | exit                |
/// |------------------|-------------------------------------------------|----------|---------------------|
/// | a signal         | any                                             | BLOCKED  | interrupted         |
/// | a fault          | something blocks                                | FAIL     | internal            |
/// | a fault          | nothing blocks                                  | BLOCKED  | internal            |
/// | itself           | a specification error blocks                    | BLOCKED  | specification       |
/// | itself           | a prerequisite does not hold                    | BLOCKED  | prerequisite        |
/// | itself           | something else blocks                           | FAIL     | the gravest of all  |
/// | itself           | no step ran: the time was used up               | BLOCKED  | timeout             |
/// | itself           | no step ran, for another reason                 | BLOCKED  | nothing ran         |
/// | itself           | a prerequisite or step was skipped              | FAIL     | why it was          |
/// | itself           | not complete                                    | FAIL     | failed              |
/// | itself           | none of these                                   | PASS     | passed              |
///
/// Actions that are not accounted for are a fault, too.
fn decide(run: &RunRecord, standing: &Standing<'_>, completion: &CompletionEvaluation) -> (Decision, Exit) {
    if let RunEnding::Interrupted { signal } = run.ending {
        return (Decision::Blocked, Exit::Interrupted { signal });
    }
    if run.ending != RunEnding::Finished || !standing.faults.is_empty() {
        return (if standing.blocking.is_empty() { Decision::Blocked } else { Decision::Fail }, Exit::Internal);
    }
    let blocked = standing.blocking.iter().map(|blocker| exit_of(blocker.outcome()));
    let skipped = standing.skipped.iter().map(|(_, reason)| exit_of_skip(reason));
    match blocked.chain(skipped).min() {
        Some(exit @ (Exit::Specification | Exit::Prerequisite)) => (Decision::Blocked, exit),
        Some(exit) if !standing.blocking.is_empty() => (Decision::Fail, exit),
        Some(Exit::Timeout) if standing.steps_executed == 0 => (Decision::Blocked, Exit::Timeout),
        _ if standing.steps_executed == 0 => (Decision::Blocked, Exit::NothingRan),
        Some(exit) => (Decision::Fail, exit),
        None if !completion.complete => (Decision::Fail, Exit::Failed),
        None => (Decision::Pass, Exit::Passed),
    }
}

fn exit_of(outcome: Outcome) -> Exit {
    match outcome {
        Outcome::SpecificationError => Exit::Specification,
        Outcome::PrerequisiteFailure => Exit::Prerequisite,
        Outcome::ExecutionError => Exit::Execution,
        Outcome::Timeout => Exit::Timeout,
        // A success that blocks is none; it is counted as a failed check.
        Outcome::TestFailure | Outcome::ValidationFailure | Outcome::Success => Exit::Failed,
    }
}

fn exit_of_skip(reason: &SkipReason) -> Exit {
    match reason {
        SkipReason::PrerequisiteFailed(_) => Exit::Prerequisite,
        SkipReason::DeadlinePassed => Exit::Timeout,
        SkipReason::NeedNotMet(_) | SkipReason::EarlierFailure(_) => Exit::Failed,
        SkipReason::Interrupted | SkipReason::EngineFailed => Exit::Internal,
    }
}

/// How the run as a whole came out (ruling 15). Steps that failed without blocking are no failure of the whole: the run
/// is a partial success even where no step succeeded outright.
fn overall(run: &RunRecord, standing: &Standing<'_>, completion: &CompletionEvaluation) -> OverallStatus {
    let steps_passed = standing.steps_executed - standing.steps_blocking();
    match run.ending {
        RunEnding::Interrupted { .. } => OverallStatus::Interrupted,
        RunEnding::Failed { .. } => OverallStatus::InternalError,
        RunEnding::Finished if !standing.faults.is_empty() => OverallStatus::InternalError,
        RunEnding::Finished if standing.only_specification_errors => OverallStatus::SpecificationError,
        RunEnding::Finished if standing.prerequisites_blocking() > 0 || steps_passed == 0 => OverallStatus::Failure,
        RunEnding::Finished if completion.complete && standing.all_succeeded => OverallStatus::Success,
        RunEnding::Finished => OverallStatus::PartialSuccess,
    }
}

/// Why, one sentence a reason, gravest first.
fn reasons(
    run: &RunRecord,
    standing: &Standing<'_>,
    completion: &CompletionEvaluation,
    decision: Decision,
) -> Vec<String> {
    let mut reasons = Vec::new();
    match &run.ending {
        RunEnding::Finished => {}
        RunEnding::Interrupted { signal } => reasons.push(format!("the run was interrupted by signal {signal}")),
        RunEnding::Failed { message } => reasons.push(format!("Referee itself failed: {message}")),
    }
    reasons.extend(standing.faults.iter().cloned());
    reasons.extend(standing.gravest_first().iter().map(|blocker| {
        let Blocker { action, ran } = blocker;
        format!("{} {}: {} ({})", action.id, action.name, ran.judgement.reason, ran.judgement.outcome.as_str())
    }));
    reasons.extend(
        standing
            .skipped
            .iter()
            .map(|(action, reason)| format!("{} {} never ran: {}", action.id, action.name, skipped_because(reason))),
    );
    if decision == Decision::Pass {
        let others = standing.steps_executed - standing.steps_succeeded;
        reasons.push(match others {
            0 => format!("{} passed", count(standing.steps_executed, "step")),
            _ => format!(
                "{} passed, {others} of them with failures that do not block",
                count(standing.steps_executed, "step")
            ),
        });
    } else if reasons.is_empty() {
        reasons.push(completion.reason.clone());
    }
    reasons
}

fn skipped_because(reason: &SkipReason) -> String {
    match reason {
        SkipReason::PrerequisiteFailed(id) => format!("the prerequisite {id} does not hold"),
        SkipReason::NeedNotMet(id) => format!("{id}, which it needs, did not pass"),
        SkipReason::EarlierFailure(id) => format!("{id} failed before, and is not to be continued after"),
        SkipReason::DeadlinePassed => "the task's time was used up".to_owned(),
        SkipReason::Interrupted => "the run was interrupted".to_owned(),
        SkipReason::EngineFailed => "Referee itself failed before".to_owned(),
    }
}

/// What the agent is asked to do: for a pass to ask for the new status, else what the gravest blocking outcome calls for
/// (seed 1, "Error handling coverage").
fn agent_action(standing: &Standing<'_>, decision: Decision, exit: Exit) -> AgentAction {
    if decision == Decision::Pass {
        return AgentAction::RequestStatusUpdate;
    }
    if matches!(exit, Exit::Interrupted { .. }) {
        return AgentAction::RequestRetest;
    }
    if let Some(gravest) = standing.gravest_first().first() {
        return gravest.ran.judgement.remedy.unwrap_or(AgentAction::RequestRetest);
    }
    match exit {
        Exit::Timeout => AgentAction::OptimizeOrIncreaseTimeout,
        Exit::Prerequisite => AgentAction::FixPrerequisite,
        // Nothing failed, and still it is no pass: the specification asks for what its checks do not give.
        Exit::NothingRan | Exit::Failed | Exit::Specification => AgentAction::FixSpecification,
        _ => AgentAction::RequestRetest,
    }
}

#[cfg(test)]
mod tests;
