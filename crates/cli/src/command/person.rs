//! What is a person's to do, and what they are called.

use std::io::IsTerminal;

use referee_exec::environment;

use crate::error::{Kind, Problem};
use crate::resolve::World;

/// An agent does nothing that is a person's to do, with or without a key: not one that runs by itself, and not one that a loop of
/// Referee's has at work, which may have made itself a terminal. Whoever unsets an agent's variables passes here, and needs a
/// key that is trusted, or a terminal.
pub(super) fn refuse_an_agent(world: &World, deed: &str) -> Result<(), Problem> {
    let Some(whose) = agent(world) else { return Ok(()) };
    let message = format!("this is {whose}, and only a person may {deed}: type it in a terminal of your own");
    Err(Problem { kind: Kind::Refused, message, complaints: Vec::new() })
}

/// The same where the gate itself would be moved: that is a command which may not be typed there at all.
pub(super) fn refuse_to_move_the_gate(world: &World, deed: &str) -> Result<(), Problem> {
    refuse_an_agent(world, deed).map_err(|problem| Problem::usage(problem.message))
}

/// Why a server that is started here does nothing that is a person's to do, in a sentence. None: a person starts it, as far as
/// variables tell.
pub(super) fn refusal(world: &World) -> Option<String> {
    let whose = agent(world)?;
    Some(format!(
        "this server was started from {whose}, and only a person may do that: start it in a terminal of your own"
    ))
}

/// Whether somebody sits at a terminal, as far as a program can tell.
pub(super) fn is_at_a_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Whether it may be told where held-out checks lie: at a terminal, where no variable of an agent is set.
pub(super) fn may_see_places(world: &World) -> bool {
    world.host().agent.is_none() && std::io::stdout().is_terminal()
}

/// Whose shell this is, as the end of a sentence that begins with "this is". None: no agent's, as far as variables tell.
pub(super) fn agent(world: &World) -> Option<String> {
    let is_begun_by_us =
        world.environment.iter().any(|(name, value)| name == environment::EXECUTION && !value.is_empty());
    let by_us = || "run by something that Referee started, an agent's turn or a check".to_owned();
    world.host().agent.map(|agent| format!("a shell of {agent}")).or_else(|| is_begun_by_us.then(by_us))
}

/// The user's name, as the environment says it.
pub(super) fn user(world: &World) -> Option<String> {
    let named = world.variable("USER").or_else(|| world.variable("LOGNAME"));
    named.map(|name| name.to_string_lossy().into_owned())
}
