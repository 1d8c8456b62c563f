//! What ends a command without an answer, for people and as an exit code.

use referee_engine::protection::ProtectionError;
use referee_engine::request::Failure;
use referee_engine::stage::StageError;
use referee_spec::{Complaint, SpecError};
use referee_wire::exit_code;

/// Why a command ends without an answer.
#[derive(Debug)]
pub(crate) struct Problem {
    /// What kind of problem; it decides the exit code.
    pub(crate) kind: Kind,
    /// One sentence.
    pub(crate) message: String,
    /// What is wrong in the specification, where that is the problem.
    pub(crate) complaints: Vec<Complaint>,
}

/// Kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The command was typed wrongly.
    Usage,
    /// What was asked for does not follow from how things stand.
    Refused,
    /// The specification is wrong or missing.
    Specification,
    /// Evidence could not be kept or read.
    Evidence,
    /// The incidents, or what is kept of them in the state folder, could not be kept or read.
    Store,
    /// The run of a workflow could not be kept or read.
    Run,
    /// The program itself failed.
    Internal,
}

impl Problem {
    pub(crate) fn usage(message: String) -> Self {
        Self { kind: Kind::Usage, message, complaints: Vec::new() }
    }

    pub(crate) fn internal(message: String) -> Self {
        Self { kind: Kind::Internal, message, complaints: Vec::new() }
    }

    /// Returns the exit code that this problem ends the program with.
    pub(crate) fn exit_code(&self) -> u8 {
        match self.kind {
            Kind::Usage => exit_code::USAGE,
            Kind::Refused => exit_code::FAILED,
            Kind::Specification => exit_code::SPECIFICATION,
            Kind::Evidence | Kind::Store | Kind::Run => exit_code::EVIDENCE,
            Kind::Internal => exit_code::INTERNAL,
        }
    }
}

impl From<SpecError> for Problem {
    fn from(error: SpecError) -> Self {
        let message = match std::error::Error::source(&error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        let complaints = match error {
            SpecError::Complaints(complaints) => complaints,
            _ => Vec::new(),
        };
        Self { kind: Kind::Specification, message, complaints }
    }
}

impl From<ProtectionError> for Problem {
    fn from(error: ProtectionError) -> Self {
        Failure::from(error).into()
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        let kind = match failure {
            Failure::Evidence(_) | Failure::Output(_) => Kind::Evidence,
            // What cannot be looked at is not as it was: drift, as far as anybody can tell.
            Failure::Protection(_) => Kind::Specification,
            Failure::Document(_) | Failure::Internal(_) => Kind::Internal,
        };
        Self { kind, message: failure.to_string(), complaints: Vec::new() }
    }
}

impl From<StageError> for Problem {
    fn from(error: StageError) -> Self {
        let kind = match &error {
            StageError::Unknown(_) | StageError::Invalid(_) => Kind::Usage,
            StageError::Illegal(..) | StageError::Refused(_) | StageError::Busy => Kind::Refused,
            StageError::Store(_) => Kind::Run,
            StageError::Internal(_) => Kind::Internal,
        };
        Self { kind, message: error.to_string(), complaints: Vec::new() }
    }
}

impl From<std::io::Error> for Problem {
    /// Standard output is the only thing that commands write to themselves.
    fn from(error: std::io::Error) -> Self {
        Self::internal(format!("the answer could not be written: {error}"))
    }
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(format!("the answer could not be laid out as JSON: {error}"))
    }
}
