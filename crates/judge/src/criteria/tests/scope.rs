//! Reduced runs, and services that ended early.

use referee_model::record::Span;

use super::*;

#[test]
fn a_reduced_run_decides_on_what_ran() {
    let fast = || Task::new().passed("STEP.1").skipped("STEP.2", left_out()).reduced(Profile::Fast);
    hold(vec![
        // Its pass is never done: a whole run is requested.
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
        // A check that was left out could have produced the evidence.
        (fast().needing(&[EvidenceKind::TestExecutionLog]), "Success Pass Passed RequestRetest"),
        (fast().needing(&[EvidenceKind::ApiResponses]), "PartialSuccess Fail Failed FixSpecification"),
    ]);
    assert_eq!(fast().verdict().reasons, ["1 step passed; 1 action left out of this reduced run (profile fast)"]);
    let nothing = Task::new().skipped("STEP.1", left_out()).reduced(Profile::Smoke).verdict();
    assert_eq!(nothing.reasons, ["no step ran: 1 action left out of this reduced run"]);
    // A run that claims to be whole leaves nothing out.
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
        // Ends before any step of these tests begins.
        span: Span { started: run.started, ended: Timestamp::from_millisecond(-1), duration_ms: 9_000 },
        ending,
        in_cleanup,
        log: None,
        leaked: Vec::new(),
        notices: Vec::new(),
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
    let mut service = service_record(exited(), false);
    service.span.ended = Timestamp::from_millisecond(9_000_000_000_000);
    stopping.run.services = vec![service];
    assert_eq!(stopping.verdict().decision, Decision::Pass);
    assert_eq!(task("passes", Ending::Interrupted { killed: true }, false).decision, Decision::Pass);
}
