//! Severity of a failure.

use serde::{Deserialize, Serialize};

document_words! {
    /// Severity of a failure (ruling 11). Ordered: the most severe is the greatest.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Severity {
        /// No failure.
        None = "NONE",
        /// Low severity.
        Low = "LOW",
        /// Medium severity.
        Medium = "MEDIUM",
        /// High severity.
        High = "HIGH",
        /// Critical severity.
        Critical = "CRITICAL",
    }
}

impl Severity {
    /// Returns the priority: 1 for the most severe, 4 for the least severe (ruling 11).
    pub fn priority(self) -> u8 {
        match self {
            Self::Critical => 1,
            Self::High => 2,
            Self::Medium => 3,
            Self::Low | Self::None => 4,
        }
    }
}
