use referee_model::reading::TestStatus::{self, Failed, Passed, Skipped};
use referee_model::run_context::protection::{KnownTest, Protection, TestFate, TestHome, TrustedBaseline};

use super::*;

fn known(name: &str, fate: TestFate) -> KnownTest {
    KnownTest { home: TestHome::Check("check".to_owned()), name: name.to_owned(), fate }
}

fn held(mut task: Task, tests: Vec<KnownTest>) -> Task {
    task.run.run_context.protection = Some(Protection {
        baseline: TrustedBaseline::Git { reference: "main".to_owned(), commit: "0".repeat(40) },
        files: 0,
        drift: Vec::new(),
        tests,
        suppressions: Vec::new(),
        weakenings: Vec::new(),
        notes: Vec::new(),
    });
    task
}

/// Returns the decision and the first reason about a test.
fn came(known: &[(&str, TestFate)], cases: &[(&str, TestStatus)]) -> (Decision, String) {
    let code = i32::from(cases.iter().any(|(_, status)| *status == Failed));
    let task = Task::new().ran("STEP.1", "npx jest", code, named_tests("jest", cases));
    let tests = known.iter().map(|(name, fate)| self::known(name, fate.clone())).collect();
    let verdict = held(task, tests).verdict();
    let told = verdict.reasons.iter().find(|reason| reason.contains("the test `")).cloned();
    (verdict.decision, told.unwrap_or_default())
}

#[test]
fn a_test_that_is_known_by_name_must_pass_or_be_explained() {
    use TestFate::{Computed, Dropped, Reworded, Stays};
    let reworded = || Reworded { title: "sums".to_owned() };
    for (known, cases, decision, part) in [
        (vec![("a > adds", Stays)], vec![("a › adds", Passed), ("more", Passed)], Decision::Pass, ""),
        (
            vec![("adds", Stays)],
            vec![("more", Passed)],
            Decision::Blocked,
            "is not among the tests that ran: put it back",
        ),
        (vec![("adds", Stays)], vec![("adds", Skipped), ("more", Passed)], Decision::Blocked, "was skipped"),
        (vec![("adds", Stays)], vec![("adds", Failed), ("more", Passed)], Decision::Fail, "failed"),
        // The failure may have prevented the other test from being reported.
        (vec![("adds", Stays)], vec![("more", Failed)], Decision::Fail, "is not among"),
        // As many of a name as before.
        (vec![("adds", Stays), ("adds", Stays)], vec![("adds", Passed)], Decision::Blocked, "is not among"),
        (vec![("adds", Stays)], vec![("adds", Passed), ("adds", Skipped)], Decision::Pass, ""),
        // Another group, module or class.
        (vec![("a > adds", Stays)], vec![("b › adds", Passed)], Decision::Pass, "stands in another place now"),
        (
            vec![("a::tests::adds", Stays)],
            vec![("b::tests::adds", Passed)],
            Decision::Pass,
            "stands in another place now",
        ),
        (vec![("a > adds", Stays), ("b > adds", Stays)], vec![("b › adds", Passed)], Decision::Blocked, "`a > adds`"),
        (vec![("adds", reworded())], vec![("sums", Passed)], Decision::Pass, "is called `sums` now"),
        (vec![("adds", reworded())], vec![("sums", Skipped), ("more", Passed)], Decision::Blocked, "is not among"),
        (vec![("adds", Dropped), ("more", Stays)], vec![("more", Passed)], Decision::Pass, ""),
        // In a loop as many must run.
        (vec![("1", Computed), ("2", Computed)], vec![("one", Passed), ("two", Passed)], Decision::Pass, "others run"),
        (vec![("1", Computed), ("2", Computed)], vec![("one", Passed)], Decision::Blocked, "`1`"),
        (vec![("1", Computed), ("2", Computed)], vec![("1", Passed), ("2", Skipped)], Decision::Blocked, "was skipped"),
        (vec![("1", Computed), ("gone", Dropped)], vec![("one", Passed)], Decision::Pass, "others run"),
    ] {
        let (decided, told) = came(&known, &cases);
        assert_eq!(decided, decision, "{known:?} {cases:?}: {told}");
        assert!(told.contains(part) && told.is_empty() == part.is_empty(), "{known:?} {cases:?}: {told}");
    }
}

#[test]
fn nothing_is_claimed_of_names_that_were_not_all_told() {
    let mut reading = named_tests("jest", &[("more", Passed)]);
    reading.tests.as_mut().unwrap().counts.total = 2;
    reading.tests.as_mut().unwrap().counts.passed = 2;
    let task = Task::new().ran("STEP.1", "npx jest", 0, reading);
    assert_eq!(held(task, vec![known("adds", TestFate::Stays)]).verdict().decision, Decision::Pass);
    let other = KnownTest { home: TestHome::Check("another".to_owned()), ..known("adds", TestFate::Stays) };
    let task = Task::new().ran("STEP.1", "npx jest", 0, named_tests("jest", &[("more", Passed)]));
    assert_eq!(held(task, vec![other]).verdict().decision, Decision::Pass, "a check that did not run tells nothing");
}
