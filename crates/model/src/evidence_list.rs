//! `referee evidence list --format json` and `show --format json`: the runs of tasks that are kept, whatever became of them.

use crate::id::{Digest, ExecutionId, TaskId};
use crate::time::Timestamp;
use crate::verdict::Decision;
use serde::Serialize;

use crate::document::Kind;
#[cfg(feature = "schema")]
use crate::number::Count;

const KIND: Kind = Kind { name: "the list of evidence", key: "evidenceListVersion", version: "1.0.0" };

/// The runs that are kept below an evidence root.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceListDocument<'runs> {
    /// Version of this format.
    evidence_list_version: &'static str,
    /// The directory of all evidence.
    evidence_root: String,
    /// By task, the latest first.
    runs: &'runs [StoredRun],
}

/// A run that is kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredRun {
    /// The task.
    pub task_id: TaskId,
    /// The run. Left out: nothing in its directory tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<ExecutionId>,
    /// What it is.
    pub state: KeptState,
    /// Its directory.
    pub directory: String,
    /// Its number in the chain, where its seal says one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
    /// When it was sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sealed_at: Option<Timestamp>,
    /// SHA-256 of its seal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seal_digest: Option<Digest>,
    /// What its report states; `referee evidence verify` says whether that can be believed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// How many files there are.
    pub files: u64,
    /// Their size, in bytes.
    pub bytes: u64,
    /// When and why its files were removed, where they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruned: Option<Pruned>,
}

/// What a kept run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KeptState {
    /// The latest sealed run, in the task's place.
    Latest,
    /// Sealed, in the history.
    Earlier,
    /// In the history; its files were removed on purpose, and its seal stays.
    Pruned,
    /// In the history, and never sealed.
    Unsealed,
    /// It goes on.
    Running,
    /// It was started and never sealed, and no run was made since.
    Unfinished,
}

/// When and why files were removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Pruned {
    /// When.
    pub at: Timestamp,
    /// Why.
    pub reason: String,
    /// How many.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub files: u64,
}

impl KeptState {
    /// Its word, as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Latest => "latest",
            Self::Earlier => "earlier",
            Self::Pruned => "pruned",
            Self::Unsealed => "unsealed",
            Self::Running => "running",
            Self::Unfinished => "unfinished",
        }
    }
}

/// Returns kept runs as a document.
pub fn document(evidence_root: String, runs: &[StoredRun]) -> EvidenceListDocument<'_> {
    EvidenceListDocument { evidence_list_version: KIND.version, evidence_root, runs }
}
