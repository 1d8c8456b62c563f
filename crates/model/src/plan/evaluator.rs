//! The optional program that is asked for its word on a judged run (seed 4, with ruling 25).

use serde::{Deserialize, Serialize};

use super::{Action, Command, EvidenceCapture, Phase, Work};
use crate::id::ActionId;

/// A program (a model, say) that is given the report of a judged run, and may make its decision worse, never better.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Evaluator {
    /// What is run. It is given the report on its standard input, and answers with one JSON object on standard output.
    pub command: Command,
    /// Milliseconds after which it is stopped.
    #[serde(rename = "deadlineMs")]
    pub timeout_ms: u64,
    /// Milliseconds between the polite signal and the final one.
    pub grace_ms: u64,
}

impl Evaluator {
    /// What the program is called in evidence.
    pub const NAME: &'static str = "evaluator";

    /// The scope of the id that its run goes by; no action of a plan has it.
    pub const SCOPE: &'static str = "EVALUATOR";

    /// Returns the id that its run goes by in evidence, `EVALUATOR.1`.
    ///
    /// # Panics
    /// Never: the text is an id.
    pub fn id() -> ActionId {
        ActionId::parse(format!("{}.1", Self::SCOPE)).expect("capital letters, a dot and a number are an id")
    }

    /// Whether this is the id of an evaluator.
    pub fn owns(id: &ActionId) -> bool {
        id.as_str().split_once('.').is_some_and(|(scope, _)| scope == Self::SCOPE)
    }

    /// Returns the action as which it is run and recorded. It is none of the plan: nothing of it is judged by a role.
    pub fn action(&self) -> Action {
        Action {
            id: Self::id(),
            phase: Phase::Cleanup,
            name: Self::NAME.to_owned(),
            work: Work::Command(self.command.clone()),
            needs: Vec::new(),
            timeout_ms: self.timeout_ms,
            grace_ms: self.grace_ms,
            continue_on_failure: true,
            retries: 0,
            expect: None,
            evidence: EvidenceCapture::default(),
            level: None,
        }
    }
}
