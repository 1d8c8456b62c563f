//! The report of a judged run as it lies in a directory of evidence: what it says of itself, and that it is whole.

use serde::Deserialize;
use serde_json::Value;

use crate::canonical::{self, CanonicalError};
use crate::document::{DocumentError, Kind};
use crate::foreign::ForeignError;
use crate::id::{Digest, IdError, TaskId};
use crate::verdict::Decision;

/// The document.
pub const KIND: Kind = Kind { name: "execution-report.json", key: "reportVersion", version: "2.0.0" };

/// Why there is no report document.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// It cannot be hashed.
    #[error("cannot canonicalize the report: {0}")]
    Canonical(#[from] CanonicalError),
    /// It cannot be JSON.
    #[error("cannot serialize the report: {0}")]
    Json(#[from] serde_json::Error),
    /// The bytes are no report.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The bytes are a report that does not say its own hash.
    #[error("the report does not contain its own hash: {0}")]
    Hash(#[from] IdError),
    /// It does not say why it is no pass as such errors are written.
    #[error(transparent)]
    BuildError(#[from] ForeignError),
}

/// Says whether a report's own hash fits its content.
///
/// # Errors
/// Fails for bytes that are no report, or hold no hash.
pub fn verify_hash(bytes: &[u8]) -> Result<bool, ReportError> {
    let report: Value = KIND.read(bytes)?;
    let stated = stated(&report)?;
    Ok(hash(report)? == stated)
}

/// Returns the hash that a report says it has.
///
/// # Errors
/// Fails for bytes that are no report, or hold no hash.
pub fn stated_hash(bytes: &[u8]) -> Result<Digest, ReportError> {
    stated(&KIND.read(bytes)?)
}

fn stated(report: &Value) -> Result<Digest, ReportError> {
    Ok(Digest::parse(report.pointer("/authenticity/reportHash").and_then(Value::as_str).unwrap_or_default())?)
}

/// Returns the SHA-256 of the canonical bytes of a whole report without the one key that holds it.
///
/// # Errors
/// Fails for a number that canonical JSON cannot hold.
pub fn hash(mut report: Value) -> Result<Digest, CanonicalError> {
    if let Some(authenticity) = report.pointer_mut("/authenticity").and_then(Value::as_object_mut) {
        authenticity.remove("reportHash");
    }
    canonical::bytes(&report).map(Digest::of)
}

/// What a sealed report says of itself, as far as trust in it is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// The task.
    pub task: TaskId,
    /// What gates.
    pub decision: Decision,
    /// Version of the rules that judged.
    pub judge_version: String,
}

/// Reads what a sealed report says of itself.
pub fn read(bytes: &[u8]) -> Result<Sealed, ReportError> {
    let report: Excerpt = KIND.read(bytes)?;
    Ok(Sealed {
        task: report.test_specification.task_id,
        decision: report.execution_summary.decision,
        judge_version: report.judge_version,
    })
}

/// The keys of a report that [`read`] looks at; all others are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Excerpt {
    judge_version: String,
    test_specification: SpecificationExcerpt,
    execution_summary: SummaryExcerpt,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpecificationExcerpt {
    task_id: TaskId,
}

#[derive(Deserialize)]
struct SummaryExcerpt {
    decision: Decision,
}
