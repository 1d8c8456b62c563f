//! Finds the latest sealed run of a task, for callers that answer from it: a quick check that gives a result
//! only if there is no doubt. [`crate::chain_status`] gives details, and reads the whole history for that.

use std::path::{Path, PathBuf};

use referee_model::id::{Digest, TaskId};
use referee_model::seal::Seal;

use crate::chain_heads;
use crate::directory::Directory;
use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;
use crate::seal::{self, SealState};
use crate::state::State;

/// The latest run of a task, if it is certain.
#[derive(Debug)]
pub enum Latest {
    /// The latest run according to the chain head, which is kept outside the workspace.
    Sealed {
        /// The evidence directory.
        directory: PathBuf,
        seal: Box<Seal>,
        /// SHA-256 of the seal.
        digest: Digest,
    },
    /// No reliable run; the text is the reason.
    Doubtful(&'static str),
}

/// Finds the latest run of a task. No lock is taken: if a run is published meanwhile, the result is doubtful or
/// complete.
///
/// # Errors
/// Fails if the chain head or the seal cannot be read.
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
