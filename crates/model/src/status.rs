//! How the tasks of a project stand, by their sealed evidence (contracts/execution.md §4; ruling 17).

use serde::{Deserialize, Serialize};

use crate::id::{Digest, ExecutionId, TaskId};
use crate::time::Timestamp;

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TaskState {
    /// A whole run passed, and nothing in it failed.
    Complete,
    /// A whole run passed, with failures that do not block: by policy, expected, known or waived.
    Partial,
    /// Anything else.
    Failed,
}

impl TaskState {
    /// Returns the word, as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "COMPLETE",
            Self::Partial => "PARTIAL",
            Self::Failed => "FAILED",
        }
    }
}

/// How one task stands, recomputed from its sealed evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskStatus {
    /// The task.
    pub task: TaskId,
    /// How it stands.
    pub state: TaskState,
    /// Why, in a sentence.
    pub reason: String,
    /// Whether its evidence was changed after it was sealed.
    pub tampered: bool,
    /// Whether its evidence is for another plan than the specification makes now: what it said was so then.
    pub outdated: bool,
    /// What a program exits with because of it.
    pub exit_code: u8,
    /// The sealed run that it rests on. None: there is none that can be relied on.
    pub run: Option<StatusRun>,
}

/// The sealed run that a status rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusRun {
    /// The run.
    pub execution: ExecutionId,
    /// SHA-256 of its seal.
    pub seal: Digest,
    /// When it was sealed.
    pub sealed: Timestamp,
    /// Tests that passed, as far as runners sum them up.
    pub tests_passed: u64,
    /// Tests that failed.
    pub tests_failed: u64,
    /// All tests, skipped ones included.
    pub tests_total: u64,
    /// The items of debt that it left.
    pub debt: Vec<String>,
}

/// A way in which a file says otherwise than the evidence.
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
    /// Null: the file as a whole.
    #[serde(rename = "taskId")]
    pub task: Option<TaskId>,
    /// Path of the file or evidence directory, relative to the workspace where it lies in it.
    pub file: String,
    /// Explanation of the violation, in one sentence.
    pub message: String,
}

/// What kind of violation it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ViolationKind {
    /// Something calls a task complete that is not.
    UnauthorizedCompletion,
    /// The evidence of a status is not what it was.
    EvidenceTampering,
    /// The status file is not what was written.
    LockFileTampered,
}

impl ViolationKind {
    /// Returns the word, as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnauthorizedCompletion => "UNAUTHORIZED_COMPLETION",
            Self::EvidenceTampering => "EVIDENCE_TAMPERING",
            Self::LockFileTampered => "LOCK_FILE_TAMPERED",
        }
    }
}
