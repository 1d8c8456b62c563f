//! The optional program that gives an opinion on a judged run (seed 4, with ruling 25).

use serde::{Deserialize, Serialize};

use super::{Action, Command, Phase, Work};
use crate::id::ActionId;

/// A program (for example a model) that reads the report of a judged run and may make the decision worse, never
/// better.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Evaluator {
    /// Command of the program. It reads the report on standard input and answers with one JSON object on
    /// standard output.
    pub command: Command,
    /// Milliseconds after which the program is stopped.
    #[serde(rename = "deadlineMs")]
    pub timeout_ms: u64,
    /// Milliseconds between the termination signal and the kill signal.
    pub grace_ms: u64,
}

impl Evaluator {
    /// Name of the program in evidence.
    pub const NAME: &'static str = "evaluator";

    /// Scope of the evaluator's id. No action of a plan has this scope.
    pub const SCOPE: &'static str = "EVALUATOR";

    /// Returns the id of the evaluator's run in evidence, `EVALUATOR.1`.
    ///
    /// # Panics
    /// Never: the text is a valid id.
    pub fn id() -> ActionId {
        ActionId::parse(format!("{}.1", Self::SCOPE)).expect("capital letters, a dot and a number are an id")
    }

    /// Returns whether this is the id of an evaluator.
    pub fn owns(id: &ActionId) -> bool {
        id.as_str().split_once('.').is_some_and(|(scope, _)| scope == Self::SCOPE)
    }

    /// Returns the action that is run and recorded for the evaluator. It is not part of the plan, and it is not
    /// judged by a role.
    pub fn action(&self) -> Action {
        Action {
            timeout_ms: self.timeout_ms,
            grace_ms: self.grace_ms,
            ..Action::of(Self::id(), Phase::Cleanup, Self::NAME, Work::Command(self.command.clone()))
        }
    }
}
