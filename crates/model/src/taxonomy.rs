//! The seven outcomes of an action (ruling 7).

use serde::{Deserialize, Serialize};

document_words! {
    /// The outcome of an action (ruling 7, seed 1 "Result categories"). An action that did not run has none.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Outcome {
        /// The action succeeded.
        Success = "SUCCESS",
        /// Tests failed.
        TestFailure = "TEST_FAILURE",
        /// The tool did not work.
        ExecutionError = "EXECUTION_ERROR",
        /// The tool worked and reported findings.
        ValidationFailure = "VALIDATION_FAILURE",
        /// The time limit was exceeded.
        Timeout = "TIMEOUT",
        /// A requirement for the checks is not met.
        PrerequisiteFailure = "PREREQUISITE_FAILURE",
        /// The specification requires something that cannot be done.
        SpecificationError = "SPECIFICATION_ERROR",
    }
}
