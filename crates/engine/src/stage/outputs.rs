//! The outputs of a stage.

use std::collections::BTreeMap;

use referee_model::id::Digest;
use referee_model::stage::check::Checks;
use serde_json::{Map, Value};

/// The judged outputs of a stage.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    /// Checks of the outputs alone, without the handback and the specification.
    pub checks: Checks,
    /// Digests of the existing outputs, by path in the stage's directory.
    pub found: BTreeMap<String, Digest>,
    /// Values of the output parameters, by name; none of them is null.
    pub parameters: Map<String, Value>,
}
