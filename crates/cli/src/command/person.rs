//! What is a person's to do, and what they are called.

use std::io::IsTerminal;

use referee_engine::context::Context;
use referee_engine::problem::{Kind, Problem};
use referee_exec::environment;

/// An agent does nothing that is a person's to do, with or without a key: not one that runs by itself, and not one that a loop of
/// Referee's has at work, which may have made itself a terminal. Whoever unsets an agent's variables passes here, and needs a
/// key that is trusted, or a terminal.
pub(super) fn refuse_an_agent(context: &Context, deed: &str) -> Result<(), Problem> {
    let Some(whose) = agent(context) else { return Ok(()) };
    let message = format!("this is {whose}, and only a person may {deed}: type it in a terminal of your own");
    Err(Problem { kind: Kind::Refused, message, complaints: Vec::new() })
}

/// The same where the gate itself would be moved: that is a command which may not be typed there at all.
pub(super) fn refuse_to_move_the_gate(context: &Context, deed: &str) -> Result<(), Problem> {
    refuse_an_agent(context, deed).map_err(|problem| Problem::usage(problem.message))
}

/// Why a server that is started here does nothing that is a person's to do, in a sentence. None: a person starts it, as far as
/// variables tell.
pub(super) fn refusal(context: &Context) -> Option<String> {
    let whose = agent(context)?;
    Some(format!(
        "this server was started from {whose}, and only a person may do that: start it in a terminal of your own"
    ))
}

/// Whether somebody sits at a terminal, as far as a program can tell.
pub(super) fn is_at_a_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Whether it may be told where held-out checks lie: at a terminal, where no variable of an agent is set.
pub(super) fn may_see_places(context: &Context) -> bool {
    context.host().agent.is_none() && std::io::stdout().is_terminal()
}

/// Whose shell this is, as the end of a sentence that begins with "this is". None: no agent's, as far as variables tell.
pub(super) fn agent(context: &Context) -> Option<String> {
    let is_begun_by_us =
        context.environment.iter().any(|(name, value)| name == environment::EXECUTION && !value.is_empty());
    let by_us = || "run by something that Referee started, an agent's turn or a check".to_owned();
    context.host().agent.map(|agent| format!("a shell of {agent}")).or_else(|| is_begun_by_us.then(by_us))
}

/// The user's name, as the environment says it.
pub(super) fn user(context: &Context) -> Option<String> {
    let named = context.variable("USER").or_else(|| context.variable("LOGNAME"));
    named.map(|name| name.to_string_lossy().into_owned())
}
