//! Failures that are declared as expected (ruling 12).

use super::*;

#[test]
fn a_red_phase_is_one_where_a_test_failed_as_expected() {
    hold(vec![
        (Task::new().red().failed("STEP.1"), "PartialSuccess Pass Passed RequestStatusUpdate"),
        (
            Task::new().red().passed("PREREQ.1").ran("STEP.1", "npx tsc", 0, findings("tsc", 0, 0, 0)).failed("STEP.2"),
            "PartialSuccess Pass Passed RequestStatusUpdate",
        ),
        (
            Task::new().red().ran("STEP.1", "npx tsc", 0, findings("tsc", 0, 0, 0)),
            "PartialSuccess Fail Failed FixSpecification",
        ),
        (
            Task::new()
                .red()
                .ran("STEP.1", "npx tsc", 0, findings("tsc", 0, 0, 0))
                .skipped("STEP.2", left_out())
                .reduced(Profile::Smoke),
            "PartialSuccess Blocked NothingRan RequestRetest",
        ),
    ]);
    assert_eq!(Task::new().red().passed("STEP.1").verdict().decision, Decision::Fail);
    let verdict = Task::new().red().ran("STEP.1", "./x", 0, nothing()).verdict();
    assert_eq!(verdict.reasons, ["the task is in its red phase, and no test failed as expected"]);
    // The declaration counts: the exit code of a red test is the expected one.
    let mut declared = Task::new().red().failed("STEP.1");
    for (code, decision) in [(1, Decision::Pass), (0, Decision::Fail)] {
        declared.plan.criteria.expected_output =
            Some(referee_model::plan::ExpectedOutput { exit_code: Some(code), ..Default::default() });
        assert_eq!(declared.verdict().decision, decision);
    }
}

#[test]
fn expected_failures_count_as_passed() {
    let expecting = |id: &str, text: &str, outcome| {
        let mut action = line(id, text);
        action.expect = Some(Expectation { outcome: Some(outcome), ..Expectation::default() });
        action
    };
    let failing = expecting("STEP.1", "npx jest", Outcome::TestFailure);
    let mut task = Task::new().passed("STEP.2");
    task.plan.actions.insert(0, failing.clone());
    let report = judged(&task.plan, &failing, exited(&failing, 1), fixture::tests("jest", 3, 2, 0));
    task.reports.insert(0, report);
    let verdict = task.verdict();
    assert_eq!((verdict.decision, verdict.overall), (Decision::Pass, OverallStatus::PartialSuccess));
    assert_eq!(verdict.completion.pass_rate, Some(100.0));
    assert_eq!(verdict.agent_action, AgentAction::RequestStatusUpdate);

    // The same for exceeding its own deadline, but not that of the task.
    for (of_task, decision) in [(false, Decision::Pass), (true, Decision::Fail)] {
        let slow = expecting("STEP.1", "./hang", Outcome::Timeout);
        let late = |action: &Action| ended(action, Ending::DeadlineExceeded { timeout_ms: 10, of_task, killed: false });
        assert_eq!(Task::new().with(slow, late).passed("STEP.2").verdict().decision, decision);
    }

    // Whatever the judgement claims, a specification error is never expected.
    if let ActionHistory::Ran(ran) = &mut task.reports[0].history {
        ran.judgement.outcome = Outcome::SpecificationError;
        ran.judgement.expected = true;
        ran.judgement.blocking = false;
    }
    assert_eq!((task.verdict().decision, task.verdict().exit), (Decision::Blocked, Exit::Specification));
}
