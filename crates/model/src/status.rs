//! Status of a project's tasks, according to their sealed evidence (contracts/execution.md §4; ruling 17).

use serde::{Deserialize, Serialize};

use crate::id::{Digest, ExecutionId, TaskId};
use crate::time::Timestamp;

document_words! {
    /// Status of a task.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum TaskState {
        /// A complete run passed without any failure.
        Complete = "COMPLETE",
        /// A complete run passed, with failures that do not block: by policy, expected, known or waived.
        Partial = "PARTIAL",
        /// Any other status.
        Failed = "FAILED",
    }
}

/// Status of one task, recomputed from its sealed evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskStatus {
    /// Id of the task.
    pub task: TaskId,
    /// Status of the task.
    pub state: TaskState,
    /// Reason, in one sentence.
    pub reason: String,
    /// Whether the evidence was changed after it was sealed.
    pub tampered: bool,
    /// Whether the evidence belongs to another plan than that of the current specification.
    pub outdated: bool,
    /// Exit code that the status leads to.
    pub exit_code: u8,
    /// The sealed run that the status is based on. None: there is no reliable one.
    pub run: Option<StatusRun>,
}

/// The sealed run that a status is based on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusRun {
    /// Id of the run.
    pub execution: ExecutionId,
    /// SHA-256 of the seal.
    pub seal: Digest,
    /// Time at which it was sealed.
    pub sealed: Timestamp,
    /// Number of passed tests, as far as runners state totals.
    pub tests_passed: u64,
    /// Number of failed tests.
    pub tests_failed: u64,
    /// Number of all tests, including skipped ones.
    pub tests_total: u64,
    /// Ids of the debt items that the run left.
    pub debt: Vec<String>,
}

/// A contradiction between a file and the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ViolationDocument", deny_unknown_fields)
)]
pub struct Violation {
    /// Kind of violation: an unfounded completion, changed evidence, or a changed status file.
    #[serde(rename = "type")]
    pub kind: ViolationKind,
    /// Id of the task concerned. Null: the file as a whole.
    #[serde(rename = "taskId")]
    pub task: Option<TaskId>,
    /// Path of the file or evidence directory, relative to the workspace where it lies in it.
    pub file: String,
    /// Explanation of the violation, in one sentence.
    pub message: String,
}

document_words! {
    /// Kind of violation.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum ViolationKind {
        /// A file states that a task is complete, and the task is not.
        UnauthorizedCompletion = "UNAUTHORIZED_COMPLETION",
        /// The evidence of a status was changed.
        EvidenceTampering = "EVIDENCE_TAMPERING",
        /// The status file was changed.
        LockFileTampered = "LOCK_FILE_TAMPERED",
    }
}
