//! Ctrl-C and TERM: everything stops, and what happened is published.

use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Workspace, finish, processes_with, wait_until};

fn started(workspace: &Workspace) -> Child {
    let child = workspace.start(&["run"]);
    wait_until("the check has started", || workspace.path("started").exists());
    child
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

fn marker(workspace: &Workspace) -> String {
    let report = workspace.report("T001");
    format!("REFEREE_EXECUTION={}", report["authenticity"]["executionId"].as_str().unwrap())
}

#[test]
fn a_signal_stops_everything_runs_cleanup_and_publishes_interrupted() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129), (Signal::QUIT, 131)] {
        let workspace = Workspace::with(
            "checks:\n  first: 'echo done'\n  wait: 'touch started; sleep 600 & sleep 600'\n  never: 'true'\ncleanup: {sweep: touch swept}\n",
        );
        let child = started(&workspace);
        send(&child, signal);
        let finished = finish(child).exits(code);
        let report = workspace.report("T001");
        assert_eq!(report["executionSummary"]["overallStatus"], "INTERRUPTED");
        assert_eq!(report["executionSummary"]["decision"], "BLOCKED");
        assert_eq!(report["skippedActions"][0]["actionId"], "STEP.3");
        assert!(workspace.path("swept").exists(), "cleanup always runs");
        assert!(processes_with(&marker(&workspace)).is_empty(), "nothing is left running");
        assert!(finished.stdout.contains("BLOCKED"), "{}", finished.stdout);
        workspace.referee(&["evidence", "verify", "evidence/T001", "--replay"]).exits(1);
    }
}

#[test]
fn a_second_signal_kills_what_will_not_stop() {
    let workspace = Workspace::with(
        "checks:\n  stubborn: { run: \"trap 'touch asked' TERM; touch started; while :; do sleep 0.1; done\", grace: 60s }\ncleanup: {sweep: touch swept}\n",
    );
    let child = started(&workspace);
    send(&child, Signal::INT);
    wait_until("the check was asked to stop", || workspace.path("asked").exists());
    send(&child, Signal::INT);
    finish(child).exits(130);
    assert_eq!(workspace.report("T001")["executionSummary"]["overallStatus"], "INTERRUPTED");
    assert!(!workspace.path("swept").exists(), "a second signal leaves no time for cleanup");
    assert!(processes_with(&marker(&workspace)).is_empty());
    assert_eq!(workspace.staged("T001"), Vec::<std::path::PathBuf>::new());
}
