//! `referee incident`: failures that are worked on.

use referee_engine::context::Context;
use referee_engine::incident::IncidentService;
use referee_engine::problem::Problem;
use referee_model::incident::id::IncidentId;

use crate::args::incident::{Incident, Root};

mod approval;
mod archiving;
mod capture;
mod handoff;
mod planning;
mod reading;
mod running;

pub(super) use capture::of_run;

/// Does what was typed.
pub(super) fn execute(context: &Context, command: &Incident) -> Result<u8, Problem> {
    match command {
        Incident::Capture(arguments) => capture::capture(context, arguments),
        Incident::List(arguments) => reading::list(context, arguments),
        Incident::Show(arguments) => reading::show(context, arguments),
        Incident::Explain(arguments) => reading::explain(context, arguments),
        Incident::Plan(arguments) => planning::plan(context, arguments),
        Incident::Approve(arguments) => approval::approve(context, arguments),
        Incident::Reject(arguments) => approval::reject(context, arguments),
        Incident::Handoff(arguments) => handoff::handoff(context, arguments),
        Incident::Recall(arguments) => handoff::recall(context, arguments),
        Incident::Ack(arguments) => handoff::ack(context, arguments),
        Incident::Run(arguments) => running::run(context, arguments),
        Incident::Archive(arguments) => archiving::archive(context, arguments),
        Incident::Reopen(arguments) => archiving::reopen(context, arguments),
    }
}

/// Opens the incidents that are meant.
pub(super) fn service(context: &Context, root: &Root) -> Result<IncidentService, Problem> {
    IncidentService::of_project(context, root.root.as_deref())
}

/// Reads the id that was typed.
fn id(text: &str) -> Result<IncidentId, Problem> {
    IncidentId::parse(text).map_err(|error| Problem::usage(error.to_string()))
}
