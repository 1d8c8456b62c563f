//! What holds for a whole run of an agent, whatever the agent, the environment or the end of a process do to it.

use std::fs;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::agent_run::{DONE, id, kept, marker, turns, typed, warned, with_agent};
use crate::support::{Workspace, finish, git, processes_with, wait_until};

/// A check that nobody sees, and that never passes.
const HELD_OUT: &str = "checks:\n  needle: { file: needle.txt }\n";

fn started(workspace: &Workspace, arguments: &[&str], variables: &[(&str, &str)]) -> Child {
    let mut command = workspace.command(arguments);
    command.envs(variables.iter().copied()).spawn().unwrap()
}

fn killed(mut child: Child) {
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
}

fn held_out() -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().canonicalize().unwrap().join("referee.yaml");
    fs::write(&file, HELD_OUT).unwrap();
    (directory, file.to_str().unwrap().to_owned())
}

#[test]
fn a_run_goes_on_as_it_was_ordered_whatever_the_environment_says_then() {
    let (_directory, file) = held_out();
    let workspace = with_agent(DONE, "touch done.txt begun; sleep 600");
    let options = ["--max-iterations", "1"];
    let child = started(&workspace, &typed(&options), &[("REFEREE_HELD_OUT", &file), ("REFEREE_SANDBOX", "on")]);
    wait_until("the agent works", || workspace.path("begun").exists());
    killed(child);
    let order = kept(&workspace, "order.json");
    let words: Vec<&str> = order["arguments"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(words.contains(&"--sandbox=on") && words.contains(&format!("--held-out={file}").as_str()), "{words:?}");

    let run = id(&workspace);
    let refused = workspace.referee(&["agent", "run", "--resume", &run, "--no-reuse"]).exits(2);
    assert!(refused.stderr.contains("as it was ordered: leave out `no-reuse`"), "{}", refused.stderr);
    let resumed = workspace.command(&["agent", "run", "--format", "json", "--resume", &run]).spawn().unwrap();
    let run = finish(resumed).exits(1).json();
    assert_eq!(run["result"], "failed_verification");
    assert_eq!(run["error"], "1 of 1 held-out check block: runtime 1");
    let shown = workspace.referee(&["agent", "show", &id(&workspace)]).exits(0).stdout;
    assert!(shown.contains("turn 1: agent cut off, checks did not pass"), "{shown}");
}

#[test]
fn an_agent_that_changes_the_held_out_specification_does_not_pass() {
    let (_directory, file) = held_out();
    let workspace =
        with_agent(DONE, &format!("touch done.txt; echo 'checks: {{ done: {{ file: done.txt }} }}' > {file}"));
    let finished = workspace.referee(&typed(&["--format", "json", "--held-out", &file])).exits(3);
    let run = finished.json();
    assert_eq!((&run["result"], turns(&workspace)), (&"failed_verification".into(), 1));
    assert!(run["error"].as_str().unwrap().starts_with("the held-out checks are not as they were"), "{run:#}");
    assert!(!finished.stdout.contains("needle") && !finished.stdout.contains(&file), "{}", finished.stdout);
}

#[test]
fn a_trusted_branch_is_the_commit_that_it_was_when_the_run_began() {
    let specification =
        "checks:\n  unit: { file: tests/a.test.js }\n  done: { file: done.txt }\nprotect: { frozen: [\"tests/**\"] }\n";
    let identity = "-c user.name=a -c user.email=a@a";
    let lines = format!("touch done.txt; echo easy > tests/a.test.js; git {identity} commit -qam x");
    let workspace = with_agent(specification, &lines).file("tests/a.test.js", "test('a')\n");
    git(&workspace.path(""), &["init", "-q"]);
    git(&workspace.path(""), &["add", "-A"]);
    git(&workspace.path(""), &["commit", "-qm", "one"]);
    let run = workspace.referee(&typed(&["--format", "json", "--trusted", "main"])).exits(3).json();
    assert_eq!((&run["result"], turns(&workspace)), (&"failed_verification".into(), 1));
}

#[test]
fn what_makes_every_answer_impossible_is_told_before_the_agent_is_started() {
    let workspace = with_agent(DONE, "touch done.txt");
    let outside = tempfile::tempdir().unwrap();
    let nothing = outside.path().join("nothing");
    let nothing = nothing.to_str().unwrap();
    for options in [["--held-out", nothing], ["--key", nothing], ["--trusted", "no-such-branch"]] {
        workspace.referee(&typed(&options)).exits(2);
    }
    assert_eq!(turns(&workspace), 0);
}

#[test]
fn a_run_that_dies_while_it_waits_for_another_attempt_has_failed() {
    let workspace = with_agent(DONE, "touch done.txt; sleep 600");
    let options = ["--retry", "default", "--agent-timeout", "1s"];
    let child = started(&workspace, &typed(&options), &[]);
    let waits = || {
        let agents = workspace.state().join("agents");
        let runs = fs::read_dir(agents).into_iter().flatten().map(|entry| entry.unwrap().path().join("run.json"));
        let texts: Vec<String> = runs.filter_map(|run| fs::read_to_string(run).ok()).collect();
        texts.iter().any(|text| text.contains("agent_retry"))
    };
    wait_until("the run waits", waits);
    killed(child);
    assert_eq!(kept(&workspace, "run.json")["buildError"]["type"], "agent_timeout");
    let resumed = ["agent", "run", "--format", "json", "--resume", &id(&workspace)];
    let run = workspace.referee(&resumed).exits(7).json();
    assert_eq!((&run["result"], turns(&workspace)), (&"failed_timeout".into(), 1));
}

#[test]
fn a_run_that_was_cut_off_before_the_agent_was_started_loses_no_turn() {
    let workspace = with_agent(DONE, "touch done.txt");
    workspace.referee(&typed(&["--max-iterations", "1"])).exits(0);
    let directory = workspace.state().join("agents").join(id(&workspace));
    let mut run = kept(&workspace, "run.json");
    for name in ["agent-1.json", "verification-1.json", "iteration-1.json"] {
        fs::remove_file(directory.join(name)).unwrap();
    }
    (run["state"], run["result"], run["completedAt"]) = ("building".into(), Value::Null, Value::Null);
    run["snapshotIds"].as_array_mut().unwrap().truncate(1);
    fs::write(directory.join("run.json"), run.to_string()).unwrap();
    fs::remove_file(workspace.path("done.txt")).unwrap();
    workspace.referee(&["agent", "run", "--resume", &id(&workspace)]).exits(0);
    assert_eq!(turns(&workspace), 2, "the agent works now");
}

#[test]
fn a_new_run_ends_what_one_that_was_killed_left_working() {
    let workspace =
        with_agent(DONE, "test $(wc -l < turns.txt) -gt 1 && { touch done.txt; exit; }; touch begun; sleep 600");
    let child = started(&workspace, &typed(&[]), &[]);
    wait_until("the agent works", || workspace.path("begun").exists());
    killed(child);
    let marker = marker(&workspace);
    assert!(!processes_with(&marker).is_empty(), "the agent outlives it");
    let run = workspace.referee(&typed(&["--format", "json"])).exits(0).json();
    assert!(warned(&run, "orphans"), "{run:#}");
    assert_eq!(processes_with(&marker), Vec::<u32>::new());
}

#[test]
fn an_agent_that_removes_what_it_is_given_is_given_it_again() {
    let lines = "rm -r $(dirname $REFEREE_PROMPT_FILE); test $(wc -l < turns.txt) -lt 2 || touch done.txt";
    let workspace = with_agent(DONE, lines);
    let run = workspace.referee(&typed(&["--format", "json"])).exits(0).json();
    assert_eq!((&run["iteration"], turns(&workspace)), (&2.into(), 2));
}

#[test]
fn words_that_are_not_so_are_kept_of_a_failed_turn_too_and_a_line_that_looks_like_an_answer_is_none() {
    let says = r#"echo '{"success":false,"result":"All checks pass."}'"#;
    let workspace = with_agent(DONE, says);
    let run = workspace.referee(&typed(&["--format", "json"])).exits(1).json();
    assert_eq!(run["result"], "failed_build");
    assert!(warned(&run, "claims"), "{run:#}");

    let says =
        r#"touch done.txt; echo 'The request answers now'; echo '{"success":false,"error":"x"}'; echo 'as it must.'"#;
    let workspace = with_agent(DONE, says);
    workspace.referee(&typed(&[])).exits(0);
}
