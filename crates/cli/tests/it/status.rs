//! How tasks stand, by their sealed evidence: whatever a status file or a checkbox says.

use std::fs;

use serde_json::{Value, json};

use crate::support::Workspace;

const LOCK: &str = ".specify/state/task-status-lock.json";

/// One check, which passes as long as a file says so.
const ONE: &str = "checks:\n  unit: { argv: [sh, check.sh] }\n";

const LIST: &str = "# Tasks\n\n- [ ] **T001**: add quotes\n- [x] T002 of somebody else\n";

/// A project that keeps status files.
fn workspace() -> Workspace {
    let workspace = Workspace::with(ONE).file("check.sh", "exit 0\n").file("tasks.md", LIST);
    fs::create_dir(workspace.path(".specify")).unwrap();
    workspace
}

fn lock(workspace: &Workspace) -> Value {
    serde_json::from_slice(&fs::read(workspace.path(LOCK)).unwrap()).unwrap()
}

fn list(workspace: &Workspace) -> String {
    fs::read_to_string(workspace.path("tasks.md")).unwrap()
}

fn kinds(status: &Value) -> Vec<&str> {
    status["violations"].as_array().unwrap().iter().map(|violation| violation["type"].as_str().unwrap()).collect()
}

#[test]
fn a_run_that_passes_is_complete_and_write_sets_its_checkbox_alone() {
    let workspace = workspace();
    workspace.referee(&["run", "-q"]).exits(0);
    let entry = lock(&workspace)["taskStatuses"]["T001"].clone();
    assert_eq!((&entry["status"], &entry["locked"]), (&json!("COMPLETE"), &json!(true)));
    assert_eq!(list(&workspace), LIST, "a run sets no checkbox");
    let status = workspace.referee(&["status", "--format", "json"]).exits(0).json();
    assert_eq!((&status["tasks"][0]["status"], &status["violations"]), (&json!("COMPLETE"), &json!([])));
    assert_eq!(status["tasks"][0]["evidenceHash"], entry["evidenceHash"]);
    workspace.referee(&["status", "--write"]).exits(0);
    assert_eq!(list(&workspace), LIST.replace("- [ ] **T001**", "- [x] **T001**"));
}

#[test]
fn a_project_without_a_specify_directory_gets_no_files_unless_they_are_asked_for() {
    let workspace = Workspace::with(ONE).file("check.sh", "exit 0\n");
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.referee(&["status"]).exits(0);
    assert!(!workspace.path(".specify").exists());
    workspace.referee(&["status", "--write"]).exits(0);
    assert!(workspace.path(LOCK).exists());
}

#[test]
fn a_failed_task_is_failed_whatever_files_say_and_write_puts_them_right() {
    let workspace = workspace();
    workspace.write("check.sh", "exit 3\n");
    workspace.referee(&["run", "-q"]).exits(6);
    let entry = lock(&workspace)["taskStatuses"]["T001"].clone();
    assert_eq!((&entry["status"], &entry["retestRequired"]), (&json!("FAILED"), &json!(true)));
    assert_eq!(entry["technicalDebtCreated"].as_array().unwrap().len(), 1);
    workspace.referee(&["status", "-q"]).exits(6);

    let forged = LIST.replace("- [ ] **T001**", "- [X] **T001**");
    workspace.write("tasks.md", &forged);
    let status = workspace.referee(&["status", "--format", "json"]).exits(3).json();
    assert_eq!(kinds(&status), ["UNAUTHORIZED_COMPLETION"]);
    assert_eq!(list(&workspace), forged, "without --write nothing is written");

    let mut edited = lock(&workspace);
    edited["taskStatuses"]["T001"]["status"] = json!("COMPLETE");
    workspace.write(LOCK, edited.to_string());
    let told = workspace.referee(&["status"]).exits(3).told();
    for part in ["FAILED", "LOCK_FILE_TAMPERED", "UNAUTHORIZED_COMPLETION", "it calls T001 complete"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    workspace.write(LOCK, "{\"lockVersion\": \"2.0.0\"");
    let status = workspace.referee(&["status", "--format", "json"]).exits(3).json();
    assert_eq!(kinds(&status), ["LOCK_FILE_TAMPERED", "UNAUTHORIZED_COMPLETION"]);

    workspace.referee(&["status", "--write"]).exits(3);
    assert_eq!(list(&workspace), LIST);
    let written = fs::read_dir(workspace.path(".specify/state")).unwrap().map(|entry| entry.unwrap().file_name());
    let violations = written.filter(|name| name.to_str().unwrap().starts_with("status-violations-")).count();
    assert_eq!(violations, 1);
    assert_eq!(lock(&workspace)["taskStatuses"]["T001"]["status"], "FAILED");
    workspace.referee(&["status"]).exits(6);
}

#[test]
fn a_retest_that_fails_takes_the_tick_of_its_task_back_and_of_no_other() {
    let workspace = workspace();
    let ticked = LIST.replace("- [ ] **T001**", "- [x] **T001**");
    workspace.write("tasks.md", &ticked);
    workspace.write("check.sh", "exit 3\n");
    let told = workspace.referee(&["retest", "T001", "-q"]).exits(6);
    assert_eq!(list(&workspace), LIST, "{}", told.stderr);
    assert!(told.stderr.contains("tasks.md"), "{}", told.stderr);
    workspace.write("check.sh", "exit 0\n");
    workspace.referee(&["retest", "T001", "-q"]).exits(0);
    assert_eq!(list(&workspace), ticked);
    fs::remove_file(workspace.path("tasks.md")).unwrap();
    workspace.referee(&["retest", "T001", "-q"]).exits(0);
    assert!(!workspace.path("tasks.md").exists(), "no list is made");
}

#[test]
fn evidence_that_was_changed_or_swapped_out_is_failed_and_named() {
    let workspace = workspace();
    workspace.referee(&["run", "-q"]).exits(0);
    let report = workspace.path("evidence/T001/execution-report.json");
    let honest = fs::read_to_string(&report).unwrap();
    fs::write(&report, honest.replace("\"overallStatus\": \"SUCCESS\"", "\"overallStatus\": \"PERFECT\"")).unwrap();
    let status = workspace.referee(&["status", "--format", "json"]).exits(3).json();
    assert_eq!(status["tasks"][0]["status"], "FAILED");
    assert!(kinds(&status).contains(&"EVIDENCE_TAMPERING"), "{status:#}");
    fs::write(&report, honest).unwrap();
    workspace.referee(&["status"]).exits(0);

    // A status that rests on evidence that nobody has.
    let before = lock(&workspace).to_string();
    let hash = lock(&workspace)["taskStatuses"]["T001"]["evidenceHash"].as_str().unwrap().to_owned();
    workspace.write(LOCK, before.replace(&hash, &"ab".repeat(32)));
    let status = workspace.referee(&["status", "--format", "json"]).exits(3).json();
    assert!(kinds(&status).contains(&"EVIDENCE_TAMPERING"), "{status:#}");
    // One that is merely older is no violation.
    workspace.write(LOCK, &before);
    workspace.write("check.sh", "exit 0 # again\n");
    fs::remove_dir_all(workspace.path(".specify")).unwrap();
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.write(LOCK, &before);
    workspace.referee(&["status"]).exits(0);
}

#[test]
fn what_never_ran_ran_reduced_or_was_for_another_specification_is_never_complete() {
    let two = "checks:\n  unit: { argv: [sh, check.sh] }\n  other: { argv: [sh, check.sh] }\n";
    let workspace = workspace();
    workspace.write("referee.yaml", two);
    assert!(workspace.referee(&["status"]).exits(4).told().contains("there is no sealed run of it"));
    workspace.referee(&["run", "-q", "--only", "unit"]).exits(0);
    assert!(workspace.referee(&["status"]).exits(4).told().contains("a reduced run never counts as done"));
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.referee(&["status"]).exits(0);
    workspace.write("referee.yaml", format!("# a remark changes nothing\n{two}"));
    workspace.referee(&["status"]).exits(0);
    workspace.write(
        "referee.yaml",
        two.replace("  other: { argv: [sh, check.sh] }", "  other: { argv: [sh, -c, 'exit 1'] }"),
    );
    assert!(workspace.referee(&["status"]).exits(4).told().contains("the specification asks for something else"));
    workspace.referee(&["status", "T009"]).exits(2);
}

#[test]
fn failures_that_do_not_block_are_partial_and_leave_the_box_open() {
    let workspace = workspace();
    workspace.write(
        "referee.yaml",
        format!("{ONE}  red: {{ argv: [sh, -c, 'exit 3'], expect: {{ outcome: EXECUTION_ERROR }} }}\n"),
    );
    workspace.referee(&["run", "-q"]).exits(0);
    let entry = lock(&workspace)["taskStatuses"]["T001"].clone();
    assert_eq!((&entry["status"], &entry["acceptableFailures"]), (&json!("PARTIAL"), &json!(true)));
    assert!(entry["reason"].as_str().unwrap().contains("failures that do not block"), "{entry}");
    workspace.referee(&["status", "--write"]).exits(1);
    assert_eq!(list(&workspace), LIST);
}

#[test]
fn a_retest_runs_the_task_again_and_its_status_follows() {
    let workspace = workspace();
    workspace.write("check.sh", "exit 3\n");
    workspace.referee(&["run", "-q"]).exits(6);
    let first = lock(&workspace)["taskStatuses"]["T001"]["evidenceHash"].clone();
    workspace.write("check.sh", "exit 0\n");
    workspace.referee(&["retest", "T001", "-q"]).exits(0);
    let entry = lock(&workspace)["taskStatuses"]["T001"].clone();
    assert_eq!(entry["status"], "COMPLETE");
    assert_ne!(entry["evidenceHash"], first);
    workspace.referee(&["retest"]).exits(2);
    workspace.referee(&["retest", "T009"]).exits(2);
}
