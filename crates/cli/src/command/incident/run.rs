//! `referee incident run`.

use referee_engine::agent_loop::Standby;
use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::incident::Cancellation;
use referee_engine::incident::backend::{Backend, BackendOptions};
use referee_model::exit_code;
use referee_model::incident::attempt::{FinalStatus, RunResultDocument};
use referee_model::verdict::Exit;
use referee_report::human;

use crate::args::agent_fleet::AgentFleet;
use crate::args::incident::run::Run;
use crate::command::agent::follow;
use crate::command::evidence::depot::agent_workers;
use crate::follower::notes;
use crate::output;

pub(super) fn run(context: &Context, arguments: &Run) -> Result<u8, EngineError> {
    let id = super::id(&arguments.id)?;
    let service = super::service(context, &arguments.root)?;
    let workers = arguments.workers.clone();
    let workers = AgentFleet { depot: arguments.from.clone().or(workers.depot), ..workers };
    let options = BackendOptions {
        verification: arguments.verifying.options(),
        agent: arguments.agent.clone(),
        agent_timeout: arguments.agent_timeout,
        agent_workers: agent_workers(context, &workers)?,
        live: follow::live(context.terminal.stderr),
        planner: arguments.planner.clone(),
        notes: notes(context),
    };
    let backend = Backend::new(context, options)?;
    let cancellation = crate::resolve::signals()?;
    if arguments.from.is_some() {
        let standby = arguments.standby.standby;
        let standby =
            standby.map(|silence_ms| Standby { silence_ms, cancellation: &cancellation, notes: notes(context) });
        backend.take_over(&service, &id, standby.as_ref(), &cancellation)?;
    }
    let result = backend.run(&service, &id, arguments.options(), &cancellation)?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&result),
        |out| human::incident_run::show(&result, context.terminal.stdout, out),
    )?;
    Ok(exit(&result, &cancellation))
}

/// Returns the exit code for the result of a loop.
fn exit(result: &RunResultDocument, cancellation: &Cancellation) -> u8 {
    let signal = cancellation.requests().first().copied();
    match (result.final_status, signal) {
        (FinalStatus::Resolved, _) => exit_code::of(Exit::Passed),
        (FinalStatus::Running, Some(signal)) => exit_code::of(Exit::Interrupted { signal }),
        (FinalStatus::Running | FinalStatus::Escalated | FinalStatus::ReplanRequested, _) => {
            exit_code::of(Exit::Failed)
        }
    }
}
