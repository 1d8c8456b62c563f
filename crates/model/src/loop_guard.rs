//! What a loop of repairs may spend, and what is decided after each turn of it (ruling 24). `judge::loop_guard` decides.

use serde::{Deserialize, Serialize};

use crate::limit;
use crate::progress::Progress;
use crate::time::Timestamp;

/// What a loop may spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopBudget {
    /// Turns that one plan revision may take.
    pub loops: u32,
    /// Milliseconds that one plan revision may take.
    pub duration_ms: u64,
    /// How often another plan may be asked for.
    pub replans: u32,
    /// Turns in a row with the same first failure, at which it is no use to go on.
    pub same_errors: u32,
    /// Turns in a row without progress, at which another plan is needed.
    pub without_progress: u32,
}

impl Default for LoopBudget {
    /// Ruling 24.
    fn default() -> Self {
        Self {
            loops: limit::LOOPS,
            duration_ms: limit::LOOP_MS,
            replans: limit::REPLANS,
            same_errors: limit::SAME_ERRORS,
            without_progress: limit::RUNS_WITHOUT_PROGRESS,
        }
    }
}

/// How far a loop has come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopState {
    /// Plans that were asked for beside the first.
    pub replans: u32,
    /// Turns of this plan revision that did not pass.
    pub loops: u32,
    /// When this plan revision began. None: before its first turn.
    pub began: Option<Timestamp>,
    /// The counters. The same first failure is counted over plan revisions, since a new plan that comes to it again is no
    /// better; the streak without progress begins anew with each.
    #[serde(flatten)]
    pub progress: Progress,
}

/// What is decided after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopDecision {
    /// It passed: the loop is over.
    Passed,
    /// Try again.
    Continue,
    /// Try again, in another way: this one brings nothing.
    Replan,
    /// Leave it to a person. Never a pass.
    Escalate(LoopLimit),
}

/// Which limit ended a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopLimit {
    /// The same first failure came too often.
    SameError,
    /// Nothing got better, and another plan was asked for before.
    NoProgress,
    /// All turns were taken.
    #[serde(rename = "max_loops")]
    Loops,
    /// The time was up.
    #[serde(rename = "max_runtime")]
    Duration,
}

impl LoopLimit {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::SameError, Self::NoProgress, Self::Loops, Self::Duration];

    /// Returns it as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SameError => "same_error",
            Self::NoProgress => "no_progress",
            Self::Loops => "max_loops",
            Self::Duration => "max_runtime",
        }
    }
}
