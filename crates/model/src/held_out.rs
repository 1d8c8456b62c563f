//! Results of held-out checks, which the agent never sees: counts and categories only.

use std::collections::BTreeMap;

use crate::diagnostic_log::DiagnosticSource;
use crate::verdict::{Decision, Exit};

/// The disclosable results of held-out checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldOut {
    /// Decision on the held-out checks.
    pub decision: Decision,
    /// Exit code category of the program.
    pub exit: Exit,
    /// Number of checks.
    pub checks: u64,
    /// Number of blocking checks, by category.
    pub failed: BTreeMap<DiagnosticSource, u64>,
}

impl HeldOut {
    /// Returns the number of blocking checks.
    pub fn failures(&self) -> u64 {
        self.failed.values().sum()
    }
}
