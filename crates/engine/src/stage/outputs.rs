//! What a stage wrote.

use std::collections::BTreeMap;

use referee_model::id::Digest;
use referee_model::stage::check::Checks;
use serde_json::{Map, Value};

/// What was found of a stage's outputs.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    /// The checks of outputs alone: no handback, no specification.
    pub checks: Checks,
    /// The outputs that are there, with their digests, by their paths in the stage's directory.
    pub found: BTreeMap<String, Digest>,
    /// The output parameters, by name; none that is null.
    pub parameters: Map<String, Value>,
}
