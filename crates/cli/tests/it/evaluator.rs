//! A program that is asked for its word on the judged run: it makes a decision worse at most, and whatever goes wrong with
//! it is never a pass.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Workspace, action, finish, processes_with, wait_until};

const DONE: &str = r#"printf '{"status": "passed", "summary": "all is well", "next": "done"}'"#;

/// A specification with one check and an evaluator that keeps what it is asked, and then does this.
fn specification(check: &Value, evaluator: &str) -> String {
    json!({
        "checks": { "built": check },
        "cleanup": { "sweep": "echo swept > swept.txt" },
        "evaluator": { "run": format!("cat > asked.json; {evaluator}"), "timeout": "2s", "grace": "100ms" },
    })
    .to_string()
}

fn passing() -> Value {
    json!({ "file": "referee.yaml", "minSize": 1 })
}

fn failing() -> Value {
    json!({ "file": "gone.txt" })
}

fn said(status: &str, next: &str) -> String {
    format!(r#"echo '{{"status": "{status}", "summary": "because", "next": "{next}"}}'"#)
}

/// Whether the run's report can be judged anew from its directory alone, with the same bytes.
#[track_caller]
fn replays(workspace: &Workspace, passed: bool) {
    let verified = workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]);
    verified.exits(i32::from(!passed));
}

#[test]
fn an_evaluator_is_given_the_report_by_the_rules_and_its_word_stands_in_the_report() {
    let workspace = Workspace::with(&specification(&passing(), DONE));
    let run = workspace.referee(&["run"]).exits(0);
    assert!(run.stdout.contains("evaluator passed: all is well"), "{}", run.stdout);
    let asked: Value = serde_json::from_slice(&fs::read(workspace.path("asked.json")).unwrap()).unwrap();
    assert_eq!(asked["executionSummary"]["decision"], "PASS");
    assert_eq!(asked["evaluator"], Value::Null);
    assert_eq!(action(&asked, "CLEANUP.1")["status"], "SUCCESS", "it is asked when all else is over");
    let report = workspace.report("T001");
    let expected = json!({
        "status": "passed", "summary": "all is well", "notes": [], "next": "done", "overridden": false, "fault": null,
        "notAsked": null, "record": "evidence/T001/EVALUATOR.1-evaluator.json",
    });
    assert_eq!(report["evaluator"], expected);
    assert!(workspace.evidence("T001").contains_key("EVALUATOR.1-evaluator.log"));
    replays(&workspace, true);
}

#[test]
fn an_evaluator_makes_a_decision_worse_and_never_better_and_every_run_replays() {
    for (check, evaluator, code, decision, fault) in [
        (passing(), said("failed", "planner"), 1, "FAIL", false),
        (passing(), said("blocked", "planner"), 4, "BLOCKED", false),
        (passing(), said("passed", "planner"), 4, "BLOCKED", false),
        (passing(), format!("{DONE}; exit 3"), 70, "BLOCKED", true),
        (passing(), format!("{DONE}; kill -SEGV $$"), 70, "BLOCKED", true),
        (passing(), format!("{DONE}; sleep 600"), 70, "BLOCKED", true),
        (passing(), format!("{DONE}; {DONE}"), 70, "BLOCKED", true),
        (passing(), "yes | head -c 3000000".to_owned(), 70, "BLOCKED", true),
        (passing(), "yes '{}' | head -c 100000".to_owned(), 70, "BLOCKED", true),
        (passing(), "true".to_owned(), 70, "BLOCKED", true),
        (passing(), "echo all is well".to_owned(), 70, "BLOCKED", true),
        (passing(), "no-such-program-anywhere".to_owned(), 70, "BLOCKED", true),
        (failing(), DONE.to_owned(), 1, "FAIL", false),
        (failing(), "echo junk".to_owned(), 70, "FAIL", true),
    ] {
        let workspace = Workspace::with(&specification(&check, &evaluator));
        workspace.referee(&["run"]).exits(code);
        let report = workspace.report("T001");
        let summary = &report["executionSummary"];
        assert_eq!((&summary["decision"], &summary["next"]), (&json!(decision), &json!("planner")), "{evaluator}");
        assert_eq!(report["evaluator"]["fault"].is_string(), fault, "{evaluator}");
        assert_eq!(report["evaluator"]["overridden"], json!(evaluator.contains("passed") && !fault), "{evaluator}");
        assert!(report["error"].is_string() && report["buildError"].is_object(), "{evaluator}");
        assert!(workspace.path("swept.txt").exists(), "{evaluator}");
        replays(&workspace, false);
    }
}

#[test]
fn an_evaluator_is_not_asked_about_a_run_that_ran_no_step_or_is_the_least_worth_asking() {
    let prerequisite = json!({
        "prerequisites": { "tools": "false" },
        "checks": { "built": passing() },
        "evaluator": "touch asked",
    });
    let smoke = json!({ "checks": { "built": passing(), "slow": "true" }, "evaluator": "touch asked" });
    for (specification, arguments, code) in
        [(prerequisite, &["run"][..], 5), (smoke, &["run", "--profile", "smoke"][..], 0)]
    {
        let workspace = Workspace::with(&specification.to_string());
        workspace.referee(arguments).exits(code);
        assert!(!workspace.path("asked").exists());
        let report = workspace.report("T001");
        assert!(report["evaluator"]["notAsked"].is_string(), "{}", report["evaluator"]);
        assert_eq!(report["executionSummary"]["next"], "planner");
        replays(&workspace, code == 0);
    }
}

#[test]
fn secrets_reach_neither_the_evaluator_nor_the_evidence_of_its_answer() {
    let check = json!({ "run": "echo $API_TOKEN" });
    let answer = r#"printf '{"status": "passed", "summary": "the token is %s", "next": "done"}' "$API_TOKEN""#;
    let mut specification: Value = serde_json::from_str(&specification(&check, answer)).unwrap();
    specification["env"] = json!({ "API_TOKEN": "a8Zq93LmXw77TrEvB1" });
    let workspace = Workspace::with(&specification.to_string());
    workspace.referee(&["run"]).exits(0);
    let asked = fs::read_to_string(workspace.path("asked.json")).unwrap();
    assert!(!asked.contains("a8Zq93LmXw77TrEvB1"));
    for (name, bytes) in workspace.evidence("T001") {
        assert!(!String::from_utf8_lossy(&bytes).contains("a8Zq93LmXw77TrEvB1"), "{name}");
    }
    replays(&workspace, true);
}

#[test]
fn an_interruption_ends_the_evaluator_too_and_is_no_pass() {
    let workspace = Workspace::with(&specification(&passing(), "touch begun; sleep 600"));
    let child = workspace.command(&["run"]).spawn().unwrap();
    wait_until("the evaluator runs", || workspace.path("begun").exists());
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    finish(child).exits(130);
    let report = workspace.report("T001");
    assert_eq!(report["executionSummary"]["decision"], "BLOCKED");
    assert_eq!(report["executionSummary"]["overallStatus"], "INTERRUPTED");
    let execution = report["authenticity"]["executionId"].as_str().unwrap();
    assert_eq!(processes_with(&format!("REFEREE_EXECUTION={execution}")), Vec::<u32>::new());
    replays(&workspace, false);
}

#[test]
fn the_full_form_names_an_evaluator_for_every_task() {
    let task = |title: &str| {
        json!({
            "title": title,
            "description": "A task that a test of the evaluator runs, described at the length that is asked for.",
            "testExecution": { "steps": [{
                "actionId": "STEP.1", "type": "TERMINAL_COMMAND", "description": "the step of the test",
                "parameters": { "command": "true" },
            }] },
            "validationCriteria": {
                "successConditions": [{ "condition": "STEP.1.success === true", "description": "it works" }],
            },
            "completionCriteria": { "allStepsMustPass": true },
        })
    };
    let specification = json!({
        "schemaVersion": "2.0.0",
        "globalConfiguration": { "evaluator": {
            "command": said("failed", "planner"), "timeout": 20000, "environment": { "MODE": "strict" },
        } },
        "tasks": { "T001": task("one"), "T002": task("two") },
    });
    let workspace = Workspace::new().file("referee.json", specification.to_string());
    workspace.referee(&["run", "referee.json"]).exits(1);
    for id in ["T001", "T002"] {
        assert_eq!(workspace.report(id)["evaluator"]["status"], "failed");
    }
}

#[test]
fn an_evaluator_that_is_not_well_shaped_is_a_specification_error() {
    for evaluator in [
        json!({ "run": "true", "argv": ["true"] }),
        json!({ "timeout": "1s" }),
        json!({ "run": "true", "retries": 2 }),
        json!({ "run": "true", "timeout": "0s" }),
        json!({ "run": "  " }),
        json!({ "argv": [] }),
        json!(1),
        json!(["true"]),
    ] {
        let specification = json!({ "checks": { "built": passing() }, "evaluator": evaluator });
        let workspace = Workspace::with(&specification.to_string());
        workspace.referee(&["run"]).exits(3);
        assert_eq!(workspace.report("T001")["executionSummary"]["overallStatus"], "SPECIFICATION_ERROR", "{evaluator}");
    }
}
