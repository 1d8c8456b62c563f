//! Retries, and the combination of several attempts of one action: ruling 13.

use referee_model::outcome::{AgentAction, Judgement, Outcome, Rule};
use referee_model::plan::{Action, Phase, Plan};
use referee_model::report::Attempt;
use referee_model::severity::Severity;

use super::{debt, underneath};

/// Returns whether an action is to be tried again after this attempt; attempts are 1-based.
///
/// | judged                                            | tried again               |
/// |---------------------------------------------------|---------------------------|
/// | SUCCESS, expected, or not blocking by policy      | no                        |
/// | SPECIFICATION_ERROR, also under a prerequisite    | no: it would be the same  |
/// | the run was interrupted                           | no                        |
/// | any other                                         | while attempts are left   |
///
/// A cleanup never blocks; it is tried again for outcomes that would block in other phases.
pub fn retry(action: &Action, judgement: &Judgement, attempt: u32) -> bool {
    attempt <= action.retries && !has_passed(action, judgement) && !is_final(judgement)
}

/// Returns whether another attempt would have the same result, or must not be made.
fn is_final(judgement: &Judgement) -> bool {
    [Some(judgement.outcome), judgement.cause].contains(&Some(Outcome::SpecificationError))
        || judgement.rule == Rule::Interrupted
        || (judgement.rule == Rule::PrerequisiteFailed && judgement.notes.contains(&underneath(Rule::Interrupted)))
}

/// Returns whether a judgement lets the task pass. For cleanups, not blocking is not enough.
fn has_passed(action: &Action, judgement: &Judgement) -> bool {
    let allowed = judgement.expected || judgement.policy.as_ref().is_some_and(|policy| !policy.blocking);
    match action.phase {
        Phase::Cleanup => judgement.outcome == Outcome::Success || allowed,
        Phase::Prerequisite | Phase::Step => !judgement.blocking,
    }
}

/// Judges an action by all its attempts; the last one has already been judged individually.
///
/// | earlier      | the last one   | and                 | result                                  |
/// |--------------|----------------|---------------------|-----------------------------------------|
/// | none failed  | any            | –                   | the last one                            |
/// | some failed  | passed         | –                   | the last one, flaky                     |
/// | some failed  | passed         | policy `flaky: FAIL`| TEST_FAILURE, blocking, flaky           |
/// | some failed  | did not pass   | –                   | the last one, with the number of attempts |
pub fn settle(plan: &Plan, action: &Action, earlier: &[Attempt], last: Judgement) -> Judgement {
    let mut judgement = last;
    let failed = earlier.iter().filter(|attempt| !has_passed(action, &attempt.judgement)).count();
    let attempts = earlier.len() + 1;
    if failed == 0 {
        return judgement;
    }
    if !has_passed(action, &judgement) {
        judgement.notes.push(format!("tried {attempts} times, of which {} failed", failed + 1));
        return judgement;
    }
    judgement.flaky = true;
    judgement.notes.push(format!("passed at attempt {attempts}"));
    judgement.notes.extend(earlier.iter().filter(|attempt| !has_passed(action, &attempt.judgement)).map(|attempt| {
        let Judgement { outcome, reason, .. } = &attempt.judgement;
        format!("attempt {}: {} ({})", attempt.record.attempt, reason, outcome.as_str())
    }));
    if plan.flaky_fails && action.phase != Phase::Cleanup {
        fail(plan, action, attempts, &mut judgement);
    }
    judgement
}

/// Fails a pass after a failure, where policy says so.
fn fail(plan: &Plan, action: &Action, attempts: usize, judgement: &mut Judgement) {
    let prerequisite = action.phase == Phase::Prerequisite;
    judgement.reason = format!(
        "it passed only at attempt {attempts}, and policy lets nothing pass that failed before: {}",
        judgement.reason
    );
    judgement.blocking = true;
    judgement.expected = false;
    judgement.exit_code_only = false;
    "Find out what makes it fail at times, and fix that".clone_into(&mut judgement.advice);
    if prerequisite {
        judgement.notes.push(underneath(Rule::Flaky));
        judgement.cause = Some(Outcome::TestFailure);
        judgement.outcome = Outcome::PrerequisiteFailure;
        judgement.rule = Rule::PrerequisiteFailed;
        judgement.severity = Severity::Critical;
        judgement.remedy = Some(AgentAction::FixPrerequisite);
    } else {
        judgement.outcome = Outcome::TestFailure;
        judgement.rule = Rule::Flaky;
        judgement.severity = Severity::High;
        judgement.remedy = Some(AgentAction::ImplementFix);
    }
    judgement.debt = debt::flaky(plan, action, judgement);
}
