//! `wf-result.json`: the executor's own statement about the result of a stage's work (seed 5). Like the
//! handback it is only a claim; the two are checked against each other.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::incident::seconds;
use crate::stage::id::StageId;
use crate::time::Timestamp;

/// File name of the result, in the stage's `run/output-data`.
pub const WF_RESULT: &str = "wf-result.json";

/// The executor's statement about the result of a stage's work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Referee result of a stage's work"))]
pub struct WfResultDocument {
    /// Whether all of the work is done, some of it, or none.
    pub status: WfResultStatus,
    /// When the work was done, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("format" = "date-time")))]
    pub completed_at: Timestamp,
    /// Id of the stage that this result is about.
    pub stage_id: StageId,
    /// Description of the error. Null: no error occurred.
    pub error: Option<String>,
    /// Numbers that the stage reports, by name.
    pub metrics: Map<String, Value>,
}

document_words! {
    /// Result of a stage's work, as claimed by its executor.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum WfResultStatus {
        /// All work is done.
        Success = "success",
        /// The work failed.
        Failure = "failure",
        /// Some of the work is done.
        Partial = "partial",
    }
}

/// Parses the result of a stage's work.
///
/// # Errors
/// Fails for bytes that are not a valid document.
pub fn read(bytes: &[u8]) -> Result<WfResultDocument, serde_json::Error> {
    serde_json::from_slice(bytes)
}
