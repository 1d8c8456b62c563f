//! States of a stage, and the events that change them. `judge::stage::transition` holds the transition table.

use serde::{Deserialize, Serialize};

document_words! {
    /// State of a stage.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum StageState {
        /// No executor has had control yet.
        Pending = "pending",
        /// The inputs from other stages were copied in, or the stage's question was answered.
        Prepared = "prepared",
        /// An executor has control.
        Active = "active",
        /// The stage waits for an answer to its question.
        Blocked = "blocked",
        /// The executor handed the stage back with an error.
        Failed = "failed",
        /// The stage is done, and its outputs are published.
        Completed = "completed",
    }
}

words! {
    /// Event that changes the state of a stage.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum StageEvent {
        /// The inputs from other stages were copied into the stage.
        Prepared = "prepare",
        /// An executor took control, which begins an attempt.
        Accepted = "accept",
        /// A person had the stage repeated: another attempt begins, regardless of the result of the previous one.
        Repeated = "accept again",
        /// The executor handed the stage back with a question.
        Questioned = "question",
        /// The question was answered.
        Answered = "answer",
        /// The executor handed the stage back with an error.
        Failed = "error",
        /// The executor handed the stage back as done, validation confirmed it, and the outputs are published.
        Finalized = "finalize",
    }
}

/// Error for an event that the state of a stage does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`{event}` is not valid for a stage that is {from}", event = .event.as_str(), from = .from.as_str())]
pub struct Illegal {
    /// State of the stage.
    pub from: StageState,
    /// Event that was rejected.
    pub event: StageEvent,
}
