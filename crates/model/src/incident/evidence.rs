//! What is known of an incident's failure, row by row, and how far it carries (seed 3).

use serde::{Deserialize, Serialize};

/// Where a row is from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    #[serde(rename = "ai")]
    Inferred,
    /// A word of another program.
    #[serde(untagged)]
    Other(String),
}

impl EvidenceSource {
    /// Returns it as plans spell it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Incident => "incident",
            Self::Context => "context",
            Self::LogTail => "log_tail",
            Self::Diagnostics => "diagnostics",
            Self::Inferred => "ai",
            Self::Other(word) => word,
        }
    }
}

/// What kind of row it is. Its weight follows from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// A word of another program.
    #[serde(untagged)]
    Other(String),
}

impl EvidenceKind {
    /// Returns it as plans spell it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::SummaryMessage => "summary_message",
            Self::ErrorSignature => "error_signature",
            Self::ContextSignal => "context_signal",
            Self::LogSignal => "log_signal",
            Self::LogContext => "log_context",
            Self::Diagnostic => "diagnostic",
            Self::AiInferred => "ai_inferred",
            Self::Other(word) => word,
        }
    }
}

/// A row of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EvidenceRowDocument"))]
pub struct EvidenceRow {
    /// `E` and its place in the list, from 1.
    pub id: String,
    /// `incident`, `context`, `log_tail`, `diagnostics` or `ai`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub source: EvidenceSource,
    /// The file, and behind a colon the key in it.
    pub path: String,
    /// What kind of row it is.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: EvidenceKind,
    /// Text of the row, redacted and bounded.
    pub excerpt: String,
}

/// How far evidence carries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EvidenceQualityDocument"))]
pub struct EvidenceQuality {
    /// Number of all rows of evidence.
    pub total_count: usize,
    /// Number of rows that are signals: log signals, context signals and diagnostics.
    pub signal_count: usize,
    /// Number of signals that say what failed: log signals, diagnostics, and `reason` or `returncode` in the context.
    pub strong_signal_count: usize,
    /// Number of rows that are no signals: `total_count` minus `signal_count`.
    pub weak_signal_count: usize,
    /// Whether there is at least one strong signal.
    pub has_failure_signal: bool,
    /// Strength of the evidence from 0 to 1, in hundredths; 0 without rows.
    pub score: f64,
    /// `strong`, `medium` or `weak`, from the score and the presence of a strong signal.
    pub assessment: String,
    /// Ids of the rows with the greatest weight, in descending order; at most three.
    pub strongest_evidence_ids: Vec<String>,
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
