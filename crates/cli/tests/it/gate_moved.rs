//! Who may move the gate: what a person approved of holds, whatever an agent's shell, a check or a variable says.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::support::{Finished, Workspace, at_a_terminal, finish, git, words};

const SPECIFICATION: &str = "checks:\n  unit: { argv: [sh, check.sh] }\n";
const WEAK: &str = "checks:\n  unit: { argv: [\"true\"] }\n";

fn with(workspace: &Workspace, variables: &[(&str, &str)], arguments: &[&str]) -> Finished {
    finish(workspace.command(arguments).envs(variables.iter().copied()).spawn().unwrap())
}

#[track_caller]
fn blocked(finished: Finished, part: &str) {
    assert!(words(&finished).contains(part), "{part}: {}\n{}", finished.stdout, finished.stderr);
    finished.exits(3);
}

/// A project whose check passes, in a commit.
fn project() -> Workspace {
    let workspace = Workspace::with(SPECIFICATION).file("check.sh", "exit 0\n").file(".gitignore", "evidence/\n");
    commit(&workspace, "first");
    workspace
}

fn commit(workspace: &Workspace, message: &str) -> String {
    let directory = workspace.path("");
    git(&directory, &["init", "-q"]);
    git(&directory, &["add", "-A"]);
    git(&directory, &["commit", "-q", "-m", message]);
    git(&directory, &["rev-parse", "HEAD"])
}

fn locked() -> Workspace {
    let workspace = project();
    at_a_terminal(&workspace.command(&["lock"]), "").exits(0);
    workspace
}

/// A key outside of the workspace, and its public half.
fn key(workspace: &Workspace, name: &str) -> (String, String) {
    let text = |path: PathBuf| path.to_str().unwrap().to_owned();
    let file = text(workspace.state().join(format!("{name}.pem")));
    workspace.referee(&["key", "new", "--out", &file]).exits(0);
    (file, text(workspace.state().join(format!("{name}.pub.pem"))))
}

#[test]
fn in_an_agents_shell_and_in_a_check_nothing_moves_the_gate() {
    let workspace = locked();
    let (ada, public) = key(&workspace, "ada");
    workspace.trust_approver(&public, "Ada");
    let id = workspace.referee(&["key", "show", &ada, "--format", "json"]).json()["keyId"].as_str().unwrap().to_owned();
    let (_, eve) = key(&workspace, "eve");
    workspace.write("referee.yaml", WEAK);
    let waive = ["waive", "--file", "referee.yaml", "--reason", "it is in the way", "--until", "1d", "--key", &ada];
    let operations: [&[&str]; 10] = [
        &["lock", "--yes"],
        &["lock", "--yes", "--key", &ada],
        &["lock", "forget", ".", "--yes"],
        &["key", "trust", &eve, "--name", "Eve", "--as", "approver"],
        &["key", "trust", &eve, "--name", "Eve", "--as", "approver", "--by-key", &ada],
        &["key", "trust", &eve, "--name", "Eve", "--as", "runner"],
        &["key", "distrust", &id],
        &waive,
        &["enroll"],
        &["enroll", "--remove", "--yes"],
    ];
    for variable in [("CLAUDECODE", "1"), ("REFEREE_EXECUTION", "exec-1")] {
        for operation in operations {
            let refused = with(&workspace, &[variable], operation);
            assert!(words(&refused).contains("only a person may"), "{operation:?}: {}", refused.stderr);
            refused.exits(2);
        }
    }
    let trusted = workspace.referee(&["key", "list", "--format", "json"]).json();
    assert_eq!(trusted["keys"].as_array().unwrap().len(), 1);
    assert!(!workspace.path(".referee/waivers").exists());
    blocked(workspace.referee(&["gate"]), "referee.yaml");
}

#[test]
fn an_approver_is_added_at_a_terminal_or_by_another_one() {
    let workspace = project();
    let (ada, of_ada) = key(&workspace, "ada");
    let (ben, of_ben) = key(&workspace, "ben");
    let trust = |public: &str, rest: &[&str]| {
        let words = [&["key", "trust", public, "--name", "x", "--as", "approver"], rest].concat();
        workspace.referee(&words)
    };
    let refused = trust(&of_ada, &[]).exits(2);
    assert!(refused.stderr.contains("at a terminal"), "{}", refused.stderr);
    // Nobody vouches for themselves.
    trust(&of_ada, &["--by-key", &ada]).exits(2);
    workspace.trust_approver(&of_ada, "Ada");
    trust(&of_ben, &["--by-key", &ben]).exits(2);
    trust(&of_ben, &["--by-key", &ada]).exits(0);
    // A runner's key decides about nothing, and is believed as before.
    workspace.referee(&["key", "trust", &of_ben, "--name", "CI", "--as", "runner"]).exits(0);
}

#[test]
fn a_lock_that_an_approver_signed_yields_only_to_one_that_is_signed_again() {
    let workspace = project();
    let (ada, public) = key(&workspace, "ada");
    let (eve, _) = key(&workspace, "eve");
    workspace.trust_approver(&public, "Ada");
    workspace.referee(&["lock", "--key", &ada]).exits(0);
    workspace.referee(&["lock"]).exits(0);
    workspace.referee(&["gate"]).exits(0);
    workspace.write("referee.yaml", WEAK);
    for arguments in [&["lock", "--yes"][..], &["lock", "--yes", "--key", &eve]] {
        let refused = workspace.referee(arguments).exits(2);
        assert!(refused.stderr.contains("the lock is signed by Ada"), "{}", refused.stderr);
    }
    let typed = at_a_terminal(&workspace.command(&["lock"]), "y\n").exits(2);
    assert!(words(&typed).contains("--key"), "{}", typed.stdout);
    // Nor does another state directory, or a lock without its signature.
    let elsewhere = tempfile::tempdir().unwrap();
    let other = ("REFEREE_STATE_DIR", elsewhere.path().to_str().unwrap());
    with(&workspace, &[other], &["lock", "--yes"]).exits(2);
    fs::remove_file(workspace.path("referee.lock.intoto.jsonl")).unwrap();
    workspace.referee(&["lock", "--yes"]).exits(2);
    blocked(workspace.referee(&["gate"]), "referee.yaml");
    workspace.referee(&["lock", "--yes", "--key", &ada]).exits(0);
    workspace.referee(&["gate"]).exits(0);
}

#[test]
fn a_signed_lock_that_no_state_directory_keeps_is_remembered_once_it_was_seen() {
    let workspace = project();
    let (ada, public) = key(&workspace, "ada");
    workspace.trust_approver(&public, "Ada");
    workspace.referee(&["lock", "--key", &ada]).exits(0);
    let signed = fs::read(workspace.path("referee.lock")).unwrap();
    fs::remove_dir_all(workspace.state().join("locks")).unwrap();
    workspace.referee(&["gate"]).exits(0);
    // Another lock, as a script makes one where nothing is known.
    let clone = tempfile::tempdir().unwrap();
    let apart =
        [("REFEREE_STATE_DIR", clone.path().to_str().unwrap()), ("XDG_STATE_HOME", clone.path().to_str().unwrap())];
    workspace.write("referee.yaml", WEAK);
    fs::remove_file(workspace.path("referee.lock")).unwrap();
    fs::remove_file(workspace.path("referee.lock.intoto.jsonl")).unwrap();
    with(&workspace, &apart, &["lock", "--yes"]).exits(0);
    blocked(workspace.referee(&["gate"]), "signed by Ada");
    fs::remove_file(workspace.path("referee.lock")).unwrap();
    blocked(workspace.referee(&["gate"]), "there was a lock, and it is gone");
    workspace.write("referee.lock", signed);
    workspace.referee(&["lock", "--yes"]).exits(2);
}

#[test]
fn a_named_commit_holds_beside_the_lock_and_never_instead() {
    let workspace = locked();
    let before = commit(&workspace, "locked");
    workspace.write("referee.yaml", WEAK);
    let after = commit(&workspace, "weaker");
    for reference in ["HEAD", "main", &after] {
        for command in ["gate", "run"] {
            blocked(workspace.referee(&[command, "--trusted", reference]), "referee.yaml");
            blocked(with(&workspace, &[("REFEREE_TRUSTED", reference)], &[command]), "referee.yaml");
        }
    }
    git(&workspace.path(""), &["checkout", "-q", &before]);
    workspace.referee(&["gate", "--trusted", "HEAD"]).exits(0);
    let told = workspace.report("T001");
    assert!(told.to_string().contains("are compared with the lock, too"), "{told}");
}

#[test]
fn the_commit_of_an_enrolment_is_kept_and_a_name_that_moved_is_told() {
    let workspace = project();
    workspace.referee(&["enroll", "--trusted", "main"]).exits(0);
    let passed = workspace.referee(&["gate"]).exits(0);
    assert!(!words(&passed).contains("main was commit"), "{}", passed.stdout);
    workspace.write("notes.txt", "more\n");
    commit(&workspace, "honest");
    let told = workspace.referee(&["gate"]).exits(0);
    assert!(words(&told).contains("main was commit") && words(&told).contains("means"), "{}", told.stdout);
    workspace.write("referee.yaml", WEAK);
    let weaker = commit(&workspace, "weaker");
    blocked(workspace.referee(&["gate"]), "referee.yaml");
    blocked(workspace.referee(&["run", "--trusted", &weaker]), "referee.yaml");
    blocked(with(&workspace, &[("CLAUDECODE", "1"), ("REFEREE_TRUSTED", "main")], &["gate"]), "referee.yaml");
    // A person takes the new one.
    workspace.referee(&["enroll", "--trusted", "main"]).exits(0);
    workspace.referee(&["gate"]).exits(0);
}

#[test]
fn what_another_state_directory_knows_holds_whichever_is_named() {
    let workspace = locked();
    fs::remove_file(workspace.path("referee.lock")).unwrap();
    workspace.write("referee.yaml", WEAK);
    let elsewhere = tempfile::tempdir().unwrap();
    let other = ("REFEREE_STATE_DIR", elsewhere.path().to_str().unwrap());
    for variables in [&[other][..], &[other, ("CLAUDECODE", "1")]] {
        blocked(with(&workspace, variables, &["gate"]), "referee.lock");
        blocked(with(&workspace, variables, &["run"]), "referee.lock");
    }
    let enrolled = project();
    enrolled.referee(&["enroll", "--trusted", "main"]).exits(0);
    enrolled.write("referee.yaml", WEAK);
    commit(&enrolled, "weaker");
    blocked(with(&enrolled, &[other, ("CLAUDECODE", "1")], &["gate"]), "referee.yaml");
}

#[test]
fn a_lock_that_was_there_is_missed() {
    let workspace = locked();
    fs::remove_dir_all(workspace.state().join("locks")).unwrap();
    let lock = fs::read(workspace.path("referee.lock")).unwrap();
    // It is seen by whoever asks, or enrols.
    for seen in [&["gate"][..], &["enroll"]] {
        workspace.referee(seen).exits(0);
        fs::remove_file(workspace.path("referee.lock")).unwrap();
        blocked(workspace.referee(&["gate"]), "there was a lock, and it is gone");
        blocked(workspace.referee(&["run"]), "there was a lock, and it is gone");
        workspace.write("referee.lock", &lock);
        fs::remove_dir_all(workspace.state().join("locks")).unwrap();
    }
    // HEAD knows it where nothing else does.
    commit(&workspace, "locked");
    fs::remove_file(workspace.path("referee.lock")).unwrap();
    blocked(workspace.referee(&["gate"]), "HEAD holds one");
}

#[test]
fn a_project_that_was_moved_and_linked_is_the_same() {
    let outer = Workspace::new()
        .file("app/referee.yaml", SPECIFICATION)
        .file("app/check.sh", "exit 0\n")
        .file("app/part/referee.yaml", SPECIFICATION)
        .file("app/part/check.sh", "exit 0\n");
    for directory in ["app", "app/part"] {
        at_a_terminal(&outer.command(&["-C", directory, "lock"]), "").exits(0);
    }
    fs::rename(outer.path("app"), outer.path("moved")).unwrap();
    symlink(outer.path("moved"), outer.path("app")).unwrap();
    outer.referee(&["-C", "app", "gate"]).exits(0);
    fs::remove_file(outer.path("moved/referee.lock")).unwrap();
    outer.write("moved/referee.yaml", WEAK);
    for directory in ["app", "moved"] {
        blocked(outer.referee(&["-C", directory, "gate"]), "referee.lock");
        blocked(outer.referee(&["-C", directory, "run", "."]), "referee.lock");
    }
}

#[test]
fn a_sub_project_that_was_locked_is_missed_wherever_one_asks() {
    let workspace = Workspace::with(SPECIFICATION)
        .file("check.sh", "exit 0\n")
        .file("part/referee.yaml", SPECIFICATION)
        .file("part/check.sh", "exit 0\n");
    at_a_terminal(&workspace.command(&["-C", "part", "lock"]), "").exits(0);
    workspace.referee(&["run", ".", "-q"]).exits(0);
    let kept = ["referee.yaml", "referee.lock"].map(|name| fs::read(workspace.path(&format!("part/{name}"))).unwrap());
    for (number, name) in ["referee.yaml", "referee.lock"].into_iter().enumerate() {
        fs::remove_file(workspace.path(&format!("part/{name}"))).unwrap();
        for arguments in [&["run", "."][..], &["gate"], &["-C", "part", "gate"], &["-C", "part", "run"]] {
            blocked(workspace.referee(arguments), name);
        }
        workspace.write(&format!("part/{name}"), &kept[number]);
    }
    workspace.referee(&["run", ".", "-q"]).exits(0);
    fs::remove_dir_all(workspace.path("part")).unwrap();
    blocked(workspace.referee(&["run", "."]), "referee lock forget");
    // A person says that it is gone for good.
    workspace.referee(&["lock", "forget", "part"]).exits(2);
    let forgotten = at_a_terminal(&workspace.command(&["lock", "forget", "part"]), "").exits(0);
    assert!(words(&forgotten).contains("is forgotten"), "{}", forgotten.stdout);
    workspace.referee(&["run", ".", "-q"]).exits(0);
}

#[test]
fn a_specification_is_about_the_workspace_that_it_was_locked_for() {
    let workspace = locked().file("copy/check.sh", "exit 0\n");
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("check.sh"), "exit 0\n").unwrap();
    workspace.write("check.sh", "exit 1\n");
    let copy = outside.path().to_str().unwrap();
    blocked(with(&workspace, &[("REFEREE_WORKSPACE", copy)], &["gate"]), "is the specification of");
    blocked(workspace.referee(&["run", "--workspace", copy]), "is the specification of");
    workspace.write("referee.yaml", format!("{SPECIFICATION}workspace: copy\n"));
    blocked(workspace.referee(&["gate"]), "is the specification of");
}

#[test]
fn a_variable_names_no_other_specification_than_the_enrolled_one() {
    let workspace = project().file("easy.yaml", WEAK);
    workspace.referee(&["enroll"]).exits(0);
    blocked(with(&workspace, &[("REFEREE_SPECIFICATION", "easy.yaml")], &["gate"]), "is enrolled with");
    with(&workspace, &[("REFEREE_SPECIFICATION", "referee.yaml")], &["gate"]).exits(0);
    let typed = workspace.referee(&["gate", "easy.yaml"]).exits(0);
    assert!(words(&typed).contains("hooks ask for that one"), "{}", typed.stdout);
}
