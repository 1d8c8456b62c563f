//! The verdict of a run, by the most severe blocking outcome.

use super::*;

#[test]
fn a_run_passes_where_nothing_blocks() {
    hold(vec![
        (Task::new().passed("STEP.1"), "Success Pass Passed RequestStatusUpdate"),
        (
            Task::new().passed("PREREQ.1").passed("STEP.1").passed("CLEANUP.1"),
            "Success Pass Passed RequestStatusUpdate",
        ),
        (Task::new().passed("STEP.1").warned("STEP.2"), "PartialSuccess Pass Passed RequestStatusUpdate"),
        (Task::new().warned("STEP.1"), "PartialSuccess Pass Passed RequestStatusUpdate"),
        (Task::new().warned("PREREQ.1").passed("STEP.1"), "Success Pass Passed RequestStatusUpdate"),
        (Task::new().passed("STEP.1").failed("CLEANUP.1"), "PartialSuccess Pass Passed RequestStatusUpdate"),
        (
            Task::new().passed("STEP.1").skipped("CLEANUP.1", SkipReason::Interrupted),
            "Success Pass Passed RequestStatusUpdate",
        ),
    ]);
}

#[test]
fn a_run_fails_by_the_gravest_of_what_blocks() {
    hold(vec![
        (Task::new().failed("STEP.1"), "Failure Fail Failed ImplementFix"),
        (Task::new().passed("STEP.1").failed("STEP.2"), "PartialSuccess Fail Failed ImplementFix"),
        (Task::new().ran("STEP.1", "npx tsc", 2, findings("tsc", 1, 0, 0)), "Failure Fail Failed FixTypes"),
        (Task::new().ran("STEP.1", "npx eslint .", 1, findings("eslint", 1, 0, 0)), "Failure Fail Failed FixCode"),
        (
            Task::new().ran("STEP.1", "npx eslint .", 1, findings("eslint", 1, 0, 0)).failed("STEP.2"),
            "Failure Fail Failed ImplementFix",
        ),
        (
            Task::new().passed("STEP.1").ended("STEP.2", deadline()),
            "PartialSuccess Fail Timeout OptimizeOrIncreaseTimeout",
        ),
        (Task::new().failed("STEP.1").ended("STEP.2", deadline()), "Failure Fail Timeout OptimizeOrIncreaseTimeout"),
        (Task::new().ended("STEP.1", missing_tool()).ended("STEP.2", deadline()), "Failure Fail Execution InstallTool"),
        (Task::new().ran("STEP.1", "npx jest", 127, nothing()), "Failure Fail Execution InstallTool"),
        (Task::new().ran("STEP.1", "npx eslint .", 2, nothing()), "Failure Fail Execution FixPrerequisite"),
        (
            Task::new().ended(
                "STEP.1",
                Ending::CouldNotStart { cause: StartFailure::BadDirectory, message: "no directory".to_owned() },
            ),
            "Failure Fail Execution FixSpecification",
        ),
        (
            Task::new().passed("STEP.1").skipped("STEP.2", SkipReason::DeadlinePassed),
            "PartialSuccess Fail Timeout OptimizeOrIncreaseTimeout",
        ),
        (
            Task::new().failed("STEP.1").skipped("STEP.2", SkipReason::EarlierFailure(id("STEP.1"))),
            "Failure Fail Failed ImplementFix",
        ),
        (
            Task::new().passed("STEP.1").skipped("STEP.2", SkipReason::NeedNotMet(id("STEP.1"))),
            "PartialSuccess Fail Failed FixSpecification",
        ),
        (
            Task::new().passed("STEP.1").needing(&[EvidenceKind::Screenshots]),
            "PartialSuccess Fail Failed FixSpecification",
        ),
    ]);
}

#[test]
fn what_could_not_be_judged_is_blocked() {
    let interrupted = || RunEnding::Interrupted { signal: 15 };
    let broken = || RunEnding::Failed { message: "disk full".to_owned() };
    hold(vec![
        (
            Task::new()
                .ran("PREREQ.1", "npm ci", 1, nothing())
                .skipped("STEP.1", SkipReason::PrerequisiteFailed(id("PREREQ.1"))),
            "Failure Blocked Prerequisite FixPrerequisite",
        ),
        (Task::new(), "Failure Blocked NothingRan FixSpecification"),
        (Task::new().passed("PREREQ.1"), "Failure Blocked NothingRan FixSpecification"),
        (
            Task::new().passed("PREREQ.1").skipped("STEP.1", SkipReason::DeadlinePassed),
            "Failure Blocked Timeout OptimizeOrIncreaseTimeout",
        ),
        (
            Task::new().skipped("STEP.1", SkipReason::NeedNotMet(id("STEP.9"))),
            "Failure Blocked NothingRan FixSpecification",
        ),
        (
            Task::new().passed("STEP.1").ending(interrupted()),
            "Interrupted Blocked Interrupted { signal: 15 } RequestRetest",
        ),
        (
            Task::new().failed("STEP.1").skipped("STEP.2", SkipReason::Interrupted).ending(interrupted()),
            "Interrupted Blocked Interrupted { signal: 15 } RequestRetest",
        ),
        (Task::new().passed("STEP.1").ending(broken()), "InternalError Blocked Internal RequestRetest"),
        (
            Task::new().failed("STEP.1").skipped("STEP.2", SkipReason::EngineFailed).ending(broken()),
            "InternalError Fail Internal ImplementFix",
        ),
        // A run that claims to have finished skips nothing because of its end.
        (
            Task::new().passed("STEP.1").skipped("STEP.2", SkipReason::Interrupted),
            "InternalError Blocked Internal RequestRetest",
        ),
    ]);
}

#[test]
fn what_is_missing_or_does_not_fit_is_never_a_pass() {
    let sound = || Task::new().passed("STEP.1").passed("STEP.2");
    assert_eq!(sound().verdict().decision, Decision::Pass);

    let mut unreported = sound();
    unreported.reports.pop();
    let mut empty = sound();
    empty.reports.clear();
    let mut twice = sound();
    twice.reports.push(twice.reports[0].clone());
    let mut unknown = sound();
    unknown.plan.actions.pop();
    let mut exchanged = sound();
    let history = exchanged.reports[0].history.clone();
    exchanged.reports[1].history = history;
    for task in [unreported, empty, twice, unknown, exchanged] {
        let verdict = task.verdict();
        assert_eq!((verdict.decision, verdict.exit), (Decision::Blocked, Exit::Internal), "{:?}", verdict.reasons);
        assert!(!verdict.completion.complete);
        assert_eq!(verdict.overall, OverallStatus::InternalError);
    }
}

#[test]
fn a_plan_with_problems_is_blocked_by_them() {
    let skipped = || Task::new().skipped("STEP.1", SkipReason::SpecificationError);
    hold(vec![
        (skipped().problem("no such type"), "SpecificationError Blocked Specification FixSpecification"),
        (
            Task::new().with(line("STEP.1", "./x"), fixture::not_executed).problem("no such type"),
            "SpecificationError Blocked Specification FixSpecification",
        ),
        // Even if something ran.
        (
            Task::new().passed("STEP.1").problem("no such type"),
            "SpecificationError Blocked Specification FixSpecification",
        ),
        (
            Task::new().failed("STEP.1").problem("no such type"),
            "SpecificationError Blocked Specification FixSpecification",
        ),
        // Skipped for problems that the plan does not have.
        (skipped(), "Failure Blocked Specification FixSpecification"),
        (skipped().passed("STEP.2"), "PartialSuccess Blocked Specification FixSpecification"),
    ]);
    let mut task = skipped().problem("no such type");
    task.plan.problems.push(fixture::problem(None, "no such task"));
    assert_eq!(
        task.verdict().reasons,
        [
            "the specification is wrong: STEP.1: no such type (referee.yaml:3:5)",
            "the specification is wrong: no such task (referee.yaml:3:5)",
        ]
    );
    assert_eq!(task.verdict().completion.reason, "the specification is wrong: no such type");
}

#[test]
fn a_task_whose_dependency_did_not_pass_waits_for_it() {
    let waiting = || SkipReason::DependencyNotPassed(TaskId::parse("T002").unwrap());
    let task = Task::new().skipped("PREREQ.1", waiting()).skipped("STEP.1", waiting());
    let reasons = task.verdict().reasons;
    assert_eq!(reasons[1], "STEP.1 check never ran: the task T002, which this one depends on, did not pass");
    hold(vec![(task, "Failure Blocked NothingRan FixPrerequisite")]);
}

#[test]
fn an_outcome_that_no_policy_lets_pass_blocks_whatever_its_judgement_says() {
    for outcome in
        [Outcome::ExecutionError, Outcome::Timeout, Outcome::PrerequisiteFailure, Outcome::SpecificationError]
    {
        let mut task = Task::new().passed("STEP.1");
        if let ActionHistory::Ran(ran) = &mut task.reports[0].history {
            ran.judgement.outcome = outcome;
            ran.judgement.blocking = false;
        }
        assert_ne!(task.verdict().decision, Decision::Pass, "{outcome:?}");
    }
    let mut task = Task::new().passed("STEP.1");
    if let ActionHistory::Ran(ran) = &mut task.reports[0].history {
        ran.judgement.outcome = Outcome::SpecificationError;
        ran.judgement.remedy = Some(AgentAction::FixSpecification);
    }
    let verdict = task.verdict();
    assert_eq!(
        (verdict.overall, verdict.decision, verdict.exit, verdict.agent_action),
        (OverallStatus::SpecificationError, Decision::Blocked, Exit::Specification, AgentAction::FixSpecification)
    );
}

#[test]
fn reasons_name_the_gravest_first() {
    let task = Task::new()
        .ran("STEP.1", "npx prettier -c .", 1, findings("prettier", 0, 2, 0))
        .ran("STEP.2", "npx eslint .", 1, findings("eslint", 2, 1, 0))
        .ran("STEP.3", "npx tsc", 2, findings("tsc", 1, 0, 0))
        .failed("STEP.4")
        .ended("STEP.5", deadline())
        .ended("STEP.6", missing_tool())
        .skipped("STEP.7", SkipReason::NeedNotMet(id("STEP.4")));
    let verdict = task.verdict();
    let reasons = verdict.reasons.join("\n");
    insta::assert_snapshot!(reasons);
    let blocking: Vec<_> = verdict.blocking.iter().map(ActionId::as_str).collect();
    assert_eq!(blocking, ["STEP.2", "STEP.3", "STEP.4", "STEP.5", "STEP.6"]);

    let pass = Task::new().passed("STEP.1").warned("STEP.2").verdict();
    assert_eq!(pass.reasons, ["2 steps passed, 1 of them with failures that do not block"]);
    let broken = Task::new().passed("STEP.1").ending(RunEnding::Failed { message: "disk full".to_owned() }).verdict();
    assert_eq!(broken.reasons, ["Referee itself failed: disk full"]);
}
