//! `referee evidence list --format json` and `show --format json`: the stored runs of tasks, in any state.

use crate::id::{Digest, ExecutionId, TaskId};
use crate::time::Timestamp;
use crate::verdict::Decision;
use serde::Serialize;

use crate::document::Kind;
#[cfg(feature = "schema")]
use crate::number::Count;

const KIND: Kind = Kind { name: "the list of evidence", key: "evidenceListVersion", version: "1.0.0" };

/// The stored runs below an evidence root.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceListDocument<'runs> {
    /// Version of this format.
    evidence_list_version: &'static str,
    /// The evidence root directory.
    evidence_root: String,
    /// The runs, by task, latest first.
    runs: &'runs [StoredRun],
}

/// A stored run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredRun {
    /// Id of the task.
    pub task_id: TaskId,
    /// Id of the run. Left out: nothing in its directory states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<ExecutionId>,
    /// State of the run.
    pub state: KeptState,
    /// Path of the run's directory.
    pub directory: String,
    /// Sequence number in the task's chain, where the seal states one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
    /// Time at which the run was sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sealed_at: Option<Timestamp>,
    /// SHA-256 of the seal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seal_digest: Option<Digest>,
    /// Decision stated by the report; `referee evidence verify` tells whether it can be trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// Number of files.
    pub files: u64,
    /// Total size of the files in bytes.
    pub bytes: u64,
    /// Time and reason of the removal of the files, if they were removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruned: Option<Pruned>,
}

document_words! {
    /// State of a stored run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum KeptState {
        /// The latest sealed run, in the task's own directory.
        Latest = "latest",
        /// An earlier sealed run, in the history.
        Earlier = "earlier",
        /// An earlier run whose files were removed on purpose; its seal remains.
        Pruned = "pruned",
        /// An earlier run that was never sealed.
        Unsealed = "unsealed",
        /// The run is in progress.
        Running = "running",
        /// The run was started and never sealed, and no later run exists.
        Unfinished = "unfinished",
    }
}

/// Time and reason of the removal of a run's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
#[serde(rename_all = "camelCase")]
pub struct Pruned {
    /// Time of the removal.
    pub at: Timestamp,
    /// Reason of the removal.
    pub reason: String,
    /// Number of files removed.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub files: u64,
}

/// Converts stored runs to a document.
pub fn document(evidence_root: String, runs: &[StoredRun]) -> EvidenceListDocument<'_> {
    EvidenceListDocument { evidence_list_version: KIND.version, evidence_root, runs }
}
