//! Machines that stand by for all loops of a project.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::agent_turns::SPECIFICATION;
use super::queue::Queue;
use super::takeover::slow;
use super::{Fleet, has_queue};
use crate::incident_run;
use crate::support::{Workspace, finish, git, program, wait_until};

/// A clone of a project, on another machine.
struct Clone(Workspace);

impl Clone {
    fn project(&self) -> PathBuf {
        self.0.path("project")
    }

    /// Where the only loop goes on.
    fn worktree(&self) -> Option<PathBuf> {
        let found = fs::read_dir(self.0.path("project.loops")).ok()?;
        found.map(|entry| entry.unwrap().path()).next()
    }

    fn has_run(&self, run: &str) -> bool {
        self.0.state().join("agents").join(run).join("run.json").exists()
    }
}

fn commit(project: &Path) {
    fs::write(project.join(".gitignore"), ".referee/\nevidence/\n").unwrap();
    for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "begin"]] {
        git(project, arguments);
    }
}

impl Fleet {
    /// Another machine with a clone of the asker's project, which trusts all that stand by.
    fn clone(&self) -> Clone {
        let machine = self.machine_with(Workspace::new());
        machine.referee(&["key", "trust", &self.other_key("pub.pem"), "--name", "other", "--as", "runner"]).exits(0);
        git(&machine.path(""), &["clone", "-q", self.asker.path("").to_str().unwrap(), "project"]);
        Clone(machine)
    }

    fn stand_by(&self, clone: &Clone, more: &[&str]) -> Child {
        let (url, key) = (self.url(), self.other_key("pem"));
        let arguments = ["standby", "--from", &url, "--project", "p", "--key", &key, "--silence", "30s"];
        let mut command = clone.0.signalled(&[&arguments[..], more].concat());
        command.envs(Queue::shared().map(Queue::address)).current_dir(clone.project()).spawn().unwrap()
    }
}

fn terminate(child: &Child) {
    kill_process(Pid::from_child(child), Signal::TERM).unwrap();
}

fn has_ended(child: &mut Child) -> bool {
    child.try_wait().unwrap().is_some()
}

#[test]
fn a_loop_goes_on_in_a_worktree_of_a_machine_that_stands_by_and_once_that_one_is_gone_in_that_of_the_next() {
    if !has_queue() {
        return;
    }
    let ground = tempfile::tempdir().unwrap();
    let prepared = ground.path().join("prepared");
    let setup = format!("setup: \"git rev-parse --show-toplevel >> {}\"\n", prepared.display());
    let fleet = Fleet::with_agents(&format!("{setup}{SPECIFICATION}"));
    commit(&fleet.asker.path(""));
    let _worker = fleet.work_with(&["--agents"]);
    let run = fleet.orphan(&slow(&fleet), 2);

    let first = fleet.clone();
    let mut standby = fleet.stand_by(&first, &["--worktrees", "../project.loops"]);
    wait_until("the run is taken over", || first.has_run(&run));
    let worktree = first.worktree().unwrap();
    assert_eq!(fs::read_to_string(&prepared).unwrap().trim(), worktree.to_str().unwrap(), "it was set up");
    terminate(&standby);
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(!has_ended(&mut standby), "the run is at hand");
    terminate(&standby);
    let left = finish(standby).exits(1);
    assert!(left.stderr.contains(&format!("{run} is silent: going on with it in")), "{left:?}");

    let second = fleet.clone();
    let standby = fleet.stand_by(&second, &[]);
    wait_until("the run is taken over again", || second.has_run(&run));
    fleet.go();
    let done = second.worktree().unwrap().join("src/done.txt");
    wait_until("the run is over", || {
        let shown = second.0.referee(&["agent", "show", &run, "--format", "json"]);
        shown.code == Some(0) && shown.json()["result"] == "passed"
    });
    terminate(&standby);
    let ended = finish(standby).exits(0);
    assert!(ended.stderr.contains(&format!("{run} has ended with exit code 0: its work is in")), "{ended:?}");
    assert_eq!(fs::read_to_string(done).unwrap(), "1\n");
    assert_eq!(fleet.turns(), 2, "no turn was run twice");
    assert!(!second.project().join("src").exists(), "the checkout itself stays as it was");
}

#[test]
fn a_loop_of_an_incident_goes_on_only_where_an_agent_is_named() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::with_repairable(super::incident_takeover::slow);
    commit(&fleet.asker.path(""));
    let _worker = fleet.work_with(&["--agents"]);
    fleet.orphan_loop();

    let machine = || {
        let clone = fleet.clone();
        clone.0.trust_approver(fleet.asker.state().join("approver.pub.pem").to_str().unwrap(), "ada");
        clone
    };
    let (without, with) = (machine(), machine());
    let idle = fleet.stand_by(&without, &[]);
    let standby = fleet.stand_by(&with, &["--agent", "sh agent.sh", "--agent-label", &fleet.label]);
    wait_until("the incident is taken over", || {
        let found = with.worktree().map(|worktree| worktree.join(incident_run::ROOT).join("error_inbox/inc_1"));
        found.is_some_and(|incident| incident.join("incident.json").exists())
    });
    fleet.go();
    let worktree = with.worktree().unwrap();
    wait_until("the incident is resolved", || worktree.join("src/done.txt").exists());
    terminate(&standby);
    let ended = finish(standby).exits(0);
    assert!(ended.stderr.contains("incident inc_1 has ended with exit code 0"), "{ended:?}");
    assert_eq!(fleet.turns(), 2, "no turn was run twice");
    terminate(&idle);
    let idle = finish(idle).exits(0);
    assert!(idle.stderr.contains("incident inc_1 is silent, and is not taken over: name the agent"), "{idle:?}");
    assert_eq!(without.worktree(), None);
}

#[test]
fn what_cannot_be_trusted_or_checked_out_is_told_once_and_left_alone() {
    if !has_queue() {
        return;
    }
    // It has no commit.
    let fleet = Fleet::with_agents(SPECIFICATION);
    let _worker = fleet.work_with(&["--agents"]);
    let run = fleet.orphan(&slow(&fleet), 2);
    commit(&fleet.asker.path(""));
    let checkpoint = fleet.checkpoint();
    fs::write(checkpoint.with_file_name("exec-run-of-nobody.json"), "{}").unwrap();
    fs::copy(&checkpoint, checkpoint.with_file_name("exec-run-of-another.json")).unwrap();
    fs::write(checkpoint.with_file_name("junk"), "x").unwrap();

    let clone = fleet.clone();
    let standby = fleet.stand_by(&clone, &[]);

    let (url, trusted) = (fleet.url(), fleet.asker_key("pub.pem"));
    let list = || {
        let typed = ["standby", "--list", "--from", &url, "--project", "p", "--format", "json"];
        clone.0.tool(program()).args(typed).current_dir(clone.project()).output().unwrap()
    };
    let listed: Value = serde_json::from_slice(&list().stdout).unwrap();
    let statuses = |list: &Value| {
        let loops = list["loops"].as_array().unwrap().iter();
        loops.map(|entry| (entry["name"].clone(), entry["status"].clone())).collect::<Vec<_>>()
    };
    let own = json!(format!("exec-{run}"));
    let unverified = ["exec-run-of-another", "exec-run-of-nobody"].map(|name| (json!(name), json!("unverified")));
    assert_eq!(statuses(&listed), [&[(own, json!("open"))], &unverified[..]].concat());
    assert_eq!(
        (&listed["loops"][0]["checkpoint"]["of"]["run"], &listed["loops"][0]["checkpoint"]["turn"]),
        (&json!(run), &json!(2))
    );
    fleet.asker.referee(&["key", "trust", &trusted, "--name", "itself", "--as", "runner"]).exits(0);
    let server = fleet.server("p");
    assert_eq!(statuses(&server.get("/api/loops").is(200).json()), statuses(&listed));
    let page = server.ask("GET", "/loops", &[("accept", "text/html")], None).is(200).body;
    assert!(page.contains(&run) && page.contains("cannot be trusted"), "{page}");

    // It looks twice.
    std::thread::sleep(std::time::Duration::from_secs(75));
    terminate(&standby);
    let told = finish(standby).exits(0).stderr;
    for part in [
        format!("{run} is silent, and is not taken over: it began outside of a git repository"),
        "the checkpoint of exec-run-of-nobody cannot be trusted".to_owned(),
        format!("{run} is silent, and is not taken over: its checkpoint has the name of another loop"),
    ] {
        assert_eq!(told.matches(&part).count(), 1, "{part}\n{told}");
    }
    assert_eq!(clone.worktree(), None);
    assert!(!clone.has_run(&run));
    fleet.go();
}

#[test]
fn whoever_stands_by_is_told_what_is_missing() {
    let workspace = Workspace::with(SPECIFICATION);
    let depot = tempfile::tempdir().unwrap();
    let url = format!("file://{}", depot.path().canonicalize().unwrap().display());
    let key = depot.path().canonicalize().unwrap().join("key.pem").display().to_string();
    workspace.referee(&["key", "new", "--out", &key]).exits(0);
    let refused = |arguments: &[&str], part: &str| {
        let refused = workspace.referee(&[&["standby"], arguments].concat()).exits(2);
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    };
    refused(&[], "--from");
    refused(&["--from", &url, "--silence", "29s"], "30s");
    refused(&["--from", &url, "--jobs", "0"], "--jobs");
    refused(&["--from", &url, "--agent", "./repair.sh"], "--agent-label");
    refused(&["--from", &url, "--agent-label", "agents"], "--agent");
    refused(&["--from", &url, "--key", "no.pem"], "no.pem");
    refused(&["--from", &url, "--key", &key], "worktrees of a repository");
    commit(&workspace.path(""));
    refused(&["--from", &url, "--key", &key, "--worktrees", "loops"], "it is in the repository");
}
