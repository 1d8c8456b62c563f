//! Protocols between `referee` and the program that speaks with the queue (`referee-fleet order` and `referee-fleet work`):
//! one JSON document on standard input, and lines of JSON on standard output. Addresses and credentials of the queue are in
//! the environment and in neither.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::depot::DepotAddress;
use crate::document::Kind;
use crate::id::{Digest, ProjectName, WorkerLabel};
use crate::run_order::{self, OrderOutcome, RunOrder, RunOrderResult};
use crate::time::Timestamp;
use crate::tree_manifest::TreeManifest;
use crate::turn_order::{self, TurnOrder, TurnOrderResult};

/// What a worker may be asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WorkerOrder {
    /// A run of a task.
    Run(RunOrder),
    /// A turn of an agent.
    Turn(TurnOrder),
}

impl WorkerOrder {
    /// Returns the identity of the question.
    ///
    /// # Errors
    /// Fails only for values that JSON cannot hold.
    pub fn digest(&self) -> Result<Digest, serde_json::Error> {
        match self {
            Self::Run(order) => order.digest(),
            Self::Turn(order) => order.digest(),
        }
    }

    /// Returns the labels that the worker must have.
    pub fn labels(&self) -> &BTreeSet<WorkerLabel> {
        match self {
            Self::Run(order) => &order.labels,
            Self::Turn(order) => &order.labels,
        }
    }

    /// Returns the project, as the depot names it.
    pub fn project(&self) -> &ProjectName {
        match self {
            Self::Run(order) => &order.project,
            Self::Turn(order) => &order.project,
        }
    }

    /// Returns the version of Referee that the worker must have.
    pub fn engine_version(&self) -> &str {
        match self {
            Self::Run(order) => &order.engine_version,
            Self::Turn(order) => &order.engine_version,
        }
    }
}

/// What a worker signed of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderResult {
    /// A run that answers it.
    Run(RunOrderResult),
    /// A turn of an agent.
    Turn(TurnOrderResult),
}

impl OrderResult {
    /// Parses a payload of this type (DSSE 1.0.2).
    ///
    /// # Errors
    /// Fails, with the reason, for anything else than the result of an order.
    pub fn decode(payload_type: &str, payload: &[u8]) -> Result<Self, String> {
        match payload_type {
            run_order::RESULT_TYPE => RunOrderResult::decode(payload).map(Self::Run).map_err(|error| error.to_string()),
            turn_order::RESULT_TYPE => {
                TurnOrderResult::decode(payload).map(Self::Turn).map_err(|error| error.to_string())
            }
            other => Err(format!("it holds {other:?}")),
        }
    }

    /// Returns the digest of the order.
    pub fn order(&self) -> Digest {
        match self {
            Self::Run(result) => result.order,
            Self::Turn(result) => result.order,
        }
    }

    /// Returns when it ended, by the clock of the worker.
    pub fn ended(&self) -> Timestamp {
        match self {
            Self::Run(result) => result.ended,
            Self::Turn(result) => result.ended,
        }
    }
}

/// Input of `referee-fleet order`: puts an order in the queue, or attaches to the same order that is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrderRequest {
    /// The order.
    pub order: WorkerOrder,
    /// The depot that holds the tree, and that the evidence is put in.
    pub depot: DepotAddress,
    /// Signed envelope of an [`OrderAuthorization`](crate::run_order::OrderAuthorization). `None`: nobody signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization: Option<String>,
    /// Time after which the queue gives the order up, in milliseconds.
    pub timeout_ms: u64,
    /// Time without a sign of life of the worker after which the queue gives the order to another one, in milliseconds.
    pub heartbeat_ms: u64,
}

/// Line of output of `referee-fleet order`. The last one is an answer or a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum OrderLine {
    /// The order is in the queue.
    Queued {
        /// Whether the same order was in the queue before.
        attached: bool,
    },
    /// No worker with these labels asks for orders.
    NoWorker,
    /// An event of the run, as `--format jsonl` writes it. Events may be missing.
    Progress {
        /// The event.
        event: Value,
    },
    /// A worker answered.
    Answered {
        /// The answer.
        outcome: OrderOutcome,
    },
    /// There is no answer.
    Failed {
        /// Why.
        error: OrderFailure,
    },
}

/// Why an order has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrderFailure {
    /// Kind of the failure.
    pub kind: OrderFailureKind,
    /// What is wrong, and what to do.
    pub message: String,
}

/// Kind of an [`OrderFailure`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OrderFailureKind {
    /// The queue cannot be used as it is given: address, credentials, namespace.
    Address,
    /// The queue does not answer.
    Unavailable,
    /// No worker answered in time.
    TimedOut,
    /// The order was cancelled.
    Cancelled,
    /// The queue answered with something else than what was asked.
    Protocol,
}

/// Input of `referee-fleet work`: performs orders until a signal asks it to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkRequest {
    /// The labels of this worker.
    pub labels: BTreeSet<WorkerLabel>,
    /// Number of orders performed at once.
    pub jobs: NonZeroUsize,
    /// The program that performs one order: it gets a [`PerformRequest`] on standard input, and writes [`PerformLine`]s.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// Input of the program that performs one order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PerformRequest {
    /// The order.
    pub order: WorkerOrder,
    /// The depot.
    pub depot: DepotAddress,
    /// Signed envelope of an [`OrderAuthorization`](crate::run_order::OrderAuthorization). `None`: nobody signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization: Option<String>,
    /// Number of the attempt, from 1.
    pub attempt: u32,
}

/// Line of output of the program that performs one order. The last one is an outcome; without one the attempt is lost, and the
/// order is given out again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum PerformLine {
    /// An event of the run, as `--format jsonl` writes it.
    Progress {
        /// The event.
        event: Value,
    },
    /// The answer.
    Outcome {
        /// The answer.
        outcome: OrderOutcome,
    },
}

/// A turn that was ordered, as whoever asked keeps it until he has taken its changes over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PendingTurn {
    /// What the queue was asked.
    pub request: OrderRequest,
    /// Number of the turn.
    pub turn: u32,
    /// The workspace that was sent.
    pub before: TreeManifest,
}

impl PendingTurn {
    /// Kind of the document.
    pub const KIND: Kind = Kind { name: "a turn that was ordered", key: "pendingTurnVersion", version: "1.0.0" };
}
