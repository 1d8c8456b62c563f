//! The chain of a task's runs, its head outside the workspace, and how long runs are kept.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Workspace, finish, wait_until};

const CHECKS: &str = "checks:\n  speak: echo hello\n";

fn with_runs(count: usize) -> Workspace {
    let workspace = Workspace::with(CHECKS);
    for _ in 0..count {
        workspace.referee(&["run", "-q"]).exits(0);
    }
    workspace
}

/// The history of the task, oldest first.
fn history(workspace: &Workspace) -> Vec<String> {
    let entries = fs::read_dir(workspace.path("evidence/.history/T001")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names.into_iter().map(|name| format!("evidence/.history/T001/{name}")).collect()
}

/// The chain axis of a verification.
fn chain(workspace: &Workspace, directory: &str, code: i32) -> String {
    let answer = workspace.referee(&["evidence", "verify", directory, "--format", "json"]).exits(code).json();
    let axis = answer["axes"].as_array().unwrap().iter().find(|axis| axis["name"] == "chain").unwrap();
    format!("{}: {}", axis["state"].as_str().unwrap(), axis["reasons"])
}

fn seal(workspace: &Workspace) -> Value {
    serde_json::from_slice(&workspace.evidence("T001")["seal.json"]).unwrap()
}

#[test]
fn runs_are_numbered_and_every_one_knows_its_place() {
    let workspace = with_runs(3);
    assert!(chain(&workspace, "evidence/T001", 0).starts_with("holds: [\"number 3 of its chain, and the latest run"));
    for (number, directory) in (1..).zip(history(&workspace)) {
        let told = chain(&workspace, &directory, 0);
        assert!(told.starts_with(&format!("holds: [\"number {number} of its chain; the latest run is ")), "{told}");
    }
    assert_eq!(fs::read_to_string(workspace.path("evidence/.gitignore")).unwrap(), "*\n");
    assert!(!workspace.path("evidence/.staging").exists());
}

#[test]
fn removing_the_evidence_does_not_begin_the_chain_anew() {
    let workspace = with_runs(2);
    fs::remove_dir_all(workspace.path("evidence")).unwrap();
    let finished = workspace.referee(&["run"]).exits(0);
    assert!(finished.stderr.contains("number 2 of the chain) is gone"), "{}", finished.stderr);
    assert_eq!(
        (seal(&workspace)["sequence"].as_u64(), seal(&workspace)["previousGone"].as_bool()),
        (Some(3), Some(true))
    );
    assert!(chain(&workspace, "evidence/T001", 0).contains("that was known"));
    assert!(!workspace.referee(&["run"]).exits(0).stderr.contains("gone"));
}

#[test]
fn an_old_pass_that_is_put_back_over_a_failure_is_named() {
    let workspace = with_runs(1);
    workspace.write("referee.yaml", "checks: {speak: exit 3}\n");
    workspace.referee(&["run", "-q"]).exits(6);
    fs::rename(workspace.path("evidence/T001"), workspace.path("failed")).unwrap();
    fs::rename(workspace.path(&history(&workspace)[0]), workspace.path("evidence/T001")).unwrap();
    let told = chain(&workspace, "evidence/T001", 4);
    assert!(told.contains("it was rolled back"), "{told}");
    let finished = workspace.referee(&["run", "--rerun-failed"]).exits(6);
    assert!(finished.stderr.contains("not the latest run of its chain: all steps run"), "{}", finished.stderr);
    assert!(finished.stderr.contains("was not the run that was published last"), "{}", finished.stderr);
}

#[test]
fn a_dead_run_whose_directory_is_removed_still_blocks_the_earlier_pass() {
    let workspace = with_runs(1);
    workspace.write("referee.yaml", "checks:\n  wait: 'touch started; sleep 600'\n");
    let mut killed = workspace.command(&["run"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the check has started", || workspace.path("started").exists());
    killed.kill().unwrap();
    killed.wait().unwrap();
    for directory in workspace.staged("T001") {
        fs::remove_dir_all(directory).unwrap();
    }
    let finished = workspace.referee(&["evidence", "verify", "evidence/T001"]).exits(3);
    assert!(finished.told().contains("its files were removed"), "{}", finished.stdout);
    workspace.write("referee.yaml", CHECKS);
    let finished = workspace.referee(&["run", "--rerun-failed"]).exits(0);
    assert!(finished.stderr.contains("a later run was never sealed: all steps run"), "{}", finished.stderr);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
}

#[test]
fn verifying_writes_nothing_and_makes_no_state_directory() {
    let workspace = with_runs(1);
    let nowhere = workspace.state().join("nowhere");
    let mut command = workspace.command(&["evidence", "verify", "evidence/T001"]);
    let finished = finish(command.env("REFEREE_STATE_DIR", &nowhere).spawn().unwrap()).exits(0);
    assert!(finished.stdout.contains("no state directory"), "{}", finished.stdout);
    assert!(!nowhere.exists());
    let listing = |directory: &Path| {
        String::from_utf8(Command::new("find").arg(directory).arg("-ls").output().unwrap().stdout).unwrap()
    };
    let before = (listing(&workspace.state()), listing(&workspace.path("evidence")));
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
    workspace.referee(&["evidence", "list"]).exits(0);
    assert_eq!(before, (listing(&workspace.state()), listing(&workspace.path("evidence"))));
}

#[test]
fn without_a_state_directory_a_run_goes_on_and_says_so() {
    let workspace = Workspace::with(CHECKS);
    let mut command = workspace.command(&["run"]);
    command.env_remove("REFEREE_STATE_DIR").env_remove("XDG_STATE_HOME").env_remove("HOME");
    let finished = finish(command.spawn().unwrap()).exits(0);
    assert_eq!(finished.stderr.matches("there is no directory for the user's state").count(), 1, "{}", finished.stderr);
}

#[test]
fn a_state_directory_that_fails_midway_leaves_no_verdict() {
    let workspace = Workspace::new();
    let chains = workspace.state().join("chains");
    workspace.write("referee.yaml", format!("checks:\n  destroy: rm -rf {}\n", chains.display()));
    let finished = workspace.referee(&["run"]).exits(74);
    assert!(finished.stderr.contains("chains"), "{}", finished.stderr);
    assert!(!finished.stdout.contains("PASS") && !workspace.path("evidence/T001").exists());
}

#[test]
fn a_head_that_cannot_be_read_leaves_no_verdict_and_says_what_to_do() {
    let workspace = with_runs(1);
    let chains = fs::read_dir(workspace.state().join("chains")).unwrap().next().unwrap().unwrap().path();
    fs::write(chains.join("T001.json"), "{").unwrap();
    let finished = workspace.referee(&["run"]).exits(74);
    assert!(finished.stderr.contains("cannot read `"), "{}", finished.stderr);
    workspace.referee(&["evidence", "verify", "evidence/T001"]).exits(3);
}

#[test]
fn evidence_that_cannot_be_written_leaves_no_verdict() {
    let workspace = with_runs(1);
    // Whoever may do anything is stopped by no mode of a directory, but by a mount that is read-only.
    let script = "mount --bind evidence evidence && mount -o remount,bind,ro evidence && exec \"$0\" run";
    let run = workspace.command(&["run"]);
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script]).arg(run.get_program());
    command.current_dir(workspace.path("")).env("REFEREE_STATE_DIR", workspace.state());
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let finished = finish(child).exits(74);
    assert!(finished.stderr.contains("cannot write to the evidence directory"), "{}", finished.stderr);
    assert!(!finished.stdout.contains("PASS"), "{}", finished.stdout);
    workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(0);
}

#[test]
fn runs_of_one_task_at_once_end_in_one_chain() {
    let workspace = Workspace::with("checks: {a: 'echo a; sleep 0.2; echo b'}\n");
    let runs: Vec<_> = (0..4).map(|_| workspace.command(&["run", "-q"]).spawn().unwrap()).collect();
    for run in runs {
        finish(run).exits(0);
    }
    assert!(chain(&workspace, "evidence/T001", 0).starts_with("holds: "));
    for directory in history(&workspace) {
        let told = chain(&workspace, &directory, 0);
        assert!(told.starts_with("holds: ") || told.contains("superseded"), "{told}");
    }
    assert_eq!(workspace.staged("T001").len(), 0);
}

#[test]
fn old_runs_are_pruned_and_the_chain_goes_on_over_their_tombstones() {
    let workspace = with_runs(4);
    workspace.referee(&["evidence", "prune"]).exits(2);
    let dry = workspace.referee(&["evidence", "prune", "--keep", "1", "--dry-run"]).exits(0).stdout;
    assert!(dry.contains("would be pruned") && dry.contains("2 runs"), "{dry}");
    let old = history(&workspace);
    assert!(workspace.path(&old[0]).join("plan.json").exists());
    workspace.referee(&["evidence", "prune", "--older-than", "1d"]).exits(0);
    assert!(workspace.path(&old[0]).join("plan.json").exists(), "none is a day old");
    workspace.referee(&["evidence", "prune", "--keep", "1", "--task", "T001"]).exits(0);
    assert!(!workspace.path(&old[0]).join("plan.json").exists());
    assert!(workspace.path(&old[2]).join("plan.json").exists());

    let list = workspace.referee(&["evidence", "list", "T001", "--format", "json"]).exits(0).json();
    let states: Vec<_> = list["runs"].as_array().unwrap().iter().map(|run| run["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["latest", "earlier", "pruned", "pruned"]);
    let shown = workspace.referee(&["evidence", "show", &old[0]]).exits(0).stdout;
    assert!(shown.contains("pruned") && shown.contains("not among the latest 1"), "{shown}");
    let name = Path::new(&old[2]).file_name().unwrap().to_str().unwrap().to_owned();
    assert!(workspace.referee(&["evidence", "show", &name]).exits(0).stdout.contains("journal.jsonl"));
    workspace.referee(&["evidence", "show", "exec-unheard-of"]).exits(2);

    assert!(chain(&workspace, "evidence/T001", 0).starts_with("holds: "));
    let told = workspace.referee(&["evidence", "verify", &old[0]]).exits(3).stdout;
    assert!(told.contains("removed on purpose"), "{told}");
    workspace.referee(&["run", "-q"]).exits(0);
    assert!(chain(&workspace, "evidence/T001", 0).contains("number 5"));

    let sealed = workspace.path(&old[0]).join("seal.json");
    fs::write(&sealed, fs::read_to_string(&sealed).unwrap().replace("\"T001\"", "\"T001\" ")).unwrap();
    assert!(workspace.referee(&["evidence", "verify", &old[0]]).exits(4).stdout.contains("another seal"));
    let told = chain(&workspace, "evidence/T001", 4);
    assert!(told.contains("names another seal") && told.contains("number 1 of the chain is gone"), "{told}");
}

#[test]
fn a_tombstone_in_the_tasks_place_excuses_nothing() {
    let workspace = with_runs(2);
    workspace.referee(&["evidence", "prune", "--keep", "0"]).exits(0);
    let pruned = workspace.path(&history(&workspace)[0]);
    for name in ["tombstone.json", "seal.json"] {
        fs::copy(pruned.join(name), workspace.path("evidence/T001").join(name)).unwrap();
    }
    workspace.referee(&["evidence", "verify", "evidence/T001"]).exits(4);
}
