//! The seal: every file of a run with its size and hash, and the digest of the previous seal.

use std::collections::BTreeMap;

use referee_model::evidence_name;
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::seal::{self as document, Seal, SealedFile};
use referee_model::time::Timestamp;

use crate::contents::Finished;
use crate::directory::Directory;
use crate::error::LedgerError;

/// The seal of a directory, as found on disk.
#[derive(Debug)]
pub(crate) enum SealState {
    /// The directory has no seal.
    Missing,
    /// The file is not a valid seal.
    Unreadable { reason: String },
    Sealed {
        seal: Box<Seal>,
        /// SHA-256 of the seal's bytes, by which the next seal names it.
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

/// Reads a directory's seal. An invalid seal is a result, not an error; only I/O errors are errors.
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

/// Content of a seal other than its files.
#[derive(Debug)]
pub(crate) struct Statement<'a> {
    pub(crate) execution: &'a ExecutionId,
    pub(crate) task: &'a TaskId,
    pub(crate) sealed_at: Timestamp,
    pub(crate) plan_digest: Digest,
    /// The seal that was the chain head when this one was made: that of the run that this one replaces, or of
    /// the one that superseded it. No later seal names a superseded run.
    pub(crate) previous_seal: Option<Digest>,
    /// The run's number in the chain. None: it was superseded.
    pub(crate) sequence: Option<u64>,
    /// Whether the run that `previous_seal` names no longer exists.
    pub(crate) previous_gone: bool,
    /// Digests of the workspace's inputs before and after the run, if they were computed.
    pub(crate) trees: Option<(Digest, Digest)>,
}

/// Builds the seal over these files, sorted by name.
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
