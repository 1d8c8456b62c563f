//! Turns of agents on workers: what the agent makes of the workspace comes back, and a loop goes on as if it had run here.

use std::fs;
use std::path::Path;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::queue::Queue;
use super::{Fleet, Worker, has_queue, without_place};
use crate::incident_run;
use crate::support::{Finished, finish, git, wait_until};

/// Passes where the agent has made a file.
pub(super) const SPECIFICATION: &str = "outputs: [made]\nchecks:\n  done: { run: \"test -f src/done.txt\" }\n";

/// Fleets whose asker has a key that the worker trusts.
impl Fleet {
    pub(super) fn with_agents(specification: &str) -> Self {
        let fleet = Self::new(specification);
        let (key, public) = (fleet.asker_key("pem"), fleet.asker_key("pub.pem"));
        fleet.asker.referee(&["key", "new", "--out", &key]).exits(0);
        fleet.worker.referee(&["key", "trust", &public, "--name", "asker", "--as", "runner"]).exits(0);
        fleet
    }

    pub(super) fn asker_key(&self, ending: &str) -> String {
        self.depot.path().canonicalize().unwrap().join(format!("asker.{ending}")).display().to_string()
    }

    /// Starts a worker with more options. Its agents see a variable of it.
    pub(super) fn work_with(&self, options: &[&str]) -> Worker {
        let mut command = self.worker_command(&self.key("pem"), options);
        command.env("MACHINE", "worker").env("AWS_SECRET_ACCESS_KEY", "of the depot");
        Worker::start(command)
    }

    /// Runs the agent of a project, on workers if there are options.
    fn agent(&self, options: &[&str], script: &str) -> Finished {
        let arguments = [&["agent", "run", "--format", "json"], options, &["--", "sh", "-c", script]].concat();
        let mut command = self.command(&self.asker, &arguments);
        command.envs(Queue::shared().map(Queue::address)).env("MACHINE", "asker");
        finish(command.spawn().unwrap())
    }

    /// One whose asker has an approved incident, which this agent is to repair.
    fn with_incident(agent: impl FnOnce(&Path) -> String) -> Self {
        let fleet = Self::with_unapproved_incident(agent);
        incident_run::approve(&fleet.asker);
        fleet
    }

    pub(super) fn with_unapproved_incident(agent: impl FnOnce(&Path) -> String) -> Self {
        let mut fleet = Self::with_agents(SPECIFICATION);
        fleet.asker = incident_run::with_agent(&agent(fleet.depot.path()));
        fleet.asker.referee(&["key", "trust", &fleet.key("pub.pem"), "--name", "worker 1", "--as", "worker"]).exits(0);
        fleet
    }

    /// Starts the loop of the incident, whose agent runs on workers.
    fn start_incident(&self) -> Child {
        let arguments = ["incident", "run", "inc_1", "--agent", "sh agent.sh", "--format", "json"];
        let key = self.asker_key("pem");
        let workers = ["--agent-label", &self.label, "--key", &key];
        let mut command = self.command(&self.asker, &[&arguments[..], &workers].concat());
        command.envs(Queue::shared().map(Queue::address)).spawn().unwrap()
    }

    fn on_workers(&self, options: &[&str], script: &str) -> Finished {
        let key = self.asker_key("pem");
        self.agent(&[&["--agent-label", &self.label, "--key", &key], options].concat(), script)
    }
}

#[test]
fn an_agent_on_a_worker_says_what_it_lacks_before_anything_runs() {
    let fleet = Fleet::new(SPECIFICATION);
    let label = ["--agent-label", &fleet.label];
    let refused = fleet.agent(&label, "touch src/done.txt").exits(2);
    assert!(refused.stderr.contains("name a key with --key"), "{}", refused.stderr);
    let refused =
        finish(fleet.asker.command(&[&["agent", "run"], &label[..], &["--", "true"]].concat()).spawn().unwrap());
    assert!(refused.exits(2).stderr.contains("--agent-label needs a depot"));
    fleet.asker.referee(&["agent", "run", "--evidence", "/depot", "--", "true"]).exits(2);
}

#[test]
fn what_an_agent_makes_of_the_workspace_on_a_worker_comes_back_and_nothing_else_changes() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::with_agents(SPECIFICATION);
    let asker = &fleet.asker;
    asker.write(".gitignore", "ignored\n");
    asker.write("src/old.txt", "old\n");
    asker.write("ignored/tracked.txt", "kept\n");
    git(&asker.path(""), &["init", "--quiet"]);
    git(&asker.path(""), &["add", "--force", "."]);
    asker.write("ignored/own.txt", "own\n");
    let _worker = fleet.work_with(&["--agents"]);
    let ended = fleet.on_workers(
        &[],
        "rm src/old.txt; mkdir -p ignored made; touch ignored/own.txt ignored/other.txt made/output.txt; \
         env > src/done.txt; cat > src/prompt.txt; cat \"$REFEREE_DIAGNOSTICS\" > src/told.txt; pwd; echo said; echo err >&2",
    );
    let run = ended.exits(0).json();
    assert_eq!(run["result"], "passed", "{run}");
    let environment = fs::read_to_string(asker.path("src/done.txt")).unwrap();
    assert!(environment.contains("MACHINE=worker"), "{environment}");
    assert!(!environment.contains("of the depot") && !environment.contains("TEMPORAL_"), "{environment}");
    assert!(!asker.path("src/old.txt").exists());
    assert_eq!(fs::read_to_string(asker.path("ignored/own.txt")).unwrap(), "own\n");
    assert_eq!(fs::read_to_string(asker.path("ignored/tracked.txt")).unwrap(), "kept\n");
    assert!(!asker.path("ignored/other.txt").exists() && !asker.path("made").exists());
    let id = run["id"].as_str().unwrap();
    let agent = asker.state().join("agents").join(id).join("agent-1.json");
    let agent: Value = serde_json::from_slice(&fs::read(&agent).unwrap()).unwrap();
    assert!(agent["stdout"].as_str().unwrap().ends_with("said\n"), "{agent}");
    assert_eq!(agent["stderr"], "err\n");
}

/// Scripts of agents, of which a run here and one on a worker have to end alike.
const AGENTS: &[&str] = &[
    "echo 1 > src/done.txt",
    "exit 3",
    "echo nothing done",
    "[ -f src/first.txt ] && echo 1 > src/done.txt; echo 1 > src/first.txt",
    "kill -9 $$",
    "echo 1 > src/done.txt; sleep 60 & disown 2>/dev/null; exit 0",
    "sleep 60",
    "no-such-program-at-all",
    "echo '{\"type\":\"result\",\"is_error\":true,\"result\":\"no\"}'; exit 0",
];

/// Returns a run without what tells of its time and place.
fn placeless(mut run: Value) -> Value {
    for key in ["id", "workOrderId", "startedAt", "completedAt"] {
        run.as_object_mut().unwrap().remove(key);
    }
    without_place(&mut run);
    run
}

#[test]
fn a_run_of_an_agent_ends_on_a_worker_as_it_ends_here() {
    if !has_queue() {
        return;
    }
    for script in AGENTS {
        let options = ["--max-iterations", "2", "--agent-timeout", "3s"];
        let fleet = Fleet::with_agents(SPECIFICATION);
        fleet.asker.write("src/a.txt", "a\n");
        let _worker = fleet.work_with(&["--agents"]);
        let there = fleet.on_workers(&options, script);
        let other = Fleet::with_agents(SPECIFICATION);
        other.asker.write("src/a.txt", "a\n");
        let key = other.asker_key("pem");
        let here = other.agent(&[&options[..], &["--key", &key]].concat(), script);
        assert_eq!(there.code, here.code, "{script}: {there:?}");
        assert_eq!(placeless(there.json()), placeless(here.json()), "{script}");
    }
}

#[test]
fn a_worker_runs_agents_for_those_whom_it_trusts_and_only_if_it_is_to() {
    if !has_queue() {
        return;
    }
    for (options, is_trusted, part) in [
        (&[][..], true, "--agents"),
        (&["--agents"], false, "does not trust who signed"),
        (&["--signed"], true, "--agents"),
    ] {
        let fleet = if is_trusted { Fleet::with_agents(SPECIFICATION) } else { Fleet::new(SPECIFICATION) };
        if !is_trusted {
            fleet.asker.referee(&["key", "new", "--out", &fleet.asker_key("pem")]).exits(0);
        }
        let _worker = fleet.work_with(options);
        let refused = fleet.on_workers(&[], "touch src/done.txt");
        assert_eq!(refused.code, Some(6), "{refused:?}");
        assert!(refused.stdout.contains(part), "{refused:?}");
        assert!(!fleet.asker.path("src").exists());
    }
}

#[test]
fn a_worker_that_performs_signed_orders_alone_says_so_and_performs_those() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::with_agents("checks:\n  speak: echo hello\n");
    let _worker = fleet.work_with(&["--signed"]);
    let refused = fleet.run(&[]).exits(5);
    assert!(refused.told().contains("this one is not signed"), "{refused:?}");
    let key = fleet.asker_key("pem");
    fleet.run(&["--key", &key]).exits(0);
    let stranger = fleet.depot.path().join("stranger.pem").display().to_string();
    fleet.asker.referee(&["key", "new", "--out", &stranger]).exits(0);
    let refused = fleet.run(&["--key", &stranger, "--only", "speak"]).exits(5);
    assert!(refused.told().contains("does not trust who signed"), "{refused:?}");
}

#[test]
fn a_turn_of_a_worker_that_is_not_trusted_changes_nothing() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::with_agents(SPECIFICATION);
    fleet.worker.referee(&["key", "new", "--out", &fleet.key("other.pem")]).exits(0);
    let other = fleet.key("other.pem");
    let _worker = Worker::start(fleet.worker_command(&other, &["--agents"]));
    let refused = fleet.on_workers(&[], "mkdir src; touch src/done.txt");
    assert_eq!(refused.code, Some(6), "{refused:?}");
    assert!(refused.stdout.contains("cannot be trusted"), "{refused:?}");
    assert!(!fleet.asker.path("src").exists());
}

#[test]
fn what_was_changed_here_while_the_agent_worked_elsewhere_is_not_overwritten() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::with_agents(SPECIFICATION);
    fleet.asker.write("src/a.txt", "a\n");
    let go = fleet.depot.path().join("go");
    let began = fleet.depot.path().join("began");
    let script = format!(
        "touch {}; while ! [ -e {} ]; do sleep 0.1; done; echo theirs > src/a.txt; touch src/done.txt",
        began.display(),
        go.display()
    );
    let _worker = fleet.work_with(&["--agents"]);
    let ended = std::thread::scope(|scope| {
        let running = scope.spawn(|| fleet.on_workers(&[], &script));
        wait_until("the agent works", || began.exists());
        fleet.asker.write("src/a.txt", "mine\n");
        fs::write(&go, "").unwrap();
        running.join().unwrap()
    });
    assert_eq!(ended.code, Some(6), "{ended:?}");
    assert!(ended.stdout.contains("changed on this machine as well"), "{ended:?}");
    assert_eq!(fs::read_to_string(fleet.asker.path("src/a.txt")).unwrap(), "mine\n");
    assert!(!fleet.asker.path("src/done.txt").exists());
}

/// An agent that says when it works, waits until it may go on, and counts its turns outside of the workspace.
fn patient(ground: &Path) -> String {
    let ground = ground.display();
    format!(
        "echo x >> {ground}/turns; while ! [ -e {ground}/go ]; do sleep 0.1; done; mkdir -p src; echo 1 > src/done.txt; echo said"
    )
}

pub(super) fn kill(child: &mut Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Returns whether the depot has the result of a turn.
pub(super) fn is_answered(fleet: &Fleet) -> bool {
    let receipts = fleet.depot.path().join("depot/receipts/sha256");
    fs::read_dir(receipts).is_ok_and(|mut found| found.next().is_some())
}

#[test]
fn a_turn_outlives_whoever_asked_and_is_taken_over_when_the_run_is_resumed() {
    if !has_queue() {
        return;
    }
    for is_over in [true, false] {
        let fleet = Fleet::with_agents(SPECIFICATION);
        let _worker = fleet.work_with(&["--agents"]);
        let (ground, key) = (fleet.depot.path().to_path_buf(), fleet.asker_key("pem"));
        let script = patient(&ground);
        let start = |arguments: &[&str]| {
            let mut command = fleet.command(&fleet.asker, &[&["agent", "run", "--format", "json"], arguments].concat());
            command.envs(Queue::shared().map(Queue::address)).spawn().unwrap()
        };
        let mut killed = start(&["--agent-label", &fleet.label, "--key", &key, "--", "sh", "-c", &script]);
        wait_until("the agent works", || ground.join("turns").exists());
        kill(&mut killed);
        if is_over {
            fs::write(ground.join("go"), "").unwrap();
            wait_until("the turn is over", || is_answered(&fleet));
        }
        let list = fleet.asker.referee(&["agent", "list", "--format", "json"]).exits(0).json();
        let run = list["runs"][0]["id"].as_str().unwrap_or_else(|| panic!("{list}")).to_owned();
        assert!(!fleet.asker.path("src").exists());
        let resumed = start(&["--resume", &run]);
        if !is_over {
            fs::write(ground.join("go"), "").unwrap();
        }
        let ended = finish(resumed).exits(0).json();
        assert_eq!((&ended["result"], &ended["iteration"]), (&json!("passed"), &json!(1)), "{ended}");
        assert_eq!(ended["warnings"], json!([]));
        assert_eq!(fs::read_to_string(ground.join("turns")).unwrap(), "x\n", "no turn was run twice");
    }
}

#[test]
fn a_turn_of_an_incident_outlives_whoever_asked() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::with_incident(patient);
    let ground = fleet.depot.path().to_path_buf();
    let _worker = fleet.work_with(&["--agents"]);
    let mut killed = fleet.start_incident();
    wait_until("the agent works", || ground.join("turns").exists());
    kill(&mut killed);
    fs::write(ground.join("go"), "").unwrap();
    wait_until("the turn is over", || is_answered(&fleet));
    let result = finish(fleet.start_incident()).exits(0).json();
    assert_eq!((&result["final_status"], &result["loops_used"]), (&json!("resolved"), &json!(1)), "{result}");
    assert_eq!(fs::read_to_string(ground.join("turns")).unwrap(), "x\n");
}

#[test]
fn a_turn_of_an_incident_that_is_given_up_or_cannot_be_taken_over_counts_and_the_loop_goes_on() {
    if !has_queue() {
        return;
    }
    for is_interrupted in [true, false] {
        let fleet = Fleet::with_incident(patient);
        let ground = fleet.depot.path().to_path_buf();
        let _worker = fleet.work_with(&["--agents"]);
        let mut first = fleet.start_incident();
        wait_until("the agent works", || ground.join("turns").exists());
        if is_interrupted {
            kill_process(Pid::from_child(&first), Signal::INT).unwrap();
            finish(first).exits(130);
        } else {
            kill(&mut first);
            fleet.asker.write("src/done.txt", "mine\n");
            fs::write(ground.join("go"), "").unwrap();
            wait_until("the turn is over", || is_answered(&fleet));
            let refused = finish(fleet.start_incident());
            assert!(refused.stderr.contains("changed on this machine as well"), "{refused:?}");
            assert_eq!(fs::read_to_string(fleet.asker.path("src/done.txt")).unwrap(), "mine\n");
            fs::remove_file(fleet.asker.path("src/done.txt")).unwrap();
        }
        fs::write(ground.join("go"), "").unwrap();
        let result = finish(fleet.start_incident()).exits(0).json();
        assert_eq!((&result["final_status"], &result["loops_used"]), (&json!("resolved"), &json!(2)), "{result}");
        assert_eq!(fs::read_to_string(ground.join("turns")).unwrap(), "x\nx\n", "the turn that counts is not repeated");
    }
}

#[test]
fn an_incident_is_repaired_by_an_agent_on_a_worker_and_judged_here() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::with_incident(|_| "touch src/done.txt; echo \"$MACHINE\" > src/where.txt".to_owned());
    let _worker = fleet.work_with(&["--agents"]);
    let result = finish(fleet.start_incident()).exits(0).json();
    assert_eq!((&result["final_status"], &result["loops_used"]), (&json!("resolved"), &json!(1)), "{result}");
    assert_eq!(fs::read_to_string(fleet.asker.path("src/where.txt")).unwrap(), "worker\n");
    assert_eq!(fs::read_to_string(fleet.asker.path("turns.txt")).unwrap(), "x\n");
}
