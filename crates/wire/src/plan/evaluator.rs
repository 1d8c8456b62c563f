//! The evaluator, in documents.

use referee_model::plan::Evaluator;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::action::CommandDocument;

/// The program that is asked for its word on the judged run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct EvaluatorDocument {
    /// What is run.
    command: CommandDocument,
    /// Milliseconds after which it is stopped.
    deadline_ms: u64,
    /// Milliseconds between the polite signal and the final one.
    grace_ms: u64,
}

impl From<&Evaluator> for EvaluatorDocument {
    fn from(evaluator: &Evaluator) -> Self {
        Self { command: (&evaluator.command).into(), deadline_ms: evaluator.deadline_ms, grace_ms: evaluator.grace_ms }
    }
}

impl TryFrom<EvaluatorDocument> for Evaluator {
    type Error = String;

    fn try_from(document: EvaluatorDocument) -> Result<Self, String> {
        Ok(Self {
            command: document.command.try_into().map_err(|problem| format!("the evaluator: {problem}"))?,
            deadline_ms: document.deadline_ms,
            grace_ms: document.grace_ms,
        })
    }
}
