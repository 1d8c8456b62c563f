//! Stored runs of agents.

use std::path::{Path, PathBuf};

use referee_foreign::agent_run;
use referee_ledger::State;
use referee_ledger::agent_runs::{self, OwnFile, RunDirectory};
use referee_model::agent_order::AgentOrder;
use referee_model::agent_run::{AgentRun, IterationRecord};
use referee_model::limit;
use referee_model::run_file::RunFile;

use crate::context::Context;
use crate::error::{EngineError, ErrorKind};
use crate::event_sink::{EventSink, Note};
use crate::keys::KEY_VARIABLE;

/// A stored run.
#[derive(Debug)]
pub struct StoredRun {
    /// The run.
    pub run: AgentRun,
    pub(super) directory: RunDirectory,
}

/// A run that has not ended, and its order.
#[derive(Debug)]
pub struct UnfinishedRun {
    pub(super) kept: StoredRun,
    /// Recorded order of the run.
    pub order: AgentOrder,
}

/// Lists the runs, the latest first. Runs that cannot be read are reported as notes and left out.
///
/// # Errors
/// Fails if the state directory cannot be read.
pub fn list(context: &Context, events: &mut dyn EventSink) -> Result<Vec<AgentRun>, EngineError> {
    let Some(state) = context.state_if_any()? else { return Ok(Vec::new()) };
    let ids = agent_runs::ids(&state)?;
    let mut runs = Vec::new();
    for id in ids.iter().take(limit::AGENT_RUNS_LISTED) {
        match StoredRun::find_in(&state, id) {
            Ok(kept) => runs.push(kept.run),
            Err(problem) => events.on_note(&Note::Text(problem.message)),
        }
    }
    Ok(runs)
}

impl StoredRun {
    /// Finds a run.
    ///
    /// # Errors
    /// Fails if there is none of this id, or if it cannot be read.
    pub fn find(context: &Context, id: &str) -> Result<Self, EngineError> {
        Self::find_in(&context.state_if_any()?.ok_or_else(|| unknown(id))?, id)
    }

    fn find_in(state: &State, id: &str) -> Result<Self, EngineError> {
        let directory = RunDirectory::find(state, id)?.ok_or_else(|| unknown(id))?;
        let bytes = directory.read(RunFile::Run)?;
        let bytes = bytes.ok_or_else(|| unreadable(&directory, id, "run.json", &"it was never written"))?;
        let run = agent_run::read(&bytes).map_err(|error| unreadable(&directory, id, "run.json", &error))?;
        Ok(Self { run, directory })
    }

    /// Returns the directory of the run.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Reads the stored turns of the run.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn iterations(&self, events: &mut dyn EventSink) -> Result<Vec<IterationRecord>, EngineError> {
        let mut records = Vec::new();
        for file in self.directory.files()? {
            if let RunFile::Iteration(_) = file
                && let Some(bytes) = self.directory.read(file)?
            {
                match agent_run::read_iteration(&bytes) {
                    Ok(record) => records.push(record),
                    Err(error) => events.on_note(&Note::Text(format!("{file}: {error}"))),
                }
            }
        }
        Ok(records)
    }

    fn is_unfinished(&self) -> Result<(), EngineError> {
        match self.run.result {
            None => Ok(()),
            Some(result) => {
                let (id, result) = (&self.run.id, result.as_str());
                Err(EngineError::usage(format!("{id} is over ({result}): begin another one")))
            }
        }
    }
}

impl UnfinishedRun {
    /// Finds a run that has not ended.
    ///
    /// # Errors
    /// Fails if there is none of this id, or if it has ended or cannot be read.
    pub fn find(context: &Context, id: &str) -> Result<Self, EngineError> {
        let state = context.state_if_any()?;
        let state =
            state.ok_or_else(|| EngineError::usage(format!("agent run not found: {id} (no runs are stored here)")))?;
        let kept = StoredRun::find_in(&state, id)?;
        kept.is_unfinished()?;
        let directory = &kept.directory;
        let unreadable =
            |reason: &dyn std::fmt::Display| evidence(directory.unreadable("order.json", reason).to_string());
        let bytes = directory.read_own(OwnFile::Order)?;
        let bytes = bytes.ok_or_else(|| unreadable(&"it was never written"))?;
        let order = AgentOrder::KIND.decode(&bytes).map_err(|error| unreadable(&error))?;
        Ok(Self { kept, order })
    }

    /// Returns the context of the order. The signing key is part of the order, so the key variable is left out.
    pub fn context(&self, context: &Context) -> Context {
        let is_ordered = |name: &std::ffi::OsString| name == KEY_VARIABLE;
        Context {
            directory: PathBuf::from(&self.order.directory),
            environment: context.environment.iter().filter(|(name, _)| !is_ordered(name)).cloned().collect(),
            ..context.clone()
        }
    }

    /// Reads the run again, now that this process has the lock.
    pub(super) fn again(self, state: &State) -> Result<StoredRun, EngineError> {
        let kept = StoredRun::find_in(state, &self.kept.run.id)?;
        kept.is_unfinished()?;
        Ok(kept)
    }
}

fn unknown(id: &str) -> EngineError {
    EngineError::usage(format!("agent run not found: {id} (see `referee agent list`)"))
}

fn unreadable(directory: &RunDirectory, id: &str, file: &str, reason: &dyn std::fmt::Display) -> EngineError {
    evidence(format!("{id}: {}", directory.unreadable(file, reason)))
}

fn evidence(message: String) -> EngineError {
    EngineError::new(ErrorKind::Evidence, message)
}
