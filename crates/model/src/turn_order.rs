//! Orders for turns of an agent, which a worker performs on another machine (design, "Fleet").
//!
//! The workspace goes to the worker and comes back as a tree in a depot, and so does what the agent is handed and what it
//! printed. Nothing in here holds a prompt, output or a secret.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::id::{Digest, ExecutionId, ProjectName, WorkerLabel, WorkspacePath};
use crate::record::{Ending, LeakedProcess};
use crate::time::Timestamp;
use crate::tree_manifest::ContentLink;

const KIND: Kind = Kind { name: "an order for a turn", key: "turnOrderVersion", version: "1.0.0" };

const RESULT: Kind = Kind { name: "the result of a turn", key: "turnOrderResultVersion", version: "1.0.0" };

const TURN: Kind = Kind { name: "the turn of an agent", key: "handedTurnVersion", version: "1.0.0" };

/// Payload type of a signed [`TurnOrderResult`] (DSSE 1.0.2).
pub const RESULT_TYPE: &str = "application/vnd.referee.turn-order-result+json";

/// Name of the [`HandedTurn`] among the files that a worker is handed.
pub const HANDED_TURN: &str = "turn.json";

/// Names of the files in the output of a turn: standard output, and standard error.
pub const OUTPUT: [&str; 2] = ["stdout", "stderr"];

/// Request to run one turn of an agent on another machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TurnOrder {
    /// The project, as the depot names it.
    pub project: ProjectName,
    /// The [`TreeManifest`](crate::tree_manifest::TreeManifest) of the workspace before the turn.
    pub tree: ContentLink,
    /// The manifest of the files that the worker is handed: a [`HandedTurn`], and what it names.
    pub handed: ContentLink,
    /// The loop that the turn is part of.
    pub run: ExecutionId,
    /// Number of the turn in the loop, from 1.
    pub turn: u32,
    /// Time limit of the turn, in milliseconds.
    pub timeout_ms: u64,
    /// Version of Referee that the worker must have.
    pub engine_version: String,
    /// Labels that the worker must have.
    pub labels: BTreeSet<WorkerLabel>,
}

impl TurnOrder {
    /// Returns the identity of the question.
    ///
    /// # Errors
    /// Fails only for values that JSON cannot hold.
    pub fn digest(&self) -> Result<Digest, serde_json::Error> {
        Ok(Digest::of(&KIND.encode(self)?))
    }
}

/// A turn, as the worker is handed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HandedTurn {
    /// Program and arguments of the agent, which no shell sees.
    pub command: Vec<String>,
    /// Variables with a value.
    pub variables: BTreeMap<String, String>,
    /// Variables that name a file which is handed over.
    pub files: BTreeMap<String, WorkspacePath>,
    /// Standard input of the agent.
    pub input: String,
    /// Directories of the workspace that are no part of it, such as that of the evidence.
    pub excluded: Vec<WorkspacePath>,
    /// Patterns of files that checks write, which are no part of the workspace either.
    pub outputs: Vec<String>,
}

impl HandedTurn {
    /// Serializes the turn.
    ///
    /// # Errors
    /// Fails only for values that JSON cannot hold.
    pub fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        TURN.encode(self)
    }

    /// Parses a turn.
    ///
    /// # Errors
    /// Fails for another version, and for bytes that are no turn.
    pub fn decode(bytes: &[u8]) -> Result<Self, DocumentError> {
        TURN.decode(bytes)
    }
}

/// What a worker signs: what became of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TurnOrderResult {
    /// Digest of the order.
    pub order: Digest,
    /// Number of the attempt at the order, from 1, as the queue counts.
    pub attempt: u32,
    /// The manifest of the workspace after the turn.
    pub tree: ContentLink,
    /// The manifest of what the agent printed, redacted: [`OUTPUT`].
    pub output: ContentLink,
    /// How the agent ended.
    pub ending: Ending,
    /// When it was started, by the clock of the worker.
    pub started: Timestamp,
    /// When none of its processes was left, by the same clock.
    pub ended: Timestamp,
    /// Processes that outlived the agent and were ended.
    pub leaked: Vec<LeakedProcess>,
}

impl TurnOrderResult {
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
