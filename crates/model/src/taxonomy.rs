//! The seven ways in which an action can come out (ruling 7).

use serde::{Deserialize, Serialize};

/// The seven outcomes (ruling 7, seed 1 "Result categories"). An action that never ran has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    /// Everything succeeded.
    Success,
    /// Tests failed.
    TestFailure,
    /// The tool did not work.
    ExecutionError,
    /// The tool worked and found something.
    ValidationFailure,
    /// The deadline was hit.
    Timeout,
    /// Something that must hold before the checks does not hold.
    PrerequisiteFailure,
    /// The specification asks for what cannot be done.
    SpecificationError,
}

impl Outcome {
    /// All outcomes, in the order in which reports count them.
    pub const ALL: [Self; 7] = [
        Self::Success,
        Self::TestFailure,
        Self::ExecutionError,
        Self::ValidationFailure,
        Self::Timeout,
        Self::PrerequisiteFailure,
        Self::SpecificationError,
    ];

    /// Returns the outcome as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "SUCCESS",
            Self::TestFailure => "TEST_FAILURE",
            Self::ExecutionError => "EXECUTION_ERROR",
            Self::ValidationFailure => "VALIDATION_FAILURE",
            Self::Timeout => "TIMEOUT",
            Self::PrerequisiteFailure => "PREREQUISITE_FAILURE",
            Self::SpecificationError => "SPECIFICATION_ERROR",
        }
    }
}
