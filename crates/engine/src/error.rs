//! Why there is no answer to what was asked, for people and as an exit code.

use referee_ledger::LedgerError;
use referee_ledger::key::KeyError;
use referee_model::exit_code;
use referee_model::verdict::Exit;
use referee_spec::{Complaint, SpecError};

use crate::protection::ProtectionError;

/// Why there is no answer. A failing check is none of these: it is a verdict.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct EngineError {
    /// What kind of error; it decides the exit code.
    pub kind: ErrorKind,
    /// One sentence.
    pub message: String,
    /// What is wrong in the specification, where that is the problem.
    pub complaints: Vec<Complaint>,
}

/// Kinds of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command was typed wrongly.
    Usage,
    /// What was asked for does not follow from how things stand.
    Refused,
    /// The specification is wrong or missing.
    Specification,
    /// Evidence could not be kept or read.
    Evidence,
    /// The incidents, or what is kept of them in the state directory, could not be kept or read.
    Store,
    /// The run of a workflow could not be kept or read.
    Run,
    /// The program itself failed.
    Internal,
}

impl EngineError {
    /// A problem that is no specification's.
    pub fn new(kind: ErrorKind, message: String) -> Self {
        Self { kind, message, complaints: Vec::new() }
    }

    /// What was asked is wrong.
    pub fn usage(message: String) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// What was asked for does not follow from how things stand.
    pub fn refused(message: String) -> Self {
        Self::new(ErrorKind::Refused, message)
    }

    /// The program itself failed, or a document of its own cannot be made or read.
    pub fn internal(message: impl std::fmt::Display) -> Self {
        Self::new(ErrorKind::Internal, message.to_string())
    }

    /// The specification is wrong or missing, or is not as it has to be.
    pub fn specification(message: String) -> Self {
        Self::new(ErrorKind::Specification, message)
    }

    /// What happened could not be kept.
    pub(crate) fn evidence(reason: impl std::fmt::Display) -> Self {
        Self::new(ErrorKind::Evidence, format!("evidence could not be kept: {reason}"))
    }

    /// Returns what the gate comes to where this keeps it from an answer: never a pass.
    pub fn exit(&self) -> Exit {
        match self.kind {
            ErrorKind::Usage | ErrorKind::Refused | ErrorKind::Specification => Exit::Specification,
            ErrorKind::Evidence | ErrorKind::Store | ErrorKind::Run => Exit::Evidence,
            ErrorKind::Internal => Exit::Internal,
        }
    }

    /// Returns the exit code that this problem ends the program with.
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
    /// What cannot be looked at is not as it was: drift, as far as anybody can tell.
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
    /// A key that cannot be used was named by whoever asked.
    fn from(error: KeyError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<std::io::Error> for EngineError {
    /// The text of an answer is the only thing that is written without the ledger.
    fn from(error: std::io::Error) -> Self {
        Self::internal(format!("the answer could not be written: {error}"))
    }
}

impl From<serde_json::Error> for EngineError {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(format!("the answer could not be laid out as JSON: {error}"))
    }
}
