use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::{Just, Strategy as Generator};
use proptest::{collection, option, prop_oneof, sample};
use referee_model::build_error::{BuildErrorType, ContextValue};
use referee_model::condition::{Condition, parse};
use referee_model::id::{ActionId, TaskId};
use referee_model::material::StreamMaterial;
use referee_model::plan::{Action, EvidenceKind, Expectation, FileContent, FileExpectation, Phase};
use referee_model::reading::Reading;
use referee_model::record::http::NoAnswerCause;
use referee_model::record::{Found, Record, ServiceRecord, Stream};
use referee_model::report::Course;
use referee_model::selection::{LeftOut, Profile};
use referee_model::time::Timestamp;
use referee_model::verdict::{Actual, Truth};

use referee_model::record::{Ending, StartFailure};

use super::*;
use crate::fixture::{self, ended, exited, file, findings, found, judged, line, nothing, plan, run, words};

mod seed;
mod weaker;

/// A plan with its judged actions, put together one by one.
struct Task {
    plan: Plan,
    run: RunRecord,
    reports: Vec<ActionReport>,
    materials: BTreeMap<ActionId, Material>,
}

impl Task {
    fn new() -> Self {
        Self { plan: plan(Vec::new()), run: run(RunEnding::Finished), reports: Vec::new(), materials: BTreeMap::new() }
    }

    fn ran(mut self, id: &str, text: &str, code: i32, reading: Reading) -> Self {
        let action = line(id, text);
        let record = exited(&action, code);
        self.plan.actions.push(action.clone());
        self.reports.push(judged(&self.plan, &action, record, reading));
        self
    }

    fn ended(mut self, id: &str, ending: Ending) -> Self {
        let action = line(id, "./work");
        let record = ended(&action, ending);
        self.plan.actions.push(action.clone());
        self.reports.push(judged(&self.plan, &action, record, nothing()));
        self
    }

    fn skipped(mut self, id: &str, reason: SkipReason) -> Self {
        let action = line(id, "npx jest");
        self.plan.actions.push(action.clone());
        self.reports.push(ActionReport { action, course: Course::Skipped(reason) });
        self
    }

    fn passed(self, id: &str) -> Self {
        self.ran(id, "npx jest", 0, fixture::tests("jest", 5, 0, 0))
    }

    fn failed(self, id: &str) -> Self {
        self.ran(id, "npx jest", 1, fixture::tests("jest", 3, 2, 0))
    }

    fn warned(self, id: &str) -> Self {
        self.ran(id, "npx eslint .", 0, findings("eslint", 0, 2, 0))
    }

    fn ending(mut self, ending: RunEnding) -> Self {
        self.run.ending = ending;
        self
    }

    fn needing(mut self, evidence: &[EvidenceKind]) -> Self {
        self.plan.completion.required_evidence = evidence.to_vec();
        self
    }

    fn with(mut self, action: Action, record: impl FnOnce(&Action) -> Record) -> Self {
        let record = record(&action);
        let report = judged(&self.plan, &action, record, nothing());
        self.plan.actions.push(action);
        self.reports.push(report);
        self
    }

    fn reduced(mut self, profile: Profile) -> Self {
        self.run.scope.profile = profile;
        self.run.scope.reduced = true;
        self
    }

    fn asking(mut self, success: &[&str], failure: &[&str]) -> Self {
        self.plan.criteria.success = success.iter().copied().map(condition).collect();
        self.plan.criteria.failure = failure.iter().copied().map(condition).collect();
        self
    }

    fn red(mut self) -> Self {
        self.plan.red_phase = true;
        self
    }

    fn problem(mut self, message: &str) -> Self {
        let problem = fixture::problem(self.plan.actions.first(), message);
        self.plan.problems.push(problem);
        self
    }

    fn verdict(&self) -> Verdict {
        verdict(&self.plan, &self.run, &self.reports, &self.materials, Heard::default())
    }
}

fn id(text: &str) -> ActionId {
    ActionId::parse(text).unwrap()
}

fn condition(text: &str) -> Condition {
    Condition { text: text.to_owned(), description: "asked".to_owned(), expression: parse(text).unwrap() }
}

fn left_out() -> SkipReason {
    SkipReason::LeftOut(LeftOut::Profile)
}

fn deadline() -> Ending {
    Ending::DeadlineExceeded { limit_ms: 10_000, of_task: false, killed: false }
}

fn missing_tool() -> Ending {
    Ending::CouldNotStart { cause: StartFailure::NotFound, message: "not found".to_owned() }
}

/// Holds each task against its overall status, decision, exit and what the agent is asked to do.
fn hold(rows: Vec<(Task, &str)>) {
    for (task, expected) in rows {
        let verdict = task.verdict();
        let told =
            format!("{:?} {:?} {:?} {:?}", verdict.overall, verdict.decision, verdict.exit, verdict.agent_action);
        assert_eq!(told, expected, "{:#?}", verdict.reasons);
        assert!(!verdict.reasons.is_empty());
        let whole = !task.run.scope.reduced;
        assert_eq!(verdict.next == Next::Done, verdict.decision == Decision::Pass && whole);
        assert_eq!(verdict.build_error.is_none(), verdict.decision == Decision::Pass);
    }
}

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
        (Task::new().ran("STEP.1", "npx eslint .", 2, nothing()), "Failure Fail Execution FixCode"),
        (
            Task::new().ended(
                "STEP.1",
                Ending::CouldNotStart { cause: StartFailure::BadDirectory, message: "no folder".to_owned() },
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
        // A run that is said to have finished skips nothing for its own end.
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
    let course = exchanged.reports[0].course.clone();
    exchanged.reports[1].course = course;
    for task in [unreported, empty, twice, unknown, exchanged] {
        let verdict = task.verdict();
        assert_eq!((verdict.decision, verdict.exit), (Decision::Blocked, Exit::Internal), "{:?}", verdict.reasons);
        assert!(!verdict.completion.complete);
        assert_eq!(verdict.overall, OverallStatus::InternalError);
    }
}

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
             STEP.9 is no action of this task",
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
            found(check, Found::Folder)
        });
        let mut stream = StreamMaterial { bytes: 10, ..StreamMaterial::default() };
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
    // What is declared counts: the exit code of a red test is no other than the one that is expected of it.
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

    // As does what takes longer than its own deadline, but not what the task's leaves no time.
    for (of_task, decision) in [(false, Decision::Pass), (true, Decision::Fail)] {
        let slow = expecting("STEP.1", "./hang", Outcome::Timeout);
        let late = |action: &Action| ended(action, Ending::DeadlineExceeded { limit_ms: 10, of_task, killed: false });
        assert_eq!(Task::new().with(slow, late).passed("STEP.2").verdict().decision, decision);
    }

    // Whatever the judgement says of it, a specification error is never expected.
    if let Course::Ran(ran) = &mut task.reports[0].course {
        ran.judgement.outcome = Outcome::SpecificationError;
        ran.judgement.expected = true;
        ran.judgement.blocking = false;
    }
    assert_eq!((task.verdict().decision, task.verdict().exit), (Decision::Blocked, Exit::Specification));
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
        // Whatever ran all the same.
        (
            Task::new().passed("STEP.1").problem("no such type"),
            "SpecificationError Blocked Specification FixSpecification",
        ),
        (
            Task::new().failed("STEP.1").problem("no such type"),
            "SpecificationError Blocked Specification FixSpecification",
        ),
        // Skipped for problems that the plan has not.
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
    hold(vec![(task, "Failure Blocked NothingRan RequestRetest")]);
}

#[test]
fn a_reduced_run_decides_on_what_ran() {
    let fast = || Task::new().passed("STEP.1").skipped("STEP.2", left_out()).reduced(Profile::Fast);
    hold(vec![
        // Its pass is never done: a whole run is asked for.
        (fast(), "Success Pass Passed RequestRetest"),
        (Task::new().passed("STEP.1").reduced(Profile::Strict), "Success Pass Passed RequestRetest"),
        (fast().failed("STEP.3"), "PartialSuccess Fail Failed ImplementFix"),
        (
            Task::new().skipped("PREREQ.1", left_out()).skipped("STEP.1", left_out()).reduced(Profile::Smoke),
            "Failure Blocked NothingRan RequestRetest",
        ),
        (fast().skipped("STEP.3", SkipReason::NeedNotMet(id("STEP.2"))), "PartialSuccess Fail Failed FixSpecification"),
        (
            fast().failed("STEP.3").skipped("STEP.4", SkipReason::Superseded(id("STEP.3"))),
            "PartialSuccess Fail Failed ImplementFix",
        ),
        // What it left out could have been what leaves the evidence.
        (fast().needing(&[EvidenceKind::TestExecutionLog]), "Success Pass Passed RequestRetest"),
        (fast().needing(&[EvidenceKind::ApiResponses]), "PartialSuccess Fail Failed FixSpecification"),
    ]);
    assert_eq!(fast().verdict().reasons, ["1 step passed; 1 action left out of this reduced run (profile fast)"]);
    let nothing = Task::new().skipped("STEP.1", left_out()).reduced(Profile::Smoke).verdict();
    assert_eq!(nothing.reasons, ["no step ran: 1 action left out of this reduced run"]);
    // A run that is said to be whole leaves nothing out.
    let whole = Task::new().passed("STEP.1").skipped("STEP.2", left_out());
    hold(vec![(whole, "InternalError Blocked Internal RequestRetest")]);
    let cleanup = Task::new().passed("STEP.1").skipped("CLEANUP.1", left_out());
    hold(vec![(cleanup, "InternalError Blocked Internal RequestRetest")]);
}

fn service_record(ending: Ending, in_cleanup: bool) -> ServiceRecord {
    let run = run(RunEnding::Finished);
    ServiceRecord {
        action: id("PREREQ.1"),
        attempt: 1,
        started: run.started,
        // Before any step of these tests begins.
        ended: Timestamp::from_millisecond(-1),
        duration_ms: 9_000,
        ending,
        in_cleanup,
        log: None,
        leaked: Vec::new(),
    }
}

#[test]
fn a_task_whose_service_ended_early_never_passes() {
    let task = |id: &str, ending: Ending, in_cleanup: bool| {
        let mut task = Task::new().passed("PREREQ.1");
        task = if id == "fails" { task.failed("STEP.1") } else { task.passed("STEP.1") };
        task.run.services = vec![service_record(ending, in_cleanup)];
        task.verdict()
    };
    let exited = || Ending::Exited { code: 3 };
    let failed = task("fails", exited(), false);
    assert_eq!(
        failed.reasons[1],
        "the service PREREQ.1 check ended with exit code 3 while checks still ran: what ran afterwards may not have met it"
    );
    assert_eq!(task("fails", exited(), true).reasons.len(), 1);
    assert_eq!(task("fails", Ending::Interrupted { killed: false }, false).reasons.len(), 1);
    let killed = task("fails", Ending::Signaled { signal: 9 }, false);
    assert!(killed.reasons[1].contains("ended by SIGKILL"), "{:?}", killed.reasons);
    let passed = task("passes", exited(), false);
    assert_eq!((passed.decision, passed.exit, passed.reasons.len()), (Decision::Blocked, Exit::Prerequisite, 1));
    assert_eq!(task("passes", exited(), true).decision, Decision::Pass);
    // The last step may end it: nothing ran without it.
    let mut stopping = Task::new().passed("PREREQ.1").passed("STEP.1");
    stopping.run.services = vec![ServiceRecord {
        ended: Timestamp::from_millisecond(9_000_000_000_000),
        ..service_record(exited(), false)
    }];
    assert_eq!(stopping.verdict().decision, Decision::Pass);
    assert_eq!(task("passes", Ending::Interrupted { killed: true }, false).decision, Decision::Pass);
}

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
fn an_outcome_that_no_policy_lets_pass_blocks_whatever_its_judgement_says() {
    for outcome in
        [Outcome::ExecutionError, Outcome::Timeout, Outcome::PrerequisiteFailure, Outcome::SpecificationError]
    {
        let mut task = Task::new().passed("STEP.1");
        if let Course::Ran(ran) = &mut task.reports[0].course {
            ran.judgement.outcome = outcome;
            ran.judgement.blocking = false;
        }
        assert_ne!(task.verdict().decision, Decision::Pass, "{outcome:?}");
    }
    let mut task = Task::new().passed("STEP.1");
    if let Course::Ran(ran) = &mut task.reports[0].course {
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
    // A summary of which an exit 0 is not judged is not counted either.
    let looks_failed = fixture::by_content(fixture::tests("jest", 3, 2, 0));
    assert_eq!(Task::new().ran("STEP.1", "npm test", 0, looks_failed).verdict().completion.test_pass_rate, None);
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
    only_file.reports.push(judged(&only_file.plan, &check, found(&check, Found::Folder), nothing()));
    assert_eq!(collected(only_file), [PerformanceMetrics]);

    for (required, missing) in [
        (vec![TerminalOutput, TestExecutionLog, PerformanceMetrics], vec![]),
        // Where nothing failed there is no error to log.
        (vec![ErrorLogs], vec![]),
        (vec![ApiResponses, TerminalOutput, Screenshots], vec![ApiResponses, Screenshots]),
    ] {
        let verdict = Task::new().passed("STEP.1").needing(&required).verdict();
        assert_eq!(verdict.completion.evidence_missing, missing);
        assert_eq!(verdict.decision == Decision::Pass, missing.is_empty());
    }
}

#[test]
fn build_errors_take_type_tails_and_context_from_the_first_blocking_action() {
    let mut types = findings("tsc", 3, 0, 0);
    types.excerpts.stdout = words("\u{1b}[31mtypes\u{1b}[0m").excerpts.stderr;
    let lint = || findings("eslint", 2, 1, 0);
    for (task, kind, message) in [
        (
            Task::new().ran("STEP.1", "npx tsc", 2, types.clone()).failed("STEP.2"),
            BuildErrorType::TypecheckFailed,
            "TypeScript compilation failed (3 errors in 1 files)",
        ),
        (
            Task::new().ran("STEP.1", "gcc a.c", 1, findings("gcc", 1, 0, 0)),
            BuildErrorType::TypecheckFailed,
            "TypeScript compilation failed (1 errors in 1 files)",
        ),
        (
            Task::new().passed("STEP.1").ran("STEP.2", "npx eslint .", 1, lint()),
            BuildErrorType::LintFailed,
            "Code linting failed",
        ),
        (Task::new().failed("STEP.1"), BuildErrorType::TestFailed, "Test execution failed"),
        (Task::new().ended("STEP.1", deadline()), BuildErrorType::SystemError, "stopped at its deadline of 10 s"),
        (
            Task::new().ran("STEP.1", "npx jest", 1, nothing()),
            BuildErrorType::SystemError,
            "exit code 1, and no summary of tests by jest",
        ),
        (
            Task::new().ran("PREREQ.1", "npx jest", 1, fixture::tests("jest", 0, 1, 0)),
            BuildErrorType::SystemError,
            "the prerequisite does not hold: 1 of 1 test failed (jest)",
        ),
        (
            Task::new().failed("STEP.1").ending(RunEnding::Interrupted { signal: 2 }),
            BuildErrorType::SystemError,
            "the run was interrupted by signal 2",
        ),
        (Task::new(), BuildErrorType::SystemError, "no step ran"),
    ] {
        let error = task.verdict().build_error.unwrap();
        assert_eq!((error.kind, error.message.as_str()), (kind, message));
        assert_eq!((error.exit_code, error.agent_result_file), (None, None));
        assert_eq!(error.verification_file.as_deref(), Some("execution-report.json"));
        assert_eq!(error.context["duration"], ContextValue::Number(9_000));
    }

    let error = Task::new().ran("STEP.1", "npx tsc", 2, types).verdict().build_error.unwrap();
    assert_eq!((error.stdout_tail.as_str(), error.stderr_tail.as_str()), ("types", ""));
    assert_eq!(error.failed_at.as_millisecond(), 3_000);
    assert_eq!(error.context["errorCount"], ContextValue::Number(3));
    assert_eq!(error.context["fileCount"], ContextValue::Number(1));
    assert_eq!(error.context["actionId"], ContextValue::Text("STEP.1".to_owned()));
    assert_eq!(error.context["outcome"], ContextValue::Text("VALIDATION_FAILURE".to_owned()));
    let error = Task::new().failed("STEP.1").verdict().build_error.unwrap();
    assert_eq!(error.context["failedTests"], ContextValue::Number(2));
    let error = Task::new().verdict().build_error.unwrap();
    assert_eq!((error.failed_at.as_millisecond(), error.context.len()), (9_000, 1));
}

/// What became of one action of an arbitrary task.
#[derive(Debug, Clone)]
enum Fate {
    Ran(&'static str, i32, Box<Reading>),
    Ended(Ending),
    Skipped(SkipReason),
    Unreported,
}

fn any_fate() -> impl Generator<Value = Fate> {
    let reading = prop_oneof![
        Just(nothing()),
        (0_u64..3, 0_u64..3).prop_map(|(passed, failed)| fixture::tests("jest", passed, failed, 0)),
        (0_u64..2, 0_u64..2, 0_u64..2)
            .prop_map(|(errors, warnings, infos)| findings("eslint", errors, warnings, infos)),
    ];
    let text = sample::select(vec!["npx jest", "npx eslint .", "npx tsc", "npx prettier -c .", "./x", "npm test"]);
    let code = prop_oneof![4 => Just(0), 1 => Just(1), 1 => Just(127)];
    let skip = sample::select(vec![
        SkipReason::DeadlinePassed,
        SkipReason::Interrupted,
        SkipReason::EngineFailed,
        SkipReason::NeedNotMet(id("STEP.1")),
        SkipReason::PrerequisiteFailed(id("PREREQ.1")),
        SkipReason::Superseded(id("STEP.1")),
        SkipReason::LeftOut(LeftOut::Profile),
        SkipReason::SpecificationError,
        SkipReason::DependencyNotPassed(TaskId::parse("T002").unwrap()),
    ]);
    prop_oneof![
        12 => (text, code, reading).prop_map(|(text, code, reading)| Fate::Ran(text, code, Box::new(reading))),
        1 => sample::select(vec![deadline(), missing_tool(), Ending::Signaled { signal: 9 }]).prop_map(Fate::Ended),
        1 => skip.prop_map(Fate::Skipped),
        1 => Just(Fate::Unreported),
    ]
}

fn any_condition() -> impl Generator<Value = &'static str> {
    sample::select(vec![
        "true",
        "false",
        "STEP.1.exitCode === 0",
        "STEP.2.success",
        "PREREQ.1.failed",
        "CLEANUP.1.skipped",
        "STEP.9.success",
        "eslint.errorCount === 0",
        "STEP.1.stdout.includes('x')",
    ])
}

fn any_task() -> impl Generator<Value = Task> {
    let fates = || collection::vec(any_fate(), 0..3);
    let ending = prop_oneof![
        8 => Just(RunEnding::Finished),
        1 => Just(RunEnding::Interrupted { signal: 2 }),
        1 => Just(RunEnding::Failed { message: "disk full".to_owned() }),
    ];
    let least = option::of(prop_oneof![0.0..=100.0, Just(f64::NAN)]);
    let asked = (collection::vec(any_condition(), 0..2), collection::vec(any_condition(), 0..2), any::<bool>());
    (fates(), fates(), fates(), ending, least, asked, any::<bool>()).prop_map(|parts| {
        let (prerequisites, steps, cleanup, ending, least, (success, failure, red), reduced) = parts;
        let mut task = Task::new().ending(ending);
        task.plan.criteria.success = success.into_iter().map(condition).collect();
        task.plan.criteria.failure = failure.into_iter().map(condition).collect();
        task.plan.red_phase = red && reduced;
        task.run.scope.reduced = reduced;
        for (phase, fates) in [("PREREQ", prerequisites), ("STEP", steps), ("CLEANUP", cleanup)] {
            for (at, fate) in fates.into_iter().enumerate() {
                task = with(task, &format!("{phase}.{}", at + 1), fate);
            }
        }
        task.plan.completion.all_steps_must_pass = least.is_none();
        task.plan.completion.minimum_pass_rate = least.unwrap_or(100.0);
        task
    })
}

fn with(task: Task, id: &str, fate: Fate) -> Task {
    match fate {
        Fate::Ran(text, code, reading) => task.ran(id, text, code, *reading),
        Fate::Ended(ending) => task.ended(id, ending),
        Fate::Skipped(reason) => task.skipped(id, reason),
        Fate::Unreported => {
            let mut task = task;
            task.plan.actions.push(line(id, "npx jest"));
            task
        }
    }
}

impl std::fmt::Debug for Task {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:#?}", self.verdict())
    }
}

fn step_of(report: &ActionReport) -> bool {
    report.action.phase == Phase::Step
}

proptest! {
    #[test]
    fn a_pass_is_whole(task in any_task()) {
        let verdict = task.verdict();
        prop_assert!(!verdict.reasons.is_empty());
        prop_assert_eq!(verdict.decision == Decision::Pass, verdict.exit == Exit::Passed);
        prop_assert_eq!(verdict.decision == Decision::Pass, verdict.build_error.is_none());
        if verdict.decision == Decision::Pass {
            prop_assert!(verdict.completion.complete);
            prop_assert!(verdict.blocking.is_empty());
            prop_assert_eq!(&task.run.ending, &RunEnding::Finished);
            prop_assert_eq!(task.reports.len(), task.plan.actions.len());
            prop_assert!(task.reports.iter().any(|report| step_of(report) && report.ran().is_some()));
            for report in task.reports.iter().filter(|report| report.action.phase != Phase::Cleanup) {
                match &report.course {
                    Course::Ran(ran) => prop_assert!(!ran.judgement.blocking),
                    Course::Skipped(reason) => {
                        prop_assert!(task.run.scope.reduced && matches!(reason, SkipReason::LeftOut(_)));
                    }
                }
            }
            // Nothing unknown ever passes.
            let criteria = &verdict.criteria;
            prop_assert!(criteria.success.iter().all(|result| result.truth == Truth::True));
            prop_assert!(criteria.failure.iter().all(|result| result.truth == Truth::False));
            prop_assert!(matches!(verdict.overall, OverallStatus::Success | OverallStatus::PartialSuccess));
        }
        if verdict.overall == OverallStatus::Success {
            prop_assert_eq!(verdict.decision, Decision::Pass);
        }
        let is_done = verdict.decision == Decision::Pass && !task.run.scope.reduced;
        prop_assert_eq!(verdict.next, if is_done { Next::Done } else { Next::Planner });
        prop_assert_eq!(verdict.agent_action == AgentAction::RequestStatusUpdate, is_done);
    }

    #[test]
    fn a_reduced_run_is_never_done(task in any_task(), profile in sample::select(Profile::ALL.to_vec())) {
        let verdict = task.reduced(profile).verdict();
        prop_assert_eq!(verdict.next, Next::Planner);
        prop_assert!(verdict.agent_action != AgentAction::RequestStatusUpdate);
    }

    #[test]
    fn a_failure_more_never_makes_it_a_pass(task in any_task(), at_prerequisites in any::<bool>()) {
        let mut task = task;
        // In a red phase a failed test is what is asked for.
        task.plan.red_phase = false;
        let before = task.verdict();
        let id = if at_prerequisites { "PREREQ.9" } else { "STEP.9" };
        let worse = task.failed(id).verdict();
        prop_assert!(worse.decision != Decision::Pass);
        prop_assert!(worse.exit <= before.exit, "{:?} after {:?}", worse.exit, before.exit);
        prop_assert!(!at_prerequisites || worse.decision == Decision::Blocked || before.decision == Decision::Fail
            || worse.exit == Exit::Internal);
    }

    #[test]
    fn the_same_evidence_gives_the_same_verdict(task in any_task()) {
        let (first, second) = (task.verdict(), task.verdict());
        // Compared as text, in which a rate that is no number equals itself.
        prop_assert_eq!(format!("{first:?}"), format!("{second:?}"));
    }
}
