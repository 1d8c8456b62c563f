use std::collections::BTreeMap;

use referee_model::plan::Action;
use referee_model::record::StartFailure;
use referee_model::selection::Scope;

use super::super::{by_rules, verdict};
use super::*;
use crate::fixture::{self, action, command, ended, exited, findings, judged, line, not_executed, plan, run, tests};

const DONE: &str = r#"{"status": "passed", "summary": "all is well", "next": "done"}"#;

/// A plan with an evaluator, and its judged actions.
struct Task {
    plan: Plan,
    run: RunRecord,
    reports: Vec<ActionReport>,
}

impl Task {
    fn of(reports: impl FnOnce(&Plan) -> Vec<ActionReport>) -> Self {
        let mut plan = plan(Vec::new());
        plan.evaluator = Some(evaluator());
        let reports = reports(&plan);
        plan.actions = reports.iter().map(|report| report.action.clone()).collect();
        Self { plan, run: run(RunEnding::Finished), reports }
    }

    fn passing() -> Self {
        Self::of(|plan| vec![ran(plan, "STEP.1", 0, tests("jest", 5, 0, 0))])
    }

    fn failing() -> Self {
        Self::of(|plan| vec![ran(plan, "STEP.1", 1, tests("jest", 3, 2, 0))])
    }

    /// Returns a task that is BLOCKED by the rules: a prerequisite failed, and a step ran all the same.
    fn blocked() -> Self {
        Self::of(|plan| {
            vec![ran(plan, "PREREQ.1", 1, fixture::nothing()), ran(plan, "STEP.1", 0, tests("jest", 5, 0, 0))]
        })
    }

    fn output(&self, output: EvaluatorOutput<'_>) -> Verdict {
        verdict(&self.plan, &self.run, &self.reports, &BTreeMap::new(), output)
    }

    /// Returns the verdict for an evaluator that ends successfully and prints this.
    fn told(&self, answer: &str) -> Verdict {
        self.output(EvaluatorOutput { record: Some(&own(Ending::Exited { code: 0 })), answer: Some(answer.as_bytes()) })
    }

    fn by_rules(&self) -> Verdict {
        by_rules(&self.plan, &self.run, &self.reports, &BTreeMap::new())
    }
}

fn evaluator() -> Evaluator {
    Evaluator { command: command("./evaluate"), timeout_ms: 60_000, grace_ms: 2_000 }
}

fn own_action() -> Action {
    evaluator().action()
}

fn own(ending: Ending) -> Record {
    ended(&own_action(), ending)
}

fn ran(plan: &Plan, id: &str, code: i32, reading: referee_model::reading::Reading) -> ActionReport {
    let action = line(id, "npx jest");
    judged(plan, &action, exited(&action, code), reading)
}

fn fault(verdict: &Verdict) -> Option<&str> {
    match &verdict.evaluator.as_ref()?.evaluation {
        Evaluation::Fault { reason } => Some(reason),
        _ => None,
    }
}

fn overridden(verdict: &Verdict) -> bool {
    verdict.evaluator.as_ref().is_some_and(|evaluated| evaluated.overridden)
}

fn said(status: &str, next: &str) -> String {
    format!(r#"{{"status": "{status}", "summary": "because", "next": "{next}"}}"#)
}

#[test]
fn an_evaluator_makes_a_decision_worse_and_never_better() {
    let (pass, fail, blocked) = (Decision::Pass, Decision::Fail, Decision::Blocked);
    let prerequisite = Exit::Prerequisite;
    for (task, by_rules) in [(Task::passing(), pass), (Task::failing(), fail), (Task::blocked(), blocked)] {
        assert_eq!(task.by_rules().decision, by_rules);
    }
    for (task, status, next, decision, exit, is_overridden) in vec![
        (Task::passing(), "passed", "done", pass, Exit::Passed, false),
        (Task::passing(), "passed", "planner", blocked, Exit::NothingRan, true),
        (Task::passing(), "failed", "planner", fail, Exit::Failed, false),
        (Task::passing(), "failed", "done", fail, Exit::Failed, true),
        (Task::passing(), "blocked", "planner", blocked, Exit::NothingRan, false),
        (Task::passing(), "blocked", "done", blocked, Exit::NothingRan, true),
        (Task::failing(), "passed", "done", fail, Exit::Failed, true),
        (Task::failing(), "passed", "planner", fail, Exit::Failed, true),
        (Task::failing(), "failed", "planner", fail, Exit::Failed, false),
        (Task::failing(), "blocked", "planner", fail, Exit::Failed, false),
        (Task::blocked(), "passed", "done", blocked, prerequisite, true),
        (Task::blocked(), "failed", "planner", fail, prerequisite, false),
        (Task::blocked(), "blocked", "planner", blocked, prerequisite, false),
    ] {
        let verdict = task.told(&said(status, next));
        let row = (status, next, task.by_rules().decision);
        assert_eq!((verdict.decision, verdict.exit, overridden(&verdict)), (decision, exit, is_overridden), "{row:?}");
        assert_eq!(verdict.next == Next::Done, decision == pass, "{row:?}");
        assert_eq!(verdict.build_error.is_none(), decision == pass, "{row:?}");
        assert!(!verdict.completion.complete || decision == pass, "{row:?}");
        assert!(!verdict.reasons.is_empty() && fault(&verdict).is_none(), "{row:?}");
        assert_eq!(verdict.reasons.iter().any(|reason| reason.contains("overridden")), is_overridden, "{row:?}");
    }
}

#[test]
fn done_over_a_failing_run_is_overridden_and_the_failure_stays_the_first_reason() {
    let task = Task::failing();
    let verdict = task.told(DONE);
    assert_eq!(verdict.reasons[0], task.by_rules().reasons[0]);
    assert_eq!(
        verdict.reasons.last().map(String::as_str),
        Some("the evaluator said passed and done, which is overridden: its word never makes a decision better")
    );
    assert_eq!(verdict.agent_action, task.by_rules().agent_action);
}

#[test]
fn what_an_evaluator_says_against_a_pass_is_the_reason() {
    let verdict = Task::passing().told(&said("failed", "planner"));
    assert_eq!(verdict.reasons, ["the evaluator says failed: because"]);
    assert_eq!(verdict.overall, OverallStatus::PartialSuccess);
    assert_eq!(verdict.agent_action, AgentAction::ImplementFix);
    assert_eq!(verdict.completion.reason, "the evaluator says failed: because");
    let verdict = Task::passing().told(&said("passed", "planner"));
    assert_eq!(verdict.reasons[0], "the evaluator says that more is to be done: because");
}

#[test]
fn an_evaluator_that_does_not_work_is_a_fault_and_never_a_pass() {
    let could_not = || Ending::CouldNotStart { cause: StartFailure::NotFound, message: "no such file".to_owned() };
    for ending in [
        Ending::Exited { code: 1 },
        Ending::Exited { code: -1 },
        Ending::Exited { code: i32::MAX },
        Ending::Signaled { signal: 11 },
        Ending::DeadlineExceeded { timeout_ms: 60_000, of_task: false, killed: true },
        Ending::OutputLimitExceeded { limit_bytes: 1 },
        Ending::ProcessLimitExceeded { limit: 1 },
        Ending::MemoryLimitExceeded { limit_bytes: 1 },
        Ending::Interrupted { killed: false },
        could_not(),
    ] {
        let output = own(ending.clone());
        let verdict = Task::passing().output(EvaluatorOutput { record: Some(&output), answer: Some(DONE.as_bytes()) });
        assert_fault(&verdict, &ending);
    }
}

fn assert_fault(verdict: &Verdict, what: &impl std::fmt::Debug) {
    assert!(fault(verdict).is_some(), "{what:?}");
    assert_eq!((verdict.decision, verdict.exit), (Decision::Blocked, Exit::Internal), "{what:?}");
    assert_eq!((verdict.next, verdict.overall), (Next::Planner, OverallStatus::InternalError), "{what:?}");
    assert!(verdict.reasons[0].starts_with("the evaluator gave no answer that can be taken: "), "{what:?}");
    assert!(verdict.build_error.is_some() && !verdict.completion.complete, "{what:?}");
}

#[test]
fn an_answer_that_is_missing_or_junk_is_a_fault_and_never_a_pass() {
    let long = format!("{DONE}{}", " ".repeat(limit::EVALUATOR_ANSWER_BYTES));
    let without = |key: &str| {
        let mut members: Map<String, Value> = serde_json::from_str(DONE).unwrap();
        members.remove(key);
        Value::Object(members).to_string()
    };
    let with = |key: &str, value: Value| {
        let mut members: Map<String, Value> = serde_json::from_str(DONE).unwrap();
        members.insert(key.to_owned(), value);
        Value::Object(members).to_string()
    };
    let junk = [
        String::new(),
        "  \n".to_owned(),
        "passed".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        "null".to_owned(),
        format!("[{DONE}]"),
        format!("{DONE}{DONE}"),
        DONE[..DONE.len() - 1].to_owned(),
        long,
        without("status"),
        without("summary"),
        without("next"),
        with("status", Value::from("PASS")),
        with("status", Value::from("")),
        with("status", Value::from(true)),
        with("status", Value::Null),
        with("next", Value::from("nobody")),
        with("next", Value::Null),
        with("summary", Value::from(" ")),
        with("summary", Value::from(1)),
        with("notes", Value::from(1)),
        with("notes", Value::from(vec![Value::from(1)])),
        r#"{"status": "failed", "status": "passed", "summary": "x", "next": "done"}"#.to_owned(),
        r#"{"verdict": {"status": "passed", "summary": "x", "next": "done"}}"#.to_owned(),
    ];
    for answer in junk {
        assert_fault(&Task::passing().told(&answer), &answer);
        let failing = Task::failing().told(&answer);
        assert_eq!((failing.decision, failing.exit), (Decision::Fail, Exit::Internal), "{answer}");
        assert_eq!(failing.reasons[0], Task::failing().by_rules().reasons[0], "{answer}");
    }
    let record = own(Ending::Exited { code: 0 });
    for answer in [None, Some(&b"\xff\xfe{}"[..])] {
        assert_fault(&Task::passing().output(EvaluatorOutput { record: Some(&record), answer }), &answer);
    }
}

#[test]
fn an_evaluator_that_left_no_record_or_another_s_is_a_fault() {
    assert_fault(&Task::passing().output(EvaluatorOutput::default()), &"no record");
    assert_fault(
        &Task::passing().output(EvaluatorOutput { record: None, answer: Some(DONE.as_bytes()) }),
        &"an answer alone",
    );
    let step = line("STEP.1", "npx jest");
    let others = [exited(&step, 0), not_executed(&own_action()), not_executed(&step)];
    for record in others {
        assert_fault(
            &Task::passing().output(EvaluatorOutput { record: Some(&record), answer: Some(DONE.as_bytes()) }),
            &record.action,
        );
    }
}

#[test]
fn a_fault_names_what_the_checks_found() {
    let clean = Task::passing().told("junk");
    assert_eq!(clean.reasons[1], "the checks themselves found nothing");
    let warned = Task::of(|plan| {
        let lint = line("STEP.1", "npx eslint .");
        vec![judged(plan, &lint, exited(&lint, 0), findings("eslint", 0, 2, 0))]
    });
    let reasons = warned.told("junk").reasons;
    assert!(reasons[1].starts_with("what the checks found: STEP.1 check: "), "{reasons:?}");
}

#[test]
fn an_evaluator_is_asked_about_what_ran_and_about_nothing_else() {
    let reduced = |profile| {
        let mut task = Task::passing();
        task.run.scope = Scope { profile, reduced: true };
        task
    };
    let ending = |ending| {
        let mut task = Task::passing();
        task.run.ending = ending;
        task
    };
    let unexecuted = Task::of(|plan| {
        let step = action("STEP.1", fixture::line("STEP.1", "x").work);
        vec![judged(plan, &step, not_executed(&step), fixture::nothing())]
    });
    for (task, asked) in vec![
        (Task::passing(), true),
        (Task::failing(), true),
        (reduced(Profile::Strict), true),
        (reduced(Profile::Fast), true),
        (reduced(Profile::Smoke), false),
        (reduced(Profile::Yolo), false),
        (ending(RunEnding::Interrupted { signal: 2 }), false),
        (ending(RunEnding::Failed { message: "disk".to_owned() }), false),
        (Task::of(|_| Vec::new()), false),
        (unexecuted, false),
    ] {
        let why = why_not_asked(&task.run, &task.reports);
        assert_eq!(why.is_none(), asked, "{why:?}");
        let verdict = task.output(EvaluatorOutput::default());
        assert_eq!(fault(&verdict).is_some(), asked, "{why:?}");
        if !asked {
            assert_eq!(verdict.decision, task.by_rules().decision, "{why:?}");
            assert_eq!(verdict.next, Next::Planner, "{why:?}");
        }
    }
    // A profile alone leaves nothing out of a run that claims to be whole.
    let mut whole = Task::passing();
    whole.run.scope = Scope { profile: Profile::Yolo, reduced: false };
    assert_fault(&whole.output(EvaluatorOutput::default()), &"whole");
}

#[test]
fn a_plan_without_an_evaluator_hears_none() {
    let mut task = Task::passing();
    task.plan.evaluator = None;
    let verdict = task.told(&said("failed", "planner"));
    assert_eq!((verdict.decision, verdict.evaluator), (Decision::Pass, None));
}

#[test]
fn notes_are_kept_and_bounded() {
    let answer = |notes: &str| format!(r#"{{"status": "passed", "summary": "s", "next": "done", "notes": {notes}}}"#);
    let notes = |text: &str| match Task::passing().told(&answer(text)).evaluator.unwrap().evaluation {
        Evaluation::Said(said) => said.notes,
        other => panic!("{other:?}"),
    };
    assert_eq!(notes(r#""one""#), ["one"]);
    assert_eq!(notes(r#"["one", " ", "two"]"#), ["one", "two"]);
    assert_eq!(notes("null"), Vec::<String>::new());
    let many = serde_json::to_string(&vec!["ß".repeat(9_000); 3]).unwrap();
    assert!(notes(&many).iter().all(|note| note.len() <= limit::MESSAGE_BYTES));
    let all = serde_json::to_string(&vec!["n"; 100]).unwrap();
    assert_eq!(notes(&all).len(), limit::EVALUATOR_NOTES);
}
