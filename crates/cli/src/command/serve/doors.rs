//! What the server cannot do by itself: make plans by the specification, and run an agent.

use std::sync::Arc;

use referee_engine::context::Context;
use referee_engine::incident::Cancellation;
use referee_engine::incident::running::LoopOptions;
use referee_engine::problem::Problem;
use referee_model::incident::id::IncidentId;
use referee_model::limit;
use referee_server::service::Doors;

use crate::args::incident::running::Verifying;
use crate::args::serve::Serve;
use crate::command::incident::running::{Worker, words};
use crate::command::incident::{self, handoff};

/// Who runs the loop, in events.
const BY: &str = "loop";

/// Puts together what only a program knows that has a specification, an environment and a terminal.
pub(super) fn doors(context: &Context, arguments: &Serve) -> Result<Doors, Problem> {
    let usual = Verifying::usual(&arguments.specification);
    let verifying = usual.map_err(|error| Problem::usage(error.to_string()))?;
    let mut worker = Worker::new(context, &verifying)?;
    let agent = arguments.agent.as_deref().map(|line| words("--agent", line)).transpose()?;
    worker.work_by(agent, limit::AGENT_DEADLINE_MS, None);
    worker.plan.planner = arguments.planner.as_deref().map(|line| words("--planner", line)).transpose()?;
    let (plan, service) = (worker.plan.clone(), incident::service(context, &arguments.root)?);
    let run = move |id: &IncidentId, options: LoopOptions, cancellation: &Cancellation| {
        worker.run((&service, BY), id, options, cancellation)
    };
    Ok(Doors {
        plan: Arc::new(move || plan.clone()),
        run: Arc::new(run),
        agent: arguments.agent.clone(),
        queue: handoff::queue(context, arguments.queue_dir.as_deref()),
    })
}
