//! Who may replace a lock, and what is remembered of whoever did: an agent does not lock a project anew that it has weakened.

use std::fs;

use serde_json::{Value, json};

use crate::support::{self, Finished, Workspace, finish, git, in_an_agents_shell, words};

const SPECIFICATION: &str = "checks:\n  unit: { argv: [\"false\"] }\n";
const WEAK: &str = "checks:\n  unit: { argv: [\"true\"] }\n";

fn at_a_terminal(workspace: &Workspace, answer: &str, arguments: &[&str]) -> Finished {
    support::at_a_terminal(&workspace.command(arguments), answer)
}

/// A project that a person locked at a terminal.
fn locked() -> Workspace {
    let workspace = Workspace::with(SPECIFICATION)
        .file("tests/test_one.py", "def test_one():\n    assert True\n\ndef test_two():\n    pass\n")
        .file("pytest.ini", "[pytest]\n");
    at_a_terminal(&workspace, "", &["lock"]).exits(0);
    workspace
}

fn lock(workspace: &Workspace) -> Vec<u8> {
    fs::read(workspace.path("referee.lock")).unwrap()
}

/// What is kept of the locks of the one workspace, the latest last.
fn history(workspace: &Workspace) -> Vec<Value> {
    let mut kept = fs::read_dir(workspace.state().join("locks")).unwrap();
    let directory = kept.next().unwrap().unwrap().path();
    let document: Value = serde_json::from_slice(&fs::read(directory.join("history.json")).unwrap()).unwrap();
    document["locks"].as_array().unwrap().clone()
}

/// A change that the lock holds, and what is named.
type Change = (&'static str, fn(&Workspace), &'static str);

#[test]
fn an_agent_does_not_lock_anew_what_it_changed() {
    let changes: [Change; 6] = [
        ("a weaker specification", |w| w.write("referee.yaml", WEAK), "referee.yaml"),
        ("a test that is gone", |w| w.write("tests/test_one.py", "def test_one():\n    pass\n"), "tests/test_one.py"),
        (
            "an edited test",
            |w| w.write("tests/test_one.py", "def test_one():\n    pass\n\ndef test_two():\n    pass\n"),
            "tests/test_one.py",
        ),
        ("what a tool loads by itself", |w| w.write("conftest.py", ""), "conftest.py"),
        ("no lock", |w| fs::remove_file(w.path("referee.lock")).unwrap(), "referee.lock"),
        ("junk in place of the lock", |w| w.write("referee.lock", "{"), "referee.lock"),
    ];
    for (name, change, path) in changes {
        println!("{name}");
        let workspace = locked();
        let kept = history(&workspace);
        change(&workspace);
        let before = fs::read(workspace.path("referee.lock")).ok();
        for arguments in [&["lock"][..], &["lock", "--yes"], &["lock", "write", "--yes"]] {
            let refused = in_an_agents_shell(&workspace, arguments).exits(2);
            let told = words(&refused);
            assert!(told.contains("only a person may") && told.contains(path), "{told}");
        }
        assert_eq!(fs::read(workspace.path("referee.lock")).ok(), before);
        assert_eq!(history(&workspace), kept);
        // It may look.
        let looked = in_an_agents_shell(&workspace, &["lock", "--dry-run"]).exits(0);
        assert!(words(&looked).contains(path), "{}", looked.stdout);
    }
}

#[test]
fn a_weakened_project_stays_blocked_whatever_an_agent_locks() {
    let workspace = locked();
    workspace.write("referee.yaml", WEAK);
    in_an_agents_shell(&workspace, &["lock"]).exits(2);
    in_an_agents_shell(&workspace, &["gate"]).exits(3);

    // From another directory of the project, by another name of it, with the lock removed.
    fs::create_dir(workspace.path("src")).unwrap();
    in_an_agents_shell(&workspace, &["-C", "src", "lock"]).exits(2);
    let outside = tempfile::tempdir().unwrap();
    let link = outside.path().join("link");
    std::os::unix::fs::symlink(workspace.path(""), &link).unwrap();
    in_an_agents_shell(&workspace, &["-C", link.to_str().unwrap(), "lock"]).exits(2);
    fs::remove_file(workspace.path("referee.lock")).unwrap();
    in_an_agents_shell(&workspace, &["lock"]).exits(2);
    assert!(!workspace.path("referee.lock").exists());

    // A specification beside the one that is locked.
    workspace.write("referee.yaml", SPECIFICATION);
    workspace.write("easy.yaml", WEAK);
    in_an_agents_shell(&workspace, &["lock", "write", "easy.yaml"]).exits(2);
}

#[test]
fn another_state_directory_is_no_way_round_in_an_agents_shell() {
    let workspace = Workspace::with(SPECIFICATION);
    let home = tempfile::tempdir().unwrap();
    let at_home = |arguments: &[&str]| {
        let mut command = workspace.command(arguments);
        command.env_remove("REFEREE_STATE_DIR").env_remove("XDG_STATE_HOME").env("HOME", home.path());
        command
    };
    finish(at_home(&["lock"]).spawn().unwrap()).exits(0);
    workspace.write("referee.yaml", WEAK);
    fs::remove_file(workspace.path("referee.lock")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let refused = |name: &str| {
        let mut command = at_home(&["lock"]);
        finish(command.env("CLAUDECODE", "1").env(name, elsewhere.path()).spawn().unwrap()).exits(2);
    };
    refused("REFEREE_STATE_DIR");
    refused("XDG_STATE_HOME");
    assert!(!workspace.path("referee.lock").exists());
}

#[test]
fn a_lock_that_nothing_but_the_commit_remembers_holds_in_an_agents_shell() {
    let workspace = locked();
    git(&workspace.path(""), &["init", "-q"]);
    git(&workspace.path(""), &["add", "-A"]);
    git(&workspace.path(""), &["commit", "-q", "-m", "all"]);
    fs::remove_dir_all(workspace.state().join("locks")).unwrap();
    fs::remove_file(workspace.path("referee.lock")).unwrap();
    workspace.write("referee.yaml", WEAK);
    in_an_agents_shell(&workspace, &["lock"]).exits(2);
    assert!(!workspace.path("referee.lock").exists());
}

#[test]
fn a_linked_worktree_is_held_to_the_lock_of_its_project() {
    let workspace = locked();
    git(&workspace.path(""), &["init", "-q"]);
    git(&workspace.path(""), &["add", "-A"]);
    git(&workspace.path(""), &["commit", "-q", "-m", "all"]);
    let outside = tempfile::tempdir().unwrap();
    let worktree = outside.path().join("other");
    git(&workspace.path(""), &["worktree", "add", "-q", worktree.to_str().unwrap()]);
    let there = ["-C", worktree.to_str().unwrap()];
    let referee = |arguments: &[&str]| workspace.referee(&[&there, arguments].concat());
    referee(&["lock", "check"]).exits(0);

    fs::write(worktree.join("referee.yaml"), WEAK).unwrap();
    in_an_agents_shell(&workspace, &[&there[..], &["lock"]].concat()).exits(2);
    fs::remove_file(worktree.join("referee.lock")).unwrap();
    in_an_agents_shell(&workspace, &[&there[..], &["lock"]].concat()).exits(2);
    let removed = referee(&["gate"]).exits(3);
    assert!(words(&removed).contains("referee.lock"), "{}", removed.stdout);

    // The lock of an earlier commit is one that a person stood for.
    git(&worktree, &["checkout", "-q", "--", "."]);
    workspace.write("referee.yaml", WEAK);
    at_a_terminal(&workspace, "y\n", &["lock"]).exits(0);
    let earlier = referee(&["lock", "check"]).exits(0);
    assert!(words(&earlier).contains("an earlier one of"), "{}", earlier.stdout);
    fs::write(worktree.join("referee.lock"), "{}\n").unwrap();
    referee(&["lock", "check"]).exits(3);
}

#[test]
fn a_person_is_asked_and_a_script_says_so() {
    let workspace = locked();
    let first = lock(&workspace);
    workspace.write("pytest.ini", "[pytest]\naddopts = -k one\n");
    workspace.write("tests/test_one.py", "def test_one():\n    pass\n");

    let script = workspace.referee(&["lock"]).exits(2);
    for part in ["would accept 2 differences", "frozen pytest.ini: its content", "additive tests/test_one.py", "--yes"]
    {
        assert!(words(&script).contains(part), "{part} in {}", script.stderr);
    }
    let dry = workspace.referee(&["lock", "--dry-run"]).exits(0);
    assert!(words(&dry).contains("would accept 2 differences"), "{}", dry.stdout);
    for answer in ["\n", "n\n", "what\n"] {
        let declined = at_a_terminal(&workspace, answer, &["lock"]).exits(1);
        assert!(words(&declined).contains("accept all of this?"), "{}", declined.stdout);
    }
    assert_eq!(lock(&workspace), first);

    at_a_terminal(&workspace, "y\n", &["lock"]).exits(0);
    let second = lock(&workspace);
    assert_ne!(second, first);
    workspace.referee(&["lock", "check"]).exits(0);
    let kept = history(&workspace);
    let of = |key: &str| kept.iter().map(|lock| lock[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("by"), [json!("terminal"), json!("terminal")]);
    assert_eq!(of("accepted"), [json!(0), json!(2)]);
    assert_eq!(of("previous"), [Value::Null, kept[0]["digest"].clone()]);
    assert_eq!(kept[1]["paths"], json!(["pytest.ini", "tests/test_one.py"]));

    // Without a difference a script locks as ever.
    workspace.referee(&["lock"]).exits(0);
    workspace.referee(&["lock", "--yes"]).exits(0);
    let dry = workspace.referee(&["lock", "--dry-run"]).exits(0);
    assert!(words(&dry).contains("nothing differs"), "{}", dry.stdout);
}

#[test]
fn a_first_lock_of_an_agent_is_marked_until_a_person_locks() {
    let workspace = Workspace::with(WEAK);
    in_an_agents_shell(&workspace, &["lock"]).exits(0);
    let marked = "in a shell of claude-code, and by no person since";
    for arguments in [&["lock", "check"][..], &["lock", "explain"], &["run"], &["gate"], &["doctor"]] {
        let told = words(&workspace.referee(arguments));
        assert!(told.contains(marked), "{arguments:?}: {told}");
    }
    let explained = workspace.referee(&["lock", "explain", "--format", "json"]).json();
    assert!(explained["notes"][0].as_str().unwrap().contains(marked), "{explained:#}");

    // What it adds is its own, what is the same stays; a script without a terminal is no person either.
    workspace.write("tests/test_one.py", "def test_one():\n    pass\n");
    in_an_agents_shell(&workspace, &["lock"]).exits(0);
    let again = in_an_agents_shell(&workspace, &["lock"]).exits(0);
    assert!(again.stdout.contains("nothing differs"), "{}", again.stdout);
    assert_eq!(history(&workspace).len(), 2);
    workspace.referee(&["lock"]).exits(0);
    assert!(words(&workspace.referee(&["lock", "check"]).exits(0)).contains(marked));

    at_a_terminal(&workspace, "", &["lock"]).exits(0);
    assert!(!words(&workspace.referee(&["lock", "check"]).exits(0)).contains("by no person since"));
    assert!(!words(&workspace.referee(&["gate"]).exits(0)).contains("by no person since"));
}

#[test]
fn a_lock_that_was_replaced_without_a_person_says_what_it_accepted() {
    let workspace = locked();
    workspace.write("referee.yaml", WEAK);
    // Whoever unsets an agent's variables passes here, and is seen.
    workspace.referee(&["lock", "--yes"]).exits(0);
    let gate = words(&workspace.referee(&["gate"]).exits(0));
    assert!(gate.contains("in a script, without a terminal, which accepted 1 difference (referee.yaml)"), "{gate}");
    at_a_terminal(&workspace, "", &["lock"]).exits(0);
    assert!(!words(&workspace.referee(&["gate"]).exits(0)).contains("by no person since"));
}
