//! Findings of a type checker's strictness, and their exit codes.

use super::*;

/// Returns the judgement of tsc, which exits with 2, for errors with these codes.
fn tsc(policy: ToolPolicy, codes: &[Option<&str>], change: impl FnOnce(&mut Reading)) -> (String, String) {
    let mut reading = findings("tsc", 0, 0, 0);
    for code in codes {
        reading.counts.add(*code, Level::Error, false);
    }
    change(&mut reading);
    let action = line("STEP.1", "npx tsc --noEmit");
    let mut plan = plan(vec![action.clone()]);
    plan.policies.tools.insert("tsc".to_owned(), policy);
    let judgement = judge(&plan, &action, &exited(&action, 2), &reading);
    (told(&judgement), judgement.reason)
}

fn allowing() -> ToolPolicy {
    ToolPolicy { allow_implicit_any: true, ..ToolPolicy::default() }
}

fn loose() -> ToolPolicy {
    ToolPolicy { strict_mode: false, ..ToolPolicy::default() }
}

#[test]
fn a_type_checker_that_failed_for_nothing_else_succeeds() {
    for (policy, codes, expected, reason) in [
        (
            ToolPolicy::default(),
            &[Some("TS7006")][..],
            "VALIDATION_FAILURE validation/findings blocks Critical",
            "1 tsc error (BLOCK_ON_ERRORS_ALWAYS)",
        ),
        (
            allowing(),
            &[Some("TS7006"), Some("TS7031")],
            "SUCCESS validation/findings-ignored passes None",
            "no tsc findings count: allowImplicitAny takes 2 away",
        ),
        (
            loose(),
            &[Some("TS7006"), Some("TS2564"), Some("TS18047")],
            "SUCCESS validation/findings-ignored passes None",
            "no tsc findings count: strictMode: false takes 3 away",
        ),
        (
            loose(),
            &[Some("TS7006"), Some("TS2345")],
            "VALIDATION_FAILURE validation/findings blocks Critical",
            "1 tsc error (BLOCK_ON_ERRORS_ALWAYS); strictMode: false takes 1 away",
        ),
        // Only the one option allows it.
        (
            allowing(),
            &[Some("TS2564")],
            "VALIDATION_FAILURE validation/findings blocks Critical",
            "1 tsc error (BLOCK_ON_ERRORS_ALWAYS)",
        ),
        // A syntax error, and one without a code.
        (
            loose(),
            &[Some("TS7006"), Some("TS1005")],
            "VALIDATION_FAILURE validation/findings blocks Critical",
            "1 tsc error (BLOCK_ON_ERRORS_ALWAYS); strictMode: false takes 1 away",
        ),
        (
            loose(),
            &[Some("TS7006"), None],
            "VALIDATION_FAILURE validation/findings blocks Critical",
            "1 tsc error (BLOCK_ON_ERRORS_ALWAYS); strictMode: false takes 1 away",
        ),
    ] {
        assert_eq!(tsc(policy, codes, |_| {}), (expected.to_owned(), reason.to_owned()));
    }
}

#[test]
fn a_reading_that_is_not_whole_forgives_nothing() {
    let torn = |reading: &mut Reading| reading.notes.push("a line was too long to be read".to_owned());
    let (told, _) = tsc(loose(), &[Some("TS7006")], torn);
    assert_eq!(told, "EXECUTION_ERROR validation/nothing-read blocks High");
    let by_another = |reading: &mut Reading| {
        reading.reader.as_mut().unwrap().because = referee_model::reading::ChosenBecause::Content;
    };
    let (told, _) = tsc(loose(), &[Some("TS7006")], by_another);
    assert_eq!(told, "EXECUTION_ERROR validation/nothing-read blocks High");
}
