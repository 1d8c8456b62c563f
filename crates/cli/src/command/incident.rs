//! `referee incident`: failures that are worked on.

use std::path::PathBuf;

use referee_engine::context::Context;
use referee_engine::incident::{IncidentError, IncidentService};
use referee_engine::problem::Problem;
use referee_ledger::redact::{Redactor, looks_secret};
use referee_model::incident::id::IncidentId;

use crate::args::incident::{Incident, Root};

mod approval;
mod archiving;
mod capture;
pub(super) mod handoff;
mod planning;
mod reading;
pub(super) mod running;
mod verifying;

pub(super) use capture::of_run;

/// Where incidents are kept, below a project (ruling 26).
const ROOT: [&str; 2] = [".referee", "reports"];

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

/// Opens the incidents that are meant: those that were named, or those of the project.
pub(super) fn service(context: &Context, root: &Root) -> Result<IncidentService, Problem> {
    let root = folder(context, root);
    let state = context
        .state([root.as_path()])?
        .ok_or_else(|| Problem::usage("incidents need a state folder: set REFEREE_STATE_DIR, or HOME".to_owned()))?;
    Ok(IncidentService::open(&root, state, context.for_exec()?, redactor(context)).map_err(IncidentError::from)?)
}

/// The folder of incidents: as named, or below the folder of the nearest specification, or below this one.
fn folder(context: &Context, root: &Root) -> PathBuf {
    if let Some(root) = &root.root {
        return context.directory.join(root);
    }
    let project =
        referee_spec::discover::find(&context.directory).ok().and_then(|found| found.file.parent().map(PathBuf::from));
    below(&project.unwrap_or_else(|| context.directory.clone()))
}

/// Where incidents are kept below a project's folder.
pub(super) fn below(project: &std::path::Path) -> PathBuf {
    ROOT.iter().fold(project.to_path_buf(), |folder, name| folder.join(name))
}

/// Cuts out the values of variables that look secret, and whatever looks like a secret by itself.
pub(super) fn redactor(context: &Context) -> Redactor {
    let text = |text: &std::ffi::OsString| text.to_str().map(str::to_owned);
    let variables = context.environment.iter().filter_map(|(name, value)| Some((text(name)?, text(value)?)));
    Redactor::new(variables.filter(|(name, _)| looks_secret(name)).collect(), Vec::new())
}

/// Reads the id that was typed.
fn id(text: &str) -> Result<IncidentId, Problem> {
    IncidentId::parse(text).map_err(|error| Problem::usage(error.to_string()))
}
