//! Evidence about the failure of an incident, row by row, and its quality (seed 3).

use serde::{Deserialize, Serialize};

/// Source of a row of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceSource {
    /// The incident: its message or its signature.
    Incident,
    /// The context of the incident.
    Context,
    /// The end of the incident's log.
    LogTail,
    /// Findings of the readers, as judged.
    Diagnostics,
    /// A planner's inference (the seed's word is `ai`).
    #[serde(rename = "ai")]
    Inferred,
    /// A source that another program names.
    #[serde(untagged)]
    Other(String),
}

impl EvidenceSource {
    /// Returns the source as plans spell it.
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

/// Kind of a row of evidence, which determines its weight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// The message of the incident.
    SummaryMessage,
    /// The signature of the incident, without the message.
    ErrorSignature,
    /// A key of the incident's context.
    ContextSignal,
    /// A line of the log that reports a failure.
    LogSignal,
    /// The last line of a log that reports no failure.
    LogContext,
    /// A judged diagnostic: counts as a log signal.
    Diagnostic,
    /// A planner's inference.
    AiInferred,
    /// A kind that another program names.
    #[serde(untagged)]
    Other(String),
}

impl EvidenceKind {
    /// Returns the kind as plans spell it.
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
    /// Id of the row: `E` and its position in the list, from 1.
    pub id: String,
    /// Source of the row: `incident`, `context`, `log_tail`, `diagnostics` or `ai`.
    pub source: EvidenceSource,
    /// Path of the file; for a value in the file, followed by a colon and the key.
    pub path: String,
    /// Kind of the row, such as `log_signal` or `diagnostic`.
    pub kind: EvidenceKind,
    /// Text of the row, redacted and bounded.
    pub excerpt: String,
}

/// Quality of the evidence about a failure.
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

words! {
    /// Strength of evidence, with its spelling in plans.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Strength {
        /// Weak.
        Weak = "weak",
        /// Medium.
        Medium = "medium",
        /// Strong.
        Strong = "strong",
    }
}
