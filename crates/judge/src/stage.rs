//! Stages (seed 5; ruling 28): transitions, checks, and the validity of an executor's claim.

pub mod checks;
pub mod ending;
pub mod query;
pub mod standing;
pub mod transition;

/// Result of a stage's specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecificationVerdict<'verdict> {
    /// The stage has no specification.
    NotAsked,
    /// The stage has a specification, but there is no run for the current state.
    Unknown,
    Passed,
    /// Any other result.
    NotPassed {
        decision: &'verdict str,
        reason: &'verdict str,
        /// Path of the evidence. None: there is none.
        evidence: Option<&'verdict str>,
    },
}
