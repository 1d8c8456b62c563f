//! Operations that only a person may do, and names of people and agents.

use referee_exec::environment;

use crate::context::Context;
use crate::error::EngineError;

/// Refuses an operation that only a person may do if an agent asks, with or without a key: both an agent that
/// runs by itself and one that a loop of Referee runs, which may have made itself a terminal. A caller that
/// unsets an agent's variables passes here, and still needs a trusted key or a terminal.
///
/// # Errors
/// Fails if an agent asks.
pub fn refuse_an_agent(context: &Context, operation: &str) -> Result<(), EngineError> {
    agent(context).map_or(Ok(()), |whose| Err(EngineError::refused(only_a_person(&whose, operation))))
}

/// Returns the sentence that refuses an agent.
pub(crate) fn only_a_person(whose: &str, operation: &str) -> String {
    format!("this is {whose}, and only a person may {operation}: type it in a terminal of your own")
}

/// Refuses an agent that would change the gate itself. This is a usage error, because such a command is never
/// allowed there.
///
/// # Errors
/// Fails as [`refuse_an_agent`] does.
pub fn refuse_to_move_the_gate(context: &Context, operation: &str) -> Result<(), EngineError> {
    refuse_an_agent(context, operation).map_err(|problem| EngineError::usage(problem.message))
}

/// Returns whose shell this is, as the end of a sentence that begins with "this is". `None`: not an agent's, as
/// far as environment variables show.
pub fn agent(context: &Context) -> Option<String> {
    let is_begun_by_us =
        context.environment.iter().any(|(name, value)| name == environment::EXECUTION && !value.is_empty());
    let by_us = || "run by something that Referee started, an agent's turn or a check".to_owned();
    context.host().agent.map(|agent| format!("a shell of {agent}")).or_else(|| is_begun_by_us.then(by_us))
}

/// Returns the user's name from the environment.
pub fn user(context: &Context) -> Option<String> {
    let named = context.variable("USER").or_else(|| context.variable("LOGNAME"));
    named.map(|name| name.to_string_lossy().into_owned())
}
