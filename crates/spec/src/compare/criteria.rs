//! Compares the criteria of the task as a whole.

use referee_model::condition::Condition;
use referee_model::plan::{Completion, ExpectedOutput, Plan};
use referee_model::run_context::weakening::WeakeningKind as Kind;

use super::weaker::Weaker;

/// Compares the criteria of the task beside its checks.
pub(super) fn compare(before: &Plan, after: &Plan, weaker: &mut Weaker) {
    if before.timeout_ms.is_some_and(|old| after.timeout_ms.is_none_or(|new| new > old)) {
        let shown = |plan: &Plan| plan.timeout_ms.map_or("none".to_owned(), |limit| format!("{limit} ms"));
        weaker.add(Kind::TimeoutRaised, "timeout", shown(before), shown(after));
    }
    if after.profile > before.profile {
        weaker.add(Kind::ProfileLowered, "profile", before.profile.as_str(), after.profile.as_str());
    }
    if after.red_phase && !before.red_phase {
        weaker.add(Kind::FailureExpected, "tddPhase", "the tests must pass", "the tests are expected to fail");
    }
    if before.flaky_fails && !after.flaky_fails {
        weaker.add(Kind::FlakyAllowed, "flaky", "fail", "allow");
    }
    conditions("conditions", &before.criteria.success, &after.criteria.success, weaker);
    conditions("failureConditions", &before.criteria.failure, &after.criteria.failure, weaker);
    expected_output(before.criteria.expected_output.as_ref(), after.criteria.expected_output.as_ref(), weaker);
    completion(&before.completion, &after.completion, weaker);
    debt(before, after, weaker);
}

/// Compares conditions, ignoring white space. A changed condition counts as removed; its replacement is named
/// by its purpose.
fn conditions(subject: &str, before: &[Condition], after: &[Condition], weaker: &mut Weaker) {
    let text = |condition: &Condition| condition.text.split_whitespace().collect::<Vec<_>>().join(" ");
    for old in before.iter().filter(|old| !after.iter().any(|new| text(new) == text(old))) {
        let is_new = |new: &&Condition| !before.iter().any(|old| text(old) == text(new));
        let instead = after.iter().filter(is_new).find(|new| new.description == old.description);
        weaker.add(
            Kind::CriterionRemoved,
            subject,
            &old.text,
            instead.map_or("not asked for", |new| new.text.as_str()),
        );
    }
}

fn expected_output(before: Option<&ExpectedOutput>, after: Option<&ExpectedOutput>, weaker: &mut Weaker) {
    let Some(old) = before else { return };
    let nothing = ExpectedOutput::default();
    let new = after.unwrap_or(&nothing);
    let subject = "expectedOutput";
    weaker.gone(Kind::CriterionRemoved, subject, (&old.stdout_contains, &new.stdout_contains), |text| {
        format!("standard output contains {text}")
    });
    if old.stderr_empty.is_some() && old.stderr_empty != new.stderr_empty {
        weaker.add(
            Kind::CriterionRemoved,
            subject,
            "whether standard error is empty",
            "not asked for, or the opposite",
        );
    }
    if old.exit_code.is_some() && old.exit_code != new.exit_code {
        let shown = |code: Option<i32>| code.map_or("any exit code".to_owned(), |code| format!("exit code {code}"));
        weaker.add(Kind::CriterionRemoved, subject, shown(old.exit_code), shown(new.exit_code));
    }
}

/// Compares the conditions for a complete task (rulings 15 and 16).
fn completion(before: &Completion, after: &Completion, weaker: &mut Weaker) {
    let needed = |completion: &Completion| {
        if completion.all_steps_must_pass { 100.0 } else { completion.minimum_pass_rate }
    };
    if needed(after) < needed(before) {
        let shown = |completion: &Completion| format!("{} % of the steps must pass", needed(completion));
        weaker.add(Kind::CompletionLoosened, "completion", shown(before), shown(after));
    }
    weaker.gone(
        Kind::RequiredEvidenceRemoved,
        "completion",
        (&before.required_evidence, &after.required_evidence),
        |kind| kind.as_str().to_owned(),
    );
    if before.task_status_lock && !after.task_status_lock {
        weaker.add(Kind::StatusLockOff, "completion", "locked", "not locked");
    }
}

/// Compares debt policies. No verdict depends on debt, but a change is reported to those who rely on it.
fn debt(before: &Plan, after: &Plan, weaker: &mut Weaker) {
    let (old, new) = (&before.debt, &after.debt);
    if old.enabled && !new.enabled {
        weaker.add(Kind::DebtOff, "debt", "kept", "not kept");
    }
    if old.enabled && new.enabled {
        weaker.gone(Kind::DebtOff, "debt", (&old.severities, &new.severities), |severity| {
            format!("failures of severity {severity:?} leave debt").to_lowercase()
        });
    }
}
