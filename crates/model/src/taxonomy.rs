//! The seven outcomes of an action (ruling 7).

use serde::{Deserialize, Serialize};

/// The outcome of an action (ruling 7, seed 1 "Result categories"). An action that did not run has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    /// The action succeeded.
    Success,
    /// Tests failed.
    TestFailure,
    /// The tool did not work.
    ExecutionError,
    /// The tool worked and reported findings.
    ValidationFailure,
    /// The time limit was exceeded.
    Timeout,
    /// A requirement for the checks is not met.
    PrerequisiteFailure,
    /// The specification requires something that cannot be done.
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

    /// Returns the spelling used in documents.
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
