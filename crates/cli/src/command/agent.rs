//! `referee agent`: coding agents in a loop, and what is kept of it.

use referee_engine::context::Context;
use referee_engine::problem::Problem;

use crate::args::agent::Agent;

pub(super) mod follow;
mod kept;
mod ordering;
mod running;

/// Does what was typed.
pub(super) fn execute(context: &Context, command: &Agent) -> Result<u8, Problem> {
    match command {
        Agent::Run(arguments) => running::execute(context, arguments),
        Agent::List(arguments) => kept::list(context, arguments),
        Agent::Show(arguments) => kept::show(context, arguments),
    }
}
