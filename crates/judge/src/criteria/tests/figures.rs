//! Rates, and evidence that is collected or missing.

use super::*;

#[test]
fn answers_are_evidence_where_they_are_kept() {
    use EvidenceKind::{ApiResponses, PerformanceMetrics};
    let request = || fixture::http("STEP.1", fixture::request("http://localhost/"));
    let answered = |check: &Action| fixture::answered(check, fixture::answer(200));
    let collected = |task: Task| task.verdict().completion.evidence_collected;
    assert_eq!(collected(Task::new().with(request(), answered)), [ApiResponses, PerformanceMetrics]);
    let mut unkept = request();
    unkept.evidence.exchange = false;
    assert_eq!(collected(Task::new().with(unkept.clone(), answered)), [PerformanceMetrics]);
    let refused = |check: &Action| fixture::unanswered(check, NoAnswerCause::Refused);
    assert_eq!(collected(Task::new().with(request(), refused)), [PerformanceMetrics]);
    let verdict = Task::new().with(unkept, answered).needing(&[ApiResponses]).verdict();
    assert_eq!((verdict.decision, verdict.completion.evidence_missing), (Decision::Fail, vec![ApiResponses]));
}

#[test]
fn rates_count_steps_and_tests_apart() {
    let close = |rate: Option<f64>, expected: f64| rate.is_some_and(|rate| (rate - expected).abs() < 1e-9);
    let completion = Task::new()
        .passed("PREREQ.1")
        .passed("STEP.1")
        .warned("STEP.2")
        .failed("STEP.3")
        .failed("CLEANUP.1")
        .verdict()
        .completion;
    assert!(close(completion.pass_rate, 200.0 / 3.0), "{:?}", completion.pass_rate);
    // Five and three of five: prerequisites and cleanup do not count.
    assert!(close(completion.test_pass_rate, 80.0), "{:?}", completion.test_pass_rate);
    let none = Task::new().passed("PREREQ.1").verdict().completion;
    assert_eq!((none.pass_rate, none.test_pass_rate, none.complete), (None, None, false));
    assert_eq!(Task::new().warned("STEP.1").verdict().completion.test_pass_rate, None);
    // A summary that an exit 0 is not judged by is not counted either.
    let looks_passed = fixture::by_content(fixture::tests("jest", 3, 0, 0));
    assert_eq!(Task::new().ran("STEP.1", "npm test", 0, looks_passed).verdict().completion.test_pass_rate, None);
    let failed = fixture::by_content(fixture::tests("jest", 3, 2, 0));
    let rate = Task::new().ran("STEP.1", "npm test", 0, failed).verdict().completion.test_pass_rate;
    assert!(close(rate, 60.0), "{rate:?}");
}

#[test]
fn a_least_pass_rate_completes_a_task_and_a_blocking_failure_still_fails_it() {
    let mut task = Task::new().passed("STEP.1").failed("STEP.2");
    task.plan.completion.all_steps_must_pass = false;
    for (least, complete) in [(50.0, true), (50.1, false), (f64::NAN, false), (0.0, true)] {
        task.plan.completion.minimum_pass_rate = least;
        let verdict = task.verdict();
        assert_eq!((verdict.completion.complete, verdict.decision), (complete, Decision::Fail), "{least}");
    }
    task.plan.completion.minimum_pass_rate = 50.0;
    assert_eq!(
        task.verdict().completion.reason,
        "1 of 2 steps passed, or failed without blocking: 50.0 % are needed; 1 step failed and blocks"
    );
    let mut sound = Task::new().passed("STEP.1").warned("STEP.2");
    sound.plan.completion = task.plan.completion.clone();
    assert_eq!(sound.verdict().completion.reason, "2 of 2 steps passed, or failed without blocking: 50.0 % are needed");
    let mut unreachable = Task::new().passed("STEP.1");
    unreachable.plan.completion.all_steps_must_pass = false;
    unreachable.plan.completion.minimum_pass_rate = 101.0;
    assert_eq!(unreachable.verdict().decision, Decision::Fail);
}

#[test]
fn evidence_is_collected_by_kind_and_required_evidence_must_be_there() {
    use EvidenceKind::{ApiResponses, ErrorLogs, PerformanceMetrics, Screenshots, TerminalOutput, TestExecutionLog};
    let collected = |task: Task| task.verdict().completion.evidence_collected;
    assert_eq!(collected(Task::new().passed("STEP.1")), [TerminalOutput, TestExecutionLog, PerformanceMetrics]);
    assert_eq!(collected(Task::new().ran("STEP.1", "./x", 0, nothing())), [TerminalOutput, PerformanceMetrics]);
    assert_eq!(
        collected(Task::new().failed("STEP.1")),
        [TerminalOutput, TestExecutionLog, ErrorLogs, PerformanceMetrics]
    );
    assert_eq!(collected(Task::new().ended("STEP.1", missing_tool())), [PerformanceMetrics]);
    assert!(collected(Task::new()).is_empty());
    let mut only_file = Task::new();
    let check = file("STEP.1", FileExpectation::Present(FileContent::default()));
    only_file.plan.actions.push(check.clone());
    only_file.reports.push(judged(&only_file.plan, &check, found(&check, FileState::Directory), nothing()));
    assert_eq!(collected(only_file), [PerformanceMetrics]);

    for (required, missing) in [
        (vec![TerminalOutput, TestExecutionLog, PerformanceMetrics], vec![]),
        // Without failures there is no error to log.
        (vec![ErrorLogs], vec![]),
        (vec![ApiResponses, TerminalOutput, Screenshots], vec![ApiResponses, Screenshots]),
    ] {
        let verdict = Task::new().passed("STEP.1").needing(&required).verdict();
        assert_eq!(verdict.completion.evidence_missing, missing);
        assert_eq!(verdict.decision == Decision::Pass, missing.is_empty());
    }
}
