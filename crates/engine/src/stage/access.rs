//! Which stage is meant, and who changes it.

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

/// A stage, as it is named.
#[derive(Debug, Clone)]
pub struct StageName {
    /// The run's directory. None: the nearest one.
    pub run_dir: Option<PathBuf>,
    /// The stage.
    pub stage: StageId,
}

/// Returns the run's directory that is meant: the one that was named, or the nearest one.
///
/// # Errors
/// Fails where it does not exist, and where none is near.
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
    // A run whose wf-run.json somebody removed is still one.
    above
        .find(|directory| directory.join(WF_RUN).is_file() || directory.join(LOG).is_file())
        .map(Path::to_path_buf)
        .ok_or_else(|| {
            EngineError::usage(format!(
                "no {WF_RUN} here or in a parent directory: pass the run directory with --run-dir"
            ))
        })
}

/// Opens the stage that is meant, with its configuration read.
///
/// # Errors
/// Fails where there is no such run or stage, and where the system refuses.
pub fn open(context: &Context, stage: &StageName, state: Option<&State>) -> Result<Opened, EngineError> {
    let directory = run_directory(context, stage.run_dir.as_deref())?;
    Ok(Opened::open(&directory, stage.stage.clone(), state, |path, found| configuration(context, path, found))?)
}

/// Reads the configuration of a stage.
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

/// Who does it where nobody is known.
const NOBODY: &str = "cli";
/// Who does it in an agent's shell.
const AGENT: &str = "agent";
const NAME_CHARACTERS: usize = 100;

/// A stage that is to be changed, and what that needs of the world.
pub struct StageAccess {
    state: Option<State>,
    redactor: Redactor,
    by: String,
    clock: fn() -> Timestamp,
}

impl StageAccess {
    /// Opens the state directory and the stage. To take on a run of another place is a person's to do.
    ///
    /// # Errors
    /// Fails where an agent takes on a run, where the name is none, and as [`open`].
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

    /// The user's state directory.
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// What work at stages needs.
    pub fn workshop(&self) -> Workshop<'_> {
        Workshop { state: self.state.as_ref(), now: (self.clock)(), redactor: &self.redactor, by: &self.by }
    }
}

/// Who does it: as they say, or what the environment tells.
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
