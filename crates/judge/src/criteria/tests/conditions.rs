//! Conditions, and their effect on a verdict.

use super::*;

#[test]
fn conditions_are_met_or_the_task_is_not_complete() {
    let task = |success: &[&str], failure: &[&str]| {
        Task::new()
            .passed("STEP.1")
            .warned("STEP.2")
            .skipped("STEP.3", left_out())
            .reduced(Profile::Fast)
            .asking(success, failure)
    };
    let pass = "PartialSuccess Pass Passed RequestRetest";
    let fail = "PartialSuccess Fail Failed ImplementFix";
    let blocked = "PartialSuccess Blocked NothingRan RequestRetest";
    hold(vec![
        (task(&["STEP.1.exitCode === 0"], &["STEP.1.failed"]), pass),
        (task(&["STEP.1.exitCode === 1"], &[]), fail),
        (task(&["STEP.1.success", "STEP.2.success"], &[]), fail),
        (task(&["STEP.9.success"], &[]), fail),
        (task(&["STEP.3.success"], &[]), blocked),
        (task(&["STEP.3.success || STEP.1.success"], &[]), pass),
        (task(&["STEP.3.success", "STEP.1.failed"], &[]), fail),
        (task(&[], &["STEP.2.failed"]), fail),
        (task(&[], &["STEP.9.failed"]), fail),
        (task(&[], &["STEP.3.failed"]), blocked),
        (task(&[], &["STEP.3.failed && STEP.1.failed"]), pass),
        (task(&[], &["STEP.3.failed", "STEP.2.failed"]), fail),
    ]);
    let verdict = task(&["STEP.3.success", "STEP.2.success"], &["STEP.2.failed", "STEP.9.failed"]).verdict();
    assert_eq!(
        verdict.reasons,
        [
            "the success condition `STEP.2.success` (asked) is not met: STEP.2.success is false; eslint found 2 warnings",
            "the failure condition `STEP.2.failed` (asked) is triggered: STEP.2.failed is true; eslint found 2 warnings",
            "the failure condition `STEP.9.failed` (asked) cannot be told, and so counts as triggered: \
             STEP.9 is not an action of this task",
            "the success condition `STEP.3.success` (asked) was not judged: STEP.3 was left out: the profile leaves it \
             out",
        ]
    );
    assert!(!verdict.completion.complete);
    assert_eq!(verdict.completion.reason, verdict.reasons[0]);
    let result = &verdict.criteria.success[1];
    assert_eq!((result.condition.as_str(), result.description.as_str()), ("STEP.2.success", "asked"));
    assert_eq!((result.truth, &result.actual), (Truth::False, &Some(Actual::Boolean(false))));
}

#[test]
fn conditions_add_to_what_blocks_and_never_take_it_away() {
    hold(vec![
        (
            Task::new().passed("STEP.1").failed("STEP.2").asking(&["STEP.2.exitCode === 1"], &[]),
            "PartialSuccess Fail Failed ImplementFix",
        ),
        (
            Task::new().passed("STEP.1").ended("STEP.2", deadline()).asking(&["STEP.1.failed"], &[]),
            "PartialSuccess Fail Timeout OptimizeOrIncreaseTimeout",
        ),
        (
            Task::new()
                .ran("PREREQ.1", "npm ci", 1, nothing())
                .skipped("STEP.1", SkipReason::PrerequisiteFailed(id("PREREQ.1")))
                .asking(&["STEP.1.success"], &["PREREQ.1.failed === true"]),
            "Failure Blocked Prerequisite FixPrerequisite",
        ),
        (Task::new().asking(&["STEP.1.success"], &[]), "Failure Blocked NothingRan FixSpecification"),
    ]);
    let failed = Task::new().failed("STEP.1").asking(&["STEP.1.exitCode === 0"], &[]).verdict();
    assert_eq!(failed.reasons.len(), 2, "{:?}", failed.reasons);
    assert!(failed.reasons[0].starts_with("STEP.1 check: 2 of 5 tests failed"));
    let blocked = Task::new().asking(&["STEP.1.success"], &[]).verdict();
    assert_eq!(blocked.reasons, ["no step ran"]);
}

#[test]
fn expected_output_is_that_of_the_last_step_that_runs_a_command() {
    let task = |stdout: &[&str], stderr_empty: Option<bool>, exit_code: Option<i32>| {
        let mut task = Task::new().failed("STEP.1").ran("STEP.2", "./print", 0, nothing());
        task.reports.remove(0);
        task.plan.actions.remove(0);
        task = task.with(file("STEP.3", FileExpectation::Present(FileContent::default())), |check| {
            found(check, FileState::Directory)
        });
        let mut stream = StreamInputs { bytes: 10, ..StreamInputs::default() };
        stream.found.insert("ok".to_owned(), true);
        stream.found.insert("missing".to_owned(), false);
        task.materials.entry(id("STEP.2")).or_default().streams.insert(Stream::Stdout, stream);
        task.plan.criteria.expected_output = Some(referee_model::plan::ExpectedOutput {
            stdout_contains: stdout.iter().map(|text| (*text).to_owned()).collect(),
            stderr_empty,
            exit_code,
        });
        task
    };
    let pass = "Success Pass Passed RequestStatusUpdate";
    let fail = "PartialSuccess Fail Failed ImplementFix";
    hold(vec![
        (task(&[], None, None), pass),
        (task(&["ok"], Some(false), Some(0)), pass),
        (task(&["ok", "missing"], None, None), fail),
        (task(&["never looked for"], None, None), fail),
        (task(&[], Some(true), None), fail),
        (task(&[], None, Some(1)), fail),
    ]);
    let results = task(&["ok"], Some(false), Some(0)).verdict().criteria.expected_output;
    let conditions: Vec<_> = results.iter().map(|result| (result.condition.as_str(), result.truth)).collect();
    assert_eq!(
        conditions,
        [
            ("STEP.2.stdout.includes('ok')", Truth::True),
            ("STEP.2.stderr !== ''", Truth::True),
            ("STEP.2.exitCode === 0", Truth::True),
        ]
    );
    let mut none = task(&["ok"], None, None);
    none.reports.remove(0);
    none.plan.actions.remove(0);
    let verdict = none.verdict();
    assert_eq!(verdict.criteria.expected_output[0].condition, "stdout.includes('ok')");
    assert_eq!((verdict.decision, verdict.criteria.expected_output[0].truth), (Decision::Fail, Truth::Unknown));
}
