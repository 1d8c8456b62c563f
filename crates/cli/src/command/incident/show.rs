//! `referee incident list`, `show` and `explain`.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::incident::{IncidentError, Query};
use referee_engine::incident::{capture, shown};
use referee_model::exit_code;
use referee_report::human;

use crate::args::incident::show::{Explain, List, Show};
use crate::output;

/// Lists incidents. Unreadable ones are reported, and do not prevent listing the others (IN-30).
pub(super) fn list(context: &Context, arguments: &List) -> Result<u8, EngineError> {
    let service = super::service(context, &arguments.root)?;
    let incidents = service.context("cli").incidents;
    let query = Query {
        statuses: arguments.statuses.clone(),
        open: if arguments.archived { Some(false) } else { arguments.open.then_some(true) },
        failure_class: arguments.class.clone(),
        step: arguments.step.clone(),
        text: arguments.search.clone(),
        after: arguments.after.clone(),
        limit: arguments.limit,
        ..Query::default()
    };
    let list = incidents.list(&query).map_err(IncidentError::from)?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&list),
        |out| {
            let root = context.shown(incidents.root()).display().to_string();
            human::incident::list(&root, &list, &context.terminal.stdout, out)
        },
    )?;
    Ok(exit_code::PASSED)
}

/// Shows everything stored about one incident.
pub(super) fn show(context: &Context, arguments: &Show) -> Result<u8, EngineError> {
    let id = super::id(&arguments.id)?;
    let service = super::service(context, &arguments.root)?;
    let shown = shown::shown(service.context("cli"), &id)?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&shown),
        |out| human::incident::show(&shown, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

/// Explains why failures belong to the same incident or are a regression, and why the incident has its class.
pub(super) fn explain(context: &Context, arguments: &Explain) -> Result<u8, EngineError> {
    let id = super::id(&arguments.id)?;
    let service = super::service(context, &arguments.root)?;
    let explained = capture::explain(service.context("cli"), &id)?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&explained),
        |out| human::incident::explain(&explained, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}
