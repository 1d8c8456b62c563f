//! `referee agent`: runs coding agents in a loop, and shows their records.

use referee_engine::context::Context;
use referee_engine::error::EngineError;

use crate::args::agent::Agent;

pub(super) mod follow;
mod run;
mod settings;
mod stored_runs;

pub(super) fn execute(context: &Context, command: &Agent) -> Result<u8, EngineError> {
    match command {
        Agent::Run(arguments) => run::execute(context, arguments),
        Agent::List(arguments) => stored_runs::list(context, arguments),
        Agent::Show(arguments) => stored_runs::show(context, arguments),
    }
}
