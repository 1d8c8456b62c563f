//! A failed run as one structured error, in seed 2's shape (with ruling 21).

use std::collections::BTreeMap;

use referee_model::build_error::{BuildError, BuildErrorType, ContextValue};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::form;
use crate::number::Count;

/// A failed run as one structured error. The format has no version of its own.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Referee build error", deny_unknown_fields)]
pub struct BuildErrorDocument {
    #[serde(rename = "type")]
    #[schemars(with = "form::BuildErrorType")]
    kind: BuildErrorType,
    /// One line for people.
    message: String,
    /// Exit code of an agent; null for verification and system errors.
    exit_code: Option<i32>,
    /// The last lines of standard output; empty where there is nothing.
    stdout_tail: String,
    /// The last lines of standard error; empty where there is nothing.
    stderr_tail: String,
    /// Bare name of the agent result's file.
    agent_result_file: Option<String>,
    /// Bare name of the verification report's file.
    verification_file: Option<String>,
    /// Whatever else is known.
    context: BTreeMap<String, ContextDocument>,
    #[schemars(with = "form::Time")]
    failed_at: Timestamp,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
enum ContextDocument {
    Number(Count),
    Text(String),
    List(Vec<String>),
}

/// Returns a build error as a document.
pub fn document(error: &BuildError) -> BuildErrorDocument {
    BuildErrorDocument {
        kind: error.kind,
        message: error.message.clone(),
        exit_code: error.exit_code,
        stdout_tail: error.stdout_tail.clone(),
        stderr_tail: error.stderr_tail.clone(),
        agent_result_file: error.agent_result_file.clone(),
        verification_file: error.verification_file.clone(),
        context: error.context.iter().map(|(key, value)| (key.clone(), value.into())).collect(),
        failed_at: error.failed_at,
    }
}

impl From<&ContextValue> for ContextDocument {
    fn from(value: &ContextValue) -> Self {
        match value {
            ContextValue::Number(number) => Self::Number((*number).into()),
            ContextValue::Text(text) => Self::Text(text.clone()),
            ContextValue::List(texts) => Self::List(texts.clone()),
        }
    }
}
