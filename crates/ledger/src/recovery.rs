//! What is left of runs that died.
//!
//! The seal is the point of no return: a run that died before its seal was in place is unfinished for ever; one that
//! died afterwards lost nothing, and its publication is completed. A run that is marked in the state directory as
//! begun, and whose directory somebody removed, is unfinished too.

use std::path::PathBuf;

use crate::chain_head::{ChainHead, Link};
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::seal::{FIRST_VERSION, Seal};
use referee_model::time::Timestamp;

use crate::chain;
use crate::chain_heads;
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;
use crate::journal_check;
use crate::lock;
use crate::publish::{self, Destination};
use crate::published_run;
use crate::seal::{self, SealState};
use crate::verify;

/// A run that was started and never sealed. It makes its task BLOCKED: an old pass never stands for a dead run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    pub execution: ExecutionId,
    /// When it started, where its journal tells.
    pub started: Option<Timestamp>,
    pub live: bool,
    /// Where its directory is. None: somebody removed it.
    pub path: Option<PathBuf>,
}

/// What a directory in staging is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Live,
    /// What stood in the task's place before the run of this name took it; the move to history is still to come.
    Replaced,
    /// A run that is sealed and whole, and not yet in its place.
    Sealed,
    /// A run that died before its seal.
    Dead,
}

/// Lists the runs of a task that are not sealed, by name. Changes nothing. Wants the task's lock.
pub(crate) fn unfinished(site: &EvidenceRoot, task: &TaskId) -> Result<Vec<Unfinished>, LedgerError> {
    let staged = staged(site, task)?;
    let mut unfinished = lost(site, task, &staged)?;
    for run in staged {
        match run.state {
            State::Replaced => {}
            // A sealed run that is not in its place yet gives no answer either until it is.
            State::Live | State::Sealed | State::Dead => unfinished.push(run.unfinished()),
        }
    }
    unfinished.sort_by(|one, other| one.execution.cmp(&other.execution));
    Ok(unfinished)
}

/// The runs that are marked as begun, were not published, and have no directory any more.
fn lost(site: &EvidenceRoot, task: &TaskId, staged: &[Staged]) -> Result<Vec<Unfinished>, LedgerError> {
    let Some(head) = chain_heads::read(site, task)? else { return Ok(Vec::new()) };
    let arrived = arrived(site, task, &head)?;
    let is_known = |execution: &ExecutionId| {
        arrived.as_ref() == Some(execution)
            || staged.iter().any(|run| run.state != State::Replaced && run.execution == *execution)
    };
    let lost = head.started.into_iter().filter(|run| !is_known(&run.execution_id));
    let unfinished = |run: crate::chain_head::Started| Unfinished {
        execution: run.execution_id,
        started: Some(run.started_at),
        live: false,
        path: None,
    };
    Ok(lost.map(unfinished).collect())
}

/// The run that is named as pending and did get where it belongs.
fn arrived(site: &EvidenceRoot, task: &TaskId, head: &ChainHead) -> Result<Option<ExecutionId>, LedgerError> {
    let Some(pending) = &head.pending else { return Ok(None) };
    let seal = pending.link.seal_digest;
    let is_there = if pending.superseded {
        chain::is_in_history(&site.root, task, seal)?
    } else {
        published_run::look(&site.root, task)?.digest() == Some(seal)
    };
    Ok(is_there.then(|| pending.link.execution_id.clone()))
}

/// Completes publications that were cut off after the seal, save that of the run that is being published by the caller:
/// its directory is known to the caller, and what bears its name may be somebody else's. Wants the task's lock, alone.
pub(crate) fn settle(site: &EvidenceRoot, task: &TaskId, own: Option<&ExecutionId>) -> Result<(), LedgerError> {
    adopt(site, task)?;
    for run in staged(site, task)?.into_iter().filter(|run| Some(&run.execution) != own) {
        match run.state {
            State::Replaced => {
                published_run::retire(&run.runs, run.execution.as_str(), &published_run::history(&site.root, task)?)?;
            }
            State::Sealed => complete(site, task, &run)?,
            State::Live | State::Dead => {}
        }
    }
    Ok(())
}

/// Moves the head on to a pending run that was published before the head could be. Wherever it lies by now, it was the
/// latest.
fn adopt(site: &EvidenceRoot, task: &TaskId) -> Result<(), LedgerError> {
    let Some(pending) = chain_heads::read(site, task)?.and_then(|head| head.pending) else { return Ok(()) };
    let seal = pending.link.seal_digest;
    let is_there = published_run::look(&site.root, task)?.digest() == Some(seal);
    if is_there || chain::is_in_history(&site.root, task, seal)? {
        chain_heads::arrived(site, task, seal)?;
    }
    Ok(())
}

/// Completes the publication of one run, as the run itself would have gone on.
fn complete(site: &EvidenceRoot, task: &TaskId, run: &Staged) -> Result<(), LedgerError> {
    let SealState::Sealed { seal, digest } = seal::find(&run.directory)? else {
        // It was sealed a moment ago; what it is now the next look will say.
        return Ok(());
    };
    let started = journal_check::beginning(&run.directory).started;
    let head = chain_heads::read(site, task)?.and_then(|head| head.head);
    let later = published_run::look(&site.root, task)?.later_than(started, seal.sealed_at).is_some();
    let destination = if later || !follows(&seal, head.as_ref()) { Destination::History } else { Destination::Place };
    let link = link(&seal, digest, started);
    publish::arrive(site, task, (&run.runs, &run.directory), &link, destination).map(drop)
}

/// Whether a sealed run is the next one of the chain: it names the head, and was not sealed as a superseded one.
fn follows(seal: &Seal, head: Option<&Link>) -> bool {
    let numbered = seal.sequence.is_some() || seal.seal_version == FIRST_VERSION;
    numbered && head.is_none_or(|head| seal.previous_seal == Some(head.seal_digest))
}

/// Returns a sealed run as a link of its chain.
pub(crate) fn link(seal: &Seal, seal_digest: Digest, started_at: Option<Timestamp>) -> Link {
    Link {
        seal_digest,
        execution_id: seal.execution_id.clone(),
        sequence: seal.sequence.unwrap_or(1),
        started_at,
        sealed_at: seal.sealed_at,
    }
}

/// Moves runs that died before their seal into history as they are, takes the marks of runs away whose directory is
/// gone, and returns all of them. Wants the task's lock, alone.
pub(crate) fn bury(site: &EvidenceRoot, task: &TaskId) -> Result<Vec<Unfinished>, LedgerError> {
    let staged = staged(site, task)?;
    let mut buried = lost(site, task, &staged)?;
    let dead: Vec<Staged> = staged.into_iter().filter(|run| run.state == State::Dead).collect();
    // Before they move: a run whose seal a power loss left alone must not be taken for one that was published and retired.
    let gone = buried.iter().map(|run| &run.execution).chain(dead.iter().map(|run| &run.execution));
    chain_heads::forget(site, task, &gone.cloned().collect::<Vec<_>>())?;
    for run in dead {
        let name = run.execution.as_str();
        let history = published_run::history(&site.root, task)?;
        let given = published_run::bury(&run.runs, name, &history, name)?;
        buried.push(Unfinished { path: Some(history.path().join(given)), ..run.unfinished() });
    }
    Ok(buried)
}

#[derive(Debug)]
struct Staged {
    execution: ExecutionId,
    state: State,
    runs: Directory,
    directory: Directory,
}

impl Staged {
    fn unfinished(&self) -> Unfinished {
        Unfinished {
            execution: self.execution.clone(),
            started: journal_check::beginning(&self.directory).started,
            live: self.state == State::Live,
            path: Some(self.directory.path().to_path_buf()),
        }
    }
}

/// Looks at all directories in staging that carry the name of a run.
fn staged(site: &EvidenceRoot, task: &TaskId) -> Result<Vec<Staged>, LedgerError> {
    let published = published_run::look(&site.root, task)?;
    let mut staged = Vec::new();
    for runs in site.all_runs(task)? {
        for (name, kind) in runs.entries()? {
            let (Kind::Directory, Ok(execution)) = (kind, ExecutionId::parse(name.as_str())) else { continue };
            // A run may be moved on between the list and this look only where the lock is not held, so it is not missed.
            let Some(directory) = runs.child(&name)? else { continue };
            let state = if published.execution() == Some(&execution) {
                State::Replaced
            } else if lock::is_live(&directory)? {
                State::Live
            } else if is_sealed(&directory, task, &execution)? {
                State::Sealed
            } else {
                State::Dead
            };
            staged.push(Staged { execution, state, runs: runs.again()?, directory });
        }
    }
    Ok(staged)
}

/// Says whether a run's own seal is there and everything is as it says.
fn is_sealed(directory: &Directory, task: &TaskId, execution: &ExecutionId) -> Result<bool, LedgerError> {
    if seal::find(directory)?.execution() != Some(execution) {
        return Ok(false);
    }
    let integrity = verify::check(directory)?;
    Ok(integrity.findings.is_empty() && integrity.seal.is_some_and(|seal| seal.task_id == *task))
}
