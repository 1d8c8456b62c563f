//! Checkpoints of loops of agents in a depot: what another machine needs to go on with a loop whose machine is gone.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::id::{Digest, ExecutionId, IdError, WorkspacePath};
use crate::incident::id::IncidentId;
use crate::order_protocol::OrderRequest;
use crate::time::Timestamp;
use crate::tree_manifest::ContentLink;

const KIND: Kind = Kind { name: "a checkpoint of a loop", key: "agentCheckpointVersion", version: "2.1.0" };

/// Payload type of a signed [`AgentCheckpoint`] (DSSE 1.0.2).
pub const CHECKPOINT_TYPE: &str = "application/vnd.referee.agent-checkpoint+json";

/// Number of digits of the digest in the name of an incident's checkpoint.
const NAME_DIGITS: usize = 32;

/// A loop of an agent, as all machines name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum AgentLoopId {
    /// The id of a run of an agent.
    Run(String),
    /// The incident that the loop works at.
    Incident(IncidentId),
}

impl AgentLoopId {
    /// Returns the name of the loop's checkpoint in a depot. An id of an incident may be too long for one.
    ///
    /// # Errors
    /// Fails if the id of a run is none.
    pub fn checkpoint_name(&self) -> Result<ExecutionId, IdError> {
        match self {
            Self::Run(id) => ExecutionId::parse(format!("exec-{id}")),
            Self::Incident(id) => {
                let digits = Digest::of(id.as_str()).to_string();
                ExecutionId::parse(format!("exec-incident-{}", digits.get(..NAME_DIGITS).unwrap_or(&digits)))
            }
        }
    }

    /// Returns whether the loop's checkpoint has this name.
    pub fn is_named(&self, name: &ExecutionId) -> bool {
        self.checkpoint_name().is_ok_and(|own| own == *name)
    }
}

impl fmt::Display for AgentLoopId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(id) => formatter.write_str(id),
            Self::Incident(id) => write!(formatter, "incident {id}"),
        }
    }
}

/// State of a loop when a turn was ordered, or when the loop ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentCheckpoint {
    /// The loop.
    pub of: AgentLoopId,
    /// SHA-256 of the signed checkpoint before this one. Null: this is the first.
    pub previous: Option<Digest>,
    /// The workspace when the first turn was ordered.
    pub base: ContentLink,
    /// The workspace when the last turn was ordered, or when the loop ended.
    pub tree: ContentLink,
    /// The documents of the loop.
    pub record: ContentLink,
    /// The turn that was ordered. Null: none is outstanding.
    pub turn: Option<OrderRequest>,
    /// Whether who worked at the loop has stopped, so that nobody goes on with it unasked.
    pub is_ended: bool,
    /// The commit that was checked out when the loop began. Null: there is no repository, or no commit yet.
    pub commit: Option<String>,
    /// The specification in the workspace.
    pub specification: WorkspacePath,
    /// SHA-256 of the specification when the loop began.
    pub specification_sha256: Digest,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_has_one_name_on_all_machines_and_no_two_loops_share_one() {
        let incident = |id: &str| AgentLoopId::Incident(IncidentId::parse(id).unwrap());
        let name = |of: &AgentLoopId| of.checkpoint_name().unwrap().as_str().to_owned();
        assert_eq!(name(&AgentLoopId::Run("run-1".to_owned())), "exec-run-1");
        assert!(AgentLoopId::Run("../x".to_owned()).checkpoint_name().is_err());
        let names = [&incident("run-1"), &incident("a.b_c"), &incident(&"x".repeat(128))].map(name);
        assert!(names.iter().all(|name| name.starts_with("exec-incident-") && name.len() <= 64), "{names:?}");
        assert!(names[0] != names[1] && names[1] != names[2]);
    }
}
