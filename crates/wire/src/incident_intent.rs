//! `intent.json`: a change of an incident that is certain to happen, kept until all of it has happened. Whoever finds one of a
//! process that is gone finishes it.

use referee_model::incident::id::IncidentId;
use referee_model::incident::status::Closing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{self, DocumentError, Kind};
use crate::form;
use crate::incident_event::IncidentEventDocument;

const KIND: Kind = Kind { name: "intent.json", key: "intent_version", version: "1.0.0" };

/// A change of an incident that is certain to happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Referee intent for an incident")]
pub struct IncidentIntentDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    intent_version: String,
    /// The incident.
    #[schemars(with = "String")]
    pub incident_id: IncidentId,
    /// Where its folder lay. None: it is a new one.
    pub from: Option<Place>,
    /// Where its folder lies afterwards.
    pub to: Place,
    /// The files that are written. What is to be in them lies beside this document.
    pub files: Vec<IntentFile>,
    /// The files that are removed.
    pub removed: Vec<IntentFile>,
    /// The event that was the last one when this was written: one of this incident that came later is that of this change.
    pub after_sequence: u64,
    /// What is told of it. Its number is 0: it gets one when it is told.
    pub event: IncidentEventDocument,
}

/// Where the folder of an incident lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Among the open ones.
    Inbox,
    /// In the archive, among those that were resolved.
    Resolved,
    /// In the archive, among those that were left to a person.
    Escalated,
}

/// A file of an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntentFile {
    /// The folder that it lies in.
    pub part: IntentPart,
    /// Its name: one component of a path.
    pub name: String,
}

/// One of an incident's folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntentPart {
    /// Its own.
    Incident,
    /// That of its plan.
    Plan,
    /// That of its handoff.
    Handoff,
    /// That of its loop.
    Run,
}

impl IncidentIntentDocument {
    /// An intent without files yet.
    pub fn new(from: Option<Place>, to: Place, after_sequence: u64, event: IncidentEventDocument) -> Self {
        Self {
            intent_version: KIND.version.to_owned(),
            incident_id: event.incident_id.clone(),
            from,
            to,
            files: Vec::new(),
            removed: Vec::new(),
            after_sequence,
            event,
        }
    }
}

impl From<Option<Closing>> for Place {
    fn from(closing: Option<Closing>) -> Self {
        match closing {
            None => Self::Inbox,
            Some(Closing::Resolved) => Self::Resolved,
            Some(Closing::Escalated) => Self::Escalated,
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
