//! Why there is no answer to what was asked, for people and as an exit code.

use referee_ledger::key::KeyError;
use referee_model::verdict::Exit;
use referee_spec::{Complaint, SpecError};
use referee_wire::exit_code;

use crate::protection::ProtectionError;
use crate::request::Failure;

/// Why there is no answer.
#[derive(Debug)]
pub struct Problem {
    /// What kind of problem; it decides the exit code.
    pub kind: Kind,
    /// One sentence.
    pub message: String,
    /// What is wrong in the specification, where that is the problem.
    pub complaints: Vec<Complaint>,
}

/// Kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
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
    /// A problem that is no specification's.
    pub fn new(kind: Kind, message: String) -> Self {
        Self { kind, message, complaints: Vec::new() }
    }

    /// What was asked is wrong.
    pub fn usage(message: String) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// What was asked for does not follow from how things stand.
    pub fn refused(message: String) -> Self {
        Self::new(Kind::Refused, message)
    }

    /// The program itself failed.
    pub fn internal(message: String) -> Self {
        Self::new(Kind::Internal, message)
    }

    /// The specification is wrong or missing, or is not as it has to be.
    pub fn specification(message: String) -> Self {
        Self::new(Kind::Specification, message)
    }

    /// Returns what the gate comes to where this keeps it from an answer: never a pass.
    pub fn exit(&self) -> Exit {
        match self.kind {
            Kind::Usage | Kind::Refused | Kind::Specification => Exit::Specification,
            Kind::Evidence | Kind::Store | Kind::Run => Exit::Evidence,
            Kind::Internal => Exit::Internal,
        }
    }

    /// Returns the exit code that this problem ends the program with.
    pub fn exit_code(&self) -> u8 {
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
        Self::new(kind, failure.to_string())
    }
}

impl From<KeyError> for Problem {
    /// A key that cannot be used was named by whoever asked.
    fn from(error: KeyError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<std::io::Error> for Problem {
    /// The text of an answer is the only thing that is written without the ledger.
    fn from(error: std::io::Error) -> Self {
        Self::internal(format!("the answer could not be written: {error}"))
    }
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(format!("the answer could not be laid out as JSON: {error}"))
    }
}
