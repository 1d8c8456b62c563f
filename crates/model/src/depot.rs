//! Protocol of the program that speaks with depots (`referee-fleet`): one JSON document on its standard input, and one on
//! its standard output. Credentials are in its environment and in neither document.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::id::{Digest, ExecutionId, ProjectName, ServerName, TaskId};
use crate::time::Timestamp;
use crate::tree_manifest::{ContentLink, TreeManifest};

mod address;

pub(crate) use self::address::address_text;
pub use self::address::{DepotAddress, DepotAddressError};

/// Request to a depot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DepotRequest {
    /// The depot.
    pub depot: DepotAddress,
    /// The project whose runs are meant.
    pub project: ProjectName,
    /// Requested operation.
    pub operation: DepotOperation,
}

/// Operation on the runs of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum DepotOperation {
    /// Store sealed runs, and move the heads of their tasks.
    Push {
        /// The runs.
        runs: Vec<PushRun>,
    },
    /// Fetch a run of a task. What is fetched is not trusted: the caller verifies it.
    Pull {
        /// The task.
        task: TaskId,
        /// The run. None: the newest.
        execution: Option<ExecutionId>,
        /// Seal of the newest run that the caller has, up to which the chain is fetched. None: the whole chain.
        known: Option<Digest>,
        /// Empty directory to write to: the run to `run`, the seals of earlier runs to `earlier`.
        into: PathBuf,
        /// Maximum total size of what is written, in bytes: files by the seal, which is not verified yet, and documents.
        max_bytes: u64,
    },
    /// Store a tree: its files, then its manifest.
    PutTree {
        /// Directory of the tree.
        directory: PathBuf,
        /// Its files.
        manifest: TreeManifest,
        /// The current time: what is stored long ago is removed.
        now: Timestamp,
    },
    /// Fetch a tree.
    FetchTree {
        /// Its manifest.
        tree: ContentLink,
        /// Empty directory to write to.
        into: PathBuf,
        /// Maximum total size of what is written, in bytes.
        max_bytes: u64,
    },
    /// Fetch a run by its seal. What is fetched is not trusted: the caller verifies it.
    FetchRun {
        /// The `seal.json` of the run.
        seal: ContentLink,
        /// Empty directory to write to: the run to `run`.
        into: PathBuf,
        /// Maximum total size of what is written, in bytes.
        max_bytes: u64,
    },
    /// Keep the signed result of an order as its receipt, in the place of that of an earlier run.
    PutReceipt {
        /// Digest of the order.
        order: Digest,
        /// Signed envelope of a result.
        result: String,
    },
    /// Read the receipt of an order. It is not trusted: the caller verifies it.
    FindReceipt {
        /// Digest of the order.
        order: Digest,
    },
    /// Put a checkpoint of an agent run in the place of the one before it.
    PutCheckpoint {
        /// The run, as its processes are marked.
        run: ExecutionId,
        /// SHA-256 of the checkpoint before it. None: there is none.
        previous: Option<Digest>,
        /// Signed envelope of a checkpoint.
        checkpoint: String,
    },
    /// Read the last checkpoint of an agent run. It is not trusted: the caller verifies it.
    FindCheckpoint {
        /// The run, as its processes are marked.
        run: ExecutionId,
    },
    /// List the last checkpoints of all loops of agents, by their versions.
    Checkpoints,
    /// Create a line of the audit log of a server.
    PutAudit {
        /// The server.
        server: ServerName,
        /// Number of the line, from 1.
        number: u64,
        /// The line, with what authenticates it.
        entry: String,
    },
    /// List the servers that have an audit log.
    AuditServers,
    /// Read the audit log of a server. It is not trusted: the caller verifies it.
    ReadAudit {
        /// The server.
        server: ServerName,
    },
    /// List the heads of the project.
    Heads,
    /// Remove files of old runs, leaving tombstones.
    Prune(DepotPrune),
}

/// A sealed run to store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PushRun {
    /// Evidence directory of the run.
    pub directory: PathBuf,
    /// Whether it is the newest run of its task, to which the head moves.
    pub newest: bool,
    /// Evidence directories of the earlier runs of its chain, whose seals are stored with it.
    pub earlier: Vec<PathBuf>,
}

/// Which runs to remove from a depot, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DepotPrune {
    /// Only this task. None: all tasks of the project.
    pub task: Option<TaskId>,
    /// Number of runs to keep of each task, besides the newest.
    pub keep: usize,
    /// Remove only runs that were sealed before this time. None: of any age.
    pub before: Option<Timestamp>,
    /// Time of the tombstones.
    pub now: Timestamp,
    /// Reason in the tombstones.
    pub reason: String,
    /// Whether to report only.
    pub dry_run: bool,
}

/// Answer to a [`DepotRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum DepotAnswer {
    /// The runs are stored, and the heads name the newest ones.
    Pushed {
        /// The runs, in the order of the request.
        runs: Vec<PushedRun>,
    },
    /// The run is in the directory, with sizes and digests as its seal says.
    Pulled(PulledRun),
    /// The tree is stored.
    TreePut {
        /// Its manifest.
        tree: ContentLink,
        /// Number of files that the depot did not have.
        files: u64,
        /// Total size of these files, in bytes.
        bytes: u64,
    },
    /// The tree is in the directory.
    TreeFetched {
        /// Its manifest.
        manifest: TreeManifest,
    },
    /// The receipt is kept, or that of a later run is.
    ReceiptPut,
    /// The receipt of an order.
    Receipt {
        /// Signed envelope of a result. None: the depot has none.
        result: Option<String>,
    },
    /// What became of a checkpoint.
    CheckpointPut {
        /// Whether it is the last one now. If not, another one is than the one before it.
        is_put: bool,
    },
    /// The last checkpoint of an agent run.
    Checkpoint {
        /// Signed envelope of a checkpoint. None: the depot has none.
        checkpoint: Option<String>,
    },
    /// The last checkpoints of all loops of agents.
    Checkpoints {
        /// By name.
        checkpoints: Vec<CheckpointVersion>,
    },
    /// The line is in the log. No other one has its number.
    AuditPut,
    /// The servers that have an audit log.
    AuditServers {
        /// By name.
        servers: Vec<ServerName>,
    },
    /// The audit log of a server.
    Audit {
        /// Its lines, by number; some may be missing.
        entries: Vec<String>,
    },
    /// The heads of the project.
    Heads {
        /// By task.
        heads: Vec<DepotLink>,
    },
    /// Old runs were removed, or would be.
    Pruned(PrunedDepot),
    /// The operation failed.
    Failed {
        /// Why it failed.
        error: DepotFailure,
    },
}

/// The run that a head of a depot names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DepotLink {
    /// The task.
    pub task_id: TaskId,
    /// The run.
    pub execution_id: ExecutionId,
    /// SHA-256 of the run's `seal.json`.
    pub seal_digest: Digest,
    /// Size of the run's `seal.json`, in bytes.
    pub seal_bytes: u64,
    /// Number of the run in its chain, from 1.
    pub sequence: u64,
    /// When the run was sealed.
    pub sealed_at: Timestamp,
}

/// The last checkpoint of a loop, as it can be told from the one before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckpointVersion {
    /// The loop, as its processes are marked.
    pub run: ExecutionId,
    /// What the depot calls this content. It says nothing else.
    pub version: String,
}

/// A run that is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PushedRun {
    /// The run.
    pub run: DepotLink,
    /// Number of files that the depot did not have.
    pub files: u64,
    /// Total size of these files, in bytes.
    pub bytes: u64,
    /// Number of files that the depot had already.
    pub present: u64,
}

/// A run that was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PulledRun {
    /// The run.
    pub run: DepotLink,
    /// Number of files.
    pub files: u64,
    /// Total size of the files, in bytes.
    pub bytes: u64,
}

/// What was removed from a depot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PrunedDepot {
    /// Runs of the project, by task, newest first.
    pub runs: Vec<PrunedDepotRun>,
    /// What orders left.
    pub orders: PrunedOrders,
    /// Number of receipts by which nothing could answer any more.
    pub receipts: u64,
}

/// What was removed of orders, of all projects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PrunedOrders {
    /// Number of runs.
    pub runs: u64,
    /// Number of trees.
    pub trees: u64,
    /// Number of files. Files that others have too stay.
    pub files: u64,
    /// Total size of these files, in bytes.
    pub bytes: u64,
}

/// A run of a depot whose files were removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PrunedDepotRun {
    /// The task.
    pub task_id: TaskId,
    /// The run.
    pub execution_id: ExecutionId,
    /// Number of files removed. Files that other runs have too stay.
    pub files: u64,
    /// Total size of these files, in bytes.
    pub bytes: u64,
}

/// Failure of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DepotFailure {
    /// Kind of the failure.
    pub kind: DepotFailureKind,
    /// What is wrong, with the object, and what to do.
    pub message: String,
}

/// Kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DepotFailureKind {
    /// The depot cannot be used as it is given: address, credentials or protocol.
    Address,
    /// The depot does not answer.
    Unavailable,
    /// The depot refuses the credentials.
    Denied,
    /// An object is missing that another one names.
    Missing,
    /// An object is not what its name, or the object that names it, says.
    Corrupt,
    /// The depot has no such run.
    Unknown,
    /// The run was removed on purpose.
    Removed,
    /// The run is larger than what may be fetched.
    TooLarge,
    /// The depot has another chain of runs, or a later run.
    Diverged,
    /// Other work on the depot is in progress.
    Busy,
    /// Files of this machine cannot be read or written, or are not as sealed.
    Local,
}
