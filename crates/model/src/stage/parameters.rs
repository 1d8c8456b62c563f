//! `output-params.json`: the parameters that a stage published. `params.json`: the parameters that a stage
//! received from other stages (seed 5).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::incident::seconds;
use crate::stage::id::StageId;
use crate::time::Timestamp;

/// File name of the published parameters, in the stage's `run/output-data`.
pub const OUTPUT_PARAMETERS: &str = "output-params.json";
/// File name of the received parameters, in the stage's `inputs`.
pub const PARAMETERS: &str = "params.json";

/// Parameters that a stage published. Null values are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Referee output parameters of a stage"))]
pub struct OutputParametersDocument {
    /// Id of the stage.
    pub stage_id: StageId,
    /// Time at which the stage was finalized.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Moment"))]
    pub published_at: Timestamp,
    /// Parameter values by name.
    pub parameters: Map<String, Value>,
}

/// Parameters that a stage received: a flat map from names to values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ParametersDocument(pub Map<String, Value>);

/// Parses the parameters that a stage published.
///
/// # Errors
/// Fails for bytes that are not a valid document.
pub fn read_output(bytes: &[u8]) -> Result<OutputParametersDocument, serde_json::Error> {
    serde_json::from_slice(bytes)
}
