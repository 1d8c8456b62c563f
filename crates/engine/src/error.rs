//! Errors of the engine, with a message for people and an exit code.

use referee_ledger::LedgerError;
use referee_ledger::key::KeyError;
use referee_model::exit_code;
use referee_model::verdict::Exit;
use referee_spec::{Complaint, SpecError};

use crate::protection::ProtectionError;

/// Reason why there is no answer. A failing check is not an error: it is a verdict.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct EngineError {
    /// Kind of the error, which decides the exit code.
    pub kind: ErrorKind,
    /// The message, one sentence.
    pub message: String,
    /// Problems of the specification; empty for other errors.
    pub complaints: Vec<Complaint>,
}

/// Kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command line is wrong.
    Usage,
    /// The request is not possible in the current state.
    Refused,
    /// The specification is wrong or missing.
    Specification,
    /// Evidence could not be written or read.
    Evidence,
    /// The incidents, or their records in the state directory, could not be written or read.
    Store,
    /// The run of a workflow could not be written or read.
    Run,
    /// Referee itself failed.
    Internal,
}

impl EngineError {
    /// Creates an error without problems of a specification.
    pub fn new(kind: ErrorKind, message: String) -> Self {
        Self { kind, message, complaints: Vec::new() }
    }

    /// Creates an error for a wrong command line or request.
    pub fn usage(message: String) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// Creates an error for a request that is not possible in the current state.
    pub fn refused(message: String) -> Self {
        Self::new(ErrorKind::Refused, message)
    }

    /// Creates an error for a failure of Referee itself, or for one of its own documents that cannot be made or read.
    pub fn internal(message: impl std::fmt::Display) -> Self {
        Self::new(ErrorKind::Internal, message.to_string())
    }

    /// Creates an error for a specification that is wrong, missing or not usable.
    pub fn specification(message: String) -> Self {
        Self::new(ErrorKind::Specification, message)
    }

    /// Creates an error for evidence that could not be stored.
    pub fn evidence(reason: impl std::fmt::Display) -> Self {
        Self::new(ErrorKind::Evidence, format!("evidence could not be kept: {reason}"))
    }

    /// Returns the exit of the gate for this error. It is never a pass.
    pub fn exit(&self) -> Exit {
        match self.kind {
            ErrorKind::Usage | ErrorKind::Refused | ErrorKind::Specification => Exit::Specification,
            ErrorKind::Evidence | ErrorKind::Store | ErrorKind::Run => Exit::Evidence,
            ErrorKind::Internal => Exit::Internal,
        }
    }

    /// Returns the exit code of the program for this error.
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            ErrorKind::Usage => exit_code::USAGE,
            ErrorKind::Refused => exit_code::FAILED,
            ErrorKind::Specification => exit_code::SPECIFICATION,
            ErrorKind::Evidence | ErrorKind::Store | ErrorKind::Run => exit_code::EVIDENCE,
            ErrorKind::Internal => exit_code::INTERNAL,
        }
    }
}

impl From<SpecError> for EngineError {
    fn from(error: SpecError) -> Self {
        let message = match std::error::Error::source(&error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        let complaints = match error {
            SpecError::Complaints(complaints) => complaints,
            _ => Vec::new(),
        };
        Self { kind: ErrorKind::Specification, message, complaints }
    }
}

impl From<ProtectionError> for EngineError {
    /// Protected files that cannot be read count as drift.
    fn from(error: ProtectionError) -> Self {
        Self::specification(format!("what is protected cannot be looked at: {error}"))
    }
}

impl From<LedgerError> for EngineError {
    /// Without evidence there is no verdict.
    fn from(error: LedgerError) -> Self {
        Self::evidence(error)
    }
}

impl From<KeyError> for EngineError {
    /// A key that cannot be used was named by the caller, so this is a usage error.
    fn from(error: KeyError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<std::io::Error> for EngineError {
    /// Only the text of an answer is written without the ledger, so this is an internal error.
    fn from(error: std::io::Error) -> Self {
        Self::internal(format!("the answer could not be written: {error}"))
    }
}

impl From<serde_json::Error> for EngineError {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(format!("the answer could not be laid out as JSON: {error}"))
    }
}
