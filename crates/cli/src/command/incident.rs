//! `referee incident`: captures and repairs failures.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::incident::IncidentService;
use referee_model::incident::id::IncidentId;

use crate::args::incident::{Incident, Root};

mod approval;
mod archive;
mod capture;
mod handoff;
mod plan;
mod run;
mod show;

pub(super) use capture::of_run;

pub(super) fn execute(context: &Context, command: &Incident) -> Result<u8, EngineError> {
    match command {
        Incident::Capture(arguments) => capture::capture(context, arguments),
        Incident::List(arguments) => show::list(context, arguments),
        Incident::Show(arguments) => show::show(context, arguments),
        Incident::Explain(arguments) => show::explain(context, arguments),
        Incident::Plan(arguments) => plan::plan(context, arguments),
        Incident::Approve(arguments) => approval::approve(context, arguments),
        Incident::Reject(arguments) => approval::reject(context, arguments),
        Incident::Handoff(arguments) => handoff::handoff(context, arguments),
        Incident::Recall(arguments) => handoff::recall(context, arguments),
        Incident::Ack(arguments) => handoff::ack(context, arguments),
        Incident::Run(arguments) => run::run(context, arguments),
        Incident::Archive(arguments) => archive::archive(context, arguments),
        Incident::Reopen(arguments) => archive::reopen(context, arguments),
    }
}

/// Opens the selected incident store.
pub(super) fn service(context: &Context, root: &Root) -> Result<IncidentService, EngineError> {
    IncidentService::of_project(context, root.root.as_deref())
}

/// Parses an id from the command line.
fn id(text: &str) -> Result<IncidentId, EngineError> {
    IncidentId::parse(text).map_err(|error| EngineError::usage(error.to_string()))
}
