//! Faults of loops of incidents whose agent works on a worker.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::turn::{agent_worker, prepare, script};
use super::{Fault, Outcome, end, ensure};
use crate::fleet::stage::{LABEL, Process, Stage, wait};

pub(super) const FAULTS: fn() -> Vec<Fault> = || {
    vec![
        Fault {
            name: "incident-asker-killed",
            what: "kill -9 of the loop of an incident while the agent works, and of the worker after it; the loop is resumed",
            expected: "resolved, the agent worked once",
            code: 0,
            says: "resolved",
            play: asker_killed,
        },
        Fault {
            name: "incident-asker-gone",
            what: "kill -9 of the loop of an incident while the agent works; another machine goes on, then the first one comes back",
            expected: "resolved there, the agent worked once; the first one is told",
            code: 0,
            says: "resolved",
            play: asker_gone,
        },
        Fault {
            name: "incident-standby",
            what: "kill -9 of the loop of an incident while the agent works; a machine stands by with a clone of the project",
            expected: "resolved there in a worktree, once the first one was silent; the agent worked once",
            code: 0,
            says: "resolved",
            play: standby,
        },
    ]
};

/// Begins the loop of an approved incident, and waits until the agent works.
fn begin(stage: &Stage) -> io::Result<(Process, Process)> {
    prepare(stage)?;
    stage.trust(&["worker-1"])?;
    stage.make_key("approver")?;
    stage.trust_approver("asker")?;
    fs::write(stage.file("asker/agent.sh"), script(stage))?;
    fs::write(stage.file("asker/.gitignore"), ".referee/\nevidence/\n")?;
    for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "begin"]] {
        git(&stage.file("asker"), arguments)?;
    }
    stage.tell("asker", &["incident", "capture", "--id", "one", "--message", "done.txt is missing"])?;
    stage.tell("asker", &["incident", "plan", "one"])?;
    let key = stage.file("approver.pem").display().to_string();
    stage.tell("asker", &["incident", "approve", "one", "--key", &key])?;
    let worker = agent_worker(stage, "worker-1")?;
    let asker = go_on(stage, "asker", &[])?;
    wait("the agent works", || stage.count("ran") == 1)?;
    Ok((worker, asker))
}

/// Runs the loop of the incident on a machine.
fn go_on(stage: &Stage, name: &str, options: &[&str]) -> io::Result<Process> {
    let key = stage.file(&format!("{name}.pem")).display().to_string();
    let typed = ["incident", "run", "one", "--agent", "sh agent.sh", "--agent-label", LABEL, "--key", &key];
    let mut command = stage.referee(name, &[&typed[..], options].concat())?;
    Process::start(&mut command, stage.file(&format!("{name}-loop.log")))
}

fn asker_killed(stage: &mut Stage) -> io::Result<Outcome> {
    let (mut worker, mut asker) = begin(stage)?;
    asker.kill()?;
    stage.touch("go")?;
    wait("the worker answers", || worker.told().contains("answered"))?;
    worker.kill()?;
    let outcome = end(go_on(stage, "asker", &[])?)?;
    ensure(stage.count("ran") == 1, "the agent worked twice")?;
    ensure(stage.file("asker/done.txt").exists(), "the work was not taken over")?;
    Ok(outcome)
}

/// Another machine with the project, which trusts everybody that it has to.
fn clone(stage: &Stage) -> io::Result<()> {
    git(&stage.file(""), &["clone", "-q", "asker", "other"])?;
    stage.make_key("other")?;
    stage.trust_at("other", "worker-1", "worker")?;
    stage.trust_at("other", "asker", "runner")?;
    stage.trust_approver("other")
}

fn git(directory: &Path, arguments: &[&str]) -> io::Result<()> {
    let own = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    let done = Command::new("git").args(own).args(arguments).current_dir(directory).status()?;
    ensure(done.success(), &format!("git {} failed", arguments.join(" ")))
}

fn standby(stage: &mut Stage) -> io::Result<Outcome> {
    let (_worker, mut asker) = begin(stage)?;
    clone(stage)?;
    let key = stage.file("other.pem").display().to_string();
    let typed = ["standby", "--from", "s3://evidence/team", "--silence", "30s", "--key", &key];
    let agent = ["--agent", "sh agent.sh", "--agent-label", LABEL];
    let mut command = stage.referee("other", &[&typed[..], &agent].concat())?;
    let standby = Process::start(&mut command, stage.file("standby.log"))?;
    asker.kill()?;
    wait("the loop is taken over", || standby.told().contains("is silent: going on with it"))?;
    stage.touch("go")?;
    wait("the incident is resolved", || standby.told().contains("incident one has ended with exit code 0"))?;
    standby.signal("TERM")?;
    let outcome = end(standby)?;
    ensure(stage.count("ran") == 1, "the agent worked twice")?;
    ensure(!stage.file("other/done.txt").exists(), "the checkout was changed")?;
    Ok(outcome)
}

fn asker_gone(stage: &mut Stage) -> io::Result<Outcome> {
    let (_worker, mut asker) = begin(stage)?;
    asker.kill()?;
    clone(stage)?;
    let other = go_on(stage, "other", &["--from", "s3://evidence/team"])?;
    stage.touch("go")?;
    let outcome = end(other)?;
    ensure(stage.count("ran") == 1, "the agent worked twice")?;
    ensure(stage.file("other/done.txt").exists(), "the work was not taken over")?;
    let Outcome::Ended { code, told } = end(go_on(stage, "asker", &[])?)? else { return Ok(outcome) };
    let is_told = code == Some(1) && told.contains("another machine has taken incident one over");
    ensure(is_told, &format!("the first machine was not told: {told}"))?;
    Ok(outcome)
}
