//! Incidents whose machine is gone: another one goes on with their loop, by what it can verify itself.

use std::fs;
use std::process::Child;

use serde_json::{Value, json};

use super::agent_turns::kill;
use super::queue::Queue;
use super::takeover::wrong_checkpoints;
use super::{Fleet, has_queue};
use crate::incident_run;
use crate::support::{Finished, Workspace, at_a_terminal, finish, wait_until};

const ROOT: &str = ".referee/reports";
const SPECIFICATION: &str = "checks:\n  done: { run: sh check.sh }\n";

impl Fleet {
    /// One with an incident that only a file outside of the workspaces can make pass without an agent.
    pub(super) fn with_repairable(agent: impl FnOnce(&str) -> String) -> Self {
        let fleet = Self::with_proposed(agent);
        incident_run::approve(&fleet.asker);
        fleet
    }

    fn with_proposed(agent: impl FnOnce(&str) -> String) -> Self {
        let fleet = Self::with_unapproved_incident(|ground| agent(&ground.display().to_string()));
        fleet.prepare(&fleet.asker);
        fleet
    }

    fn prepare(&self, machine: &Workspace) {
        let ground = self.depot.path().display();
        machine.write("referee.yaml", SPECIFICATION);
        machine.write("check.sh", format!("test -f src/done.txt || test -e {ground}/green || exit 3\n"));
    }

    /// Another machine with the same project and no incident, which trusts everybody that it has to.
    fn project_elsewhere(&self) -> Workspace {
        let machine = self.trusting_machine();
        machine.trust_approver(self.asker.state().join("approver.pub.pem").to_str().unwrap(), "ada");
        machine
    }

    /// The same, but for whoever approved.
    fn trusting_machine(&self) -> Workspace {
        let machine = self.machine_with(incident_run::with_agent(""));
        self.prepare(&machine);
        fs::remove_dir_all(machine.path(ROOT)).unwrap();
        fs::copy(self.asker.path("agent.sh"), machine.path("agent.sh")).unwrap();
        machine
    }

    fn start_loop(&self, machine: &Workspace, key: &str, options: &[&str]) -> Child {
        let typed = ["incident", "run", "inc_1", "--agent", "sh agent.sh", "--format", "json", "--project", "p"];
        let workers = ["--agent-label", &self.label, "--key", key];
        let mut command = self.command(machine, &[&typed[..], &workers, options].concat());
        command.envs(Queue::shared().map(Queue::address)).spawn().unwrap()
    }

    fn begin_loop(&self, options: &[&str]) -> Child {
        self.start_loop(&self.asker, &self.asker_key("pem"), options)
    }

    fn start_takeover(&self, machine: &Workspace) -> Child {
        self.start_loop(machine, &self.other_key("pem"), &["--from", &self.url()])
    }

    fn take_incident(&self, machine: &Workspace) -> Finished {
        finish(self.start_takeover(machine))
    }

    /// Runs the loop until the agent works for the second time, and kills whoever asked.
    pub(super) fn orphan_loop(&self) {
        let mut killed = self.begin_loop(&[]);
        wait_until("the agent works", || self.turns() == 2);
        kill(&mut killed);
    }
}

/// An agent that needs two turns, and waits in the second one.
pub(super) fn slow(ground: &str) -> String {
    format!(
        "echo x >> {ground}/turns; if ! [ -e src/first.txt ]; then echo 1 > src/first.txt; exit 0; fi; while ! [ -e {ground}/go ]; \
         do sleep 0.1; done; echo 1 > src/done.txt"
    )
}

fn has_incident(machine: &Workspace) -> bool {
    ["error_inbox", "error_plans", "error_archive"].iter().any(|name| machine.path(&format!("{ROOT}/{name}")).exists())
}

fn events(machine: &Workspace) -> Vec<Value> {
    let text = fs::read_to_string(machine.path(&format!("{ROOT}/events.jsonl"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn another_machine_goes_on_with_an_incident_whose_machine_is_gone_and_the_agent_works_once() {
    if !has_queue() {
        return;
    }
    for is_over in [true, false] {
        let fleet = Fleet::with_repairable(slow);
        let _worker = fleet.work_with(&["--agents"]);
        fleet.orphan_loop();
        if is_over {
            fleet.end_turn();
        }
        let machine = fleet.project_elsewhere();
        let arrived = machine.path(&format!("{ROOT}/error_inbox/inc_1/incident.json"));
        if !is_over {
            // It is cut off, once with the incident and once without it, and does not have to begin again.
            for is_lost in [false, true] {
                let mut cut_off = fleet.start_takeover(&machine);
                wait_until("the incident is taken over", || arrived.exists());
                kill(&mut cut_off);
                if is_lost {
                    fs::remove_dir_all(machine.path(ROOT)).unwrap();
                }
            }
            assert!(machine.path("src/first.txt").exists());
        }
        let going = fleet.start_takeover(&machine);
        fleet.go();
        let result = finish(going).exits(0).json();
        assert_eq!((&result["final_status"], &result["loops_used"]), (&json!("resolved"), &json!(2)), "{result}");
        assert_eq!(fleet.turns(), 2, "no turn was run twice");
        for file in ["src/first.txt", "src/done.txt"] {
            assert_eq!(fs::read_to_string(machine.path(file)).unwrap(), "1\n", "{file}");
        }
        let events = events(&machine);
        let first = &events[0];
        assert_eq!(
            (&first["action"], &first["to"], &first["from"]),
            (&json!("take_over"), &json!("running"), &Value::Null)
        );
        assert!(first["note"].as_str().unwrap().contains("from another machine: checkpoint "), "{first}");
        let earlier = machine.path(&format!("{ROOT}/error_runs/inc_1/attempt_01.json"));
        assert!(fs::read_to_string(earlier).unwrap().contains("\"verification_passed\": false"));
        let approval = format!("{ROOT}/error_plans/inc_1/approval.json");
        assert_eq!(fs::read(machine.path(&approval)).unwrap(), fs::read(fleet.asker.path(&approval)).unwrap());

        // The machine that is not gone after all is told, and changes nothing.
        let before = fs::read(fleet.asker.path(&format!("{ROOT}/events.jsonl"))).unwrap();
        let refused = finish(fleet.begin_loop(&[])).exits(1);
        assert!(refused.stderr.contains("another machine has taken incident inc_1 over"), "{refused:?}");
        assert_eq!(before, fs::read(fleet.asker.path(&format!("{ROOT}/events.jsonl"))).unwrap());
        // Nobody goes on with what is closed.
        let third = fleet.project_elsewhere();
        third.referee(&["key", "trust", &fleet.other_key("pub.pem"), "--name", "other", "--as", "runner"]).exits(0);
        let refused = fleet.take_incident(&third).exits(1);
        assert!(refused.stderr.contains("is closed (resolved)"), "{refused:?}");
        assert!(!has_incident(&third));
    }
}

#[test]
fn a_machine_that_was_only_cut_off_decides_nothing_after_another_one_went_on() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::with_repairable(slow);
    let _worker = fleet.work_with(&["--agents"]);
    let still = fleet.begin_loop(&[]);
    wait_until("the agent works", || fleet.turns() == 2);
    let machine = fleet.project_elsewhere();
    let going = fleet.start_takeover(&machine);
    let arrived = machine.path(&format!("{ROOT}/error_inbox/inc_1/incident.json"));
    wait_until("the incident is taken over", || arrived.exists());
    fleet.go();
    let refused = finish(still).exits(1);
    assert!(refused.stderr.contains("another machine has taken incident inc_1 over"), "{refused:?}");
    let status = fs::read_to_string(fleet.asker.path(&format!("{ROOT}/error_inbox/inc_1/status.txt"))).unwrap();
    assert_eq!(status, "running\n");
    assert_eq!(finish(going).exits(0).json()["final_status"], "resolved");
}

#[test]
fn an_incident_is_taken_over_only_by_what_this_machine_can_verify_and_nothing_changes_before() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::with_repairable(slow);
    let _worker = fleet.work_with(&["--agents"]);
    fleet.orphan_loop();
    let file = fleet.checkpoint();
    let good = fs::read_to_string(&file).unwrap();
    let refused = |machine: &Workspace, part: &str| {
        let before = fs::read(&file).unwrap();
        let refused = fleet.take_incident(machine);
        assert!(refused.code != Some(0) && refused.stderr.contains(part), "{part}: {refused:?}");
        assert!(!machine.path("src/first.txt").exists() && !has_incident(machine), "{part}");
        assert_eq!(before, fs::read(&file).unwrap(), "{part}");
    };
    let machine = fleet.project_elsewhere();
    let key = fleet.other_key("pem");
    let from = ["incident", "run", "inc_1", "--from", &fleet.url(), "--key", &key];
    machine.referee(&from).exits(2);
    machine.referee(&[&from[..], &["--agent", "true"]].concat()).exits(2);
    machine.referee(&[&from[..], &["--agent-label", "x"]].concat()).exits(2);

    let stranger = Workspace::with(SPECIFICATION);
    stranger.referee(&["key", "trust", &fleet.key("pub.pem"), "--name", "worker 1", "--as", "worker"]).exits(0);
    fleet.prepare(&stranger);
    refused(&stranger, "cannot be trusted");
    refused(&fleet.trusting_machine(), "is not approved on this machine");
    let changed = fleet.project_elsewhere();
    changed.write("src/own.txt", "own\n");
    refused(&changed, "src/own.txt differs");
    let other = fleet.project_elsewhere();
    other.write("referee.yaml", format!("{SPECIFICATION}  more: \"true\"\n"));
    refused(&other, "is not here as it was");
    fs::write(fleet.depot.path().join("green"), "").unwrap();
    refused(&machine, "nothing shows on this machine that it is real");
    fs::remove_file(fleet.depot.path().join("green")).unwrap();
    // One that is here already, and that this machine knows nothing of.
    let known = fleet.project_elsewhere();
    let inbox = format!("{ROOT}/error_inbox/inc_1");
    for name in ["incident.json", "status.txt"] {
        known.write(&format!("{inbox}/{name}"), fs::read(fleet.asker.path(&format!("{inbox}/{name}"))).unwrap());
    }
    let here = fleet.take_incident(&known).exits(1);
    assert!(here.stderr.contains("is here already") && !known.path("src/first.txt").exists(), "{here:?}");
    assert!(!known.path(&format!("{ROOT}/error_plans")).exists());

    for (wrong, part) in wrong_checkpoints(&good) {
        fs::write(&file, wrong).unwrap();
        refused(&machine, part);
    }
    fs::remove_file(&file).unwrap();
    let missing = fleet.take_incident(&machine).exits(1);
    assert!(missing.stderr.contains("has no checkpoint of incident inc_1"), "{missing:?}");
    fs::write(&file, good).unwrap();
    fleet.go();
    assert_eq!(fleet.take_incident(&machine).exits(0).json()["final_status"], "resolved");
}

#[test]
fn an_approval_that_nobody_signed_does_not_travel() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::with_proposed(slow);
    at_a_terminal(&fleet.asker.command(&["incident", "approve", "inc_1", "--by", "Ada"]), "").exits(0);
    let _worker = fleet.work_with(&["--agents"]);
    fleet.orphan_loop();
    let machine = fleet.trusting_machine();
    let refused = fleet.take_incident(&machine).exits(1);
    for part in ["not given at a terminal of this user's", "referee incident approve inc_1 --key KEY"] {
        assert!(refused.stderr.contains(part), "{refused:?}");
    }
    assert!(!has_incident(&machine) && !machine.path("src/first.txt").exists());
    // Where it was given it counts on.
    fleet.go();
    let result = finish(fleet.begin_loop(&[])).exits(0).json();
    assert_eq!((&result["final_status"], fleet.turns()), (&json!("resolved"), 2), "{result}");
}

#[test]
fn a_person_approves_another_plan_on_the_machine_that_took_the_incident_over() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::with_repairable(|ground| {
        format!("echo x >> {ground}/turns; echo x >> src/tried.txt; ! [ -e {ground}/go ] || echo 1 > src/done.txt")
    });
    let _worker = fleet.work_with(&["--agents"]);
    let result = finish(fleet.begin_loop(&["--same-error-limit", "9"])).exits(1).json();
    assert_eq!(result["final_status"], "replan_requested", "{result}");
    let turns = fleet.turns();

    let machine = fleet.project_elsewhere();
    let refused = fleet.take_incident(&machine).exits(1);
    assert!(refused.stderr.contains("its plan must be approved first"), "{refused:?}");
    assert_eq!(
        fs::read_to_string(machine.path(&format!("{ROOT}/error_inbox/inc_1/status.txt"))).unwrap(),
        "plan_proposed\n"
    );
    assert!(!machine.path("src/tried.txt").exists(), "the loop begins anew");
    fleet.go();
    fs::copy(fleet.asker.state().join("approver.pem"), machine.state().join("approver.pem")).unwrap();
    incident_run::approve(&machine);
    let result = fleet.take_incident(&machine).exits(0).json();
    assert_eq!((&result["final_status"], &result["loops_used"]), (&json!("resolved"), &json!(1)), "{result}");
    assert_eq!(fleet.turns(), turns + 1);
}
