//! Where a stage stands, and what can happen to it. `judge::stage::transition` holds the table.

use serde::{Deserialize, Serialize};

/// Where a stage stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageState {
    /// Nobody has it yet.
    Pending,
    /// What comes from other stages was put into it, or its question was answered.
    Prepared,
    /// An executor has control.
    Active,
    /// It waits for an answer.
    Blocked,
    /// It was handed back with an error.
    Failed,
    /// It is done, and what it wrote is published.
    Completed,
}

impl StageState {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Pending, Self::Prepared, Self::Active, Self::Blocked, Self::Failed, Self::Completed];

    /// Returns it as the log spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Prepared => "prepared",
            Self::Active => "active",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
            Self::Completed => "completed",
        }
    }
}

/// What happens to a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageEvent {
    /// What comes from other stages was put into it.
    Prepared,
    /// An executor got control: an attempt begins.
    Accepted,
    /// A person had it done again: another attempt begins, whatever became of the one before.
    Repeated,
    /// It was handed back with a question.
    Questioned,
    /// The question was answered.
    Answered,
    /// It was handed back with an error.
    Failed,
    /// It was handed back as done, that was found to be so, and what it wrote is published.
    Finalized,
}

impl StageEvent {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Prepared,
        Self::Accepted,
        Self::Repeated,
        Self::Questioned,
        Self::Answered,
        Self::Failed,
        Self::Finalized,
    ];

    /// Returns it as messages spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prepared => "prepare",
            Self::Accepted => "accept",
            Self::Repeated => "accept again",
            Self::Questioned => "question",
            Self::Answered => "answer",
            Self::Failed => "error",
            Self::Finalized => "finalize",
        }
    }
}

/// Something that does not follow from where a stage stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`{event}` is not valid for a stage that is {from}", event = .event.as_str(), from = .from.as_str())]
pub struct Illegal {
    /// Where it stands.
    pub from: StageState,
    /// What was to happen.
    pub event: StageEvent,
}
