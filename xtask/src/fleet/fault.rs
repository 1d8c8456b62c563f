//! The table of faults: what is done to a fleet, and what must come of it. None of it may pass a run that did not pass, or lose
//! one.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::stage::{Process, Stage, wait};

mod clock;
mod incident;
mod process;
mod server;
mod storage;
mod turn;

/// One row of the table.
pub(super) struct Fault {
    /// The name, by which it can be chosen.
    pub(super) name: &'static str,
    /// What is done.
    pub(super) what: &'static str,
    /// What must come, in words.
    pub(super) expected: &'static str,
    /// Exit code of whoever asked.
    pub(super) code: i32,
    /// What the answer must say.
    pub(super) says: &'static str,
    pub(super) play: fn(&mut Stage) -> io::Result<Outcome>,
}

/// What came of a fault.
pub(super) enum Outcome {
    /// Whoever asked ended with this, and told that.
    Ended { code: Option<i32>, told: String },
    /// The machine cannot play it. Why.
    Skipped(&'static str),
}

/// All rows.
pub(super) fn all() -> Vec<Fault> {
    let groups = [process::FAULTS, turn::FAULTS, incident::FAULTS, server::FAULTS, storage::FAULTS, clock::FAULTS];
    groups.into_iter().flat_map(|faults| faults()).collect()
}

/// Fails the row unless something holds.
fn ensure(holds: bool, problem: &str) -> io::Result<()> {
    if holds { Ok(()) } else { Err(io::Error::other(problem.to_owned())) }
}

/// Waits for the end of whoever asked.
fn end(mut asker: Process) -> io::Result<Outcome> {
    let code = asker.wait()?.code();
    Ok(Outcome::Ended { code, told: asker.told() })
}

/// The same, of a run that must pass: its evidence is verified.
fn end_with_evidence(stage: &Stage, asker: Process) -> io::Result<Outcome> {
    let ended = end(asker)?;
    if let Outcome::Ended { code: Some(0), told } = &ended {
        ensure(stage.verify()? == Some(0), &format!("the evidence is not verified: {told}"))?;
    }
    Ok(ended)
}

/// Begins a run of a slow check on the first of two workers, and waits until the check runs.
fn begin(stage: &Stage) -> io::Result<(Process, Process)> {
    stage.specify_slow()?;
    stage.trust(&["worker-1", "worker-2"])?;
    let worker = stage.worker("worker-1", &[])?;
    let asker = stage.ask(&[])?;
    wait("the check runs", || stage.count("ran") == 1)?;
    Ok((worker, asker))
}

/// Whether a process that a check noted still runs.
fn is_alive(stage: &Stage, line: usize) -> bool {
    let ran = fs::read_to_string(stage.file("ran")).unwrap_or_default();
    let status = ran.lines().nth(line).map(|id| fs::read_to_string(Path::new("/proc").join(id).join("stat")));
    matches!(status, Some(Ok(status)) if !status.contains(") Z "))
}

/// Lets some time pass in which something may go wrong.
fn pass(time: Duration) {
    thread::sleep(time);
}
