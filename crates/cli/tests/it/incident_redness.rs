//! What was never red is not turned green: an incident is resolved by checks that failed for it, in what it was captured from or
//! when its loop began, and by nothing else.

use std::fs;

use serde_json::{Value, json};

use crate::agent_run::{UNITTEST, in_python};
use crate::incident_approval::{ROOT, key, standing, trust};
use crate::support::{Finished, Workspace, finish};

const CHECKS: &str = "checks:\n  unit: { run: sh check.sh }\n  other: 'true'\n";

/// A project whose check passes where there is a file.
fn project() -> Workspace {
    Workspace::with(CHECKS).file("check.sh", "test -f fixed || { echo 'Error: not fixed' >&2; exit 3; }\n")
}

/// The failure of something else, as a log tells of it.
fn from_a_log(workspace: &Workspace) {
    workspace.write("bank.log", "2026-02-17 03:00:01 start\nError: connect timeout to bank API\n");
    workspace.referee(&["incident", "capture", "--log", "bank.log", "--id", "inc_1", "--step", "sync"]).exits(0);
}

fn from_the_sealed_run(workspace: &Workspace) {
    workspace.referee(&["run"]).exits(6);
    workspace.referee(&["incident", "capture", "--id", "inc_1"]).exits(0);
}

/// Plans it, and has a person approve of that. Returns what the plan says.
fn approved(workspace: &Workspace) -> Value {
    let plan = workspace.referee(&["incident", "plan", "inc_1", "--format", "json"]).exits(0).json();
    approve(workspace);
    plan
}

fn approve(workspace: &Workspace) {
    let ada = key(workspace, "ada");
    trust(workspace, &ada);
    workspace.referee(&["incident", "approve", "inc_1", "--key", ada.to_str().unwrap()]).exits(0);
}

fn run(workspace: &Workspace, options: &[&str]) -> Finished {
    workspace.referee(&[&["incident", "run", "inc_1", "--format", "json"], options].concat())
}

fn is_never_red(plan: &Value) -> bool {
    plan["unknowns"].to_string().contains("none of them is known to have failed for this incident")
}

/// The loop leaves it open, and says why and what a person may do.
#[track_caller]
fn resolves_nothing(workspace: &Workspace, options: &[&str]) {
    let result = run(workspace, options).exits(1).json();
    assert_eq!((&result["final_status"], &result["never_red"]), (&json!("running"), &json!(true)), "{result:#}");
    assert!(result["reason"].as_str().unwrap().contains("Only a person can close it"), "{result:#}");
    assert_eq!((&result["archived_to"], standing(workspace).trim()), (&Value::Null, "running"));
}

#[test]
fn an_incident_that_the_checks_never_failed_for_is_closed_by_a_person_alone() {
    let workspace = project().file("fixed", "").file("agent.sh", "echo x >> turns.txt\n");
    from_a_log(&workspace);
    assert!(is_never_red(&approved(&workspace)));
    let text = fs::read_to_string(workspace.path(&format!("{ROOT}/error_plans/inc_1/plan.md"))).unwrap();
    assert!(text.contains("One of them must fail when the loop begins, else only a person can close it"), "{text}");
    resolves_nothing(&workspace, &["--archive-on-success"]);
    // No agent works where nothing could show that it is done.
    resolves_nothing(&workspace, &["--agent", "sh agent.sh", "--archive-on-success"]);
    resolves_nothing(&workspace, &["--agent", "sh agent.sh", "--single-iteration"]);
    assert!(!workspace.path("turns.txt").exists());
    let told = workspace.referee(&["incident", "run", "inc_1"]).exits(1).told();
    assert!(told.contains("referee incident archive inc_1 --result resolved --reason WHY"), "{told}");
    let closes =
        ["incident", "archive", "inc_1", "--result", "resolved", "--reason", "the bank answers", "--format", "json"];
    finish(workspace.command(&closes).env("CLAUDECODE", "1").spawn().unwrap()).exits(1);
    assert_eq!(workspace.referee(&closes).exits(0).json()["basis"], "word");
}

#[test]
fn a_check_that_failed_in_the_sealed_run_and_passes_now_resolves_it() {
    let workspace = project();
    from_the_sealed_run(&workspace);
    assert!(!is_never_red(&approved(&workspace)));
    workspace.write("fixed", "");
    let result = run(&workspace, &["--archive-on-success"]).exits(0).json();
    assert_eq!((&result["final_status"], &result["never_red"]), (&json!("resolved"), &json!(false)), "{result:#}");
    let meta = fs::read(workspace.path(&format!("{ROOT}/error_archive/resolved/inc_1/archive_meta.json"))).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&meta).unwrap()["basis"], "loop");
}

#[test]
fn the_command_that_was_captured_resolves_it_and_one_of_another_text_does_not() {
    for (now, code) in [("sh check.sh", 0), ("true", 1)] {
        let workspace = project();
        workspace.referee(&["incident", "capture", "--id", "inc_1", "--", "sh", "check.sh"]).exits(3);
        workspace.write("referee.yaml", format!("checks:\n  unit: '{now}'\n"));
        let plan = workspace.path(&format!("{ROOT}/error_inbox/inc_1/context.json"));
        if code == 1 {
            // What verifies is another command, whoever said that this one failed.
            let context = json!({"failed_actions": ["STEP.1"], "capture": {"action": "STEP.1"}});
            fs::write(plan, context.to_string()).unwrap();
            let entry = json!([{"severity": "error", "source": "test", "message": "m", "actionId": "STEP.1", "blocking": true}]);
            workspace.write(&format!("{ROOT}/error_inbox/inc_1/diagnostics.json"), entry.to_string());
        }
        let plan = approved(&workspace);
        assert_eq!((&plan["verification_commands"], is_never_red(&plan)), (&json!([now]), code == 1));
        workspace.write("fixed", "");
        assert_eq!(run(&workspace, &[]).exits(code).json()["never_red"], code == 1);
    }
}

#[test]
fn a_report_that_is_no_sealed_evidence_makes_no_check_red() {
    let workspace = project();
    workspace.referee(&["run"]).exits(6);
    fs::copy(workspace.path("evidence/T001/execution-report.json"), workspace.path("copy.json")).unwrap();
    workspace.referee(&["incident", "capture", "--report", "copy.json", "--id", "inc_1"]).exits(0);
    workspace.write("fixed", "");
    assert!(is_never_red(&approved(&workspace)));
    resolves_nothing(&workspace, &[]);
}

#[test]
fn a_check_that_fails_when_the_loop_begins_reproduces_it_and_the_others_are_guards() {
    let workspace = project().file("agent.sh", "cat > given.json; echo x >> turns.txt; touch fixed\n");
    from_a_log(&workspace);
    let plan = approved(&workspace);
    assert_eq!((&plan["verification_commands"], is_never_red(&plan)), (&json!(["sh check.sh", "true"]), true));
    let result = run(&workspace, &["--agent", "sh agent.sh"]).exits(0).json();
    assert_eq!((&result["final_status"], &result["loops_used"]), (&json!("resolved"), &json!(1)), "{result:#}");
    let given: Value = serde_json::from_slice(&fs::read(workspace.path("given.json")).unwrap()).unwrap();
    assert!(!given["reasons"].as_array().unwrap().is_empty(), "what failed before is told: {given:#}");
    // Without an agent the first turn is that look.
    let workspace = project();
    from_a_log(&workspace);
    approved(&workspace);
    assert_eq!(run(&workspace, &["--single-iteration"]).exits(1).json()["never_red"], false);
    workspace.write("fixed", "");
    assert_eq!(run(&workspace, &[]).exits(0).json()["final_status"], "resolved");
}

#[test]
fn what_an_agent_breaks_and_mends_again_shows_nothing() {
    // It is cut off while the check is broken by it; what says how far the loop was is in its reach.
    let workspace = project().file("fixed", "").file(
        "agent.sh",
        format!(
            "echo x >> turns.txt; rm -f fixed; rm -f {ROOT}/error_runs/inc_1/loop_state.json; kill -9 $PPID; sleep 1\n"
        ),
    );
    from_a_log(&workspace);
    approved(&workspace);
    let _ = run(&workspace, &["--agent", "sh agent.sh"]);
    assert!(!workspace.path("turns.txt").exists(), "no agent is started before a check was red");
}

#[test]
fn an_executors_word_over_checks_that_never_were_red_resolves_nothing() {
    let workspace = project().file("fixed", "");
    from_a_log(&workspace);
    approved(&workspace);
    workspace.referee(&["incident", "handoff", "inc_1", "--executor", "robot"]).exits(0);
    workspace.referee(&["incident", "ack", "inc_1", "--executor", "robot"]).exits(0);
    workspace.write("done.json", r#"{"reason": "success", "description": "resolved"}"#);
    workspace.referee(&["incident", "ack", "inc_1", "--result", "done.json"]).exits(0);
    resolves_nothing(&workspace, &["--single-iteration", "--archive-on-success"]);
}

#[test]
fn a_status_that_somebody_wrote_is_no_loops_word() {
    let workspace = project().file("fixed", "");
    from_a_log(&workspace);
    approved(&workspace);
    resolves_nothing(&workspace, &[]);
    let path = format!("{ROOT}/error_runs/inc_1/loop_state.json");
    let mut state: Value = serde_json::from_slice(&fs::read(workspace.path(&path)).unwrap()).unwrap();
    state["phase"] = json!("checks");
    workspace.write(&path, state.to_string());
    workspace.write(&format!("{ROOT}/error_inbox/inc_1/status.txt"), "resolved");
    let refused = run(&workspace, &["--archive-on-success"]).exits(1);
    assert!(refused.stderr.contains("by hand") && refused.stderr.contains("Only a person"), "{}", refused.stderr);
    let closes = ["incident", "archive", "inc_1", "--result", "resolved", "--reason", "x", "--format", "json"];
    finish(workspace.command(&closes).env("CURSOR_AGENT", "1").spawn().unwrap()).exits(1);
    assert_eq!(workspace.referee(&closes).exits(0).json()["basis"], "word");
}

#[test]
fn an_incident_that_is_opened_again_keeps_what_was_red() {
    let workspace = project();
    from_the_sealed_run(&workspace);
    workspace.referee(&["incident", "archive", "inc_1", "--result", "escalated", "--reason", "x"]).exits(0);
    workspace.referee(&["incident", "reopen", "inc_1", "--reason", "y"]).exits(0);
    assert!(!is_never_red(&approved(&workspace)));
    workspace.write("fixed", "");
    assert_eq!(run(&workspace, &[]).exits(0).json()["final_status"], "resolved");
}

/// Not of redness, but of the same way: a plan is about the file under test, by the same rule by which agents are told.
#[test]
fn a_plan_is_about_the_file_under_test_and_never_about_tests_alone() {
    for (second, paths, note) in [
        ("x", json!(["app/parse.py"]), "Change nothing outside the target paths"),
        ("1", json!([]), "neither tests nor checks"),
    ] {
        let workspace = in_python(Workspace::with(UNITTEST), second);
        workspace.referee(&["run"]).exits(1);
        workspace.referee(&["incident", "capture", "--id", "inc_1"]).exits(0);
        let plan = workspace.referee(&["incident", "plan", "inc_1", "--format", "json"]).exits(0).json();
        assert_eq!(plan["actions"][1]["target_paths"], paths, "{plan:#}");
        assert!(plan["execution"]["notes"].to_string().contains(note), "{plan:#}");
    }
}
