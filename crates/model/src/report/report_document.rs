//! The report of a judged run as stored in an evidence directory: its excerpt, and the verification of its hash.

use serde::Deserialize;
use serde_json::Value;

use crate::canonical::{self, CanonicalError};
use crate::document::{DocumentError, Kind};
use crate::foreign::ForeignError;
use crate::id::{Digest, IdError, TaskId};
use crate::verdict::Decision;

/// Format of the report.
pub const KIND: Kind = Kind { name: "execution-report.json", key: "reportVersion", version: "2.0.0" };

/// Error for a report document that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The report cannot be canonicalized for its hash.
    #[error("cannot canonicalize the report: {0}")]
    Canonical(#[from] CanonicalError),
    /// The report cannot be serialized as JSON.
    #[error("cannot serialize the report: {0}")]
    Json(#[from] serde_json::Error),
    /// The bytes are not a report.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The report does not contain its own hash.
    #[error("the report does not contain its own hash: {0}")]
    Hash(#[from] IdError),
    /// The error in the report, which explains why the run did not pass, cannot be read as a build error.
    #[error(transparent)]
    BuildError(#[from] ForeignError),
}

/// Returns whether the hash that a report contains matches its content.
///
/// # Errors
/// Fails for bytes that are not a report, or that contain no hash.
pub fn verify_hash(bytes: &[u8]) -> Result<bool, ReportError> {
    let report: Value = KIND.read(bytes)?;
    let stated = stated(&report)?;
    Ok(hash(report)? == stated)
}

/// Returns the hash that a report contains.
///
/// # Errors
/// Fails for bytes that are not a report, or that contain no hash.
pub fn stated_hash(bytes: &[u8]) -> Result<Digest, ReportError> {
    stated(&KIND.read(bytes)?)
}

fn stated(report: &Value) -> Result<Digest, ReportError> {
    Ok(Digest::parse(report.pointer("/authenticity/reportHash").and_then(Value::as_str).unwrap_or_default())?)
}

/// Returns the SHA-256 of the canonical form of a report, without the key that holds the hash.
///
/// # Errors
/// Fails for a number that canonical JSON cannot represent.
pub fn hash(mut report: Value) -> Result<Digest, CanonicalError> {
    if let Some(authenticity) = report.pointer_mut("/authenticity").and_then(Value::as_object_mut) {
        authenticity.remove("reportHash");
    }
    canonical::bytes(&report).map(Digest::of)
}

/// Excerpt of a sealed report, as far as it matters for trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// Id of the task.
    pub task: TaskId,
    /// Decision of the gate.
    pub decision: Decision,
    /// Version of the rules by which the run was judged.
    pub judge_version: String,
}

/// Parses the excerpt of a sealed report.
pub fn read(bytes: &[u8]) -> Result<Sealed, ReportError> {
    let report: Excerpt = KIND.read(bytes)?;
    Ok(Sealed {
        task: report.test_specification.task_id,
        decision: report.execution_summary.decision,
        judge_version: report.judge_version,
    })
}

/// The keys of a report that [`read`] uses; all others are ignored.
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
