//! Runs of agents that are kept.

use referee_engine::context::Context;
use referee_engine::problem::{Kind, Problem};
use referee_engine::request::Failure;
use referee_ledger::State;
use referee_ledger::agent_runs::{self, RunFolder};
use referee_model::agent_run::{AgentRun, IterationRecord};
use referee_model::limit;
use referee_report::human;
use referee_wire::run_file::RunFile;
use referee_wire::{agent_run, exit_code};

use crate::args::PlainFormat;
use crate::args::agent::{AgentList, AgentShow};
use crate::output;

/// Lists the runs, the latest first. What cannot be read is named, and the others are listed.
pub(super) fn list(context: &Context, arguments: &AgentList) -> Result<u8, Problem> {
    let mut runs = Vec::new();
    if let Some(state) = context.state_if_any()? {
        let ids = agent_runs::ids(&state).map_err(Failure::from)?;
        for id in ids.iter().take(limit::AGENT_RUNS_LISTED) {
            match find(&state, id).and_then(|folder| run(&folder, id)) {
                Ok(run) => runs.push(run),
                Err(problem) => output::aside(format!("note: {}\n", problem.message).as_bytes())?,
            }
        }
    }
    output::document(
        arguments.format,
        || referee_wire::to_bytes(&agent_run::list_document(&runs)),
        |out| human::agent_run::list(&runs, context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

/// Shows one run, turn by turn.
pub(super) fn show(context: &Context, arguments: &AgentShow) -> Result<u8, Problem> {
    let state = context.state_if_any()?.ok_or_else(|| unknown(&arguments.run))?;
    let folder = find(&state, &arguments.run)?;
    let run = run(&folder, &arguments.run)?;
    let text = match arguments.format {
        PlainFormat::Json => referee_wire::to_bytes(&agent_run::document(&run))?,
        PlainFormat::Human => shown(context, &folder, &run)?,
    };
    output::answer(&text)?;
    Ok(exit_code::PASSED)
}

/// A run for people, with its turns as far as they are kept.
pub(super) fn shown(context: &Context, folder: &RunFolder, run: &AgentRun) -> Result<Vec<u8>, Problem> {
    let place = folder.path().display().to_string();
    let mut text = Vec::new();
    human::agent_run::show(run, &iterations(folder)?, &place, context.terminal.stdout, &mut text)?;
    Ok(text)
}

fn iterations(folder: &RunFolder) -> Result<Vec<IterationRecord>, Problem> {
    let mut records = Vec::new();
    for file in folder.files().map_err(Failure::from)? {
        if let RunFile::Iteration(_) = file
            && let Some(bytes) = folder.read(file).map_err(Failure::from)?
        {
            match agent_run::read_iteration(&bytes) {
                Ok(record) => records.push(record),
                Err(error) => output::aside(format!("note: {file}: {error}\n").as_bytes())?,
            }
        }
    }
    Ok(records)
}

/// Finds a run.
pub(super) fn find(state: &State, id: &str) -> Result<RunFolder, Problem> {
    RunFolder::find(state, id).map_err(Failure::from)?.ok_or_else(|| unknown(id))
}

/// Reads a run.
pub(super) fn run(folder: &RunFolder, id: &str) -> Result<AgentRun, Problem> {
    let unreadable = |reason: &dyn std::fmt::Display| Problem {
        kind: Kind::Evidence,
        message: format!("{id}: {}", folder.unreadable("run.json", reason)),
        complaints: Vec::new(),
    };
    let bytes = folder.read(RunFile::Run).map_err(Failure::from)?;
    let bytes = bytes.ok_or_else(|| unreadable(&"it was never written"))?;
    agent_run::read(&bytes).map_err(|error| unreadable(&error))
}

fn unknown(id: &str) -> Problem {
    Problem::usage(format!("there is no run {id}: `referee agent list` lists them"))
}
