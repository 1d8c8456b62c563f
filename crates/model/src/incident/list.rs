//! Lists of incidents, as commands and the API return them.

use std::collections::BTreeMap;

use crate::incident::id::IncidentId;
use crate::incident::status::IncidentStatus;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::incident::{IncidentDocument, seconds};

/// One incident in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IncidentRow {
    /// Id of the incident.
    pub incident_id: IncidentId,
    /// Status of the incident, as in `status.txt`.
    pub status: IncidentStatus,
    /// Class of the failure.
    pub failure_class: String,
    /// Name of the step or action that failed. May be empty.
    pub step: String,
    /// Error message of the failure.
    pub message: String,
    /// Year and month of the failure, such as `2026-01`. May be empty.
    pub ym: String,
    /// Id of the run that failed. May be empty.
    pub run_id: String,
    /// Fingerprint that groups the incident with other occurrences. Empty: there is none.
    pub fingerprint: String,
    /// Number of times that the failure was seen.
    pub occurrences: u64,
    /// When the incident was captured, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub created_at: Timestamp,
    /// When the incident last changed, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub updated_at: Timestamp,
    /// Path of the incident's directory, relative to the incident root.
    pub path: String,
}

impl IncidentRow {
    /// Returns the row for an incident whose directory is at `path`.
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

/// Numbers of incidents by location and status.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IncidentCounts {
    /// Number of incidents in the inbox.
    pub unresolved: u64,
    /// Number of archived incidents that were resolved.
    pub resolved: u64,
    /// Number of archived incidents that were escalated to a person.
    pub escalated: u64,
    /// Number of readable incidents by status, in every location. A status that no incident has is left out.
    #[serde(default)]
    pub by_status: BTreeMap<String, u64>,
}

/// One page of a list of incidents, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Referee list of incidents"))]
pub struct IncidentListDocument {
    /// Counts over all incidents of the root.
    pub counts: IncidentCounts,
    /// Number of incidents that match the query, over all pages.
    pub total: u64,
    /// Incidents on this page.
    pub incidents: Vec<IncidentRow>,
    /// Cursor with which to request the next page. Null: this is the last page.
    pub next: Option<String>,
    /// Sentences about data that could not be read. Empty: everything was read.
    pub degraded: Vec<String>,
}
