//! `intent.json`: a change of an incident that is certain to happen, kept until all of it has happened. Whoever finds one of a
//! process that is gone finishes it.

use referee_model::incident::id::IncidentId;
use referee_model::incident::status::Closing;
use serde::{Deserialize, Serialize};

use referee_model::document::Kind;
use referee_model::incident::event::IncidentEventDocument;

pub(super) const KIND: Kind = Kind { name: "intent.json", key: "intent_version", version: "2.0.0" };

/// A change of an incident that is certain to happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Intent {
    pub(super) incident_id: IncidentId,
    /// The part of the archive that its directory lies in afterwards. None: among the open ones.
    pub(super) to: Option<Closing>,
    /// The files that are written. What is to be in them lies beside this document.
    pub(super) files: Vec<IntentFile>,
    /// The files that are removed.
    pub(super) removed: Vec<IntentFile>,
    /// The event that was the last one when this was written: one of this incident that came later is that of this change.
    pub(super) after_sequence: u64,
    /// What is told of it. Its number is 0: it gets one when it is told.
    pub(super) event: IncidentEventDocument,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IntentFile {
    /// The directory that it lies in.
    pub(super) part: Part,
    /// Its name: one component of a path.
    pub(super) name: String,
}

/// One of an incident's directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Its own, wherever that lies.
    Incident,
    Plan,
    Handoff,
    Run,
}

impl Part {
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

    /// Returns the directory under the root that holds these directories. None: that depends on where the incident
    /// lies.
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
    /// An intent without files yet.
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
