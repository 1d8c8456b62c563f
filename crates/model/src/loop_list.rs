//! Loops of agents as a depot shows them: what their last checkpoints say, as far as they are verified.

use serde::{Deserialize, Serialize};

use crate::agent_checkpoint::AgentLoopId;
use crate::document::Kind;
use crate::id::ExecutionId;
use crate::time::Timestamp;

/// Format of a [`LoopList`].
pub const LIST: Kind = Kind { name: "a list of loops", key: "loopListVersion", version: "1.0.0" };

/// The loops of a project in a depot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Referee list of loops"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoopList {
    /// Loops: open ones first, then those that cannot be verified, then ended ones; of each kind those first that were renewed last.
    pub loops: Vec<LoopEntry>,
}

/// A loop of an agent, by its last checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoopEntry {
    /// Name of its checkpoint.
    pub name: ExecutionId,
    /// Where it stands.
    pub status: LoopStatus,
    /// What the checkpoint says. Null: it is not verified.
    pub checkpoint: Option<CheckpointSummary>,
    /// Why the checkpoint is not verified. Null: it is.
    pub problem: Option<String>,
}

/// What a verified checkpoint says of its loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckpointSummary {
    /// The loop.
    pub of: AgentLoopId,
    /// Number of the turn that was ordered last, from 1. Null: none is outstanding.
    pub turn: Option<u32>,
    /// When it was renewed last, by the clock of the machine that works at the loop.
    pub renewed_at: Timestamp,
    /// Ids of the keys that signed it.
    pub signers: Vec<String>,
    /// The commit that was checked out when the loop began. Null: there was none.
    pub commit: Option<String>,
    /// Version of Referee that works at the loop.
    pub engine_version: String,
}

/// Where a loop stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LoopStatus {
    /// A machine works at it, or is gone: then the checkpoint is not renewed any more.
    Open,
    /// No trusted key signed its checkpoint, or it cannot be read.
    Unverified,
    /// Who worked at it has stopped.
    Ended,
}

impl LoopStatus {
    /// Returns the word for the status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Unverified => "unverified",
            Self::Ended => "ended",
        }
    }
}
