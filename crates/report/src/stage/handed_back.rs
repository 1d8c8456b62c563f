//! What `referee handback` answers: what a stage's executor says, who has control, and what the claim is worth (ruling 28).

use referee_model::handback::{HandbackDocument, OrderedJson};
use referee_model::incident::seconds;
use referee_model::stage::id::{StageId, StageRunId};
use referee_model::stage::standing::Objection;
use referee_model::time::Timestamp;
use serde::Serialize;

/// What a stage's executor says, and what that is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageHandbackDocument {
    pub stage_id: StageId,
    /// The run. Null: it has no log that says it.
    pub run_id: Option<StageRunId>,
    /// The attempt that is on, or was the last; 0: nobody ever had control, or nothing says so.
    pub attempt: u32,
    /// What it comes to. Null: `handback.json` is missing, or is no handback.
    pub reason: Option<String>,
    /// The same in the executor's words, without secrets.
    pub description: Option<String>,
    /// What went wrong. It can stand beside a success or a question, too.
    pub error: Option<HandbackErrorShown>,
    /// What `accept.json` says.
    pub accept: AcceptShown,
    /// When control was given: by the log, and where there is none by `accept.json`.
    #[serde(with = "seconds::optional")]
    pub accepted_at: Option<Timestamp>,
    /// When `handback.json` was written, as the system says.
    #[serde(with = "seconds::optional")]
    pub handed_back_at: Option<Timestamp>,
    pub standing: StandingShown,
    /// Everything that keeps `handback.json` from being a handback. Empty: it is one, or there is none.
    pub complaints: Vec<String>,
    /// What should be known and stands in nobody's way.
    pub warnings: Vec<String>,
    pub next: String,
    /// The handback as it was given, without secrets. Null: there is none.
    pub handback: Option<HandbackDocument>,
}

/// What went wrong, as an executor says it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HandbackErrorShown {
    /// Which kind of fault: one of the ten codes.
    pub code: String,
    pub meaning: String,
    /// What happened, without secrets.
    pub message: String,
    /// More of it, without secrets.
    pub context: Option<OrderedJson>,
}

/// What `accept.json` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AcceptShown {
    pub status: AcceptStatus,
    /// Who has control by it. Null: nobody.
    pub state: Option<String>,
    #[serde(with = "seconds::optional")]
    pub timestamp: Option<Timestamp>,
    /// Everything that is wrong with it.
    pub complaints: Vec<String>,
}

/// Whether there is an `accept.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AcceptStatus {
    /// It gives an agent control.
    Present,
    /// There is none.
    Absent,
    Invalid,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StandingShown {
    /// Whether the stage can be finalized, as far as the handback goes.
    pub holds: bool,
    /// Everything that stands against it.
    pub objections: Vec<Objection>,
}
