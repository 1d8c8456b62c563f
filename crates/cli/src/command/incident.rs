//! `referee incident`: failures that are worked on.

use std::path::PathBuf;

use referee_engine::incident::{IncidentError, IncidentService};
use referee_ledger::redact::{Redactor, looks_secret};
use referee_model::incident::id::IncidentId;

use crate::args::incident::{Incident, Root};
use crate::error::Problem;
use crate::resolve::World;

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
pub(super) fn execute(world: &World, command: &Incident) -> Result<u8, Problem> {
    match command {
        Incident::Capture(arguments) => capture::capture(world, arguments),
        Incident::List(arguments) => reading::list(world, arguments),
        Incident::Show(arguments) => reading::show(world, arguments),
        Incident::Explain(arguments) => reading::explain(world, arguments),
        Incident::Plan(arguments) => planning::plan(world, arguments),
        Incident::Approve(arguments) => approval::approve(world, arguments),
        Incident::Reject(arguments) => approval::reject(world, arguments),
        Incident::Handoff(arguments) => handoff::handoff(world, arguments),
        Incident::Recall(arguments) => handoff::recall(world, arguments),
        Incident::Ack(arguments) => handoff::ack(world, arguments),
        Incident::Run(arguments) => running::run(world, arguments),
        Incident::Archive(arguments) => archiving::archive(world, arguments),
        Incident::Reopen(arguments) => archiving::reopen(world, arguments),
    }
}

/// Opens the incidents that are meant: those that were named, or those of the project.
pub(super) fn service(world: &World, root: &Root) -> Result<IncidentService, Problem> {
    let root = folder(world, root);
    let state = world
        .state([root.as_path()])?
        .ok_or_else(|| Problem::usage("incidents need a state folder: set REFEREE_STATE_DIR, or HOME".to_owned()))?;
    Ok(IncidentService::open(&root, state, world.for_exec()?, redactor(world)).map_err(IncidentError::from)?)
}

/// The folder of incidents: as named, or below the folder of the nearest specification, or below this one.
fn folder(world: &World, root: &Root) -> PathBuf {
    if let Some(root) = &root.root {
        return world.directory.join(root);
    }
    let project =
        referee_spec::discover::find(&world.directory).ok().and_then(|found| found.file.parent().map(PathBuf::from));
    below(&project.unwrap_or_else(|| world.directory.clone()))
}

/// Where incidents are kept below a project's folder.
pub(super) fn below(project: &std::path::Path) -> PathBuf {
    ROOT.iter().fold(project.to_path_buf(), |folder, name| folder.join(name))
}

/// Cuts out the values of variables that look secret, and whatever looks like a secret by itself.
pub(super) fn redactor(world: &World) -> Redactor {
    let text = |text: &std::ffi::OsString| text.to_str().map(str::to_owned);
    let variables = world.environment.iter().filter_map(|(name, value)| Some((text(name)?, text(value)?)));
    Redactor::new(variables.filter(|(name, _)| looks_secret(name)).collect(), Vec::new())
}

/// Reads the id that was typed.
fn id(text: &str) -> Result<IncidentId, Problem> {
    IncidentId::parse(text).map_err(|error| Problem::usage(error.to_string()))
}
