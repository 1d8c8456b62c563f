//! What is known of an incident's failure, row by row, and how far it carries (seed 3).

/// Where a row is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EvidenceSource {
    /// The incident itself: its message or signature.
    Incident,
    /// Its context.
    Context,
    /// The end of its log.
    LogTail,
    /// What readers found and the judge weighed.
    Diagnostics,
    /// A planner's inference (the seed's word is `ai`).
    Inferred,
}

impl EvidenceSource {
    /// Returns it as plans spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Incident => "incident",
            Self::Context => "context",
            Self::LogTail => "log_tail",
            Self::Diagnostics => "diagnostics",
            Self::Inferred => "ai",
        }
    }
}

/// What kind of row it is. Its weight follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EvidenceKind {
    /// The incident's message.
    SummaryMessage,
    /// Its signature, without the message.
    ErrorSignature,
    /// A key of its context.
    ContextSignal,
    /// A line of its log that says that something failed.
    LogSignal,
    /// The last line of a log that says nothing of a failure.
    LogContext,
    /// A judged diagnostic: counts as a log signal.
    Diagnostic,
    /// A planner's inference.
    AiInferred,
}

impl EvidenceKind {
    /// Returns it as plans spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SummaryMessage => "summary_message",
            Self::ErrorSignature => "error_signature",
            Self::ContextSignal => "context_signal",
            Self::LogSignal => "log_signal",
            Self::LogContext => "log_context",
            Self::Diagnostic => "diagnostic",
            Self::AiInferred => "ai_inferred",
        }
    }
}

/// A row of evidence. Its id is `E` and its place in the list, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceRow {
    /// Where it is from.
    pub source: EvidenceSource,
    /// The file, and behind a colon the key in it: `log_tail.txt`, `context.json:reason`.
    pub path: String,
    /// What kind of row it is.
    pub kind: EvidenceKind,
    /// What it says: 220 characters at most.
    pub excerpt: String,
}

/// How far the evidence carries.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceQuality {
    /// Rows.
    pub total: usize,
    /// Rows from context and log that are signals.
    pub signals: usize,
    /// Rows that say what failed.
    pub strong: usize,
    /// The rows that are no signals.
    pub weak: usize,
    /// From 0 to 1, in hundredths.
    pub score: f64,
    /// In one word.
    pub assessment: Strength,
    /// The three rows that carry most, as places in the list from 1.
    pub strongest: Vec<usize>,
}

/// How strong something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// Hardly.
    Weak,
    /// Somewhat.
    Medium,
    /// Much.
    Strong,
}

impl Strength {
    /// Returns it as plans spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Medium => "medium",
            Self::Strong => "strong",
        }
    }
}
