//! `referee incident capture --format json`: what became of what was captured.

use referee_model::incident::id::IncidentId;
use serde::Serialize;

use referee_model::document::Kind;

const KIND: Kind = Kind { name: "the answer to a capture", key: "incident_captures_version", version: "1.0.0" };

/// What became of what was captured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IncidentCapturesDocument {
    pub incident_captures_version: &'static str,
    /// One for each run, or for the log or the command.
    pub captures: Vec<IncidentCaptureDocument>,
}

/// What became of one failure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IncidentCaptureDocument {
    /// `new`, `occurrence`, `regression`, `known` (that very run was captured before) or `skipped`; `failed` where it could not be kept.
    pub captured: &'static str,
    /// The incident. Null: there is none.
    pub incident_id: Option<IncidentId>,
    /// The resolved incident that this is a regression of.
    pub regression_of: Option<IncidentId>,
    /// Why nothing was captured, in a word.
    pub reason: Option<String>,
    pub message: String,
}

impl IncidentCapturesDocument {
    /// Returns the answer for these failures.
    pub fn of(captures: Vec<IncidentCaptureDocument>) -> Self {
        Self { incident_captures_version: KIND.version, captures }
    }
}
