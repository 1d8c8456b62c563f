//! Where hooks have an opinion, as a person says it: `referee enroll`.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Workspace, finish, git, in_an_agents_shell};

const SPECIFICATION: &str = "checks:\n  one: { argv: [\"true\"] }\n";

fn enrolments(workspace: &Workspace) -> Vec<Value> {
    let list = workspace.referee(&["enroll", "--list", "--format", "json"]).exits(0).json();
    list["enrolments"].as_array().unwrap().clone()
}

#[test]
fn a_project_is_enrolled_listed_and_taken_out_again_and_that_is_not_forgotten() {
    let workspace = Workspace::with(SPECIFICATION);
    fs::create_dir(workspace.path("src")).unwrap();
    assert_eq!(enrolments(&workspace), [json!(null); 0]);
    let record = workspace.referee(&["-C", "src", "enroll", "--format", "json"]).exits(0).json();
    let project = workspace.path("").canonicalize().unwrap();
    assert_eq!(record["project"], project.to_str().unwrap());
    assert_eq!(record["specification"], project.join("referee.yaml").to_str().unwrap());
    assert_eq!((&record["enrolledBy"], &record["standing"]), (&json!("person"), &json!("enrolled")));
    assert_eq!(enrolments(&workspace), std::slice::from_ref(&record));
    // Once more changes nothing.
    assert_eq!(workspace.referee(&["enroll", "--format", "json"]).exits(0).json(), record);

    let without_a_terminal = workspace.referee(&["enroll", "--remove"]).exits(2);
    assert!(without_a_terminal.stderr.contains("--yes"), "{}", without_a_terminal.stderr);
    let removed = workspace.referee(&["enroll", "--remove", "--yes", "src"]).exits(0);
    assert!(removed.told().contains("not enrolled any more"), "{}", removed.stdout);
    let list = enrolments(&workspace);
    assert_eq!((list.len(), &list[0]["standing"], &list[0]["removal"]["agent"]), (1, &json!("removed"), &json!(null)));
    let again = workspace.referee(&["enroll", "--remove", "--yes"]).exits(2);
    assert!(again.stderr.contains("no project that is enrolled"), "{}", again.stderr);
    let back = workspace.referee(&["enroll", "--format", "json"]).exits(0).json();
    assert_eq!((&back["standing"], &back["removal"]), (&json!("enrolled"), &list[0]["removal"]));
}

#[test]
fn the_shell_of_every_agent_is_known_by_what_that_sets() {
    let workspace = Workspace::with(SPECIFICATION);
    workspace.referee(&["enroll"]).exits(0);
    for (variable, agent) in [
        ("CLAUDECODE", "claude-code"),
        ("CODEX_THREAD_ID", "codex"),
        ("CODEX_CI", "codex"),
        ("GEMINI_CLI", "gemini-cli"),
        ("QWEN_CODE", "qwen-code"),
        ("CURSOR_AGENT", "cursor"),
        ("COPILOT_CLI", "copilot"),
        ("COPILOT_AGENT_SESSION_ID", "copilot"),
        ("OPENCODE", "opencode"),
        ("AI_AGENT", "agent"),
    ] {
        let remove = ["enroll", "--remove", "--yes"];
        let refused = finish(workspace.command(&remove).env(variable, "1").spawn().unwrap()).exits(2);
        assert!(refused.stderr.contains(&format!("a shell of {agent},")), "{variable}: {}", refused.stderr);
    }
    workspace.referee(&["enroll", "--remove", "--yes"]).exits(0);
}

#[test]
fn an_agent_enrolls_nothing_and_neither_does_a_check() {
    let workspace = Workspace::with(SPECIFICATION).file("easy.yaml", SPECIFICATION);
    let in_a_check =
        |arguments: &[&str]| finish(workspace.command(arguments).env("REFEREE_EXECUTION", "exec-1").spawn().unwrap());
    for refused in [in_an_agents_shell(&workspace, &["enroll"]), in_a_check(&["enroll"])] {
        assert!(refused.stderr.contains("only a person may enrol a project"), "{}", refused.stderr);
        refused.exits(2);
    }
    assert_eq!(enrolments(&workspace), [json!(null); 0]);
    workspace.referee(&["enroll"]).exits(0);
    let before = enrolments(&workspace);
    // What is so already may be asked for.
    in_an_agents_shell(&workspace, &["enroll"]).exits(0);
    for operation in [&["enroll", "easy.yaml"][..], &["enroll", "--remove"], &["enroll", "--remove", "--yes"]] {
        for refused in [in_an_agents_shell(&workspace, operation), in_a_check(operation)] {
            assert!(refused.stderr.contains("only a person may"), "{operation:?}: {}", refused.stderr);
            refused.exits(2);
        }
    }
    assert_eq!(enrolments(&workspace), before);
}

#[test]
fn a_specification_that_is_missing_or_broken_enrolls_nothing() {
    let workspace = Workspace::with("checks: [").file("good.yaml", SPECIFICATION);
    workspace.referee(&["enroll"]).exits(3);
    workspace.referee(&["enroll", "missing.yaml"]).exits(3);
    assert_eq!(enrolments(&workspace), [json!(null); 0]);
    let record = workspace.referee(&["enroll", "good.yaml", "--format", "json"]).exits(0).json();
    assert!(record["specification"].as_str().unwrap().ends_with("/good.yaml"));
}

#[test]
fn held_out_checks_and_the_trusted_commit_must_be_there_and_out_of_reach() {
    let workspace =
        Workspace::with(SPECIFICATION).file("inside.yaml", SPECIFICATION).file("part/referee.yaml", SPECIFICATION);
    let elsewhere = tempfile::tempdir().unwrap();
    let outside = elsewhere.path().join("held-out.yaml");
    fs::write(&outside, SPECIFICATION).unwrap();
    let junk = elsewhere.path().join("junk.yaml");
    fs::write(&junk, "checks: [").unwrap();
    for words in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "all"]] {
        git(&workspace.path(""), words);
    }
    // A link in the project that leads outside is where the file is.
    for (arguments, code, part) in [
        (&["--held-out", "inside.yaml"][..], 2, "where agents see it"),
        (&["part/referee.yaml", "--held-out", "inside.yaml"], 2, "where agents see it"),
        (&["--held-out", "missing.yaml"], 2, "missing.yaml"),
        (&["--held-out", "part"], 2, "not a file"),
        (&["--held-out", junk.to_str().unwrap()], 3, ""),
        (&["--trusted", "nowhere"], 2, "is not a commit"),
        (&["--trusted", "--help"], 2, ""),
    ] {
        let refused = workspace.referee(&[&["enroll"], arguments].concat()).exits(code);
        assert!(refused.stderr.contains(part), "{arguments:?}: {}", refused.stderr);
    }
    assert_eq!(enrolments(&workspace), [json!(null); 0]);
    let held_out = outside.to_str().unwrap();
    workspace.referee(&["enroll", "--held-out", held_out, "--trusted", "main"]).exits(0);
    // What is not named again stays.
    let kept = workspace.referee(&["enroll", "--format", "json"]).exits(0).json();
    let whole = outside.canonicalize().unwrap();
    // Where they lie is told at no place that is no terminal of a person's.
    assert_eq!((&kept["heldOut"], &kept["trustedName"]), (&json!("yes"), &json!("main")));
    assert_eq!(kept["trusted"].as_str().unwrap().len(), 40, "the commit is kept, wherever its name goes");
    for arguments in [&["enroll"][..], &["enroll", "--list"], &["enroll", "--list", "--format", "json"], &["doctor"]] {
        let told = workspace.referee(arguments);
        assert!(!format!("{}{}", told.stdout, told.stderr).contains("held-out.yaml"), "{arguments:?}: {}", told.stdout);
    }
    let mut records = fs::read_dir(workspace.state().join("enrolled")).unwrap().map(|entry| entry.unwrap().path());
    let record = records.find(|path| path.extension().is_some_and(|ending| ending == "json")).unwrap();
    assert!(fs::read_to_string(record).unwrap().contains(whole.to_str().unwrap()), "it is kept");
}

#[test]
fn a_state_directory_in_reach_or_of_junk_enrolls_nothing() {
    let workspace = Workspace::with(SPECIFICATION);
    let inside = workspace.path(".state");
    let refused = finish(workspace.command(&["enroll"]).env("REFEREE_STATE_DIR", &inside).spawn().unwrap()).exits(2);
    assert!(refused.stderr.contains("where agents can write"), "{}", refused.stderr);
    workspace.referee(&["enroll"]).exits(0);
    let directory = workspace.state().join("enrolled");
    let record = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path());
    let record = record.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "json")).unwrap();
    fs::write(record, "{}").unwrap();
    for arguments in [&["enroll"][..], &["enroll", "--list"], &["enroll", "--remove", "--yes"]] {
        let refused = workspace.referee(arguments).exits(74);
        assert!(refused.stderr.contains("until it is fixed"), "{}", refused.stderr);
    }
}

#[test]
fn an_agent_puts_no_softer_gate_below_an_enrolled_project() {
    let workspace = Workspace::with(SPECIFICATION).file("src/referee.yaml", SPECIFICATION);
    workspace.referee(&["enroll"]).exits(0);
    let before = enrolments(&workspace);
    for arguments in [&["enroll", "src/referee.yaml"][..], &["-C", "src", "enroll"]] {
        let refused = in_an_agents_shell(&workspace, arguments).exits(2);
        assert!(refused.stderr.contains("only a person may enrol a project"), "{}", refused.stderr);
    }
    assert_eq!(enrolments(&workspace), before);
    workspace.referee(&["-C", "src", "enroll"]).exits(0);
    assert_eq!(enrolments(&workspace).len(), 2);
}
