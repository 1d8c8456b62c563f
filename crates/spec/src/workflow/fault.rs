//! What is wrong with a workflow's directory.

use referee_model::limit;

/// Something that is wrong with a workflow's directory, or that should be known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub cause: String,
    pub action: String,
    /// Where more is to be read. None: nowhere.
    pub see: Option<String>,
}

/// Faults, each once.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub(super) kept: Vec<Fault>,
}

impl Faults {
    /// Adds one. The same is not said twice, as a shared file would be that many stages get.
    pub(super) fn push(&mut self, cause: impl Into<String>, action: impl Into<String>, see: impl Into<String>) {
        let fault = Fault { cause: cause.into(), action: action.into(), see: Some(see.into()) };
        if self.kept.len() < limit::COMPLAINTS_KEPT && !self.kept.iter().any(|known| known.cause == fault.cause) {
            self.kept.push(fault);
        }
    }
}
