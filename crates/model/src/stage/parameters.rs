//! `output-params.json`: what a stage published. `params.json`: what a stage got of what others published (seed 5).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::incident::seconds;
use crate::stage::id::StageId;
use crate::time::Timestamp;

/// What a stage published, below its `run/output-data`.
pub const OUTPUT_PARAMETERS: &str = "output-params.json";
/// What a stage got, below its `inputs`.
pub const PARAMETERS: &str = "params.json";

/// What a stage published. A value that was null is not in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Referee output parameters of a stage"))]
pub struct OutputParametersDocument {
    /// The stage.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub stage_id: StageId,
    /// When it was finalized.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Moment"))]
    pub published_at: Timestamp,
    /// The values, by name.
    pub parameters: Map<String, Value>,
}

/// What a stage got: a flat map of names to values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ParametersDocument(pub Map<String, Value>);

/// Reads what a stage published.
///
/// # Errors
/// Fails for bytes that are no such document.
pub fn read_output(bytes: &[u8]) -> Result<OutputParametersDocument, serde_json::Error> {
    serde_json::from_slice(bytes)
}
