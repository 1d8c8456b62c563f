//! The sealed runs of a task, linked by the previous seal that each one names.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::chain_head::Link;
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::time::Timestamp;

use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::paths;
use crate::published_run::PublishedRun;
use crate::seal::{self, SealState};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedRun {
    /// The directory of its evidence.
    pub directory: PathBuf,
    pub execution: ExecutionId,
    pub sealed_at: Timestamp,
}

/// Follows the seals back from the latest run, as far as the runs still exist, and returns them oldest first. A
/// superseded run is named by no seal, so it is not included. The caller must hold the task's lock.
pub(crate) fn follow(root: &Directory, task: &TaskId) -> Result<Vec<SealedRun>, LedgerError> {
    let Some(latest) = root.child(task.as_str())? else { return Ok(Vec::new()) };
    let mut earlier = BTreeMap::new();
    for directory in earlier_runs(root, task)? {
        if let SealState::Sealed { seal, digest } = seal::find(&directory)?
            && seal.task_id == *task
        {
            earlier.insert(digest, (directory.path().to_path_buf(), seal));
        }
    }
    let mut chain = Vec::new();
    let mut next = match seal::find(&latest)? {
        SealState::Sealed { seal, .. } if seal.task_id == *task => Some((latest.path().to_path_buf(), seal)),
        SealState::Sealed { .. } | SealState::Missing | SealState::Unreadable { .. } => None,
    };
    while let Some((directory, seal)) = next {
        // Each run is removed when it is visited, so a forged cycle of seals ends.
        next = seal.previous_seal.and_then(|digest| earlier.remove(&digest));
        chain.push(SealedRun { directory, execution: seal.execution_id, sealed_at: seal.sealed_at });
    }
    chain.reverse();
    Ok(chain)
}

/// What a run that is sealed now follows in the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Previous {
    /// The seal that the new seal names as the previous one. None: the run is the first.
    pub(crate) seal: Option<Digest>,
    pub(crate) next_sequence: u64,
    /// Whether the run of that seal no longer exists.
    pub(crate) gone: bool,
    /// Why the chain has a gap here, if it has one.
    pub(crate) gap: Option<String>,
}

/// Determines what a run that is sealed now follows: the chain head, if one is kept, whatever the latest run's
/// directory holds; otherwise the run in that directory. The caller must hold the task's lock.
pub(crate) fn previous(
    root: &Directory,
    task: &TaskId,
    standing: &PublishedRun,
    head: Option<&Link>,
) -> Result<Previous, LedgerError> {
    let Some(head) = head else { return after_standing(root, task, standing) };
    let seal = Some(head.seal_digest);
    let next_sequence = head.sequence.saturating_add(1);
    if standing.digest() == seal {
        return Ok(Previous { seal, next_sequence, gone: false, gap: None });
    }
    let gone = !is_in_history(root, task, head.seal_digest)?;
    let run = format!("{}, number {} of the chain", head.execution_id, head.sequence);
    let gap = match (standing, gone) {
        (PublishedRun::Nothing, true) => format!("the run before this one ({run}) is gone"),
        (PublishedRun::Nothing, false) => {
            format!("the run before this one ({run}) was not in the task's place any more")
        }
        (PublishedRun::Run { .. }, true) => {
            format!("what stood in the task's place was not the run that was published last ({run}), which is gone")
        }
        (PublishedRun::Run { .. }, false) => {
            format!("what stood in the task's place was not the run that was published last ({run})")
        }
    };
    Ok(Previous { seal, next_sequence, gone, gap: Some(gap) })
}

/// Determines the predecessor from the task's latest directory alone, when no chain head is kept.
fn after_standing(root: &Directory, task: &TaskId, standing: &PublishedRun) -> Result<Previous, LedgerError> {
    let first = Previous { seal: None, next_sequence: 1, gone: false, gap: None };
    let PublishedRun::Run { found, .. } = standing else { return Ok(first) };
    Ok(match found {
        SealState::Missing => Previous { gap: Some("the run that was replaced had no seal".to_owned()), ..first },
        SealState::Unreadable { reason } => {
            let gap = format!("the seal of the run that was replaced cannot be read: {reason}");
            Previous { gap: Some(gap), ..first }
        }
        SealState::Sealed { seal, digest } => {
            let before = match seal.sequence {
                Some(sequence) => sequence,
                None => follow(root, task)?.len() as u64,
            };
            Previous { seal: Some(*digest), next_sequence: before.saturating_add(1), ..first }
        }
    })
}

/// Returns whether a run with this seal is in the history of a task.
pub(crate) fn is_in_history(root: &Directory, task: &TaskId, wanted: Digest) -> Result<bool, LedgerError> {
    for directory in earlier_runs(root, task)? {
        if seal::find(&directory)?.digest() == Some(wanted) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Opens the directories of a task's earlier runs, in the history.
pub(crate) fn earlier_runs(root: &Directory, task: &TaskId) -> Result<Vec<Directory>, LedgerError> {
    let Some(history) = root.descend(&[paths::HISTORY, task.as_str()])? else { return Ok(Vec::new()) };
    let names = history.names_of(Kind::Directory)?;
    names.iter().filter_map(|name| history.child(name).transpose()).collect()
}
