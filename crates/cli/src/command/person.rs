//! What is a person's to do, and what they are called.

use std::path::PathBuf;

use referee_exec::environment;

use crate::error::{Kind, Problem};
use crate::resolve::World;

/// An agent does nothing that is a person's to do, with or without a key: not one that runs by itself, and not one that a loop of
/// Referee's has at work, which may have made itself a terminal. Whoever unsets an agent's variables passes here, and needs a
/// key that is trusted, or a terminal.
pub(super) fn refuse_an_agent(world: &World, deed: &str) -> Result<(), Problem> {
    let is_begun_by_us =
        world.environment.iter().any(|(name, value)| name == environment::EXECUTION && !value.is_empty());
    let whose = match world.host().agent {
        Some(agent) => format!("a shell of {agent}"),
        None if is_begun_by_us => "run by something that Referee started, an agent's turn or a check".to_owned(),
        None => return Ok(()),
    };
    let message = format!("this is {whose}, and only a person may {deed}: type it in a terminal of your own");
    Err(Problem { kind: Kind::Refused, message, complaints: Vec::new() })
}

/// The user's name, as the environment says it.
pub(super) fn user(world: &World) -> Option<String> {
    let value = |name: &str| {
        let found = world.environment.iter().find(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| PathBuf::from(value).to_string_lossy().into_owned())
    };
    value("USER").or_else(|| value("LOGNAME"))
}
