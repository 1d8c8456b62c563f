//! What is a person's to do, and what they are called.

use referee_exec::environment;

use crate::context::Context;
use crate::error::EngineError;

/// An agent does nothing that is a person's to do, with or without a key: not one that runs by itself, and not one that a loop of
/// Referee's has at work, which may have made itself a terminal. Whoever unsets an agent's variables passes here, and needs a
/// key that is trusted, or a terminal.
///
/// # Errors
/// Fails where an agent asks.
pub fn refuse_an_agent(context: &Context, deed: &str) -> Result<(), EngineError> {
    agent(context).map_or(Ok(()), |whose| Err(EngineError::refused(only_a_person(&whose, deed))))
}

/// Why an agent is refused, in a sentence.
pub(crate) fn only_a_person(whose: &str, deed: &str) -> String {
    format!("this is {whose}, and only a person may {deed}: type it in a terminal of your own")
}

/// The same where the gate itself would be moved: that is a command which may not be typed there at all.
///
/// # Errors
/// As [`refuse_an_agent`].
pub fn refuse_to_move_the_gate(context: &Context, deed: &str) -> Result<(), EngineError> {
    refuse_an_agent(context, deed).map_err(|problem| EngineError::usage(problem.message))
}

/// Whose shell this is, as the end of a sentence that begins with "this is". None: no agent's, as far as variables tell.
pub fn agent(context: &Context) -> Option<String> {
    let is_begun_by_us =
        context.environment.iter().any(|(name, value)| name == environment::EXECUTION && !value.is_empty());
    let by_us = || "run by something that Referee started, an agent's turn or a check".to_owned();
    context.host().agent.map(|agent| format!("a shell of {agent}")).or_else(|| is_begun_by_us.then(by_us))
}

/// The user's name, as the environment says it.
pub fn user(context: &Context) -> Option<String> {
    let named = context.variable("USER").or_else(|| context.variable("LOGNAME"));
    named.map(|name| name.to_string_lossy().into_owned())
}
