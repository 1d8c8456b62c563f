//! Cleans up after runs that died.
//!
//! The seal is the point of no return: a run that died before its seal was in place stays unfinished forever;
//! one that died afterwards lost nothing, and its publication is completed. A run that is marked as started in
//! the state directory, and whose directory was removed, is unfinished too.

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

/// A run that was started and never sealed. It makes its task BLOCKED: an earlier pass never replaces a run
/// that died.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    pub execution: ExecutionId,
    /// Start of the run, if its journal has one.
    pub started: Option<Timestamp>,
    pub live: bool,
    /// Directory of the run. None: it was removed.
    pub path: Option<PathBuf>,
}

/// State of a run directory in staging.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Live,
    /// The previous latest run, which the run of this name has replaced; it still has to move to the history.
    Replaced,
    /// A sealed and complete run that is not published yet.
    Sealed,
    /// A run that died before it was sealed.
    Dead,
}

/// Lists the runs of a task that are not sealed, by name. Changes nothing. The caller must hold the task's
/// lock.
pub(crate) fn unfinished(site: &EvidenceRoot, task: &TaskId) -> Result<Vec<Unfinished>, LedgerError> {
    let staged = staged(site, task, None)?;
    let mut unfinished = lost(site, task, &staged)?;
    for run in staged {
        match run.state {
            State::Replaced => {}
            // A sealed run gives no verdict either until it is published.
            State::Live | State::Sealed | State::Dead => unfinished.push(run.unfinished()),
        }
    }
    unfinished.sort_by(|one, other| one.execution.cmp(&other.execution));
    Ok(unfinished)
}

/// Returns the runs that are marked as started, were not published, and have no directory any more.
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

/// Returns the pending run if it has reached its destination.
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

/// Completes publications that were interrupted after the seal, except that of the caller's own run: the caller
/// knows its directory, and one of the same name may belong to another process. The caller must hold the task's
/// lock exclusively.
pub(crate) fn settle(site: &EvidenceRoot, task: &TaskId, own: Option<&ExecutionId>) -> Result<(), LedgerError> {
    adopt(site, task)?;
    for run in staged(site, task, own)? {
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

/// Makes a pending run the chain head if it was published before the head could be updated. Wherever it is by
/// now, it was the latest run.
fn adopt(site: &EvidenceRoot, task: &TaskId) -> Result<(), LedgerError> {
    let Some(pending) = chain_heads::read(site, task)?.and_then(|head| head.pending) else { return Ok(()) };
    let seal = pending.link.seal_digest;
    let is_there = published_run::look(&site.root, task)?.digest() == Some(seal);
    if is_there || chain::is_in_history(&site.root, task, seal)? {
        chain_heads::arrived(site, task, seal)?;
    }
    Ok(())
}

/// Completes the publication of one run, as the run itself would have done.
fn complete(site: &EvidenceRoot, task: &TaskId, run: &Staged) -> Result<(), LedgerError> {
    let SealState::Sealed { seal, digest } = seal::find(&run.directory)? else {
        // It was sealed a moment ago; the next call sees its new state.
        return Ok(());
    };
    let started = journal_check::beginning(&run.directory).started;
    let head = chain_heads::read(site, task)?.and_then(|head| head.head);
    let later = published_run::look(&site.root, task)?.later_than(started, seal.sealed_at).is_some();
    let destination = if later || !follows(&seal, head.as_ref()) { Destination::History } else { Destination::Place };
    let link = link(&seal, digest, started);
    publish::arrive(site, task, (&run.runs, &run.directory), &link, destination).map(drop)
}

/// Returns whether a sealed run is the next one of the chain: it names the head, and was not sealed as a
/// superseded one.
fn follows(seal: &Seal, head: Option<&Link>) -> bool {
    let numbered = seal.sequence.is_some() || seal.seal_version == FIRST_VERSION;
    numbered && head.is_none_or(|head| seal.previous_seal == Some(head.seal_digest))
}

/// Returns the chain link of a sealed run.
pub(crate) fn link(seal: &Seal, seal_digest: Digest, started_at: Option<Timestamp>) -> Link {
    Link {
        seal_digest,
        execution_id: seal.execution_id.clone(),
        sequence: seal.sequence.unwrap_or(1),
        started_at,
        sealed_at: seal.sealed_at,
    }
}

/// Moves runs that died before they were sealed to the history as they are, removes the marks of runs whose
/// directory is gone, and returns both. The caller must hold the task's lock exclusively.
pub(crate) fn bury(site: &EvidenceRoot, task: &TaskId) -> Result<Vec<Unfinished>, LedgerError> {
    let staged = staged(site, task, None)?;
    let mut buried = lost(site, task, &staged)?;
    let dead: Vec<Staged> = staged.into_iter().filter(|run| run.state == State::Dead).collect();
    // Before they move: a run of which a power loss left only the seal must not be taken for one that was
    // published and retired.
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

/// Examines all staging directories that have the name of a run, except the caller's own: whether that is live is no
/// question, and asking would take a moment.
fn staged(site: &EvidenceRoot, task: &TaskId, own: Option<&ExecutionId>) -> Result<Vec<Staged>, LedgerError> {
    let published = published_run::look(&site.root, task)?;
    let mut staged = Vec::new();
    for runs in site.all_runs(task)? {
        for (name, kind) in runs.entries()? {
            let (Kind::Directory, Ok(execution)) = (kind, ExecutionId::parse(name.as_str())) else { continue };
            if Some(&execution) == own {
                continue;
            }
            // The caller holds the lock, so no run moves between the listing and this call.
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

/// Returns whether the directory has the run's own seal and is unchanged since it was sealed.
fn is_sealed(directory: &Directory, task: &TaskId, execution: &ExecutionId) -> Result<bool, LedgerError> {
    if seal::find(directory)?.execution() != Some(execution) {
        return Ok(false);
    }
    let integrity = verify::check(directory)?;
    Ok(integrity.findings.is_empty() && integrity.seal.is_some_and(|seal| seal.task_id == *task))
}
