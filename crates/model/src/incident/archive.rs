//! `archive_meta.json`: how an incident was closed (seed 3).

use crate::incident::id::IncidentId;
use crate::incident::status::Closing;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::incident::seconds;

/// How an incident was closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveDocument {
    /// Id of the incident.
    pub incident_id: IncidentId,
    /// Result with which the incident was closed.
    pub result: Closing,
    /// Time at which the incident was closed.
    #[serde(with = "seconds")]
    pub archived_at: Timestamp,
    /// Reason for the result.
    pub reason: String,
    /// Former path of the incident's directory, relative to the incident root.
    pub source: String,
    /// Current path of the incident's directory, relative to the incident root.
    pub destination: String,
    /// Basis of the result. None: not recorded.
    pub basis: Option<ArchiveBasis>,
}

/// Basis of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArchiveBasis {
    /// The repair loop decided, by the plan's checks and budgets.
    Loop,
    /// A person or program stated the result; no check confirmed it.
    Word,
}
