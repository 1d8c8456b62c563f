//! A failed run as one structured error, in seed 2's shape (with ruling 21).

use std::collections::BTreeMap;

use referee_model::build_error::{BuildError, BuildErrorType, FailedPhase, bare_name};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::ContextDocument;
use crate::foreign::{EXIT_CODE, Foreign, ForeignError, Form, Members, TEXT, TIME};

/// The document's name in messages.
const NAME: &str = "the build error";

/// A failed run as one structured error. The format has no version of its own.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Referee build error", deny_unknown_fields)]
pub struct BuildErrorDocument {
    #[serde(rename = "type")]
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
    failed_at: Timestamp,
    /// In which part of the work it failed, such as `build` or `verification`. Left out: nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<String>,
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
        phase: error.phase.as_ref().map(|phase| phase.as_str().to_owned()),
    }
}

/// Reads a build error, of ours or of others: in either spelling, with tails that are null. `failedAt` must be a time; a
/// phase in its place, as some write it, is refused by name (ruling 21).
pub fn read(bytes: &[u8]) -> Result<BuildError, ForeignError> {
    of_members(&Foreign::read(NAME, bytes)?.members()?)
}

/// Takes a build error that stands in another document.
pub(crate) fn of_members(members: &Members<'_>) -> Result<BuildError, ForeignError> {
    const KIND: Form<BuildErrorType> =
        Form::new("one of the thirteen types of build errors", |node| BuildErrorType::parse(&node.text()?));
    let file = |key| Ok(members.optional(key, &TEXT)?.as_deref().and_then(bare_name));
    let context = members.object("context")?;
    let context = context.iter().flat_map(Members::each);
    Ok(BuildError {
        kind: members.required("type", &KIND)?,
        message: members.required("message", &TEXT)?,
        exit_code: members.optional("exitCode", &EXIT_CODE)?,
        stdout_tail: members.optional("stdoutTail", &TEXT)?.unwrap_or_default(),
        stderr_tail: members.optional("stderrTail", &TEXT)?.unwrap_or_default(),
        agent_result_file: file("agentResultFile")?,
        verification_file: file("verificationFile")?,
        context: context.map(|(key, node)| (key.to_owned(), node.into())).collect(),
        failed_at: members.required("failedAt", &TIME)?,
        phase: members.optional("phase", &TEXT)?.as_deref().and_then(FailedPhase::named),
    })
}
