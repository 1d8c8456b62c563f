//! Checkpoints of agent runs in a depot: what another machine needs to go on with a run whose machine is gone.

use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::id::{Digest, WorkspacePath};
use crate::order_protocol::OrderRequest;
use crate::time::Timestamp;
use crate::tree_manifest::ContentLink;

const KIND: Kind = Kind { name: "a checkpoint of a run", key: "agentCheckpointVersion", version: "1.0.0" };

/// Payload type of a signed [`AgentCheckpoint`] (DSSE 1.0.2).
pub const CHECKPOINT_TYPE: &str = "application/vnd.referee.agent-checkpoint+json";

/// State of a run when a turn was ordered, or when the run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentCheckpoint {
    /// Id of the run.
    pub run_id: String,
    /// SHA-256 of the signed checkpoint before this one. Null: this is the first.
    pub previous: Option<Digest>,
    /// The workspace when the first turn was ordered.
    pub base: ContentLink,
    /// The workspace when the last turn was ordered.
    pub tree: ContentLink,
    /// The documents of the run.
    pub record: ContentLink,
    /// The turn that was ordered. Null: the run is over, or was taken over before it ordered one.
    pub turn: Option<OrderRequest>,
    /// The specification in the workspace.
    pub specification: WorkspacePath,
    /// When the checkpoint was taken, by the clock of the machine that took it.
    pub taken_at: Timestamp,
    /// Version of Referee, which the machine that goes on must have.
    pub engine_version: String,
}

impl AgentCheckpoint {
    /// Serializes the checkpoint, to be signed.
    ///
    /// # Errors
    /// Fails only for values that JSON cannot hold.
    pub fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        KIND.encode(self)
    }

    /// Parses the payload of a signed checkpoint.
    ///
    /// # Errors
    /// Fails for another version, and for bytes that are no checkpoint.
    pub fn decode(bytes: &[u8]) -> Result<Self, DocumentError> {
        KIND.decode(bytes)
    }
}
