//! Orders: runs of a task that a worker performs on another machine (design, "Fleet").
//!
//! An order names everything that a run depends on by digest, and the digest of the order itself is the question: who asks
//! the same gets the same run. A worker answers with the digest of a sealed run, signed by its own key. The signed answer to
//! the latest run of an order is its receipt, which a depot keeps for whoever asks later. Nothing in here holds output or a
//! secret.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use crate::depot::DepotAddress;
use crate::document::{DocumentError, Kind};
use crate::id::{ActionId, Digest, ExecutionId, ProjectName, TaskId, WorkerLabel, WorkspacePath};
use crate::sandbox::SandboxMode;
use crate::selection::LeftOut;
use crate::time::Timestamp;
use crate::tree_manifest::ContentLink;

const KIND: Kind = Kind { name: "an order", key: "runOrderVersion", version: "1.0.0" };

const RESULT: Kind = Kind { name: "the result of an order", key: "runOrderResultVersion", version: "1.0.0" };

const AUTHORIZATION: Kind =
    Kind { name: "the authorization of an order", key: "orderAuthorizationVersion", version: "1.0.0" };

/// Payload type of a signed [`OrderAuthorization`] (DSSE 1.0.2).
pub const AUTHORIZATION_TYPE: &str = "application/vnd.referee.order-authorization+json";

/// Payload type of a signed [`RunOrderResult`] (DSSE 1.0.2).
pub const RESULT_TYPE: &str = "application/vnd.referee.run-order-result+json";

/// Request to run a task on another machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunOrder {
    /// The project, as the depot names it.
    pub project: ProjectName,
    /// The [`TreeManifest`](crate::tree_manifest::TreeManifest) of the workspace.
    pub tree: ContentLink,
    /// Digest of the inputs in this tree, as a run records it.
    pub inputs: Digest,
    /// The specification file in the tree.
    pub specification: WorkspacePath,
    /// SHA-256 of the specification with everything that it includes.
    pub specification_digest: Digest,
    /// The task.
    pub task: TaskId,
    /// Actions that the run leaves out, with the reasons.
    pub left_out: BTreeMap<ActionId, LeftOut>,
    /// Maximum number of parallel steps. None: as the specification says.
    pub jobs: Option<NonZeroUsize>,
    /// Time limit of the run, in milliseconds. None: that of the specification.
    pub timeout_ms: Option<u64>,
    /// Whether commands are to be confined. A worker may be stricter.
    #[serde(default, skip_serializing_if = "SandboxMode::is_off")]
    pub sandbox: SandboxMode,
    /// Version of Referee that the worker must have.
    pub engine_version: String,
    /// Labels that the worker must have.
    pub labels: BTreeSet<WorkerLabel>,
}

impl RunOrder {
    /// Serializes the order. Equal orders have equal bytes.
    ///
    /// # Errors
    /// Fails only for values that JSON cannot hold.
    pub fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        KIND.encode(self)
    }

    /// Parses an order.
    ///
    /// # Errors
    /// Fails for another version, and for bytes that are no order.
    pub fn decode(bytes: &[u8]) -> Result<Self, DocumentError> {
        KIND.decode(bytes)
    }

    /// Returns the identity of the question.
    ///
    /// # Errors
    /// Fails only for values that JSON cannot hold.
    pub fn digest(&self) -> Result<Digest, serde_json::Error> {
        Ok(Digest::of(&self.encode()?))
    }
}

/// What a worker signs: the run that answers an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunOrderResult {
    /// Digest of the order.
    pub order: Digest,
    /// Number of the attempt at the order, from 1, as the queue counts.
    pub attempt: u32,
    /// The run.
    pub execution: ExecutionId,
    /// The `seal.json` of the run.
    pub seal: ContentLink,
    /// When the run ended, by the clock of the worker.
    pub ended: Timestamp,
}

impl RunOrderResult {
    /// Serializes the result, to be signed.
    ///
    /// # Errors
    /// Fails only for values that JSON cannot hold.
    pub fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        RESULT.encode(self)
    }

    /// Parses the payload of a signed result.
    ///
    /// # Errors
    /// Fails for another version, and for bytes that are no result.
    pub fn decode(bytes: &[u8]) -> Result<Self, DocumentError> {
        RESULT.decode(bytes)
    }
}

/// What an asker signs: that an order is his, and which depot its files go through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrderAuthorization {
    /// Digest of the order.
    pub order: Digest,
    /// The depot.
    pub depot: DepotAddress,
}

impl OrderAuthorization {
    /// Serializes the authorization, to be signed.
    ///
    /// # Errors
    /// Fails only for values that JSON cannot hold.
    pub fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        AUTHORIZATION.encode(self)
    }

    /// Parses the payload of a signed authorization.
    ///
    /// # Errors
    /// Fails for another version, and for bytes that are no authorization.
    pub fn decode(bytes: &[u8]) -> Result<Self, DocumentError> {
        AUTHORIZATION.decode(bytes)
    }
}

/// Answer of a worker to an order, as the queue carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum OrderOutcome {
    /// The order was performed, and what came of it is in the depot.
    Performed {
        /// Signed envelope of a [`RunOrderResult`], or of a [`TurnOrderResult`](crate::turn_order::TurnOrderResult), as one
        /// line of JSON.
        result: String,
    },
    /// The worker cannot perform the order, and another one with the same labels could not either.
    Refused {
        /// Why, as one sentence.
        reason: String,
    },
}
