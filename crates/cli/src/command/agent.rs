//! `referee agent`: coding agents in a loop, and what is kept of it.

use crate::args::agent::Agent;
use crate::error::Problem;
use crate::resolve::World;

pub(super) mod follow;
mod kept;
mod ordering;
pub(super) mod running;

/// Does what was typed.
pub(super) fn execute(world: &World, command: &Agent) -> Result<u8, Problem> {
    match command {
        Agent::Run(arguments) => running::execute(world, arguments),
        Agent::List(arguments) => kept::list(world, arguments),
        Agent::Show(arguments) => kept::show(world, arguments),
    }
}
