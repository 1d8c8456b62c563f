//! `referee incident capture --format json`: what became of what was captured.

use referee_model::incident::id::IncidentId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::document::Kind;
use crate::form;

const KIND: Kind = Kind { name: "the answer to a capture", key: "incident_captures_version", version: "1.0.0" };

/// What became of what was captured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(title = "Referee captures of incidents")]
pub struct IncidentCapturesDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    pub incident_captures_version: &'static str,
    /// One for each run, or for the log or the command.
    pub captures: Vec<IncidentCaptureDocument>,
}

/// What became of one failure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IncidentCaptureDocument {
    /// `new`, `occurrence`, `regression`, `known` (that very run was captured before) or `skipped`; `failed` where it could not be kept.
    pub captured: &'static str,
    /// The incident. Null: there is none.
    #[schemars(with = "Option<String>")]
    pub incident_id: Option<IncidentId>,
    /// The resolved incident that this is a regression of.
    #[schemars(with = "Option<String>")]
    pub regression_of: Option<IncidentId>,
    /// Why nothing was captured, in a word.
    pub reason: Option<String>,
    /// All of it as a sentence.
    pub message: String,
}

impl IncidentCapturesDocument {
    /// Returns the answer for these failures.
    pub fn of(captures: Vec<IncidentCaptureDocument>) -> Self {
        Self { incident_captures_version: KIND.version, captures }
    }
}
