//! Results of an evaluator program (seed 4: VF-10 and VF-11; ruling 25).

use serde::{Deserialize, Serialize};

use super::Next;

/// Result of running an evaluator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evaluation {
    /// The evaluator was not run, for a reason that lies in the run.
    NotAsked {
        /// Reason, as a sentence.
        reason: String,
    },
    /// The evaluator answered.
    Said(EvaluatorAnswer),
    /// The evaluator gave no usable answer: an internal fault, never a pass.
    Fault {
        /// Reason, as a sentence.
        reason: String,
    },
}

/// Answer of an evaluator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluatorAnswer {
    /// Status that the evaluator assigns to the run.
    pub status: EvaluatorStatus,
    /// Reason in the evaluator's words; at most [`crate::limit::MESSAGE_BYTES`].
    pub summary: String,
    /// Further notes of the evaluator.
    pub notes: Vec<String>,
    /// Who has the next turn, in the evaluator's opinion.
    pub next: Next,
}

document_words! {
    /// Status that an evaluator assigns to a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum EvaluatorStatus {
        /// The work is done.
        Passed = "passed",
        /// The work is not done.
        Failed = "failed",
        /// The evaluator cannot decide.
        Blocked = "blocked",
    }
}

/// An evaluation, with its effect on the verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluated {
    /// Result of running the evaluator.
    pub evaluation: Evaluation,
    /// Whether the evaluator's status was better than the decision by the rules, which therefore stands.
    pub overridden: bool,
}
