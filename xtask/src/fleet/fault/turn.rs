//! Faults of turns of an agent that workers run for a loop elsewhere.

use std::fs;
use std::io;
use std::time::Duration;

use super::storage::{hold, lie};
use super::{Fault, Outcome, end, ensure, is_alive, pass};
use crate::fleet::stage::{Process, Stage, wait};

pub(super) const FAULTS: fn() -> Vec<Fault> = || {
    vec![
        Fault {
            name: "turn",
            what: "an agent on a worker, and nothing fails",
            expected: "passes",
            code: 0,
            says: "PASS",
            play: nothing,
        },
        Fault {
            name: "turn-worker-killed",
            what: "kill -9 of the worker while the agent works",
            expected: "passes by another worker",
            code: 0,
            says: "PASS",
            play: worker_killed,
        },
        Fault {
            name: "turn-worker-hung",
            what: "SIGSTOP of the worker of an agent, which answers late",
            expected: "passes by another worker",
            code: 0,
            says: "PASS",
            play: worker_hung,
        },
        Fault {
            name: "turn-asker-killed",
            what: "kill -9 of whoever asked while the agent works, and of the worker after it; the run is resumed",
            expected: "passes, the agent worked once",
            code: 0,
            says: "PASS",
            play: asker_killed,
        },
        Fault {
            name: "turn-asker-interrupted",
            what: "Ctrl-C of whoever asked, while the agent works",
            expected: "cancelled on the worker, exit 130",
            code: 130,
            says: "",
            play: asker_interrupted,
        },
        Fault {
            name: "turn-server-killed",
            what: "kill -9 of Temporal while the agent works, 3 s later a restart",
            expected: "passes, the agent worked once",
            code: 0,
            says: "PASS",
            play: server_killed,
        },
        Fault {
            name: "turn-result-unknown",
            what: "a worker whose key nobody trusts runs the agent",
            expected: "nothing is taken over, exit 6",
            code: 6,
            says: "cannot be trusted",
            play: result_unknown,
        },
        Fault {
            name: "turn-tree-truncated",
            what: "objects of what the agent made lack their last byte",
            expected: "nothing is taken over, exit 6",
            code: 6,
            says: "depot",
            play: tree_truncated,
        },
    ]
};

/// Has a worker that runs agents for whoever asks.
pub(super) fn agent_worker(stage: &Stage, name: &str) -> io::Result<Process> {
    stage.trust_at(name, "asker", "runner")?;
    stage.worker_with(name, &["--agents"], &[])
}

/// Begins a run of that agent.
fn ask(stage: &Stage) -> io::Result<Process> {
    let script = script(stage);
    let key = stage.file("asker.pem").display().to_string();
    let label = crate::fleet::stage::LABEL;
    stage.agent_run(&["--agent-label", label, "--key", &key, "--", "sh", "-c", &script])
}

/// An agent that notes that it works, and ends when the file `go` is there.
pub(super) fn script(stage: &Stage) -> String {
    let (ran, go) = (stage.file("ran"), stage.file("go"));
    let (ran, go) = (ran.display(), go.display());
    format!("echo $$ >> {ran}; while ! [ -e {go} ]; do sleep 0.1; done; echo 1 > done.txt")
}

/// Begins a turn on the first of two workers, and waits until the agent works.
fn begin(stage: &Stage) -> io::Result<(Process, Process)> {
    prepare(stage)?;
    stage.trust(&["worker-1", "worker-2"])?;
    let worker = agent_worker(stage, "worker-1")?;
    let asker = ask(stage)?;
    wait("the agent works", || stage.count("ran") == 1)?;
    Ok((worker, asker))
}

/// Has whoever asks have a check that passes where the agent has worked, and a key.
pub(super) fn prepare(stage: &Stage) -> io::Result<()> {
    stage.specify("checks:\n  done: test -f done.txt\n")?;
    stage.make_key("asker")
}

/// Ends the run, which must have taken over what the agent made if it passes, and nothing otherwise.
fn end_with_work(stage: &Stage, asker: Process) -> io::Result<Outcome> {
    let ended = end(asker)?;
    let is_a_pass = matches!(ended, Outcome::Ended { code: Some(0), .. });
    ensure(stage.file("asker/done.txt").exists() == is_a_pass, "the work was taken over and the run does not pass")?;
    Ok(ended)
}

fn nothing(stage: &mut Stage) -> io::Result<Outcome> {
    let (_worker, asker) = begin(stage)?;
    stage.touch("go")?;
    end_with_work(stage, asker)
}

fn worker_killed(stage: &mut Stage) -> io::Result<Outcome> {
    let (mut first, asker) = begin(stage)?;
    first.kill()?;
    let second = agent_worker(stage, "worker-2")?;
    wait("the second worker takes it", || second.told().contains("taken, attempt 2"))?;
    stage.touch("go")?;
    end_with_work(stage, asker)
}

fn worker_hung(stage: &mut Stage) -> io::Result<Outcome> {
    let (first, asker) = begin(stage)?;
    first.signal("STOP")?;
    let second = agent_worker(stage, "worker-2")?;
    wait("the second worker runs the agent", || stage.count("ran") == 2)?;
    stage.touch("go")?;
    first.signal("CONT")?;
    let outcome = end_with_work(stage, asker)?;
    wait("the second worker answers", || second.told().contains("answered"))?;
    Ok(outcome)
}

fn asker_killed(stage: &mut Stage) -> io::Result<Outcome> {
    let (mut worker, mut asker) = begin(stage)?;
    asker.kill()?;
    stage.touch("go")?;
    wait("the worker answers", || worker.told().contains("answered"))?;
    worker.kill()?;
    let run = fs::read_dir(stage.file("asker-state/agents"))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .find(|name| !name.starts_with('.') && stage.file("asker-state/agents").join(name).is_dir())
        .ok_or_else(|| io::Error::other("there is no run to resume"))?;
    let outcome = end_with_work(stage, stage.agent_run(&["--resume", &run])?)?;
    ensure(stage.count("ran") == 1, "the agent worked twice")?;
    Ok(outcome)
}

fn asker_interrupted(stage: &mut Stage) -> io::Result<Outcome> {
    let (worker, asker) = begin(stage)?;
    asker.signal("INT")?;
    let outcome = end_with_work(stage, asker)?;
    wait("the worker is told", || worker.told().contains("cancelled by the queue"))?;
    wait("the agent ends", || !is_alive(stage, 0))?;
    Ok(outcome)
}

fn server_killed(stage: &mut Stage) -> io::Result<Outcome> {
    let (_worker, asker) = begin(stage)?;
    stage.temporal.kill()?;
    pass(Duration::from_secs(3));
    stage.temporal.restart()?;
    stage.touch("go")?;
    let outcome = end_with_work(stage, asker)?;
    ensure(stage.count("ran") == 1, "the agent worked twice")?;
    Ok(outcome)
}

fn result_unknown(stage: &mut Stage) -> io::Result<Outcome> {
    prepare(stage)?;
    stage.trust(&["worker-1"])?;
    stage.make_key("worker-2")?;
    let _worker = agent_worker(stage, "worker-2")?;
    stage.touch("go")?;
    end_with_work(stage, ask(stage)?)
}

fn tree_truncated(stage: &mut Stage) -> io::Result<Outcome> {
    let (worker, asker) = begin(stage)?;
    let new = hold(stage, &worker, &asker)?;
    lie(&new, |content| content.truncate(content.len() - 1))?;
    asker.signal("CONT")?;
    end_with_work(stage, asker)
}
