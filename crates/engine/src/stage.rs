//! Stages of a workflow, from composing a run to publishing the outputs of a stage (seed 5; ruling 28).
//!
//! A run is created by [`composition`]; a stage of it is opened with all that is known of it ([`Opened`]), and
//! each operation has its own module. [`history`] folds the log into the state of every stage; [`standing`]
//! judges a handback.

use std::path::{Path, PathBuf};

use referee_ledger::redact::Redactor;
use referee_ledger::stages::{FileContent, StageRun};
use referee_ledger::{LedgerError, State};
use referee_model::id::Digest;
use referee_model::stage::id::StageId;
use referee_model::stage::life::Illegal;
use referee_model::stage::standing::{Objection, StandingName};
use referee_model::stage::workflow::Stage;
use referee_model::stage::{STAGE_CONFIG, STAGES};
use referee_model::time::Timestamp;

use self::history::History;
use crate::error::{EngineError, ErrorKind};
use crate::incident;

pub mod acceptance;
mod access;
mod change;
pub mod composition;
mod data;
pub mod executor_answer;
mod file_path;
pub mod finalization;
pub mod history;
mod judgement;
pub mod outputs;
pub mod preflight;
pub mod preparation;
mod question;
mod run_record;
#[cfg(test)]
mod sample;
mod sources;
pub mod standing;
pub mod status;
pub mod validation;
pub mod verdict;
pub mod verification;

pub use self::access::{StageAccess, StageName, configuration, open, run_directory};

/// Environment of an operation on stages.
#[derive(Clone, Copy)]
pub struct Workshop<'shop> {
    /// The user's state directory, which keeps the ends of logs. `None`: there is none, and nothing can be changed.
    pub state: Option<&'shop State>,
    /// The current time.
    pub now: Timestamp,
    /// Removes secrets from everything that is written.
    pub redactor: &'shop Redactor,
    /// Who acts, as recorded in the log.
    pub by: &'shop str,
}

/// The configuration of a stage, as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Configuration {
    /// There is no configuration, or it is not a regular file.
    Absent,
    /// The configuration is invalid, with all errors and their positions.
    Broken(Vec<String>),
    /// The configuration.
    Read(Box<Stage>),
}

/// A stage of a run, with everything known before its files are looked at.
#[derive(Debug)]
pub struct Opened {
    /// The run.
    pub run: StageRun,
    /// Id of the stage.
    pub stage: StageId,
    /// The stage's configuration.
    pub configuration: Configuration,
    /// Digest of the configuration's bytes. `None`: there is no readable file.
    pub configuration_digest: Option<Digest>,
    /// The stage's history, from the log.
    pub history: History,
}

/// Error of an operation on a stage.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// There is no such run, or no such stage in it.
    #[error("{0}")]
    Unknown(String),
    /// The operation is not allowed in the stage's current state, with advice.
    #[error("{illegal}: {advice}", illegal = .0, advice = .1)]
    Illegal(Illegal, String),
    /// Preconditions are not met: all of them, each a sentence with its remedy.
    #[error("{}", .0.join("\n"))]
    Refused(Vec<String>),
    /// The input is wrong.
    #[error("{0}")]
    Invalid(String),
    /// Another process holds the lock of the run.
    #[error("this run is locked by another process: try again later")]
    Busy,
    /// The run could not be read or written.
    #[error(transparent)]
    Store(#[from] LedgerError),
    /// Referee itself failed.
    #[error("{0}")]
    Internal(String),
}

impl From<StageError> for EngineError {
    fn from(error: StageError) -> Self {
        let kind = match &error {
            StageError::Unknown(_) | StageError::Invalid(_) => ErrorKind::Usage,
            StageError::Illegal(..) | StageError::Refused(_) | StageError::Busy => ErrorKind::Refused,
            StageError::Store(_) => ErrorKind::Run,
            StageError::Internal(_) => ErrorKind::Internal,
        };
        Self::new(kind, error.to_string())
    }
}

impl Opened {
    /// Returns the directory of incidents of the workspace that the run's stages are about. `None`: the log
    /// names no workspace.
    pub fn incidents(&self) -> Option<PathBuf> {
        let composed = self.history.composed.as_ref()?;
        Some(incident::below(Path::new(&composed.workspace)))
    }

    /// Opens a stage of a run. The caller parses the configuration in `read`, from the bytes that it is given.
    ///
    /// # Errors
    /// Fails if there is no such run or stage, or on an I/O error.
    pub fn open(
        run_directory: &Path,
        stage: StageId,
        state: Option<&State>,
        read: impl FnOnce(&Path, FileContent) -> Configuration,
    ) -> Result<Self, StageError> {
        let run = StageRun::open(run_directory)?
            .ok_or_else(|| StageError::Unknown(format!("directory not found: {}", run_directory.display())))?;
        if !run.has(&stage)? {
            return Err(unknown(&stage, &run.stages()?, run_directory));
        }
        let path = file_path::path(STAGE_CONFIG)?;
        let found = run.read(&stage, &path)?;
        let configuration_digest = match &found {
            FileContent::Bytes(bytes) => Some(Digest::of(bytes)),
            FileContent::Absent | FileContent::NotAFile | FileContent::TooLarge => None,
        };
        let configuration = read(&run.stage_path(&stage).join(path.as_str()), found);
        let history = History::of(&run.log(state)?);
        Ok(Self { run, stage, configuration, configuration_digest, history })
    }

    /// Returns an objection if the configuration was not the composed one when it was read, and no other
    /// objection names the file: the composed file may have been put back since.
    fn read_otherwise(&self, told: &[Objection]) -> Option<Objection> {
        let name = format!("{STAGES}/{}/{STAGE_CONFIG}", self.stage);
        let composed = self.history.composed.as_ref()?.files.get(&name)?;
        let is_told = || told.iter().any(|objection| objection.message.starts_with(&name));
        if self.configuration_digest.is_none_or(|read| read == *composed) || is_told() {
            return None;
        }
        Some(Objection {
            name: StandingName::NotAsComposed,
            message: format!("{name} differed from what was composed when it was read"),
            action: "let whatever writes it end, and try again".to_owned(),
        })
    }
}

/// Returns the error for a stage that does not exist, with the existing ones.
pub(in crate::stage) fn unknown(stage: &StageId, known: &[StageId], run: &Path) -> StageError {
    let run = run.display();
    StageError::Unknown(match known {
        [] => format!("stage not found in {run}: {stage} (it is not a run of a workflow)"),
        known => {
            let known: Vec<&str> = known.iter().map(StageId::as_str).collect();
            format!("stage not found in {run}: {stage} (stages: {})", known.join(", "))
        }
    })
}
