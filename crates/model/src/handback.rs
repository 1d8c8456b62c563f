//! An executor's statement when it returns control (seed 5): done, failed, or a question. A claim, not a proof.

mod handback_document;
mod ordered;

pub use self::handback_document::{
    ACCEPT, Complaint, FaultDocument, HANDBACK, HandbackDocument, HandbackError, HandbackResultDocument, read,
    read_accept, render, render_accept,
};
pub use self::ordered::OrderedJson;

/// An executor's statement when it returns control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handback {
    /// Outcome that the executor claims.
    pub outcome: HandbackOutcome,
    /// Description of the outcome in the executor's words. Never empty.
    pub description: String,
}

/// Outcome of a handback. The format allows an error next to a success or a question; it does not affect the outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandbackOutcome {
    /// The executor claims that everything is done.
    Success {
        /// An error reported in addition.
        beside: Option<HandbackFault>,
    },
    /// The executor failed.
    Error(HandbackFault),
    /// The executor needs an answer before it can continue.
    Question {
        /// An error reported in addition.
        beside: Option<HandbackFault>,
    },
}

/// An error reported by an executor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandbackFault {
    /// Code of the error.
    pub code: HandbackCode,
    /// Description of the error. Never empty.
    pub message: String,
    /// Further details, a JSON object as text. None: no details.
    pub context: Option<String>,
}

words! {
    /// Reason for a handback, with its spelling in `handback.json`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum HandbackReason {
        /// The executor claims that everything is done.
        Success = "success",
        /// The executor failed.
        Error = "error",
        /// The executor needs an answer.
        Question = "question",
    }
}

impl Handback {
    /// Returns the reason for the handback.
    pub fn reason(&self) -> HandbackReason {
        match self.outcome {
            HandbackOutcome::Success { .. } => HandbackReason::Success,
            HandbackOutcome::Error(_) => HandbackReason::Error,
            HandbackOutcome::Question { .. } => HandbackReason::Question,
        }
    }

    /// Returns the reported error, whatever the outcome.
    pub fn fault(&self) -> Option<&HandbackFault> {
        match &self.outcome {
            HandbackOutcome::Error(fault) => Some(fault),
            HandbackOutcome::Success { beside } | HandbackOutcome::Question { beside } => beside.as_ref(),
        }
    }
}

words! {
    /// The ten error codes of seed 5, in its order, with their spelling in `handback.json`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum HandbackCode {
        /// A required input is missing.
        InputMissing = "INPUT_MISSING",
        /// A required input exists but is unusable.
        InputInvalid = "INPUT_INVALID",
        /// An output violates its schema.
        SchemaViolation = "SCHEMA_VIOLATION",
        /// An external service failed.
        ExternalFailure = "EXTERNAL_FAILURE",
        /// A permission is missing.
        PermissionDenied = "PERMISSION_DENIED",
        /// A resource limit was reached.
        ResourceExhausted = "RESOURCE_EXHAUSTED",
        /// An internal error of the executor.
        InternalError = "INTERNAL_ERROR",
        /// The operation exceeded its time limit.
        Timeout = "TIMEOUT",
        /// The operation was canceled.
        Cancelled = "CANCELLED",
        /// The category is not known.
        Unknown = "UNKNOWN",
    }
}

impl HandbackCode {
    /// Returns the meaning as stated in `error-codes.json` of seed 5.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::InputMissing => "Required input file does not exist",
            Self::InputInvalid => "Input file exists but content is invalid or unusable",
            Self::SchemaViolation => "Output file fails JSON Schema validation",
            Self::ExternalFailure => "External service or API failure outside agent control",
            Self::PermissionDenied => "Insufficient permissions for required operation",
            Self::ResourceExhausted => "Resource limit exceeded (tokens, memory, disk)",
            Self::InternalError => "Unexpected internal error in agent logic",
            Self::Timeout => "Operation exceeded time limit",
            Self::Cancelled => "Operation was cancelled by user or system",
            Self::Unknown => "Error category cannot be determined",
        }
    }
}
