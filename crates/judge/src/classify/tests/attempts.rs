//! Several attempts of one action.

use referee_model::report::Attempt;

use super::*;

/// Returns an action with this many retries.
fn tried(id: &str, retries: u32) -> Action {
    Action { retries, ..line(id, "npx jest") }
}

fn failing() -> Reading {
    tests("jest", 1, 1, 0)
}

fn passing() -> Reading {
    tests("jest", 2, 0, 0)
}

/// Judges attempts with these exit codes, in order.
fn settled(plan: &Plan, action: &Action, codes: &[i32]) -> Judgement {
    let reading = |code| if code == 0 { passing() } else { failing() };
    let mut attempts: Vec<Attempt> = codes
        .iter()
        .zip(1..)
        .map(|(code, number)| attempt(plan, action, number, exited(action, *code), &reading(*code)))
        .collect();
    let last = attempts.pop().unwrap();
    settle(plan, action, &attempts, last.judgement)
}

#[test]
fn a_failure_is_tried_again_while_attempts_are_left() {
    let action = tried("STEP.1", 2);
    let plan = plan(vec![action.clone()]);
    let judged = |record: &Record, reading: &Reading| judge(&plan, &action, record, reading);
    let failed = judged(&exited(&action, 1), &failing());
    assert_eq!([1, 2, 3, 4].map(|number| retry(&action, &failed, number)), [true, true, false, false]);
    assert!(!retry(&tried("STEP.1", 0), &failed, 1));
    let deadline = Ending::DeadlineExceeded { timeout_ms: 1, of_task: false, killed: false };
    for (judgement, again) in [
        (judged(&exited(&action, 0), &passing()), false),
        (judged(&exited(&action, 1), &nothing()), true),
        (judged(&ended(&action, deadline), &nothing()), true),
        (judged(&ended(&action, Ending::Interrupted { killed: false }), &nothing()), false),
    ] {
        assert_eq!(retry(&action, &judgement, 1), again, "{}", judgement.reason);
    }
}

#[test]
fn what_would_come_out_the_same_is_not_tried_again() {
    let again = |action: Action, record: fn(&Action) -> Record, reading: Reading, change: fn(&mut Plan, &Action)| {
        let action = Action { retries: 5, ..action };
        let mut plan = plan(vec![action.clone()]);
        change(&mut plan, &action);
        retry(&action, &judge(&plan, &action, &record(&action), &reading), 1)
    };
    let present = || FileExpectation::Present(FileContent::default());
    let stopped = |action: &Action| ended(action, Ending::Interrupted { killed: true });
    let as_it_is = |_: &mut Plan, _: &Action| {};
    // Specification errors, also under a prerequisite.
    for id in ["PREREQ.1", "STEP.1", "CLEANUP.1"] {
        assert!(!again(glob(id, present()), |action| found_all(action, Vec::new()), nothing(), as_it_is), "{id}");
        let wrong = |plan: &mut Plan, action: &Action| plan.problems.push(problem(Some(action), "wrong"));
        assert!(!again(line(id, "npx jest"), not_executed, nothing(), wrong), "{id}");
        assert!(!again(line(id, "npx jest"), stopped, nothing(), as_it_is), "{id}");
        assert!(again(line(id, "npx jest"), |action| exited(action, 1), failing(), as_it_is), "{id}");
    }
    // Passes of various kinds.
    let red = |plan: &mut Plan, _: &Action| plan.red_phase = true;
    assert!(!again(line("STEP.1", "npx jest"), |action| exited(action, 1), failing(), red));
    for id in ["PREREQ.1", "STEP.1", "CLEANUP.1"] {
        let warned = findings("eslint", 0, 1, 0);
        assert!(!again(line(id, "npx eslint ."), |action| exited(action, 0), warned, as_it_is), "{id}");
    }
}

#[test]
fn a_pass_after_a_failure_is_flaky_and_blocks_where_policy_says_so() {
    let told = |id: &str, codes: &[i32], flaky_fails| {
        let action = tried(id, 5);
        let mut plan = plan(vec![action.clone()]);
        plan.flaky_fails = flaky_fails;
        let judgement = settled(&plan, &action, codes);
        format!("{}{}", told(&judgement), if judgement.flaky { " flaky" } else { "" })
    };
    for (id, codes, flaky_fails, expected) in [
        ("STEP.1", &[0][..], true, "SUCCESS test/passed passes None"),
        ("STEP.1", &[1][..], true, "TEST_FAILURE test/failed blocks High"),
        ("STEP.1", &[1, 0][..], false, "SUCCESS test/passed passes None flaky"),
        ("STEP.1", &[1, 1, 0][..], false, "SUCCESS test/passed passes None flaky"),
        ("STEP.1", &[1, 1, 1][..], false, "TEST_FAILURE test/failed blocks High"),
        ("STEP.1", &[1, 0][..], true, "TEST_FAILURE retry/flaky blocks High flaky"),
        ("STEP.1", &[1, 1][..], true, "TEST_FAILURE test/failed blocks High"),
        ("PREREQ.1", &[1, 0][..], false, "SUCCESS test/passed passes None flaky"),
        ("PREREQ.1", &[1, 0][..], true, "PREREQUISITE_FAILURE prerequisite/failed blocks Critical flaky"),
        ("CLEANUP.1", &[1, 0][..], true, "SUCCESS test/passed passes None flaky"),
        // Earlier attempts that passed do not make a pass doubtful.
        ("STEP.1", &[0, 0][..], true, "SUCCESS test/passed passes None"),
    ] {
        assert_eq!(told(id, codes, flaky_fails), expected, "{id} {codes:?} {flaky_fails}");
    }
}

#[test]
fn what_the_attempts_came_to_is_told() {
    let action = tried("STEP.1", 5);
    let mut plan = plan(vec![action.clone()]);
    let passed = settled(&plan, &action, &[1, 1, 0]);
    assert_eq!(
        passed.notes,
        [
            "passed at attempt 3",
            "attempt 1: 1 of 2 tests failed (jest) (TEST_FAILURE)",
            "attempt 2: 1 of 2 tests failed (jest) (TEST_FAILURE)",
        ]
    );
    assert_eq!(settled(&plan, &action, &[1, 1]).notes, ["tried 2 times, of which 2 failed"]);
    plan.flaky_fails = true;
    let failed = settled(&plan, &action, &[1, 0]);
    assert_eq!(failed.remedy, Some(AgentAction::ImplementFix));
    assert!(failed.reason.starts_with("it passed only at attempt 2"), "{}", failed.reason);
    let DebtGeneration::Item(DebtSummary { category, severity, .. }) = &failed.debt else {
        panic!("{:?}", failed.debt)
    };
    assert_eq!((*category, *severity), (DebtCategory::ValidationMissing, Severity::High));
    plan.debt.enabled = false;
    assert!(matches!(settled(&plan, &action, &[1, 0]).debt, DebtGeneration::None { .. }));
}

#[test]
fn a_failure_that_does_not_block_after_one_that_does_is_no_clean_pass() {
    let action = Action { retries: 1, ..line("STEP.1", "npx eslint .") };
    let mut plan = plan(vec![action.clone()]);
    let first = attempt(&plan, &action, 1, exited(&action, 1), &findings("eslint", 1, 0, 0));
    let last = || judge(&plan, &action, &exited(&action, 0), &findings("eslint", 0, 1, 0));
    let judgement = settle(&plan, &action, std::slice::from_ref(&first), last());
    assert!(judgement.flaky && !judgement.blocking);
    let last = last();
    plan.flaky_fails = true;
    let judgement = settle(&plan, &action, &[first], last);
    assert_eq!((judgement.rule, judgement.blocking), (Rule::Flaky, true));
}
