//! What an executor says when it gives control back (seed 5): done, failed, or a question. It is a claim and proves nothing.

mod handback_document;
mod ordered;

pub use self::handback_document::{
    ACCEPT, Complaint, FaultDocument, HANDBACK, HandbackDocument, HandbackError, HandbackResultDocument, read,
    read_accept, render, render_accept,
};
pub use self::ordered::OrderedJson;

/// What an executor says when it gives control back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handback {
    /// What it comes to.
    pub outcome: HandbackOutcome,
    /// The same in the executor's words. Never empty.
    pub description: String,
}

/// What a handback comes to. An error beside a success or a question is allowed by the format, and decides nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandbackOutcome {
    /// It says that all is done.
    Success {
        /// What went wrong all the same.
        beside: Option<HandbackFault>,
    },
    /// It failed.
    Error(HandbackFault),
    /// It needs an answer before it can go on.
    Question {
        /// What went wrong beside that.
        beside: Option<HandbackFault>,
    },
}

/// What went wrong, as an executor says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandbackFault {
    /// Which kind of fault.
    pub code: HandbackCode,
    /// What happened. Never empty.
    pub message: String,
    /// More of it: a JSON object as text. None: nothing more.
    pub context: Option<String>,
}

/// The word for what a handback comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HandbackReason {
    /// It says that all is done.
    Success,
    /// It failed.
    Error,
    /// It needs an answer.
    Question,
}

impl HandbackReason {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Success, Self::Error, Self::Question];

    /// Returns it as `handback.json` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Question => "question",
        }
    }

    /// Reads it as `handback.json` spells it.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text)
    }
}

impl Handback {
    /// Returns the word for what it comes to.
    pub fn reason(&self) -> HandbackReason {
        match self.outcome {
            HandbackOutcome::Success { .. } => HandbackReason::Success,
            HandbackOutcome::Error(_) => HandbackReason::Error,
            HandbackOutcome::Question { .. } => HandbackReason::Question,
        }
    }

    /// Returns what went wrong, whatever it comes to.
    pub fn fault(&self) -> Option<&HandbackFault> {
        match &self.outcome {
            HandbackOutcome::Error(fault) => Some(fault),
            HandbackOutcome::Success { beside } | HandbackOutcome::Question { beside } => beside.as_ref(),
        }
    }
}

/// Which kind of fault it is: the ten codes of seed 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HandbackCode {
    /// Something that it needs is not there.
    InputMissing,
    /// Something that it needs is there and is no use.
    InputInvalid,
    /// What it made breaks its schema.
    SchemaViolation,
    /// Somebody else's service failed.
    ExternalFailure,
    /// It may not do what it has to.
    PermissionDenied,
    /// A limit was reached.
    ResourceExhausted,
    /// It failed itself.
    InternalError,
    /// It took too long.
    Timeout,
    /// Somebody stopped it.
    Cancelled,
    /// Nobody can tell.
    Unknown,
}

impl HandbackCode {
    /// All of them, in the order of the seed.
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

    /// Returns it as `handback.json` spells it.
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

    /// Reads it as `handback.json` spells it.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == text)
    }

    /// Returns what it means, as `error-codes.json` of seed 5 says it.
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
