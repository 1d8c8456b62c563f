//! `referee incident plan`.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::incident::{backend, plan};
use referee_exec::signal;
use referee_model::exit_code;
use referee_report::human;

use crate::args::incident::plan::{Plan, Planning};
use crate::follower::notes;
use crate::output;

pub(super) fn plan(context: &Context, arguments: &Plan) -> Result<u8, EngineError> {
    let id = super::id(&arguments.id)?;
    let Planning { planner, planner_timeout, specification } = &arguments.planning;
    let notes = &mut notes(context);
    let mut request = backend::plan_request(context, specification.as_deref(), planner.as_deref(), notes)?;
    request.planner_ms = planner_timeout.unwrap_or(0);
    if request.planner.is_some() {
        let cancellation = signal::install();
        request.cancellation = Some(
            cancellation.map_err(|error| EngineError::internal(format!("signals cannot be listened for: {error}")))?,
        );
    }
    request.force = arguments.force;
    request.targets.clone_from(&arguments.target);
    let service = super::service(context, &arguments.root)?;
    let by = person(context);
    let plan = plan::plan(service.context(&by), &id, &request)?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&plan),
        |out| human::remediation::plan(&plan, context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

/// Returns the user's name by the environment: for events only, never for decisions.
pub(super) fn person(context: &Context) -> String {
    crate::command::person::user(context).unwrap_or_else(|| "somebody".to_owned())
}
