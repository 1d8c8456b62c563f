//! What an evaluator program came to (seed 4: VF-10 and VF-11; ruling 25).

use serde::{Deserialize, Serialize};

use super::Next;

/// What came of asking an evaluator: exactly one of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evaluation {
    /// It was not asked, for a reason that lies in the run.
    NotAsked {
        /// Why, in a sentence.
        reason: String,
    },
    /// It gave an answer.
    Said(EvaluatorAnswer),
    /// It gave none that can be taken: an internal fault, never a pass.
    Fault {
        /// Why, in a sentence.
        reason: String,
    },
}

/// The answer of an evaluator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluatorAnswer {
    /// How it finds the run.
    pub status: EvaluatorStatus,
    /// Why, in its own words; at most [`crate::limit::MESSAGE_BYTES`].
    pub summary: String,
    /// What else it says.
    pub notes: Vec<String>,
    /// Who it thinks has the next turn.
    pub next: Next,
}

/// How an evaluator finds a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvaluatorStatus {
    /// It may be called done.
    Passed,
    /// It may not.
    Failed,
    /// It cannot be told.
    Blocked,
}

impl EvaluatorStatus {
    /// Returns the status as answers spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
        }
    }
}

/// An evaluation, and what the verdict made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluated {
    /// What came of asking.
    pub evaluation: Evaluation,
    /// Whether it said better than what the rules decide, and the rules hold.
    pub overridden: bool,
}
