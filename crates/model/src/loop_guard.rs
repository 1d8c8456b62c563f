//! Limits of a repair loop, and the decision after each turn (ruling 24). `judge::loop_guard` makes the decision.

use serde::{Deserialize, Serialize};

use crate::limit;
use crate::progress::Progress;
use crate::time::Timestamp;

/// Limits of a repair loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopBudget {
    /// Maximum number of turns for one plan revision.
    pub loops: u32,
    /// Time limit for one plan revision, in milliseconds.
    pub duration_ms: u64,
    /// Maximum number of additional plans.
    pub replans: u32,
    /// Number of consecutive turns with the same first failure after which further turns are pointless.
    pub same_errors: u32,
    /// Number of consecutive turns without progress after which another plan is needed.
    pub without_progress: u32,
}

impl Default for LoopBudget {
    /// Returns the limits of ruling 24.
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

/// Progress of a repair loop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopState {
    /// Number of additional plans requested.
    pub replans: u32,
    /// Number of turns of this plan revision that did not pass.
    pub loops: u32,
    /// Start of this plan revision. None: before its first turn.
    pub began: Option<Timestamp>,
    /// The progress counters. Repeats of the same first failure are counted across plan revisions, since a new
    /// plan that reaches it again is no improvement; the streak without progress starts over with each revision.
    #[serde(flatten)]
    pub progress: Progress,
}

/// Decision after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopDecision {
    /// The turn passed and the loop ends.
    Passed,
    /// Try again.
    Continue,
    /// Try again with another plan: the current one makes no progress.
    Replan,
    /// Leave the failure to a person. Never a pass.
    Escalate(LoopLimit),
}

document_words! {
    /// The limit that ended a loop.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum LoopLimit {
        /// The same first failure occurred too often.
        SameError = "same_error",
        /// There was no progress, and another plan had already been requested.
        NoProgress = "no_progress",
        /// The maximum number of turns was reached.
        Loops = "max_loops",
        /// The time limit was exceeded.
        Duration = "max_runtime",
    }
}
