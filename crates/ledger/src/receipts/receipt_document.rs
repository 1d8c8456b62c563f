//! The basis of a recorded verdict, kept in the user's state directory, where changes of the workspace cannot reach it
//! (design, "Tree digest": "a recorded verdict is reused only if …").

use std::collections::BTreeMap;

use referee_model::gate::{Basis, Cause, GateTask};
use referee_model::id::{ActionId, Digest, ExecutionId};
use referee_model::limit;
use referee_model::progress::Snapshot;
use referee_model::sandbox::SandboxMode;
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Exit};
use serde::{Deserialize, Serialize};

use referee_model::document::Kind;

pub const KIND: Kind = Kind { name: "a receipt", key: "receiptVersion", version: "1.0.0" };

/// The basis of a recorded verdict, with the verdict itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Receipt {
    /// Path of the workspace, for display: the file's name is a digest of workspace, specification and task.
    pub workspace: String,
    /// Time of recording. A file that changed shortly before may have changed again without a trace.
    pub kept_at: Timestamp,
    pub execution_id: ExecutionId,
    /// SHA-256 of the run's `seal.json`, which lists every file of the evidence.
    pub seal_digest: Digest,
    /// Digest of the plan's canonical document, as it was stored.
    pub plan_digest: Digest,
    /// Digest of the inputs, the same before and after the run.
    pub tree_digest: Digest,
    pub maker: Maker,
    pub manner: Manner,
    /// Keyed digest of the environment variables passed to commands. The key is in the state directory, so values
    /// cannot be guessed from the digest.
    pub environment: Digest,
    /// Programs of each action, in the order in which they were found.
    pub programs: Vec<ActionPrograms>,
    /// Files of these programs, and files that checks read, by path.
    pub files: Vec<KnownFile>,
    /// State of installed dependencies, by path: digests of contents and listings.
    pub dependencies: BTreeMap<String, Digest>,
    pub verdict: RecordedVerdict,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Maker {
    pub engine_version: String,
    pub judge_version: String,
    pub program: KnownFile,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manner {
    /// Reference that protected files were compared with. Null: no files were protected.
    pub baseline: Option<ReceiptBaseline>,
    /// Digest of the drift of protected files. Null: no files were protected.
    pub drift: Option<Digest>,
    /// Requested confinement of commands.
    pub sandbox: SandboxMode,
    /// Version of the kernel's Landlock interface that confined commands. Null: not confined.
    pub landlock: Option<u32>,
    /// SHA-256 of the public key that signed the run. Null: unsigned.
    pub signer: Option<Digest>,
}

/// Reference that protected files were compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum ReceiptBaseline {
    Lock {
        /// SHA-256 of the lock file.
        digest: Digest,
        approved_by: Option<String>,
    },
    Commit {
        id: String,
    },
}

/// Programs that an action runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ActionPrograms {
    pub action_id: ActionId,
    /// The started program first, then programs that a shell line names and interpreters of scripts.
    pub programs: Vec<NamedProgram>,
}

/// A program as requested, and the path where it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NamedProgram {
    /// Name as requested.
    pub name: String,
    /// Absolute path, with symbolic links resolved.
    pub path: String,
}

/// A file that must be unchanged for the verdict to be reused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownFile {
    /// Absolute path.
    pub path: String,
    /// SHA-256 of the content. Null: not hashed, so only the stamp is compared.
    pub sha256: Option<Digest>,
    /// File system metadata that identifies an unchanged file. Null: there was no such file.
    pub stamp: Option<FileStamp>,
}

/// File system metadata that identifies an unchanged file: a file with the same stamp is not read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileStamp {
    /// Size in bytes.
    pub bytes: u64,
    pub device: u64,
    pub inode: u64,
    pub mode: u32,
    /// Time of the last content change (mtime): seconds since 1970, and nanoseconds.
    pub modified: (i64, i64),
    /// Time of the last change of content or metadata (ctime), as above. Programs cannot set it.
    pub changed: (i64, i64),
}

/// A verdict with the data needed to answer from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordedVerdict {
    task: GateTask,
    /// Top causes, most severe first.
    causes: Vec<Cause>,
    /// Number of distinct causes.
    causes_in_all: u64,
    snapshot: Snapshot,
}

impl RecordedVerdict {
    pub fn new(task: &GateTask, causes: &[Cause], causes_in_all: u64) -> Self {
        let snapshot = task.snapshot.clone();
        // The snapshot is stored beside the task, not within it.
        let task = GateTask { snapshot: Snapshot::default(), ..task.clone() };
        Self { task, causes: causes.to_vec(), causes_in_all, snapshot }
    }

    /// Returns the task, its top causes, and the total number of causes, or `None` if no such verdict is ever
    /// recorded.
    pub fn recorded(self) -> Option<(GateTask, Vec<Cause>, u64)> {
        let Self { task, causes, causes_in_all, snapshot } = self;
        let passed = match (task.decision, task.exit) {
            (Decision::Pass, Exit::Passed) => true,
            (Decision::Fail, Exit::Failed) => false,
            _ => return None,
        };
        let fits = !task.reduced && snapshot.passed == passed && causes.is_empty() == passed;
        let of_task = |cause| Cause { task: Some(task.task.clone()), ..cause };
        let causes = causes.into_iter().take(limit::GATE_CAUSES).map(of_task).collect();
        fits.then_some((GateTask { basis: Basis::Recorded, snapshot, ..task }, causes, causes_in_all))
    }
}

#[cfg(test)]
mod tests;
