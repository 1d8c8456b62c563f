//! Tests that assert less than they did.

use serde::{Deserialize, Serialize};

/// Remaining content of a test that asserts less than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hollow {
    /// The body of the test is empty.
    Emptied,
    /// The test contains fewer assertions. Assertions over constants alone are not counted.
    FewerAssertions {
        /// Number of assertions before the change.
        before: usize,
        /// Number of assertions after the change.
        after: usize,
    },
}

/// A test that asserts less than before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HollowedTest {
    /// Name of the test, including the groups that contain it.
    pub name: String,
    /// Line of the test, 1-based, in the text after the change.
    pub line: usize,
    /// Remaining content of the test.
    pub how: Hollow,
}
