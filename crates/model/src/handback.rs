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

/// Reason for a handback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HandbackReason {
    /// The executor claims that everything is done.
    Success,
    /// The executor failed.
    Error,
    /// The executor needs an answer.
    Question,
}

impl HandbackReason {
    /// All reasons.
    pub const ALL: [Self; 3] = [Self::Success, Self::Error, Self::Question];

    /// Returns the spelling in `handback.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Question => "question",
        }
    }

    /// Parses the spelling in `handback.json`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text)
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

/// The ten error codes of seed 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HandbackCode {
    /// A required input is missing.
    InputMissing,
    /// A required input exists but is unusable.
    InputInvalid,
    /// An output violates its schema.
    SchemaViolation,
    /// An external service failed.
    ExternalFailure,
    /// A permission is missing.
    PermissionDenied,
    /// A resource limit was reached.
    ResourceExhausted,
    /// An internal error of the executor.
    InternalError,
    /// The operation exceeded its time limit.
    Timeout,
    /// The operation was canceled.
    Cancelled,
    /// The category is not known.
    Unknown,
}

impl HandbackCode {
    /// All codes, in the order of the seed.
    pub const ALL: [Self; 10] = [
        Self::InputMissing,
        Self::InputInvalid,
        Self::SchemaViolation,
        Self::ExternalFailure,
        Self::PermissionDenied,
        Self::ResourceExhausted,
        Self::InternalError,
        Self::Timeout,
        Self::Cancelled,
        Self::Unknown,
    ];

    /// Returns the spelling in `handback.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InputMissing => "INPUT_MISSING",
            Self::InputInvalid => "INPUT_INVALID",
            Self::SchemaViolation => "SCHEMA_VIOLATION",
            Self::ExternalFailure => "EXTERNAL_FAILURE",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Self::InternalError => "INTERNAL_ERROR",
            Self::Timeout => "TIMEOUT",
            Self::Cancelled => "CANCELLED",
            Self::Unknown => "UNKNOWN",
        }
    }

    /// Parses the spelling in `handback.json`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == text)
    }

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
