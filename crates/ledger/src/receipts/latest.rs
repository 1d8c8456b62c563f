//! Which sealed run of a task is the latest, for who answers by it: looked at quickly, and told only where nothing is in
//! doubt. [`crate::chain_status`] says more, and reads the whole history for it.

use std::path::{Path, PathBuf};

use referee_model::id::{Digest, TaskId};
use referee_model::seal::Seal;

use crate::chain_heads;
use crate::directory::Directory;
use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;
use crate::seal::{self, SealState};
use crate::state::State;

/// What stands in a task's place.
#[derive(Debug)]
pub enum Latest {
    /// The latest run, as the head says that is kept out of the workspace's reach.
    Sealed {
        /// The directory of its evidence.
        directory: PathBuf,
        seal: Box<Seal>,
        /// SHA-256 of the seal.
        digest: Digest,
    },
    /// Nothing that can be relied on, and why.
    Doubtful(&'static str),
}

/// Finds the latest run of a task. No lock is taken: who publishes meanwhile makes it doubtful, or is found whole.
///
/// # Errors
/// Fails where head or seal cannot be read.
pub fn latest(root: &Path, task: &TaskId, state: &State) -> Result<Latest, LedgerError> {
    let Some(root) = Directory::find(root)? else { return Ok(Latest::Doubtful("there is no earlier run")) };
    let site = EvidenceRoot::to_read(root, Some(state))?;
    let Some(kept) = chain_heads::read(&site, task)? else {
        return Ok(Latest::Doubtful("no earlier run is known out of the workspace's reach"));
    };
    if !kept.started.is_empty() || kept.pending.is_some() {
        return Ok(Latest::Doubtful("a later run of the task goes on, or died"));
    }
    let Some(directory) = site.root.child(task.as_str())? else {
        return Ok(Latest::Doubtful("the evidence of the latest run is gone"));
    };
    match (seal::find(&directory)?, kept.head) {
        (SealState::Sealed { seal, digest }, Some(head)) if digest == head.seal_digest && seal.task_id == *task => {
            Ok(Latest::Sealed { directory: directory.path().to_path_buf(), seal, digest })
        }
        _ => Ok(Latest::Doubtful("what stands in the task's place is not the latest run of its chain")),
    }
}
