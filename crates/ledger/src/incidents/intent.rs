//! `intent.json`: a committed change of an incident, kept until it is fully applied. A process that finds one of a
//! dead process completes it.

use referee_model::incident::id::IncidentId;
use referee_model::incident::status::Closing;
use serde::{Deserialize, Serialize};

use referee_model::document::Kind;
use referee_model::incident::event::IncidentEventDocument;

pub(super) const KIND: Kind = Kind { name: "intent.json", key: "intent_version", version: "2.0.0" };

/// A committed change of an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Intent {
    pub(super) incident_id: IncidentId,
    /// The part of the archive that the incident is in afterwards. None: it is in the inbox.
    pub(super) to: Option<Closing>,
    /// Files to write. Their new content is stored beside this document.
    pub(super) files: Vec<IntentFile>,
    /// Files to remove.
    pub(super) removed: Vec<IntentFile>,
    /// Number of the last event when this was written. A later event of this incident belongs to this change.
    pub(super) after_sequence: u64,
    /// Event of this change. Its number is 0 until it is appended to the event log.
    pub(super) event: IncidentEventDocument,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IntentFile {
    /// Directory that contains the file.
    pub(super) part: Part,
    /// File name: one path component.
    pub(super) name: String,
}

referee_model::document_words! {
    /// One of an incident's directories.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Part {
        /// The incident's own directory, wherever it is.
        Incident = "incident",
        Plan = "plan",
        Handoff = "handoff",
        Run = "run",
    }
}

impl Part {
    /// Returns the directory under the root that contains these directories. `None` if that depends on where the
    /// incident is.
    pub fn directory(self) -> Option<&'static str> {
        match self {
            Self::Incident => None,
            Self::Plan => Some("error_plans"),
            Self::Handoff => Some("error_handoffs"),
            Self::Run => Some("error_runs"),
        }
    }
}

impl Intent {
    /// Creates an intent without files.
    pub(super) fn new(to: Option<Closing>, after_sequence: u64, event: IncidentEventDocument) -> Self {
        Self {
            incident_id: event.incident_id.clone(),
            to,
            files: Vec::new(),
            removed: Vec::new(),
            after_sequence,
            event,
        }
    }
}
