//! A pass that is worth less than the one before: fewer tests than in the last passing run.

use serde_json::Value;

use crate::support::{Workspace, git};

const JEST: &str = "#!/bin/sh\ncat jest.txt\n";

/// What jest prints of so many tests that passed.
pub(crate) fn jest(tests: u32) -> String {
    format!(
        "PASS src/quotes.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       {tests} passed, {tests} total\n\
         Snapshots:   0 total\nTime:        0.5 s\nRan all test suites.\n"
    )
}

fn workspace(specification: &str) -> Workspace {
    use std::os::unix::fs::PermissionsExt as _;
    let workspace = Workspace::with(specification).file("node_modules/.bin/jest", JEST).file("jest.txt", jest(5));
    let jest = workspace.path("node_modules/.bin/jest");
    std::fs::set_permissions(jest, std::fs::Permissions::from_mode(0o755)).unwrap();
    workspace
}

fn reasons(workspace: &Workspace) -> String {
    workspace.report("T001").pointer("/executionSummary/reasons").map(Value::to_string).unwrap_or_default()
}

#[test]
fn fewer_tests_than_in_the_last_passing_run_block_until_they_are_back() {
    let workspace = workspace("suppressions: block\nchecks: { unit: { run: npx jest, exitCodeOnly: true } }\n");
    workspace.referee(&["run"]).exits(0);
    workspace.write("jest.txt", jest(4));
    for _ in 0..2 {
        // A run that was blocked is no new measure: running again does not help.
        workspace.referee(&["run"]).exits(3);
        assert!(reasons(&workspace).contains("4 ran, 5 in the best run so far"), "{}", reasons(&workspace));
    }
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    workspace.write("jest.txt", jest(6));
    workspace.referee(&["run"]).exits(0);
    workspace.write("jest.txt", "all is well\n");
    workspace.referee(&["run"]).exits(3);
    // Where the exit code may not decide alone, that is no pass to begin with.
    workspace.write("referee.yaml", "suppressions: block\nchecks: { unit: npx jest }\n");
    workspace.referee(&["run"]).exits(6);
}

#[test]
fn fewer_tests_are_reported_where_nothing_is_said_of_them() {
    let workspace = workspace("checks: { unit: npx jest }\n");
    workspace.referee(&["run"]).exits(0);
    workspace.write("jest.txt", jest(4));
    workspace.referee(&["run"]).exits(0);
    assert!(reasons(&workspace).contains("fewer-tests"), "{}", reasons(&workspace));
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    workspace.referee(&["run"]).exits(0);
    assert!(reasons(&workspace).contains("4 ran, 5 in the best run so far"), "{}", reasons(&workspace));
    let told = workspace.referee(&["gate"]).exits(0).told();
    assert!(told.contains("warning: fewer tests: 4 ran, 5 in the best run so far"), "{told}");
}

#[test]
fn evidence_that_is_touched_or_removed_takes_no_number_of_tests_along() {
    let workspace = workspace("suppressions: block\nchecks: { unit: npx jest }\n");
    workspace.referee(&["run"]).exits(0);
    let run = workspace.path("evidence/T001/run.json");
    let text = std::fs::read_to_string(&run).unwrap();
    std::fs::write(&run, text.replace("\"linux\"", "\"other\"")).unwrap();
    workspace.write("jest.txt", jest(4));
    workspace.referee(&["run"]).exits(3);
    std::fs::remove_dir_all(workspace.path("evidence")).unwrap();
    workspace.referee(&["run"]).exits(3);
    assert!(reasons(&workspace).contains("4 ran, 5 in the best run so far"), "{}", reasons(&workspace));
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    workspace.write("jest.txt", jest(5));
    workspace.referee(&["run"]).exits(0);
}

#[test]
fn a_lock_knows_how_many_tests_ran_over_what_it_locks() {
    let workspace = workspace("suppressions: block\nchecks: { unit: npx jest }\n");
    workspace.referee(&["run"]).exits(0);
    workspace.referee(&["lock"]).exits(0);
    let lock: Value = serde_json::from_slice(&std::fs::read(workspace.path("referee.lock")).unwrap()).unwrap();
    assert_eq!(lock["testCounts"]["T001"]["unit"], 5, "{lock}");
    workspace.write("jest.txt", jest(4));
    workspace.referee(&["run"]).exits(3);
    assert!(reasons(&workspace).contains("4 ran, 5 in the best run since the lock"), "{}", reasons(&workspace));
    // A lock of something else than what ran knows no number, so that nobody is held to what was never locked.
    workspace.referee(&["lock", "--yes"]).exits(0);
    let lock: Value = serde_json::from_slice(&std::fs::read(workspace.path("referee.lock")).unwrap()).unwrap();
    assert!(lock.get("testCounts").is_none() || lock["testCounts"]["T001"]["unit"] == 4, "{lock}");
}

const TESTS: &str = "it('adds', () => {});\nit('lists', () => {});\n";

#[test]
fn a_test_that_runs_alone_blocks_under_a_lock_as_one_that_is_skipped_does() {
    for (file, text) in [
        ("tests/a.test.js", TESTS.replace("it('adds'", "it.skip('adds'")),
        ("tests/a.test.js", TESTS.replace("it('adds'", "it.only('adds'")),
        ("tests/b.test.js", "it.only('is new', () => {});\n".to_owned()),
    ] {
        let workspace = workspace("checks: { unit: npx jest }\nprotect: { additive: ['tests/**'] }\n")
            .file("tests/a.test.js", TESTS);
        workspace.referee(&["lock"]).exits(0);
        workspace.referee(&["run"]).exits(0);
        workspace.write(file, &text);
        workspace.referee(&["run"]).exits(3);
    }
}

#[test]
fn under_a_lock_or_a_trusted_commit_fewer_tests_block_unless_the_specification_says_otherwise() {
    for (said, code) in [("", 3), ("suppressions: report\n", 0), ("suppressions: ignore\n", 0)] {
        for is_commit in [false, true] {
            let workspace = workspace(&format!("{said}checks: {{ unit: npx jest }}\n"))
                .file(".gitignore", "evidence/\nnode_modules/\n");
            git(&workspace.path(""), &["init", "-q"]);
            git(&workspace.path(""), &["add", "-A"]);
            git(&workspace.path(""), &["commit", "-q", "-m", "before"]);
            let commit = git(&workspace.path(""), &["rev-parse", "HEAD"]);
            if !is_commit {
                workspace.referee(&["lock"]).exits(0);
            }
            let run = || {
                let trusted: &[&str] = if is_commit { &["--trusted", &commit] } else { &[] };
                workspace.referee(&[&["run", "-q"], trusted].concat())
            };
            run().exits(0);
            workspace.write("jest.txt", jest(4));
            // What is known of earlier tests is not kept with the evidence alone.
            std::fs::remove_dir_all(workspace.path("evidence")).unwrap();
            run().exits(code);
            let told = reasons(&workspace).contains("4 ran, 5 in the best run since the");
            assert_eq!(told, !said.contains("ignore"), "{said} {is_commit}: {}", reasons(&workspace));
            workspace.write("jest.txt", jest(5));
            run().exits(0);
        }
    }
}
