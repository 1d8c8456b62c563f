//! `referee lock accept`: a person accepts single differences from a lock, and nothing else comes along.

use std::fs;

use serde_json::{Value, json};

use crate::support::{self, Finished, Workspace, finish, words};
use crate::weaker::jest;

fn at_a_terminal(workspace: &Workspace, arguments: &[&str]) -> Finished {
    support::at_a_terminal(&workspace.command(arguments), "")
}

fn lock(workspace: &Workspace) -> Value {
    serde_json::from_slice(&fs::read(workspace.path("referee.lock")).unwrap()).unwrap()
}

/// What a lock holds of a file.
fn of_file<'lock>(lock: &'lock Value, path: &str) -> Option<&'lock Value> {
    lock["files"].as_array().unwrap().iter().find(|file| file["path"] == path)
}

/// A project that a person locked, in which four things differ then.
fn changed() -> Workspace {
    let workspace = Workspace::with("checks:\n  unit: { argv: [\"true\"] }\n")
        .file("tests/test_one.py", "def test_one():\n    assert True\n\ndef test_two():\n    pass\n")
        .file("tests/test_old.py", "def test_old():\n    pass\n")
        .file("package.json", "{ \"scripts\": { \"test\": \"a\" }, \"jest\": { \"bail\": true } }\n")
        .file("pytest.ini", "[pytest]\n");
    at_a_terminal(&workspace, &["lock"]).exits(0);
    workspace.write("tests/test_one.py", "def test_one():\n    assert True\n");
    fs::remove_file(workspace.path("tests/test_old.py")).unwrap();
    workspace.write("package.json", "{ \"scripts\": { \"test\": \"b\" }, \"jest\": { \"bail\": false } }\n");
    workspace.write("conftest.py", "");
    workspace
}

#[test]
fn what_is_named_is_accepted_and_nothing_else() {
    let workspace = changed();
    let before = lock(&workspace);
    workspace.referee(&["run", "-q"]).exits(3);
    let accepted = ["tests/test_old.py", "package.json#/scripts/test", "conftest.py"];
    at_a_terminal(&workspace, &[&["lock", "accept"][..], &accepted].concat()).exits(0);

    let after = lock(&workspace);
    assert_eq!(of_file(&after, "tests/test_old.py"), None);
    assert!(of_file(&after, "conftest.py").is_some());
    // What was not named is as it was, byte for byte.
    for path in ["tests/test_one.py", "pytest.ini", "referee.yaml"] {
        assert_eq!(of_file(&after, path), of_file(&before, path), "{path}");
    }
    let value = |lock: &Value, pointer: &str| {
        let values = of_file(lock, "package.json").unwrap()["values"].as_array().unwrap();
        values.iter().find(|value| value["pointer"] == pointer).cloned()
    };
    assert_ne!(value(&after, "/scripts/test"), value(&before, "/scripts/test"));
    assert_eq!(value(&after, "/jest"), value(&before, "/jest"));
    assert_eq!((&after["rules"], &after["plans"]), (&before["rules"], &before["plans"]));

    let told = words(&workspace.referee(&["lock", "check"]).exits(3));
    assert!(told.contains("tests/test_one.py") && told.contains("package.json#/jest"), "{told}");
    assert!(!told.contains("test_old") && !told.contains("conftest") && !told.contains("#/scripts"), "{told}");
    at_a_terminal(&workspace, &["lock", "accept", "tests/test_one.py", "package.json#/jest"]).exits(0);
    workspace.referee(&["lock", "check"]).exits(0);
    workspace.referee(&["run", "-q"]).exits(0);

    let mut kept = fs::read_dir(workspace.state().join("locks")).unwrap();
    let history = fs::read(kept.next().unwrap().unwrap().path().join("history.json")).unwrap();
    let history: Value = serde_json::from_slice(&history).unwrap();
    let entry = &history["locks"][1];
    assert_eq!((&entry["by"], &entry["accepted"]), (&json!("terminal"), &json!(3)), "{history}");
    assert_eq!(entry["paths"], json!(["conftest.py", "package.json#/scripts/test", "tests/test_old.py"]));
}

#[test]
fn what_does_not_differ_is_refused_with_a_list_and_the_lock_stays() {
    let workspace = changed();
    let before = lock(&workspace);
    for name in ["pytest.ini", "nothing", "", "../x", "package.json"] {
        let told = words(&at_a_terminal(&workspace, &["lock", "accept", "conftest.py", name]).exits(2));
        assert!(told.contains("is nothing that differs from the lock; what can be accepted: conftest.py"), "{told}");
        assert!(
            told.contains("package.json#/jest package.json#/scripts/test tests/test_old.py tests/test_one.py"),
            "{told}"
        );
    }
    assert_eq!(lock(&workspace), before);
    let unlocked = Workspace::with("checks:\n  unit: { argv: [\"true\"] }\n");
    let told = words(&at_a_terminal(&unlocked, &["lock", "accept", "referee.yaml"]).exits(2));
    assert!(told.contains("nothing is locked"), "{told}");
}

#[test]
fn only_a_person_or_an_approver_accepts() {
    let workspace = changed();
    let before = lock(&workspace);
    for variable in ["CLAUDECODE", "REFEREE_EXECUTION"] {
        let mut command = workspace.command(&["lock", "accept", "conftest.py"]);
        let told = words(&support::at_a_terminal(command.env(variable, "1"), "").exits(2));
        assert!(told.contains("only a person may accept what differs from a lock"), "{told}");
    }
    let told = words(&workspace.referee(&["lock", "accept", "conftest.py"]).exits(2));
    assert!(told.contains("by a person at a terminal, or by a trusted approver's key"), "{told}");
    assert_eq!(lock(&workspace), before);

    let text = |name: &str| workspace.state().join(name).to_str().unwrap().to_owned();
    let (key, public) = (text("ada.pem"), text("ada.pub.pem"));
    let key = key.as_str();
    workspace.referee(&["key", "new", "--out", key]).exits(0);
    workspace.referee(&["lock", "accept", "conftest.py", "--key", key]).exits(2);
    workspace.trust_approver(&public, "Ada");
    workspace.referee(&["lock", "accept", "conftest.py", "--key", key]).exits(0);
    // What an approver signed yields only to one that is signed again, at a terminal too.
    at_a_terminal(&workspace, &["lock", "accept", "tests/test_old.py"]).exits(2);
    workspace.referee(&["lock", "accept", "tests/test_old.py", "--key", key]).exits(0);
    assert_eq!(of_file(&lock(&workspace), "tests/test_old.py"), None);
}

#[test]
fn a_lock_that_no_person_stands_for_has_to_be_looked_at_as_a_whole() {
    let workspace = Workspace::with("checks:\n  unit: { argv: [\"true\"] }\n").file("pytest.ini", "[pytest]\n");
    finish(workspace.command(&["lock"]).env("CLAUDECODE", "1").spawn().unwrap()).exits(0);
    workspace.write("pytest.ini", "[pytest]\naddopts = -x\n");
    let told = words(&at_a_terminal(&workspace, &["lock", "accept", "pytest.ini"]).exits(2));
    assert!(told.contains("type `referee lock` at a terminal, which lists all that it accepts"), "{told}");
}

/// Two checks whose runner counts as many tests as a file says.
fn counted() -> Workspace {
    use std::os::unix::fs::PermissionsExt as _;
    let workspace = Workspace::with("checks: { unit: npx jest, more: npx jest more }\n")
        .file("node_modules/.bin/jest", "#!/bin/sh\ncat \"${1:-unit}.txt\"\n")
        .file("unit.txt", jest(5))
        .file("more.txt", jest(3))
        .file(".gitignore", "evidence/\nnode_modules/\n");
    let runner = workspace.path("node_modules/.bin/jest");
    fs::set_permissions(runner, fs::Permissions::from_mode(0o755)).unwrap();
    workspace.referee(&["run", "-q"]).exits(0);
    at_a_terminal(&workspace, &["lock"]).exits(0);
    workspace
}

#[test]
fn fewer_tests_of_one_check_are_accepted_and_those_of_another_are_not() {
    let workspace = counted();
    workspace.write("unit.txt", jest(4));
    workspace.write("more.txt", jest(2));
    workspace.referee(&["run", "-q"]).exits(3);
    at_a_terminal(&workspace, &["lock", "accept", "fewer-tests:unit"]).exits(0);
    let counts = &lock(&workspace)["testCounts"]["T001"];
    assert_eq!(*counts, json!({ "unit": 4, "more": 3 }));
    workspace.referee(&["run", "-q"]).exits(3);
    let reasons = workspace.report("T001")["executionSummary"]["reasons"].to_string();
    assert!(reasons.contains("2 ran, 3 in the best run since the lock") && !reasons.contains("4 ran"), "{reasons}");
    workspace.write("more.txt", jest(3));
    workspace.referee(&["run", "-q"]).exits(0);
    workspace.write("unit.txt", jest(3));
    workspace.referee(&["run", "-q"]).exits(3);
}
