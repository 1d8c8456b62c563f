//! `intent.json`: a change of an incident that is certain to happen, kept until all of it has happened. Whoever finds one of a
//! process that is gone finishes it.

use referee_model::incident::id::IncidentId;
use referee_model::incident::status::Closing;
use serde::{Deserialize, Serialize};

use crate::incident_event::IncidentEventDocument;
use referee_model::document::{self, DocumentError, Kind};

const KIND: Kind = Kind { name: "intent.json", key: "intent_version", version: "2.0.0" };

/// A change of an incident that is certain to happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IncidentIntentDocument {
    /// Version of this format.
    intent_version: String,
    /// The incident.
    pub incident_id: IncidentId,
    /// The part of the archive that its folder lies in afterwards. None: among the open ones.
    pub to: Option<Closing>,
    /// The files that are written. What is to be in them lies beside this document.
    pub files: Vec<IntentFile>,
    /// The files that are removed.
    pub removed: Vec<IntentFile>,
    /// The event that was the last one when this was written: one of this incident that came later is that of this change.
    pub after_sequence: u64,
    /// What is told of it. Its number is 0: it gets one when it is told.
    pub event: IncidentEventDocument,
}

/// A file of an incident.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntentFile {
    /// The folder that it lies in.
    pub part: Part,
    /// Its name: one component of a path.
    pub name: String,
}

/// One of an incident's folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Its own, wherever that lies.
    Incident,
    /// That of its plan.
    Plan,
    /// That of its handoff.
    Handoff,
    /// That of its loop.
    Run,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Incident, Self::Plan, Self::Handoff, Self::Run];

    /// Returns it as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Incident => "incident",
            Self::Plan => "plan",
            Self::Handoff => "handoff",
            Self::Run => "run",
        }
    }

    /// Returns the folder under the root that holds these folders. None: that depends on where the incident lies.
    pub fn folder(self) -> Option<&'static str> {
        match self {
            Self::Incident => None,
            Self::Plan => Some("error_plans"),
            Self::Handoff => Some("error_handoffs"),
            Self::Run => Some("error_runs"),
        }
    }
}

impl IncidentIntentDocument {
    /// An intent without files yet.
    pub fn new(to: Option<Closing>, after_sequence: u64, event: IncidentEventDocument) -> Self {
        Self {
            intent_version: KIND.version.to_owned(),
            incident_id: event.incident_id.clone(),
            to,
            files: Vec::new(),
            removed: Vec::new(),
            after_sequence,
            event,
        }
    }
}

/// Lays an intent out.
///
/// # Errors
/// Fails only for what JSON cannot hold.
pub fn render(intent: &IncidentIntentDocument) -> Result<Vec<u8>, serde_json::Error> {
    document::to_bytes(intent)
}

/// Reads an intent.
///
/// # Errors
/// Fails for bytes that are no intent, or one of a version that is not known.
pub fn read(bytes: &[u8]) -> Result<IncidentIntentDocument, DocumentError> {
    KIND.read(bytes)
}
