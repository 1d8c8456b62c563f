//! Faults of processes: workers that die, hang or lie, and whoever asks.

use std::fs;
use std::io;
use std::time::Duration;

use super::{Fault, Outcome, begin, end, end_with_evidence, ensure, is_alive, pass};
use crate::fleet::stage::{Stage, wait};

const CHECKS: &str = "checks:\n  speak: echo hello\n";

pub(super) const FAULTS: fn() -> Vec<Fault> = || {
    vec![
        Fault {
            name: "none",
            what: "nothing fails",
            expected: "passes, verified",
            code: 0,
            says: "performed by a worker",
            play: nothing,
        },
        Fault {
            name: "worker-killed",
            what: "kill -9 of the worker while the check runs",
            expected: "passes by another worker",
            code: 0,
            says: "signed by worker-2",
            play: worker_killed,
        },
        Fault {
            name: "worker-hung",
            what: "SIGSTOP of the worker, which answers late",
            expected: "passes by another worker",
            code: 0,
            says: "signed by worker-2",
            play: worker_hung,
        },
        Fault {
            name: "worker-stopped",
            what: "SIGTERM of the worker while the check runs",
            expected: "passes by another worker",
            code: 0,
            says: "signed by worker-2",
            play: worker_stopped,
        },
        Fault {
            name: "no-worker",
            what: "no worker for the label, then Ctrl-C",
            expected: "told at once, exit 130",
            code: 130,
            says: "none with these labels",
            play: no_worker,
        },
        Fault {
            name: "attached-late",
            what: "the same is asked by another one while the check runs",
            expected: "passes for both, performed once",
            code: 0,
            says: "performed by a worker",
            play: attached_late,
        },
        Fault {
            name: "asker-interrupted",
            what: "Ctrl-C of whoever asked, while the check runs",
            expected: "cancelled on the worker, exit 130",
            code: 130,
            says: "",
            play: asker_interrupted,
        },
        Fault {
            name: "worker-unknown",
            what: "a worker whose key nobody trusts answers",
            expected: "no verdict, exit 74",
            code: 74,
            says: "cannot be trusted",
            play: worker_unknown,
        },
        Fault {
            name: "result-unsigned",
            what: "a worker answers without a signature",
            expected: "no verdict, exit 74",
            code: 74,
            says: "cannot be trusted",
            play: result_unsigned,
        },
        Fault {
            name: "result-forged",
            what: "the payload of a signed result is changed",
            expected: "no verdict, exit 74",
            code: 74,
            says: "cannot be trusted",
            play: result_forged,
        },
        Fault {
            name: "result-of-other-order",
            what: "the signed result of another order is the answer",
            expected: "no verdict, exit 74",
            code: 74,
            says: "cannot be trusted",
            play: result_of_other_order,
        },
        Fault {
            name: "result-junk",
            what: "a worker writes junk, and another one comes",
            expected: "passes by the other worker",
            code: 0,
            says: "signed by worker-1",
            play: result_junk,
        },
    ]
};

fn nothing(stage: &mut Stage) -> io::Result<Outcome> {
    stage.specify(CHECKS)?;
    let _worker = stage.trusted_worker("worker-1")?;
    end_with_evidence(stage, stage.ask(&[])?)
}

fn worker_killed(stage: &mut Stage) -> io::Result<Outcome> {
    let (mut first, asker) = begin(stage)?;
    first.kill()?;
    let second = stage.worker("worker-2", &[])?;
    // It is given out once nothing was heard of the first for as long as the queue waits.
    wait("the second worker takes it", || second.told().contains("taken, attempt 2"))?;
    stage.touch("go")?;
    end_with_evidence(stage, asker)
}

fn worker_hung(stage: &mut Stage) -> io::Result<Outcome> {
    let (first, asker) = begin(stage)?;
    first.signal("STOP")?;
    let second = stage.worker("worker-2", &[])?;
    wait("the second worker performs it", || stage.count("ran") == 2)?;
    // Both end now: what the first one performed waits for it to go on.
    stage.touch("go")?;
    first.signal("CONT")?;
    let outcome = end_with_evidence(stage, asker)?;
    wait("the second worker answers", || second.told().contains("answered"))?;
    Ok(outcome)
}

fn worker_stopped(stage: &mut Stage) -> io::Result<Outcome> {
    let (mut first, asker) = begin(stage)?;
    first.signal("TERM")?;
    ensure(first.wait()?.code() == Some(0), "a worker that is stopped ends with 0")?;
    ensure(!is_alive(stage, 0), "the check of a worker that was stopped goes on")?;
    stage.touch("go")?;
    let _second = stage.worker("worker-2", &[])?;
    end_with_evidence(stage, asker)
}

fn no_worker(stage: &mut Stage) -> io::Result<Outcome> {
    stage.specify(CHECKS)?;
    stage.trust(&["worker-1"])?;
    let asker = stage.ask(&[])?;
    wait("it is told", || asker.told().contains("none with these labels"))?;
    asker.signal("INT")?;
    end(asker)
}

fn attached_late(stage: &mut Stage) -> io::Result<Outcome> {
    let (_worker, first) = begin(stage)?;
    stage.copy_asker("second")?;
    let second = stage.ask_in("second", &[])?;
    wait("it is attached", || second.told().contains("in the queue already"))?;
    stage.touch("go")?;
    ensure(
        matches!(end_with_evidence(stage, first)?, Outcome::Ended { code: Some(0), .. }),
        "the first run does not pass",
    )?;
    ensure(stage.count("ran") == 1, "the check ran twice")?;
    end(second)
}

fn asker_interrupted(stage: &mut Stage) -> io::Result<Outcome> {
    let (worker, asker) = begin(stage)?;
    asker.signal("INT")?;
    let outcome = end(asker)?;
    wait("the worker is told", || worker.told().contains("cancelled by the queue"))?;
    wait("the check ends", || !is_alive(stage, 0))?;
    Ok(outcome)
}

fn worker_unknown(stage: &mut Stage) -> io::Result<Outcome> {
    stage.specify(CHECKS)?;
    stage.trust(&["worker-1"])?;
    stage.make_key("worker-2")?;
    let _worker = stage.worker("worker-2", &[])?;
    end(stage.ask(&[])?)
}

/// Asks where a worker answers with a result.
fn answer(stage: &Stage, result: &str) -> io::Result<Outcome> {
    let outcome = serde_json::json!({ "kind": "outcome", "outcome": { "kind": "performed", "result": result } });
    fs::write(stage.file("lie"), format!("{outcome}\n"))?;
    let _liar = stage.script_worker("liar", 1, &format!("cat {}", stage.file("lie").display()))?;
    end(stage.ask(&[])?)
}

/// Has a worker perform the order, and returns the result that it signed.
fn true_result(stage: &Stage) -> io::Result<String> {
    stage.specify(CHECKS)?;
    let _worker = stage.trusted_worker("worker-1")?;
    ensure(matches!(end(stage.ask(&[])?)?, Outcome::Ended { code: Some(0), .. }), "the first run does not pass")?;
    fs::read_to_string(stage.file("asker/evidence/T001/fleet-result.dsse.json"))
}

fn result_unsigned(stage: &mut Stage) -> io::Result<Outcome> {
    let mut envelope: serde_json::Value = serde_json::from_str(&true_result(stage)?)?;
    envelope["signatures"] = serde_json::json!([]);
    answer(stage, &envelope.to_string())
}

fn result_forged(stage: &mut Stage) -> io::Result<Outcome> {
    let mut envelope: serde_json::Value = serde_json::from_str(&true_result(stage)?)?;
    let payload = envelope["payload"].as_str().unwrap_or_default();
    // Another letter, so that it is still base64.
    let changed = if payload.starts_with('e') { "f" } else { "e" };
    envelope["payload"] = format!("{changed}{}", payload.get(1..).unwrap_or_default()).into();
    answer(stage, &envelope.to_string())
}

fn result_of_other_order(stage: &mut Stage) -> io::Result<Outcome> {
    let result = true_result(stage)?;
    fs::write(stage.file("asker/more.txt"), "another tree\n")?;
    answer(stage, result.trim())
}

fn result_junk(stage: &mut Stage) -> io::Result<Outcome> {
    stage.specify(CHECKS)?;
    let liar = stage.script_worker("liar", 1, "echo 'all checks pass'")?;
    stage.trust(&["worker-1"])?;
    let asker = stage.ask(&[])?;
    wait("the junk is seen", || liar.told().contains("lost: "))?;
    drop(liar);
    pass(Duration::from_millis(500));
    let _worker = stage.worker("worker-1", &[])?;
    end_with_evidence(stage, asker)
}
