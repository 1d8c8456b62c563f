//! Expected outcomes other than success: ruling 12.

use referee_model::outcome::{AgentAction, Outcome, Rule};
use referee_model::plan::{Action, Phase, Plan, Role, Work};
use referee_model::reading::Reading;
use referee_model::severity::Severity;

use super::draft::{Deadline, Draft};
use super::test_run::summary;
use crate::role::InferredRole;

pub(crate) mod named;
pub(super) mod red;

/// Compares a draft with the expected outcome of the action.
pub(super) fn outcome(plan: &Plan, action: &Action, draft: Draft, told: Option<&InferredRole>) -> Draft {
    let declared = action.expect.as_ref().and_then(|expect| expect.outcome);
    match declared {
        Some(Outcome::Success) => expect_success(draft),
        Some(outcome) => expect_failure(draft, outcome),
        None if is_red(plan, action) => in_red_phase(draft, action, told),
        None => draft,
    }
}

fn is_red(plan: &Plan, action: &Action) -> bool {
    plan.red_phase && action.phase == Phase::Step
}

/// Compares a draft with the expected results of named tests. Nothing excuses them: this is applied last.
pub(super) fn named_tests(
    plan: &Plan,
    action: &Action,
    draft: Draft,
    told: Option<&InferredRole>,
    reading: &Reading,
) -> Draft {
    let Some(expect) = &action.expect else { return draft };
    let red = is_red(plan, action);
    let results = told.and_then(|told| summary(reading, Some(told.role), told.tool.as_deref()));
    // Only the runner's own reader knows which tests ran.
    let results = results.filter(|summary| summary.own).map(|summary| summary.results);
    named::apply(draft, expect, red, results)
}

/// Applies an explicit expectation of success: no failure passes, whatever policy or exit codes allow.
///
/// | outcome                 | becomes                     |
/// |-------------------------|-----------------------------|
/// | SUCCESS                 | itself                      |
/// | failed and blocks       | itself                      |
/// | failed without blocking | itself, blocking            |
fn expect_success(mut draft: Draft) -> Draft {
    if draft.outcome == Outcome::Success || draft.blocking {
        return draft;
    }
    draft.notes.push(decided(draft.rule));
    draft.reason = format!("SUCCESS is expected of it: {}", draft.reason);
    block(&mut draft, Rule::UnexpectedOutcome);
    draft.advise_if_silent("Fix what it found, or expect that outcome");
    draft
}

/// Applies an explicit expectation of a failure.
///
/// | outcome                                  | becomes                                   |
/// |------------------------------------------|-------------------------------------------|
/// | as expected, and may be expected         | expected: no block, no debt, LOW          |
/// | as expected, and may not                 | itself, blocking                          |
/// | SUCCESS                                  | TEST_FAILURE, blocking                    |
/// | another TEST_ or VALIDATION_FAILURE      | TEST_FAILURE, blocking                    |
/// | anything else                            | itself, blocking                          |
fn expect_failure(mut draft: Draft, outcome: Outcome) -> Draft {
    let wanted = outcome.as_str();
    match draft.outcome {
        came if came == outcome && may_be_expected(&draft) => failed_as_expected(draft),
        came if came == outcome => {
            draft
                .notes
                .push(format!("{wanted} is expected of it, and {} is no failure of that kind", draft.rule.as_str()));
            overrule_policy(&mut draft);
            draft.expected = false;
            doubted(draft)
        }
        Outcome::Success => did_not_fail(draft, wanted),
        came @ (Outcome::TestFailure | Outcome::ValidationFailure) => {
            draft.notes.push(decided(draft.rule));
            draft.reason =
                format!("{wanted} is expected of it, and it came out as {}: {}", came.as_str(), draft.reason);
            draft.outcome = Outcome::TestFailure;
            block(&mut draft, Rule::UnexpectedOutcome);
            draft.advise_if_silent("Make it fail as it is expected to, or correct what is expected");
            draft
        }
        _ => {
            draft.notes.push(format!("{wanted} is expected of it, which this does not stand for"));
            overrule_policy(&mut draft);
            draft
        }
    }
}

/// Applies the expectation that the tests of the task fail (`tddPhase: RED`).
///
/// | action                | outcome                         | becomes                           |
/// |-----------------------|---------------------------------|-----------------------------------|
/// | a test run            | TEST_FAILURE, for failed tests  | expected: no block, no debt, LOW  |
/// | a test run            | SUCCESS                         | TEST_FAILURE, blocking            |
/// | a test run            | anything else                   | itself                            |
/// | an HTTP request       | TEST_FAILURE                    | expected: no block, no debt, LOW  |
/// | any other             | any                             | itself                            |
fn in_red_phase(draft: Draft, action: &Action, told: Option<&InferredRole>) -> Draft {
    let is_test = told.is_some_and(|told| told.role == Role::Test);
    let is_request = matches!(action.work, Work::Http(_) | Work::Interaction(_));
    match draft.outcome {
        Outcome::TestFailure if (is_test || is_request) && may_be_expected(&draft) => failed_as_expected(draft),
        Outcome::Success if is_test => did_not_fail(draft, "TEST_FAILURE, as the task is in its red phase,"),
        Outcome::TestFailure if is_test => doubted(draft),
        _ => draft,
    }
}

/// Explains why a failure of the expected kind may not be the intended one, and what would be.
fn doubted(mut draft: Draft) -> Draft {
    if !draft.may_be_build {
        return draft;
    }
    if draft.outcome != Outcome::TestFailure {
        return draft.note(Some("a tool that did not do all its work is no failure of the code".to_owned()));
    }
    "Let a test run and fail: fix what keeps the tests from being built or loaded".clone_into(&mut draft.advice);
    let why = "no test is known to have run and failed: a build that fails, and a suite that cannot be loaded, are no failed \
               test, unless the test file imports what is not written yet";
    draft.note(Some(why.to_owned()))
}

/// Returns whether a failure can be the intended one. It cannot if the work was not done at all, the tool could
/// not work, the specification is wrong, or no test failed: an expected failure never hides these. Exceeding
/// the action's own deadline can be intended; exceeding that of the task says nothing about the action.
fn may_be_expected(draft: &Draft) -> bool {
    // A service that is not ready in time cannot be used, whatever is expected of it.
    let own_deadline = draft.rule == Rule::Deadline && draft.deadline == Some(Deadline::OfAction);
    // A request without an answer can be intended.
    let is_unable = draft.outcome == Outcome::ValidationFailure && draft.remedy == Some(AgentAction::FixPrerequisite);
    let is_misspecified = draft.outcome != Outcome::Timeout && draft.remedy == Some(AgentAction::FixSpecification);
    !is_misspecified && !is_unable && !draft.may_be_build && (own_deadline || is_failure_of_the_work(draft.rule))
}

fn is_failure_of_the_work(rule: Rule) -> bool {
    match rule {
        Rule::TestsFailed
        | Rule::TestsFailedExitZero
        | Rule::TestsFailedByExitCode
        | Rule::TestsFailedExpected
        | Rule::TestsFailedKnown
        | Rule::Findings
        | Rule::FindingsExitZero
        | Rule::FindingsNotForgiven
        | Rule::FindingsKnown
        | Rule::ToolOfLineFailed
        | Rule::ExitUnexpected
        | Rule::FileDiffers
        | Rule::HttpNoAnswer
        | Rule::HttpStatus
        | Rule::HttpAnswerDiffers
        | Rule::InteractionRefused
        | Rule::InteractionDiffers => true,
        Rule::CouldNotStart
        | Rule::Signaled
        | Rule::OutputLimit
        | Rule::ResourceLimit
        | Rule::CommandNotFound
        | Rule::FactsUnusable
        | Rule::Interrupted
        // Depends on whose deadline it was: see `may_be_expected`.
        | Rule::Deadline
        | Rule::RunnerFailed
        | Rule::NoTests
        | Rule::TestRunnerBroken
        | Rule::EndedWithoutSummary
        | Rule::ToolBroken
        | Rule::FileUnreadable
        | Rule::GlobEmpty
        | Rule::SchemaUnusable
        | Rule::InteractionUnavailable
        | Rule::ServiceNotReady
        | Rule::ServicePortTaken
        | Rule::NotExecutable
        | Rule::UnexpectedSuccess
        | Rule::UnexpectedOutcome
        | Rule::NamedTests
        | Rule::Flaky
        | Rule::PrerequisiteFailed
        // These are not failures.
        | Rule::TestsPassed
        | Rule::TestsPassedByExitCode
        | Rule::FindingsIgnored
        | Rule::OnlyRemarks
        | Rule::Clean
        | Rule::ExitExpected
        | Rule::FileAsExpected
        | Rule::HttpAsExpected
        | Rule::InteractionAsExpected
        | Rule::ServiceReady
        | Rule::ExpectedFailure => false,
    }
}

fn failed_as_expected(mut draft: Draft) -> Draft {
    draft.notes.push(decided(draft.rule));
    draft.reason = format!("it failed, as is expected of it: {}", draft.reason);
    draft.rule = Rule::ExpectedFailure;
    draft.expected = true;
    draft.blocking = false;
    draft.severity = Severity::Low;
    draft.advice.clear();
    draft.causes.clear();
    draft
}

fn did_not_fail(mut draft: Draft, wanted: &str) -> Draft {
    draft.notes.push(decided(draft.rule));
    draft.reason = format!("{wanted} is expected of it, and it did not fail: {}", draft.reason);
    draft.outcome = Outcome::TestFailure;
    block(&mut draft, Rule::UnexpectedSuccess);
    "Make sure that it checks what is not done yet; where that is done, expect no failure any more"
        .clone_into(&mut draft.advice);
    draft
}

/// Makes a draft block that policy allowed, and removes the words that say otherwise.
fn overrule_policy(draft: &mut Draft) {
    draft.blocking = true;
    for said in ["allowed by policy", "WARN_ONLY", "enabled: false"] {
        draft.reason = draft.reason.replace(&format!(" ({said})"), "");
    }
    draft.advice = draft.advice.replace(" when convenient", "");
}

/// Blocks, because the outcome is not the expected one.
fn block(draft: &mut Draft, rule: Rule) {
    overrule_policy(draft);
    draft.rule = rule;
    draft.expected = false;
    draft.exit_code_only = false;
    draft.severity = draft.severity.max(Severity::High);
}

fn decided(rule: Rule) -> String {
    format!("by itself, {} decided", rule.as_str())
}
