//! Errors of depots.

use referee_ledger::LedgerError;
use referee_model::depot::{DepotFailure, DepotFailureKind};

/// Error of an operation on a depot. It is never a pass.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct DepotError {
    /// Kind of the error.
    pub kind: DepotFailureKind,
    /// What is wrong, with the object, and what to do.
    pub message: String,
}

impl DepotError {
    pub(crate) fn new(kind: DepotFailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Creates the error for an object that another one names and that is gone.
    pub(crate) fn missing(object: &str) -> Self {
        let message = format!(
            "`{object}` is missing in the depot, and no tombstone says that it was removed: push the run again from a \
             machine that has it"
        );
        Self::new(DepotFailureKind::Missing, message)
    }

    /// Creates the error for an object that is not what it has to be.
    pub(crate) fn corrupt(object: &str, problem: &str) -> Self {
        let message = format!(
            "`{object}` in the depot is not what was pushed: {problem}. Remove it, and push the run again from a machine \
             that has it"
        );
        Self::new(DepotFailureKind::Corrupt, message)
    }

    pub(crate) fn local(problem: impl std::fmt::Display) -> Self {
        Self::new(DepotFailureKind::Local, problem.to_string())
    }

    /// Turns the error for content that is another one into that for the local file that should have been it.
    pub(crate) fn changed(error: Self) -> Self {
        match error.kind {
            DepotFailureKind::Corrupt => Self::local("the file is not as it was sealed: see `referee evidence verify`"),
            _ => error,
        }
    }

    /// Creates the error for storage that ignores conditions.
    pub(crate) fn unconditional() -> Self {
        let message = "the object storage ignores `If-None-Match` or `If-Match`, so runs could be lost: use a server with \
                       conditional writes, such as AWS S3, MinIO, Ceph or versitygw";
        Self::new(DepotFailureKind::Address, message)
    }

    pub(crate) fn failure(self) -> DepotFailure {
        DepotFailure { kind: self.kind, message: self.message }
    }
}

impl From<LedgerError> for DepotError {
    fn from(error: LedgerError) -> Self {
        Self::local(error)
    }
}
