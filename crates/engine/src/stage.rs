//! Stages of a workflow, from composing a run to publishing what a stage wrote (seed 5; ruling 28).
//!
//! A run is [`composition`]; a stage of it is opened with all that is known of it ([`Opened`]), and each deed stands in a module of its
//! own. [`history`] folds the log to where every stage stands; [`standing`] says what a handback is worth.

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

/// What work at stages needs of the world.
#[derive(Clone, Copy)]
pub struct Workshop<'shop> {
    /// The user's state directory, where the ends of logs are kept. None: there is none, and nothing can be changed.
    pub state: Option<&'shop State>,
    /// What time it is.
    pub now: Timestamp,
    /// Cuts secrets out of whatever is written.
    pub redactor: &'shop Redactor,
    /// Who does it, as the log says it.
    pub by: &'shop str,
}

/// The configuration of a stage, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Configuration {
    /// There is none, or no regular file.
    Absent,
    /// It cannot be read; everything that is wrong, each with its place.
    Broken(Vec<String>),
    /// It says this.
    Read(Box<Stage>),
}

/// A stage of a run, with all that is known of it before its files are looked at.
#[derive(Debug)]
pub struct Opened {
    /// The run.
    pub run: StageRun,
    /// The stage.
    pub stage: StageId,
    /// What it declares.
    pub configuration: Configuration,
    /// The digest of the bytes that it was read from. None: there were none.
    pub configuration_digest: Option<Digest>,
    /// What the log says.
    pub history: History,
}

/// Why something was not done with a stage.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// There is no such run, or no such stage in it.
    #[error("{0}")]
    Unknown(String),
    /// It does not follow from where the stage stands.
    #[error("{illegal}: {advice}", illegal = .0, advice = .1)]
    Illegal(Illegal, String),
    /// Something that must be there first is missing, or stands against it: everything, a sentence with its remedy each.
    #[error("{}", .0.join("\n"))]
    Refused(Vec<String>),
    /// What was given is wrong.
    #[error("{0}")]
    Invalid(String),
    /// Somebody else changes the run.
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
    /// Returns where incidents are kept of the workspace that the run's stages are about. None: the log does not say which it is.
    pub fn incidents(&self) -> Option<PathBuf> {
        let composed = self.history.composed.as_ref()?;
        Some(incident::below(Path::new(&composed.workspace)))
    }

    /// Opens a stage of a run. What its configuration says is read by the caller, from the bytes that this hands to it.
    ///
    /// # Errors
    /// Fails where there is no such run or stage, and where the system refuses.
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
        let path = referee_model::stage::path::StagePath::parse(STAGE_CONFIG)
            .map_err(|fault| StageError::Internal(fault.to_string()))?;
        let found = run.read(&stage, &path)?;
        let configuration_digest = match &found {
            FileContent::Bytes(bytes) => Some(Digest::of(bytes)),
            FileContent::Absent | FileContent::NotAFile | FileContent::TooLarge => None,
        };
        let configuration = read(&run.stage_path(&stage).join(path.as_str()), found);
        let history = History::of(&run.log(state)?);
        Ok(Self { run, stage, configuration, configuration_digest, history })
    }

    /// Says that what is gone by is not the configuration that was composed, where nobody said so of the file yet: it can lie there
    /// as it was composed again by now.
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

/// Says that there is no such stage, and which there are.
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
