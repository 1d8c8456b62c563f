//! Tests that assert less than they did.

use serde::{Deserialize, Serialize};

/// What is left of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hollow {
    /// Nothing is left in its body.
    Emptied,
    /// It asserts less often. Assertions over constants alone are not counted.
    FewerAssertions {
        /// How often it asserted.
        before: usize,
        /// How often it asserts.
        after: usize,
    },
}

/// A test that asserts less than it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HollowedTest {
    /// Its name, with what it stands in.
    pub name: String,
    /// 1-based, in the text after the change.
    pub line: usize,
    /// What is left of it.
    pub how: Hollow,
}
