//! A failed run as one structured error, in seed 2's shape (with ruling 21).

use crate::build_error::{BuildError, BuildErrorType, FailedPhase, bare_name};
use crate::foreign::{EXIT_CODE, Foreign, ForeignError, Form, Members, TEXT, TIME};

/// The document's name in messages.
const NAME: &str = "the build error";

/// Reads a build error, of ours or of others: in either spelling, with tails that are null. `failedAt` must be a time; a
/// phase in its place, as some write it, is refused by name (ruling 21).
pub fn read(bytes: &[u8]) -> Result<BuildError, ForeignError> {
    of_members(&Foreign::read(NAME, bytes)?.members()?)
}

/// Takes a build error that stands in another document.
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
