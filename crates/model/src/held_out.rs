//! What came of checks that the agent never sees: a count and categories, and nothing else.

use std::collections::BTreeMap;

use crate::diagnostic_log::DiagnosticSource;
use crate::verdict::{Decision, Exit};

/// What came of held-out checks, as far as it may be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldOut {
    /// What they come to.
    pub decision: Decision,
    /// What a program exits with.
    pub exit: Exit,
    /// How many checks there are.
    pub checks: u64,
    /// How many of them block, by category.
    pub failed: BTreeMap<DiagnosticSource, u64>,
}

impl HeldOut {
    /// How many checks block.
    pub fn failures(&self) -> u64 {
        self.failed.values().sum()
    }
}
