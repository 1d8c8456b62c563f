//! `archive_meta.json`: how work at an incident ended (seed 3).

use crate::incident::id::IncidentId;
use crate::incident::status::Closing;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::incident::seconds;

/// How work at an incident ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveDocument {
    /// The incident.
    pub incident_id: IncidentId,
    /// How it ended.
    pub result: Closing,
    /// When it was closed.
    #[serde(with = "seconds")]
    pub archived_at: Timestamp,
    /// Why.
    pub reason: String,
    /// Where its directory lay, relative to the root.
    pub source: String,
    /// Where its directory lies now, relative to the root.
    pub destination: String,
    /// What the result rests on.
    #[serde(default)]
    pub basis: Option<ArchiveBasis>,
}

/// What a result rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArchiveBasis {
    /// The loop decided it, by the plan's checks and budgets.
    Loop,
    /// Somebody's word, and no check.
    Word,
}
