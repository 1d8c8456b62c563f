//! The chain heads in the user's state directory. The caller of each function must hold the task's lock; where
//! no heads are kept the functions do nothing.
//!
//! A head is written whole, synced and renamed into place; after a power loss it is the last one or the one
//! before, and a head that names a run as pending is on disk before the run moves. A run is marked as started
//! before its first action, named as pending before it is published, and becomes the head afterwards. So
//! whatever is deleted in the workspace, the runs that were started and the run that was published last stay
//! known.

use std::io::Write;

use crate::chain_head::{self, ChainHead, Link, Pending, Started};
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::time::Timestamp;

use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;
use crate::paths;
use crate::state::{Area, State};

/// Reads the chain head of a task. None: no head is kept.
pub(crate) fn read(site: &EvidenceRoot, task: &TaskId) -> Result<Option<ChainHead>, LedgerError> {
    let Some(directory) = site.heads() else { return Ok(None) };
    let name = paths::head_name(task);
    let Some(bytes) = directory.read(&name)? else { return Ok(None) };
    let unreadable = |reason: String| LedgerError::Unreadable { path: directory.path().join(&name), reason };
    let head = chain_head::read(&bytes).map_err(|error| unreadable(error.to_string()))?;
    if head.task_id != *task {
        return Err(unreadable(format!("it is about {}", head.task_id)));
    }
    Ok(Some(head))
}

/// Reads every chain head that is kept, of all roots and tasks, sorted by name. Unreadable heads are skipped.
pub fn all(state: &State) -> Result<Vec<ChainHead>, LedgerError> {
    let Some(chains) = state.look_into(Area::Chains)? else { return Ok(Vec::new()) };
    let mut heads = Vec::new();
    for (name, _) in chains.entries()? {
        let Some(root) = chains.child(&name)? else { continue };
        for (name, _) in root.entries()? {
            let bytes = root.read(&name).ok().flatten();
            heads.extend(bytes.and_then(|bytes| chain_head::read(&bytes).ok()));
        }
    }
    Ok(heads)
}

pub(crate) fn began(
    site: &EvidenceRoot,
    task: &TaskId,
    execution: &ExecutionId,
    started_at: Timestamp,
) -> Result<(), LedgerError> {
    change(site, task, |head| head.started.push(Started { execution_id: execution.clone(), started_at }))
}

/// Records the run that is about to be published as pending.
pub(crate) fn intend(site: &EvidenceRoot, task: &TaskId, link: &Link, superseded: bool) -> Result<(), LedgerError> {
    change(site, task, |head| head.pending = Some(Pending { link: link.clone(), superseded }))
}

/// Records that the pending run with this seal is published: it becomes the head, unless it was superseded.
pub(crate) fn arrived(site: &EvidenceRoot, task: &TaskId, seal: Digest) -> Result<(), LedgerError> {
    change(site, task, |head| {
        if let Some(pending) = head.pending.take_if(|pending| pending.link.seal_digest == seal) {
            head.started.retain(|run| run.execution_id != pending.link.execution_id);
            if !pending.superseded {
                head.head = Some(pending.link);
            }
        }
    })
}

/// Removes the marks of runs that died and were cleaned up.
pub(crate) fn forget(site: &EvidenceRoot, task: &TaskId, executions: &[ExecutionId]) -> Result<(), LedgerError> {
    change(site, task, |head| {
        head.started.retain(|run| !executions.contains(&run.execution_id));
        head.pending.take_if(|pending| executions.contains(&pending.link.execution_id));
    })
}

fn change(site: &EvidenceRoot, task: &TaskId, change: impl FnOnce(&mut ChainHead)) -> Result<(), LedgerError> {
    let Some(directory) = site.heads() else { return Ok(()) };
    let before = read(site, task)?;
    let root = site.root.path().display().to_string();
    let mut after = before.clone().unwrap_or_else(|| ChainHead::new(root, task.clone()));
    change(&mut after);
    if before.as_ref() == Some(&after) {
        return Ok(());
    }
    let name = paths::head_name(task);
    let bytes = chain_head::KIND.encode(&after).map_err(LedgerError::io("write", &directory.path().join(&name)))?;
    directory.swap_in(&name, None, |file| file.write_all(&bytes))
}
