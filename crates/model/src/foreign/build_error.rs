//! A failed run as one structured error, in the form of seed 2 (with ruling 21).

use crate::build_error::{BuildError, BuildErrorType, FailedPhase, bare_name};
use crate::foreign::{EXIT_CODE, Foreign, ForeignError, Form, Members, TEXT, TIME};

/// Name of the document in messages.
const NAME: &str = "the build error";

/// Parses a build error written by Referee or by another program, in either spelling of the keys and with tails
/// that may be null. `failedAt` must be a time; a phase in its place, which some programs write, is refused by
/// name (ruling 21).
pub fn read(bytes: &[u8]) -> Result<BuildError, ForeignError> {
    of_members(&Foreign::read(NAME, bytes)?.members()?)
}

/// Reads a build error that is part of another document.
pub fn of_members(members: &Members<'_>) -> Result<BuildError, ForeignError> {
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
