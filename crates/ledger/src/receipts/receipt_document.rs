//! What a recorded verdict rests on, kept in the user's state directory: out of the reach of whoever changes the
//! workspace (design, "Tree digest": "a recorded verdict is reused only if …").

use std::collections::BTreeMap;

use referee_model::gate::{Basis, Cause, GateTask};
use referee_model::id::{ActionId, Digest, ExecutionId};
use referee_model::limit;
use referee_model::progress::Snapshot;
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Exit};
use serde::{Deserialize, Serialize};

use referee_model::document::Kind;

pub const KIND: Kind = Kind { name: "a receipt", key: "receiptVersion", version: "1.0.0" };

/// What a recorded verdict rests on, and what is needed to answer by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Receipt {
    /// The workspace, for people: the name of the file is a digest of it and of the specification and task.
    pub workspace: String,
    /// When it was made: what changed shortly before may have changed again without a trace.
    pub kept_at: Timestamp,
    pub execution_id: ExecutionId,
    /// SHA-256 of its `seal.json`, which lists every file of the evidence.
    pub seal_digest: Digest,
    /// Digest of the plan's canonical document, as it was stored.
    pub plan_digest: Digest,
    /// Digest of the inputs, before the run and after it alike.
    pub tree_digest: Digest,
    pub maker: Maker,
    pub manner: Manner,
    /// The variables that commands are passed, as a digest that nobody can guess at without the key in the state
    /// directory.
    pub environment: Digest,
    /// The programs of each action, in the order in which they were found.
    pub programs: Vec<ActionPrograms>,
    /// The files of these programs, and files that checks looked at, by path.
    pub files: Vec<KnownFile>,
    /// What marks the state of installed dependencies, by path: digests of contents and listings.
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
    /// What protected files were held against. Null: nothing was protected.
    pub baseline: Option<ReceiptBaseline>,
    /// What of the protected files differed, as a digest. Null: nothing was protected.
    pub drift: Option<Digest>,
    /// Whether commands were to be confined.
    pub sandbox: SandboxWord,
    /// The version of the kernel's interface by which they were. Null: by none.
    pub landlock: Option<u32>,
    /// The key that signed the run, as SHA-256 of its public half. Null: nobody did.
    pub signer: Option<Digest>,
}

/// What protected files were held against.
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

/// Whether commands were to be confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxWord {
    Off,
    /// They were, where the machine can.
    On,
    /// They were, or nothing ran.
    Require,
}

/// The programs of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ActionPrograms {
    pub action_id: ActionId,
    /// Its programs: what was started first, then what a shell line names and what scripts are handed to.
    pub programs: Vec<NamedProgram>,
}

/// A program as it was asked for, and where it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NamedProgram {
    /// The name it was asked for by.
    pub name: String,
    /// Absolute path, links resolved.
    pub path: String,
}

/// A file that must be the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownFile {
    /// Absolute path.
    pub path: String,
    /// SHA-256 of its content. Null: it was not hashed, so its stamp alone tells.
    pub sha256: Option<Digest>,
    /// By what the file system tells that it is still the same. Null: there was no such file.
    pub stamp: Option<FileStamp>,
}

/// By what the file system tells that a file is still the same: a file with the same stamp is not read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileStamp {
    /// Size in bytes.
    pub bytes: u64,
    pub device: u64,
    pub inode: u64,
    pub mode: u32,
    /// When its content was last changed: seconds and nanoseconds since 1970.
    pub modified: (i64, i64),
    /// When anything of it was last changed. No program sets this time.
    pub changed: (i64, i64),
}

/// A verdict, with what is needed to answer by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordedVerdict {
    task: GateTask,
    /// The top causes, the gravest first.
    causes: Vec<Cause>,
    /// How many distinct causes there are.
    causes_in_all: u64,
    snapshot: Snapshot,
}

impl RecordedVerdict {
    pub fn new(task: &GateTask, causes: &[Cause], causes_in_all: u64) -> Self {
        let snapshot = task.snapshot.clone();
        // It stands beside the task, and nowhere in it.
        let task = GateTask { snapshot: Snapshot::default(), ..task.clone() };
        Self { task, causes: causes.to_vec(), causes_in_all, snapshot }
    }

    /// Returns the task, its top causes, and how many there are in all. None: it is no verdict that is ever recorded.
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
