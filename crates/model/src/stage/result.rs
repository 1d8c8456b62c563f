//! `wf-result.json`: what its executor says became of the stage's work (seed 5). It is a claim, as the handback is one; the two are
//! held against each other.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::incident::seconds;
use crate::stage::id::StageId;
use crate::time::Timestamp;

/// What became of a stage's work, below its `run/output-data`.
pub const WF_RESULT: &str = "wf-result.json";

/// What became of a stage's work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Referee result of a stage's work"))]
pub struct WfResultDocument {
    /// Whether all of the work is done, some of it, or none.
    pub status: WfResultStatus,
    /// When the work was done, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("format" = "date-time")))]
    pub completed_at: Timestamp,
    /// Id of the stage that this result is about.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub stage_id: StageId,
    /// What went wrong. Null: nothing.
    pub error: Option<String>,
    /// Numbers that the stage reports, by name.
    pub metrics: Map<String, Value>,
}

/// What a stage's work came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WfResultStatus {
    /// All of it is done.
    Success,
    /// It failed.
    Failure,
    /// Some of it is done.
    Partial,
}

impl WfResultStatus {
    /// Returns it as the document spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Partial => "partial",
        }
    }
}

/// Reads what became of a stage's work.
///
/// # Errors
/// Fails for bytes that are no such document.
pub fn read(bytes: &[u8]) -> Result<WfResultDocument, serde_json::Error> {
    serde_json::from_slice(bytes)
}
