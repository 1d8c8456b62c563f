//! The document of `referee incident capture --format json`: the result of each capture.

use referee_model::incident::id::IncidentId;
use serde::Serialize;

use referee_model::document::Kind;

const KIND: Kind = Kind { name: "the answer to a capture", key: "incident_captures_version", version: "1.0.0" };

/// Results of a capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IncidentCapturesDocument {
    pub incident_captures_version: &'static str,
    /// One result for each run, or for the log or the command.
    pub captures: Vec<IncidentCaptureDocument>,
}

/// Result of capturing one failure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IncidentCaptureDocument {
    /// Result: `new`, `occurrence`, `regression`, `known` (this very run was captured before) or `skipped`;
    /// `failed` where the failure could not be stored.
    pub captured: &'static str,
    /// Id of the incident. Null: there is none.
    pub incident_id: Option<IncidentId>,
    /// Resolved incident that this is a regression of. Null: it is not a regression.
    pub regression_of: Option<IncidentId>,
    /// Code of the reason why nothing was captured. Null: there is none.
    pub reason: Option<String>,
    pub message: String,
}

impl IncidentCapturesDocument {
    pub fn of(captures: Vec<IncidentCaptureDocument>) -> Self {
        Self { incident_captures_version: KIND.version, captures }
    }
}
