//! Stops of agents in projects that are enrolled with workers.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use super::queue::Queue;
use super::{Fleet, has_queue};
use crate::depot::is_built;
use crate::support::{Finished, finish, in_an_agents_shell};

/// Passes as soon as there is something in `work.txt`.
const SPECIFICATION: &str = "checks:\n  work: { file: work.txt, minSize: 1 }\n";

impl Fleet {
    fn enroll(&self, more: &[&str]) -> Finished {
        let arguments = [&["enroll", "--fleet", "--format", "json"], more].concat();
        finish(self.command(&self.asker, &arguments).spawn().unwrap())
    }

    /// Tells the hook of an event, without the variable that names the depot.
    fn tell(&self, event: &str, session: &str, queue: (&str, String)) -> Finished {
        let event = json!({
            "session_id": session, "transcript_path": null, "cwd": self.asker.path(""), "hook_event_name": event,
            "source": "startup", "stop_hook_active": false, "last_assistant_message": "I looked at it.",
        });
        let mut command = self.asker.command(&["hook", "claude", "--deadline", "60s"]);
        let mut child = command.stdin(Stdio::piped()).envs([queue]).spawn().unwrap();
        drop(child.stdin.take().unwrap().write_all(event.to_string().as_bytes()));
        finish(child).exits(0)
    }

    /// Stops in a session in which something was changed. Returns why the agent is sent back, if it is.
    fn stop(&self, session: &str, queue: (&str, String)) -> Option<String> {
        self.tell("SessionStart", session, queue.clone());
        self.asker.write("notes.txt", session);
        let answer = self.tell("Stop", session, queue);
        let answer = if answer.stdout.is_empty() { Value::Null } else { answer.json() };
        answer["reason"].as_str().map(str::to_owned).filter(|_| answer["decision"] == "block")
    }
}

#[test]
fn the_checks_of_an_agents_stop_are_run_by_the_workers_that_the_project_is_enrolled_with() {
    if !has_queue() {
        return;
    }
    let fleet = Fleet::new(SPECIFICATION);
    let record = fleet.enroll(&["--label", &fleet.label]).exits(0).json();
    assert_eq!(record["fleet"]["labels"], json!([fleet.label]));
    let address = || Queue::shared().unwrap().address();
    let worker = fleet.work();
    let reason = fleet.stop("one", address()).unwrap();
    assert!(reason.contains("work.txt"), "{reason}");
    fleet.asker.write("work.txt", "done\n");
    assert_eq!(fleet.stop("two", address()), None);
    let evidence = fleet.asker.evidence("T001");
    assert!(evidence.contains_key("fleet-result.dsse.json"), "{:?}", evidence.keys());
    drop(worker);
    // Nobody is left, and the same was asked before.
    let answer = fleet.tell("Stop", "two", address());
    assert!(!answer.stdout.contains("\"block\""), "{answer:?}");
    // Without a queue nothing is known of another tree.
    let reason = fleet.stop("four", ("TEMPORAL_ADDRESS", "127.0.0.1:1".to_owned())).unwrap();
    assert!(reason.contains("queue of orders"), "{reason}");
}

#[test]
fn a_project_is_enrolled_with_workers_that_can_answer_and_by_a_person() {
    if !is_built() {
        return;
    }
    let fleet = Fleet::new(SPECIFICATION);
    let refused = |arguments: &[&str], code: i32, part: &str| {
        let refused = fleet.enroll(arguments).exits(code);
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    };
    let away = format!("file://{}", fleet.asker.path("away").display());
    refused(&["--evidence", &away], 74, "away");
    refused(&["--evidence", "ftp://depot"], 2, "not the address of a depot");
    refused(&["--held-out", "held-out.yaml"], 2, "cannot be used with");
    refused(&["--parts", "0"], 2, "from 1 to 64");
    let refused = fleet.asker.referee(&["enroll", "--label", "gpu"]).exits(2);
    assert!(refused.stderr.contains("--fleet"), "{}", refused.stderr);
    let refused = fleet.asker.referee(&["enroll", "--fleet"]).exits(2);
    assert!(refused.stderr.contains("--evidence, or set REFEREE_DEPOT"), "{}", refused.stderr);
    let list = fleet.asker.referee(&["enroll", "--list", "--format", "json"]).exits(0).json();
    assert_eq!(list["enrolments"], json!([]), "nothing of it was kept");

    let arguments = ["enroll", "--fleet", "--label", "gpu", "--parts", "4", "--evidence", &fleet.url()];
    in_an_agents_shell(&fleet.asker, &arguments).exits(2);
    fleet.asker.referee(&arguments).exits(0);
    let listed = fleet.asker.referee(&["enroll", "--list"]).exits(0).stdout;
    assert!(listed.contains("workers gpu, through /") && listed.contains("at most 4 parts"), "{listed}");
    // What is not named again stays, for an agent too.
    fleet.asker.referee(&["enroll"]).exits(0);
    in_an_agents_shell(&fleet.asker, &["enroll"]).exits(0);
    assert_eq!(fleet.asker.referee(&["enroll", "--list"]).exits(0).stdout, listed);
    let held_out = fleet.depot.path().canonicalize().unwrap().join("held-out.yaml");
    std::fs::write(&held_out, SPECIFICATION).unwrap();
    let both = fleet.asker.referee(&["enroll", "--held-out", held_out.to_str().unwrap()]).exits(2);
    assert!(both.stderr.contains("never leave this machine"), "{}", both.stderr);
    let untrusted = crate::support::Workspace::with(SPECIFICATION);
    let refused = untrusted.referee(&["enroll", "--fleet", "--evidence", &fleet.url()]).exits(2);
    assert!(refused.stderr.contains("no worker is trusted"), "{}", refused.stderr);
}
