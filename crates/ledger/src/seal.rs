//! The seal: every file of a run by size and hash, and the seal of the run before.

use std::collections::BTreeMap;

use referee_model::evidence_name;
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::seal::{self as document, Seal, SealedFile};
use referee_model::time::Timestamp;

use crate::contents::Finished;
use crate::directory::Directory;
use crate::error::LedgerError;

/// A seal as it was found in a directory.
#[derive(Debug)]
pub(crate) enum SealState {
    /// There is none.
    Missing,
    /// There is something that is no seal.
    Unreadable { reason: String },
    Sealed {
        seal: Box<Seal>,
        /// SHA-256 of its bytes: by this the next seal names it.
        digest: Digest,
    },
}

impl SealState {
    /// Returns the run that was sealed.
    pub(crate) fn execution(&self) -> Option<&ExecutionId> {
        match self {
            Self::Sealed { seal, .. } => Some(&seal.execution_id),
            Self::Missing | Self::Unreadable { .. } => None,
        }
    }

    /// Returns the digest by which the next seal names this one.
    pub(crate) fn digest(&self) -> Option<Digest> {
        match self {
            Self::Sealed { digest, .. } => Some(*digest),
            Self::Missing | Self::Unreadable { .. } => None,
        }
    }
}

/// Looks for a directory's seal. Whatever lies there is content, not an error; only a disk that cannot be read is one.
pub(crate) fn find(directory: &Directory) -> Result<SealState, LedgerError> {
    let bytes = match directory.read(evidence_name::SEAL) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(SealState::Missing),
        Err(error @ (LedgerError::NotAFile { .. } | LedgerError::TooLarge { .. })) => {
            return Ok(SealState::Unreadable { reason: error.to_string() });
        }
        Err(error) => return Err(error),
    };
    Ok(match document::read(&bytes) {
        Ok(seal) => SealState::Sealed { seal: Box::new(seal), digest: Digest::of(&bytes) },
        Err(error) => SealState::Unreadable { reason: error.to_string() },
    })
}

/// What a seal says beside the files.
#[derive(Debug)]
pub(crate) struct Statement<'a> {
    pub(crate) execution: &'a ExecutionId,
    pub(crate) task: &'a TaskId,
    pub(crate) sealed_at: Timestamp,
    pub(crate) plan_digest: Digest,
    /// The seal of the head of the chain when this one is sealed: the run that this one replaces, or the one that
    /// superseded it. No later seal names a run that was superseded.
    pub(crate) previous_seal: Option<Digest>,
    /// Its number in the chain. None: it was superseded.
    pub(crate) sequence: Option<u64>,
    /// Whether the run that `previous_seal` names is gone.
    pub(crate) previous_gone: bool,
    /// Digests of the workspace's inputs before and after, where they were observed.
    pub(crate) trees: Option<(Digest, Digest)>,
}

/// Makes the seal over these files, sorted by name.
pub(crate) fn make(statement: &Statement<'_>, files: BTreeMap<String, Finished>) -> Seal {
    let sealed = |(path, Finished { written, .. }): (String, Finished)| SealedFile {
        path,
        bytes: written.bytes,
        sha256: written.sha256,
    };
    Seal {
        seal_version: document::VERSION.to_owned(),
        execution_id: statement.execution.clone(),
        task_id: statement.task.clone(),
        sealed_at: statement.sealed_at,
        plan_digest: statement.plan_digest,
        previous_seal: statement.previous_seal,
        sequence: statement.sequence,
        previous_gone: statement.previous_gone,
        tree_before: statement.trees.map(|(before, _)| before),
        tree_after: statement.trees.map(|(_, after)| after),
        files: files.into_iter().map(sealed).collect(),
    }
}
