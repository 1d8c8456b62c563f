//! Technical debt: what a failure leaves to be done.

use serde::{Deserialize, Serialize};

use crate::severity::Severity;

/// Categories of debt: the eight of schema 2.0.0, and refactoring (ruling 19).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DebtCategory {
    /// An endpoint answers 404.
    ApiEndpointMissing,
    /// Tests other than HTTP ones fail, or types are wrong.
    ValidationMissing,
    /// Errors are not handled.
    ErrorHandlingMissing,
    /// A server answers 5xx.
    BusinessLogicError,
    /// The database schema is wrong.
    DatabaseSchemaIssue,
    /// Tools, servers or dependencies are not there.
    IntegrationFailure,
    /// Something is too slow.
    PerformanceIssue,
    /// A weakness that can be attacked.
    SecurityVulnerability,
    /// Lint and format.
    Refactor,
}

/// What one judged action means for the register of debt (seed 1, `debtGeneration`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DebtGeneration {
    /// It leaves an item.
    Item {
        /// The item's category.
        category: DebtCategory,
        /// The item's severity: that of the outcome (ruling 11).
        severity: Severity,
        /// A line for people.
        title: String,
        /// Why it is debt.
        reason: String,
        /// What to do about it.
        suggested_fix: String,
        /// The first file to look at.
        file: Option<String>,
        /// The 1-based line in it.
        line: Option<u32>,
    },
    /// It leaves none.
    None {
        /// Why not.
        reason: String,
    },
}
