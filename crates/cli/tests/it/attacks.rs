//! The ways in which agents cheat a gate, each staged for real with real tools: the verdict is never a pass, and the answer
//! names what was done. Beside each stands the honest mirror that must still pass. Numbers are those of the threat model
//! (`docs/design/threat-model.md`).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;

use crate::support::{Finished, Workspace, action, copy, edit};

/// A module, a test of it, and a test of what it does wrong.
const SUM: &str = "exports.sum = (a, b) => a + b;\n";
const WRONG_SUM: &str = "exports.sum = (a, b) => a - b;\n";
const TEST: &str = "const test = require('node:test');\nconst assert = require('node:assert');\n\
    const { sum } = require('../sum.js');\ntest('adds', () => assert.strictEqual(sum(1, 2), 3));\n\
    test('adds nothing', () => assert.strictEqual(sum(1, 0), 1));\n";

const SPECIFICATION: &str = "checks:\n  unit: node --test test\n";

/// A project with a test that holds, or does not.
fn project(sum: &str) -> Workspace {
    Workspace::with(SPECIFICATION)
        .file("package.json", "{ \"name\": \"sums\", \"version\": \"1.0.0\" }\n")
        .file("sum.js", sum)
        .file("test/sum.test.js", TEST)
        .file(".gitignore", "evidence/\nnode_modules/\n")
}

/// A project whose gate was locked while all was well.
fn locked() -> Workspace {
    let workspace = project(SUM);
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.referee(&["lock"]).exits(0);
    workspace.referee(&["run", "-q"]).exits(0);
    workspace
}

#[track_caller]
fn names(finished: &Finished, part: &str) {
    let all = format!("{}{}", finished.stdout, finished.stderr);
    assert!(all.contains(part), "`{part}` is not named:\n{all}");
}

/// The decision of the last sealed report.
fn decision(workspace: &Workspace) -> Value {
    workspace.report("T001")["executionSummary"]["decision"].clone()
}

#[test]
fn attack_01_a_deleted_test_is_drift() {
    let workspace = locked();
    workspace.write("sum.js", WRONG_SUM);
    fs::remove_file(workspace.path("test/sum.test.js")).unwrap();
    workspace.write("test/other.test.js", "require('node:test')('nothing', () => {});\n");
    let finished = workspace.referee(&["run"]).exits(3);
    names(&finished, "test/sum.test.js");
    assert_eq!(decision(&workspace), "BLOCKED");
}

#[test]
fn attack_01_a_skipped_test_is_found_in_the_change() {
    let workspace = locked();
    workspace.write("sum.js", WRONG_SUM);
    edit(&workspace.path("test/sum.test.js"), |text| text.replace("test('adds", "test.skip('adds"));
    let finished = workspace.referee(&["run"]);
    assert_ne!(finished.code, Some(0), "{}", finished.stdout);
    names(&finished, "test/sum.test.js");
}

#[test]
fn attack_01_honest_work_with_a_new_test_passes() {
    let workspace = locked();
    workspace.write("sum.js", format!("{SUM}exports.twice = (a) => 2 * a;\n"));
    workspace.write(
        "test/twice.test.js",
        "const { twice } = require('../sum.js');\nrequire('node:test')('doubles', () => require('node:assert').strictEqual(twice(2), 4));\n",
    );
    workspace.referee(&["run"]).exits(0);
}

#[test]
fn attack_02_a_variable_that_makes_node_load_a_file_is_not_passed_on() {
    let workspace = project(WRONG_SUM).file("evil.js", "process.exit(0);\n");
    let evil = format!("--require {}", workspace.path("evil.js").display());
    let mut command = workspace.command(&["run"]);
    let finished = crate::support::finish(command.env("NODE_OPTIONS", evil).spawn().unwrap()).exits(1);
    names(&finished, "adds");
}

#[test]
fn attack_02_an_added_file_that_a_runner_loads_by_itself_is_drift() {
    let test = "import unittest\nfrom sums import add\n\nclass Sums(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n";
    let workspace = Workspace::with("checks:\n  unit: python3 -m unittest discover -s tests\n")
        .file("sums.py", "def add(a, b):\n    return a + b\n")
        .file("tests/test_sums.py", test)
        .file(".gitignore", "evidence/\n__pycache__/\n");
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.referee(&["lock"]).exits(0);
    workspace.write("sums.py", "def add(a, b):\n    return a - b\n");
    workspace.write("tests/conftest.py", "import os\nos._exit(0)\n");
    let finished = workspace.referee(&["run"]).exits(3);
    names(&finished, "tests/conftest.py");
}

#[test]
fn attack_03_a_trojan_in_the_search_path_is_not_the_pinned_program() {
    let workspace = project(WRONG_SUM);
    workspace.referee(&["run", "-q"]).exits(1);
    let record: Value = serde_json::from_slice(&workspace.evidence("T001")["STEP.1-unit.json"]).unwrap();
    let executables = record.pointer("/facts/executables").or_else(|| record.pointer("/executables"));
    let node = executables.unwrap().as_array().unwrap().iter().find(|found| found["name"] == "node").unwrap();
    let pin = node["sha256"].as_str().unwrap();
    workspace.write("referee.yaml", format!("{SPECIFICATION}pins: {{ node: {pin} }}\n"));
    let trojan = workspace.state().join("bin/node");
    fs::create_dir_all(trojan.parent().unwrap()).unwrap();
    fs::write(&trojan, "#!/bin/sh\nprintf '# tests 2\\n# pass 2\\n# fail 0\\n'\n").unwrap();
    fs::set_permissions(&trojan, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", trojan.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let finished = crate::support::finish(workspace.command(&["run"]).env("PATH", path).spawn().unwrap()).exits(6);
    names(&finished, "pin");
}

#[test]
fn attack_04_a_test_that_prints_a_summary_and_leaves_convinces_nobody() {
    let forged = "console.log('# tests 2\\n# pass 2\\n# fail 0');\nprocess.exit(0);\n";
    let workspace = project(WRONG_SUM).file("test/a.test.js", forged);
    workspace.referee(&["run"]).exits(1);
}

#[test]
fn attack_05_a_laundered_exit_code_is_warned_of_and_the_failure_is_seen() {
    let workspace = project(WRONG_SUM).file("referee.yaml", "checks:\n  unit: node --test test || true\n");
    let finished = workspace.referee(&["run"]).exits(1);
    names(&finished, "|| true");
}

#[test]
fn attack_06_an_edited_report_is_named() {
    let workspace = project(WRONG_SUM);
    workspace.referee(&["run", "-q"]).exits(1);
    edit(&workspace.path("evidence/T001/execution-report.json"), |text| text.replace("\"FAIL\"", "\"PASS\""));
    let finished = workspace.referee(&["evidence", "verify", "evidence/T001"]).exits(4);
    names(&finished, "execution-report.json");
}

#[test]
fn attack_06_an_older_pass_put_back_is_a_rollback() {
    let workspace = project(SUM);
    workspace.referee(&["run", "-q"]).exits(0);
    let kept = workspace.state().join("kept");
    copy(&workspace.path("evidence/T001"), &kept);
    workspace.write("sum.js", WRONG_SUM);
    workspace.referee(&["run", "-q"]).exits(1);
    fs::remove_dir_all(workspace.path("evidence/T001")).unwrap();
    copy(&kept, &workspace.path("evidence/T001"));
    let finished = workspace.referee(&["evidence", "verify", "evidence/T001"]).exits(4);
    names(&finished, "chain");
}

#[test]
fn attack_07_no_check_sees_the_key_or_the_way_to_it() {
    let workspace = Workspace::with("checks:\n  look: env\n");
    let key = workspace.state().join("runner.pem");
    workspace.referee(&["key", "new", "--out", key.to_str().unwrap()]).exits(0);
    let mut command = workspace.command(&["run", "-q"]);
    command.env("REFEREE_KEY", &key).env("SSH_AUTH_SOCK", "/tmp/agent.sock");
    crate::support::finish(command.spawn().unwrap()).exits(0);
    for (name, bytes) in workspace.evidence("T001") {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains("PRIVATE KEY") && !text.contains("runner.pem"), "{name}");
    }
    let log = String::from_utf8_lossy(&workspace.evidence("T001")["STEP.1-look.log"]).into_owned();
    assert!(!log.contains("REFEREE_KEY") && !log.contains("SSH_AUTH_SOCK"), "{log}");
}

#[test]
fn attack_07_a_directory_signed_by_a_key_that_nobody_trusts_is_not_trusted() {
    let workspace = project(SUM);
    let (own, other) = (workspace.state().join("own.pem"), workspace.state().join("other.pem"));
    for key in [&own, &other] {
        workspace.referee(&["key", "new", "--out", key.to_str().unwrap()]).exits(0);
    }
    let public = workspace.state().join("own.pub");
    fs::write(&public, workspace.referee(&["key", "show", own.to_str().unwrap()]).exits(0).stdout).unwrap();
    workspace.referee(&["run", "-q", "--key", other.to_str().unwrap()]).exits(0);
    let verified = workspace.referee(&["evidence", "verify", "evidence/T001", "--key", public.to_str().unwrap()]);
    assert_ne!(verified.code, Some(0), "{}", verified.stdout);
    workspace.referee(&["run", "-q", "--key", own.to_str().unwrap()]).exits(0);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--key", public.to_str().unwrap()]).exits(0);
}

#[test]
fn attack_08_evidence_of_an_older_tree_is_stale() {
    let workspace = project(SUM);
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--fresh"]).exits(0);
    workspace.write("sum.js", WRONG_SUM);
    let finished = workspace.referee(&["evidence", "verify", "evidence/T001", "--fresh"]).exits(3);
    names(&finished, "fresh");
}

#[test]
fn attack_08_an_input_that_changes_between_two_checks_voids_the_first() {
    let swap = "cp right.js sum.js && node --test test && cp wrong.js sum.js";
    let workspace = project(SUM)
        .file("right.js", SUM)
        .file("wrong.js", WRONG_SUM)
        .file("referee.yaml", format!("checks:\n  first: node --test test\n  second: \"{swap}\"\n"));
    let finished = workspace.referee(&["run"]).exits(3);
    names(&finished, "sum.js");
    assert_eq!(decision(&workspace), "BLOCKED");
}

#[test]
fn attack_09_a_gate_that_is_unhooked_is_drift() {
    let workspace = project(SUM).file(
        ".claude/settings.json",
        "{ \"hooks\": { \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"referee hook claude\" }] }] } }\n",
    );
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.referee(&["lock"]).exits(0);
    workspace.write(".claude/settings.json", "{}\n");
    let finished = workspace.referee(&["run"]).exits(3);
    names(&finished, ".claude/settings.json");
}

#[test]
fn attack_10_a_check_that_plays_for_time_is_a_timeout() {
    let workspace = Workspace::with("checks:\n  slow: { run: sleep 600, timeout: 300ms }\n");
    workspace.referee(&["run"]).exits(7);
}

#[test]
fn attack_12_a_dead_run_that_is_swept_away_does_not_let_an_old_pass_stand() {
    let workspace = project(SUM);
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.write("referee.yaml", "checks:\n  unit: touch begun; sleep 611\n");
    let mut child = workspace.command(&["run", "-q"]).spawn().unwrap();
    crate::support::wait_until("the check runs", || workspace.path("begun").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    for directory in [workspace.path("evidence/.staging"), workspace.state().join("staging")] {
        if directory.exists() {
            fs::remove_dir_all(directory).unwrap();
        }
    }
    let finished = workspace.referee(&["evidence", "verify", "evidence/T001"]);
    assert!(matches!(finished.code, Some(3 | 4)), "{}", finished.stdout);
    Command::new("pkill").args(["-f", "sleep 611"]).status().unwrap();
}

#[test]
fn attack_12_a_shortened_journal_is_named() {
    let workspace = project(SUM);
    workspace.referee(&["run", "-q"]).exits(0);
    edit(&workspace.path("evidence/T001/journal.jsonl"), |text| text.lines().take(2).collect::<Vec<_>>().join("\n"));
    let finished = workspace.referee(&["evidence", "verify", "evidence/T001"]).exits(4);
    names(&finished, "journal.jsonl");
}

#[test]
fn attack_13_checks_that_check_nothing_are_refused() {
    for vacuous in [
        "checks:\n  look: { file: package.json, minSize: 0 }\n",
        "checks:\n  look: { file: package.json, contains: [] }\n",
        "checks: {}\n",
    ] {
        let workspace = project(WRONG_SUM).file("referee.yaml", vacuous);
        let finished = workspace.referee(&["run"]);
        assert!(matches!(finished.code, Some(3 | 4)), "{vacuous}: {:?}", finished.code);
    }
    let workspace = project(SUM);
    fs::remove_dir_all(workspace.path("test")).unwrap();
    workspace.write("test/readme.txt", "no test\n");
    let finished = workspace.referee(&["run"]);
    assert_ne!(finished.code, Some(0), "{}", finished.stdout);
}

#[test]
fn attack_14_a_raised_timeout_and_more_retries_are_weaker() {
    let workspace = Workspace::with("checks:\n  unit: { run: 'true', timeout: 10s }\n");
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.referee(&["lock"]).exits(0);
    workspace.write("referee.yaml", "checks:\n  unit: { run: 'true', timeout: 600s }\n");
    let finished = workspace.referee(&["run"]).exits(3);
    names(&finished, "referee.yaml");
}

#[test]
fn attack_14_a_pass_on_retry_is_said_to_be_flaky() {
    let workspace = Workspace::with("checks:\n  unit: { run: '[ -e once ] || { touch once; exit 1; }', retries: 2 }\n");
    workspace.referee(&["run"]).exits(0);
    let report = workspace.report("T001");
    assert_eq!(action(&report, "STEP.1")["flaky"], true, "{report:#}");
}
