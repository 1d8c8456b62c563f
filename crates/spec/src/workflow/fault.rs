//! Faults of a workflow's directory.

use referee_model::limit;

/// An error in a workflow's directory, or a warning about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub cause: String,
    pub action: String,
    /// Further information. None: there is none.
    pub see: Option<String>,
}

/// Faults without duplicates.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub(super) kept: Vec<Fault>,
}

impl Faults {
    /// Adds a fault. Duplicates are dropped, such as those of a shared file that many stages get.
    pub(super) fn push(&mut self, cause: impl Into<String>, action: impl Into<String>, see: impl Into<String>) {
        let fault = Fault { cause: cause.into(), action: action.into(), see: Some(see.into()) };
        if self.kept.len() < limit::COMPLAINTS_KEPT && !self.kept.iter().any(|known| known.cause == fault.cause) {
            self.kept.push(fault);
        }
    }
}
