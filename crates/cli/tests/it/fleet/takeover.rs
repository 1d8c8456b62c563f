//! Runs of agents whose machine is gone: another one goes on with them, by their last checkpoint.

use std::fs;
use std::path::PathBuf;
use std::process::Child;

use serde_json::{Value, json};

use super::agent_turns::{SPECIFICATION, is_answered, kill};
use super::queue::Queue;
use super::{Fleet, has_queue};
use crate::support::{Finished, Workspace, finish, wait_until};

impl Fleet {
    fn start(&self, machine: &Workspace, arguments: &[&str]) -> Child {
        let mut command = self.command(machine, &[&["agent", "run", "--format", "json"], arguments].concat());
        command.envs(Queue::shared().map(Queue::address)).spawn().unwrap()
    }

    fn other_machine(&self) -> Workspace {
        self.machine_with(Workspace::with(SPECIFICATION))
    }

    /// Another machine with this project, whose key the worker trusts, and which trusts the worker and the first machine.
    pub(super) fn machine_with(&self, machine: Workspace) -> Workspace {
        let (key, public) = (self.other_key("pem"), self.other_key("pub.pem"));
        if !PathBuf::from(&key).exists() {
            machine.referee(&["key", "new", "--out", &key]).exits(0);
            self.worker.referee(&["key", "trust", &public, "--name", "other", "--as", "runner"]).exits(0);
        }
        machine.referee(&["key", "trust", &self.key("pub.pem"), "--name", "worker 1", "--as", "worker"]).exits(0);
        machine.referee(&["key", "trust", &self.asker_key("pub.pem"), "--name", "asker", "--as", "runner"]).exits(0);
        machine
    }

    pub(super) fn other_key(&self, ending: &str) -> String {
        self.asker_key(ending).replace("asker.", "other.")
    }

    fn take_over(&self, machine: &Workspace, run: &str) -> Finished {
        finish(self.resume_elsewhere(machine, run, &[]))
    }

    fn resume_elsewhere(&self, machine: &Workspace, run: &str, more: &[&str]) -> Child {
        let (url, key) = (self.url(), self.other_key("pem"));
        let arguments = ["--resume", run, "--from", &url, "--project", "p", "--key", &key];
        self.start(machine, &[&arguments, more].concat())
    }

    /// Runs an agent on workers until it works for the given time. Returns who asked, and the run.
    fn begin(&self, script: &str, turns: usize) -> (Child, String) {
        let key = self.asker_key("pem");
        let options = ["--agent-label", &self.label, "--key", &key, "--project", "p", "--", "sh", "-c", script];
        let asker = self.start(&self.asker, &options);
        wait_until("the agent works", || self.turns() == turns);
        let list = self.asker.referee(&["agent", "list", "--format", "json"]).exits(0).json();
        (asker, list["runs"][0]["id"].as_str().unwrap_or_else(|| panic!("{list}")).to_owned())
    }

    /// Kills whoever asked for a run while its agent works for the given time. Returns the run.
    pub(super) fn orphan(&self, script: &str, turns: usize) -> String {
        let (mut asker, run) = self.begin(script, turns);
        kill(&mut asker);
        run
    }

    /// The one checkpoint of the depot. The next one, which is being written, has a name that begins with a dot.
    pub(super) fn checkpoint(&self) -> PathBuf {
        let found = fs::read_dir(self.depot.path().join("depot/checkpoints/p")).unwrap();
        let found =
            found.map(|entry| entry.unwrap()).filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
        let names: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
        let [name] = names.as_slice() else { panic!("{names:?}") };
        name.clone()
    }

    /// Number of turns that agents began.
    pub(super) fn turns(&self) -> usize {
        fs::read_to_string(self.depot.path().join("turns")).unwrap_or_default().lines().count()
    }

    /// Lets an agent that waits go on.
    pub(super) fn go(&self) {
        fs::write(self.depot.path().join("go"), "").unwrap();
    }

    /// The same, until its worker has stored the result.
    pub(super) fn end_turn(&self) {
        let receipts = || fs::read_dir(self.depot.path().join("depot/receipts/sha256")).unwrap().count();
        let before = receipts();
        self.go();
        wait_until("the turn is over", || is_answered(self) && before < receipts());
    }
}

/// Checkpoints that no machine goes on from, each with a part of what it says.
pub(super) fn wrong_checkpoints(good: &str) -> [(String, &'static str); 4] {
    let mut unsigned: Value = serde_json::from_str(good).unwrap();
    unsigned["signatures"] = json!([]);
    [
        (String::new(), "cannot be trusted"),
        (good[..good.len() / 2].to_owned(), "cannot be trusted"),
        (unsigned.to_string(), "cannot be trusted"),
        ("x".repeat(2 * 1024 * 1024), "no checkpoint"),
    ]
}

/// An agent that needs two turns, and waits in the second one.
pub(super) fn slow(fleet: &Fleet) -> String {
    let ground = fleet.depot.path().display();
    format!(
        "echo x >> {ground}/turns; mkdir -p src; if ! [ -e src/first.txt ]; then echo 1 > src/first.txt; exit 0; fi; \
         while ! [ -e {ground}/go ]; do sleep 0.1; done; cat > src/prompt.txt; echo 1 > src/done.txt; echo said"
    )
}

fn orphan(fleet: &Fleet) -> String {
    fleet.orphan(&slow(fleet), 2)
}

#[test]
fn another_machine_goes_on_with_a_run_whose_machine_is_gone_and_the_agent_works_once() {
    if !has_queue() {
        return;
    }
    for is_over in [true, false] {
        let fleet = Fleet::with_agents(SPECIFICATION);
        let _worker = fleet.work_with(&["--agents"]);
        let run = orphan(&fleet);
        if is_over {
            fleet.end_turn();
        }
        let machine = fleet.other_machine();
        let ended = std::thread::scope(|scope| {
            let other = scope.spawn(|| fleet.take_over(&machine, &run));
            if !is_over {
                wait_until("the run is taken over", || {
                    machine.state().join("agents").join(&run).join("run.json").exists()
                });
                fleet.go();
            }
            other.join().unwrap()
        });
        let ended = ended.exits(0).json();
        assert_eq!((&ended["result"], &ended["iteration"]), (&json!("passed"), &json!(2)), "{ended}");
        assert_eq!(ended["id"], run.as_str());
        assert_eq!(fleet.turns(), 2, "no turn was run twice");
        for file in ["src/first.txt", "src/done.txt"] {
            assert_eq!(fs::read_to_string(machine.path(file)).unwrap(), "1\n", "{file}");
        }
        assert!(fs::read_to_string(machine.path("src/prompt.txt")).unwrap().contains("done"), "it had the failures");
        let shown = machine.referee(&["agent", "show", &run]).exits(0).stdout;
        assert!(shown.contains("turn 1") && shown.contains("turn 2"), "{shown}");
        // The machine that is not gone after all is told.
        let refused = finish(fleet.start(&fleet.asker, &["--resume", &run]));
        assert!(
            refused.code != Some(0) && refused.stderr.contains(&format!("another machine has taken {run} over")),
            "{refused:?}"
        );
        let again = fleet.take_over(&fleet.other_machine(), &run);
        assert!(again.code != Some(0) && again.stderr.contains("trusted"), "{again:?}");
    }
}

#[test]
fn a_machine_that_stands_by_waits_while_the_other_one_lives_and_goes_on_once_it_is_silent() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::with_agents(SPECIFICATION);
    let _worker = fleet.work_with(&["--agents"]);
    let (mut asker, run) = fleet.begin(&slow(&fleet), 2);
    let changed = fleet.other_machine();
    changed.write("src/own.txt", "own\n");
    let refused = finish(fleet.resume_elsewhere(&changed, &run, &["--standby"]));
    assert!(refused.code != Some(0) && refused.stderr.contains("src/own.txt differs"), "at once: {refused:?}");
    let machine = fleet.other_machine();
    let standby = fleet.resume_elsewhere(&machine, &run, &["--standby=30s"]);
    let taken = || machine.state().join("agents").join(&run).join("run.json").exists();
    let checkpoint = fleet.checkpoint();
    for _ in 0..4 {
        let before = fs::read(&checkpoint).unwrap();
        wait_until("the checkpoint is renewed", || fs::read(&checkpoint).is_ok_and(|now| now != before));
        assert!(!taken(), "the other machine lives");
    }
    kill(&mut asker);
    wait_until("the run is taken over", taken);
    fleet.go();
    let ended = finish(standby).exits(0).json();
    assert_eq!((&ended["result"], &ended["id"]), (&json!("passed"), &json!(run)), "{ended}");
    assert_eq!(fleet.turns(), 2, "no turn was run twice");
}

#[test]
fn a_run_is_taken_over_only_from_a_trusted_checkpoint_into_the_workspace_that_it_began_with() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::with_agents(SPECIFICATION);
    let _worker = fleet.work_with(&["--agents"]);
    let run = orphan(&fleet);
    let refused = |machine: &Workspace, run: &str, part: &str| {
        let refused = fleet.take_over(machine, run);
        assert!(refused.code != Some(0) && refused.stderr.contains(part), "{refused:?}");
        assert!(
            !machine.path("src/first.txt").exists()
                && !machine.state().join("agents").join(run).join("run.json").exists()
        );
    };
    let machine = fleet.other_machine();
    refused(&machine, "run-1", "has no checkpoint of run-1");
    refused(&machine, "../run", "no id of a run");
    let stranger = Workspace::with(SPECIFICATION);
    stranger.referee(&["key", "trust", &fleet.key("pub.pem"), "--name", "worker 1", "--as", "worker"]).exits(0);
    refused(&stranger, &run, "cannot be trusted");
    let changed = fleet.other_machine();
    changed.write("src/own.txt", "own\n");
    refused(&changed, &run, "src/own.txt differs");
    let other = fleet.other_machine();
    other.write("referee.yaml", format!("{SPECIFICATION}  more: \"true\"\n"));
    refused(&other, &run, "is not here as it was");

    let file = fleet.checkpoint();
    let good = fs::read_to_string(&file).unwrap();
    for (wrong, part) in wrong_checkpoints(&good) {
        fs::write(&file, wrong).unwrap();
        refused(&machine, &run, part);
    }
    fs::write(&file, good).unwrap();
    fleet.go();
    assert_eq!(fleet.take_over(&machine, &run).exits(0).json()["result"], "passed");
    machine.referee(&["key", "trust", &fleet.other_key("pub.pem"), "--name", "other", "--as", "runner"]).exits(0);
    let over = fleet.take_over(&machine, &run);
    assert!(over.code != Some(0) && over.stderr.contains("is over (passed)"), "{over:?}");
}
