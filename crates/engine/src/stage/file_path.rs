//! Paths of files within a stage's directory.

use referee_model::stage::parameters::PARAMETERS;
use referee_model::stage::path::StagePath;
use referee_model::stage::{INPUTS, OUTPUT_DATA};

use super::StageError;

/// Returns a path made of constants and validated parts.
pub(in crate::stage) fn path(text: &str) -> Result<StagePath, StageError> {
    StagePath::parse(text).map_err(|fault| StageError::Internal(format!("{text}: {fault}")))
}

/// Returns the path of a file in a stage's output data directory.
pub(in crate::stage) fn output_data(name: &str) -> Result<StagePath, StageError> {
    path(&format!("{OUTPUT_DATA}/{name}"))
}

/// Returns the path of a stage's parameters, the values that other stages published for it.
pub(in crate::stage) fn parameters_path() -> Result<StagePath, StageError> {
    path(&format!("{INPUTS}/{PARAMETERS}"))
}
