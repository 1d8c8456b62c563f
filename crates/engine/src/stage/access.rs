//! Selects a stage, and identifies who changes it.

use std::path::{Path, PathBuf};

use referee_ledger::State;
use referee_ledger::redact::Redactor;
use referee_ledger::stages::FileContent;
use referee_model::stage::id::StageId;
use referee_model::stage::log::LOG;
use referee_model::stage::run::WF_RUN;
use referee_model::time::Timestamp;

use super::{Configuration, Opened, Workshop};
use crate::context::Context;
use crate::error::EngineError;
use crate::person;

/// Selects a stage.
#[derive(Debug, Clone)]
pub struct StageName {
    /// Directory of the run. `None`: the nearest one.
    pub run_dir: Option<PathBuf>,
    /// Id of the stage.
    pub stage: StageId,
}

/// Returns the directory of the selected run: the given one, or the nearest one.
///
/// # Errors
/// Fails if it does not exist, or if none is found.
pub fn run_directory(context: &Context, named: Option<&Path>) -> Result<PathBuf, EngineError> {
    if let Some(named) = named {
        let directory = context.directory.join(named);
        if directory.is_dir() {
            return Ok(directory);
        }
        let what = if directory.exists() { ", which is a file" } else { "" };
        let from =
            if named.is_relative() { format!(" (relative to {})", context.directory.display()) } else { String::new() };
        return Err(EngineError::usage(format!(
            "directory not found: {}{what}{from}; set --run-dir or REFEREE_RUN_DIR to the run directory",
            named.display()
        )));
    }
    let mut above = context.directory.ancestors();
    // A run whose wf-run.json was removed is still a run.
    above
        .find(|directory| directory.join(WF_RUN).is_file() || directory.join(LOG).is_file())
        .map(Path::to_path_buf)
        .ok_or_else(|| {
            EngineError::usage(format!(
                "no {WF_RUN} here or in a parent directory: pass the run directory with --run-dir"
            ))
        })
}

/// Opens the selected stage and reads its configuration.
///
/// # Errors
/// Fails if there is no such run or stage, or on an I/O error.
pub fn open(context: &Context, stage: &StageName, state: Option<&State>) -> Result<Opened, EngineError> {
    let directory = run_directory(context, stage.run_dir.as_deref())?;
    Ok(Opened::open(&directory, stage.stage.clone(), state, |path, found| configuration(context, path, found))?)
}

/// Parses the configuration of a stage.
pub fn configuration(context: &Context, path: &Path, found: FileContent) -> Configuration {
    let bytes = match found {
        FileContent::Absent | FileContent::NotAFile => return Configuration::Absent,
        FileContent::TooLarge => return Configuration::Broken(vec!["it is too large".to_owned()]),
        FileContent::Bytes(bytes) => bytes,
    };
    let name = context.shown(path).display().to_string();
    match referee_spec::workflow::stage_config(&name, &bytes) {
        Ok(stage) => Configuration::Read(Box::new(stage)),
        Err(complaints) => {
            Configuration::Broken(complaints.iter().map(|complaint| complaint.message.clone()).collect())
        }
    }
}

/// Actor if none is known.
const NOBODY: &str = "cli";
/// Actor in an agent's shell.
const AGENT: &str = "agent";
const NAME_CHARACTERS: usize = 100;

/// A stage to be changed, and the context that a change needs.
pub struct StageAccess {
    state: Option<State>,
    redactor: Redactor,
    by: String,
    clock: fn() -> Timestamp,
}

impl StageAccess {
    /// Opens the state directory and the stage. Only a person may adopt a run from another place.
    ///
    /// # Errors
    /// Fails if an agent adopts a run, if the actor's name is invalid, and as [`open`].
    pub fn open(
        context: &Context,
        stage: &StageName,
        by: Option<&str>,
        adopt: bool,
    ) -> Result<(Self, Opened), EngineError> {
        if adopt {
            person::refuse_an_agent(context, "take on a run from another place")?;
        }
        let directory = run_directory(context, stage.run_dir.as_deref())?;
        let state = context.state([directory.as_path()])?;
        let opened = open(context, stage, state.as_ref())?;
        let by = who(context, by)?;
        Ok((Self { state, redactor: context.redactor(), by, clock: context.clock }, opened))
    }

    /// Returns the user's state directory.
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// Returns the context for work on stages.
    pub fn workshop(&self) -> Workshop<'_> {
        Workshop { state: self.state.as_ref(), now: (self.clock)(), redactor: &self.redactor, by: &self.by }
    }
}

/// Returns the actor: the given name, or the one that the environment implies.
fn who(context: &Context, named: Option<&str>) -> Result<String, EngineError> {
    let Some(named) = named.map(str::trim) else {
        let agent = context.host().agent.map(|_| AGENT.to_owned());
        return Ok(agent.or_else(|| person::user(context)).unwrap_or_else(|| NOBODY.to_owned()));
    };
    if named.is_empty() || named.chars().count() > NAME_CHARACTERS || named.chars().any(char::is_control) {
        let message = format!("a name after --by is one line of 1 to {NAME_CHARACTERS} characters");
        return Err(EngineError::usage(message));
    }
    Ok(named.to_owned())
}
