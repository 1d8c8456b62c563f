//! The sealed runs of a task as their seals name one another.

use std::collections::BTreeMap;
use std::path::PathBuf;

use referee_model::id::{ExecutionId, TaskId};
use referee_model::time::Timestamp;

use crate::error::LedgerError;
use crate::folder::{Folder, Kind};
use crate::paths;
use crate::seal::{self, Found};

/// A sealed run of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedRun {
    /// The folder of its evidence.
    pub folder: PathBuf,
    /// The run.
    pub execution: ExecutionId,
    /// When it was sealed.
    pub sealed_at: Timestamp,
}

/// Follows the seals back from the run in the task's place, as far as the runs are still there. Oldest first. A run that
/// was superseded is named by no seal, so it is not among them. Wants the task's lock.
pub(crate) fn follow(root: &Folder, task: &TaskId) -> Result<Vec<SealedRun>, LedgerError> {
    let Some(latest) = root.child(task.as_str())? else { return Ok(Vec::new()) };
    let mut earlier = BTreeMap::new();
    for folder in earlier_runs(root, task)? {
        if let Found::Sealed { seal, digest } = seal::find(&folder)?
            && seal.task_id == *task
        {
            earlier.insert(digest, (folder.path().to_path_buf(), seal));
        }
    }
    let mut chain = Vec::new();
    let mut next = match seal::find(&latest)? {
        Found::Sealed { seal, .. } if seal.task_id == *task => Some((latest.path().to_path_buf(), seal)),
        Found::Sealed { .. } | Found::Missing | Found::Unreadable { .. } => None,
    };
    while let Some((folder, seal)) = next {
        // What is taken out cannot be met again, so a forged ring of seals has an end.
        next = seal.previous_seal.and_then(|digest| earlier.remove(&digest));
        chain.push(SealedRun { folder, execution: seal.execution_id, sealed_at: seal.sealed_at });
    }
    chain.reverse();
    Ok(chain)
}

/// Opens the folders of a task in history.
fn earlier_runs(root: &Folder, task: &TaskId) -> Result<Vec<Folder>, LedgerError> {
    let Some(history) = root.child(paths::HISTORY)?.map(|all| all.child(task.as_str())).transpose()?.flatten() else {
        return Ok(Vec::new());
    };
    let mut folders = Vec::new();
    for (name, kind) in history.entries()? {
        if kind == Kind::Folder {
            folders.extend(history.child(&name)?);
        }
    }
    Ok(folders)
}
