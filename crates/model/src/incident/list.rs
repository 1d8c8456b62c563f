//! Incidents as commands and the API list them.

use std::collections::BTreeMap;

use crate::incident::id::IncidentId;
use crate::incident::status::IncidentStatus;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::incident::{IncidentDocument, seconds};

/// An incident in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IncidentRow {
    /// Its id.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub incident_id: IncidentId,
    /// Where it stands, as `status.txt` says.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub status: IncidentStatus,
    /// Which class of failure it is.
    pub failure_class: String,
    /// What failed.
    pub step: String,
    /// Error message of the failure.
    pub message: String,
    /// Year and month.
    pub ym: String,
    /// The run that failed.
    pub run_id: String,
    /// What groups it with others. Empty: nothing does.
    pub fingerprint: String,
    /// How often it was seen.
    pub occurrences: u64,
    /// When the incident was captured, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub created_at: Timestamp,
    /// When the incident last changed, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub updated_at: Timestamp,
    /// Where its directory lies, relative to the root.
    pub path: String,
}

impl IncidentRow {
    /// Returns the row of an incident whose directory lies at `path`.
    pub fn of(incident: &IncidentDocument, path: String) -> Self {
        Self {
            incident_id: incident.incident_id.clone(),
            status: incident.status,
            failure_class: incident.failure_class.clone(),
            step: incident.step.clone(),
            message: incident.message.clone(),
            ym: incident.ym.clone(),
            run_id: incident.run_id.clone(),
            fingerprint: incident.fingerprint.map(|fingerprint| fingerprint.to_string()).unwrap_or_default(),
            occurrences: incident.occurrences,
            created_at: incident.created_at,
            updated_at: incident.updated_at,
            path,
        }
    }
}

/// How many incidents stand where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IncidentCounts {
    /// Those in the inbox.
    pub unresolved: u64,
    /// Those in the archive that were resolved.
    pub resolved: u64,
    /// Those in the archive that were left to a person.
    pub escalated: u64,
    /// How many have each status, wherever they lie, as far as they can be read; a status that none has is left out.
    #[serde(default)]
    pub by_status: BTreeMap<String, u64>,
}

/// A page of incidents, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Referee list of incidents"))]
pub struct IncidentListDocument {
    /// All incidents of the root.
    pub counts: IncidentCounts,
    /// Those that the question is about, on whichever page.
    pub total: u64,
    /// Those of this page.
    pub incidents: Vec<IncidentRow>,
    /// What to ask with for the next page. None: this is the last.
    pub next: Option<String>,
    /// What could not be read, in sentences. Empty: all is well.
    pub degraded: Vec<String>,
}
