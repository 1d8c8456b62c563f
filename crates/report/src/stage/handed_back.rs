//! The document of `referee handback --format json`: the handback of a stage, who has control, and whether the
//! claim can be accepted (ruling 28).

use referee_model::handback::{HandbackDocument, OrderedJson};
use referee_model::incident::seconds;
use referee_model::stage::id::{StageId, StageRunId};
use referee_model::stage::standing::Objection;
use referee_model::time::Timestamp;
use serde::Serialize;

/// Handback of a stage's executor, and whether it can be accepted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageHandbackDocument {
    pub stage_id: StageId,
    /// Id of the run. Null: it has no log that states it.
    pub run_id: Option<StageRunId>,
    /// Number of the current or last attempt; 0: no executor ever had control, or nothing states it.
    pub attempt: u32,
    /// Reason of the handback. Null: `handback.json` is missing, or is not a handback.
    pub reason: Option<String>,
    /// Description of the reason in the executor's words, without secrets.
    pub description: Option<String>,
    /// Error that the handback states. It can accompany a success or a question, too.
    pub error: Option<HandbackErrorShown>,
    /// Content of `accept.json`.
    pub accept: AcceptShown,
    /// Time at which control was given, according to the log, and without a log according to `accept.json`.
    #[serde(with = "seconds::optional")]
    pub accepted_at: Option<Timestamp>,
    /// Time at which `handback.json` was written, according to the file system.
    #[serde(with = "seconds::optional")]
    pub handed_back_at: Option<Timestamp>,
    pub standing: StandingShown,
    /// Problems that keep `handback.json` from being a handback. Empty: it is one, or there is none.
    pub complaints: Vec<String>,
    /// Warnings that do not block.
    pub warnings: Vec<String>,
    pub next: String,
    /// Handback as given, without secrets. Null: there is none.
    pub handback: Option<HandbackDocument>,
}

/// Error as the executor states it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HandbackErrorShown {
    /// Code of the error: one of the ten codes.
    pub code: String,
    pub meaning: String,
    /// Description of the error, without secrets.
    pub message: String,
    /// Further details, without secrets.
    pub context: Option<OrderedJson>,
}

/// Content of `accept.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AcceptShown {
    pub status: AcceptStatus,
    /// Who has control. Null: no executor has.
    pub state: Option<String>,
    #[serde(with = "seconds::optional")]
    pub timestamp: Option<Timestamp>,
    /// Problems of `accept.json`.
    pub complaints: Vec<String>,
}

/// Whether there is a valid `accept.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AcceptStatus {
    /// The file gives an agent control.
    Present,
    /// The file does not exist.
    Absent,
    Invalid,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StandingShown {
    /// Whether the stage can be finalized, as far as the handback is concerned.
    pub holds: bool,
    /// Objections to the handback.
    pub objections: Vec<Objection>,
}
