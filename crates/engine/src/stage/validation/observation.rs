//! Observes a stage's directory, without judging it.

use std::io::ErrorKind;

use referee_judge::stage::checks::configuration::{self, ConfigurationSeen};
use referee_judge::stage::checks::{Scene, Sight};
use referee_ledger::LedgerError;
use referee_ledger::stages::{FileContent, LogTrust};
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::stage::check::Checks;
use referee_model::stage::id::StageId;
use referee_model::stage::path::{PathReference, StagePath};
use referee_model::stage::standing::StandingName;

use crate::stage::history::contradictions;
use crate::stage::{Configuration, Opened, StageError};

/// Observation of a file without reading it into memory.
pub(in crate::stage) struct Looked {
    pub(in crate::stage) sight: Sight,
    /// Size in bytes. 0 if there is no file.
    pub(in crate::stage) bytes: u64,
    /// SHA-256 of the file. `None` if there is no readable file.
    pub(in crate::stage) digest: Option<Digest>,
}

pub(in crate::stage) enum Read {
    /// There is no file, or none that may be read.
    Nothing(Sight),
    /// The file is larger than the limit.
    TooLarge,
    /// Content of the file.
    Bytes(Vec<u8>),
}

/// Returns the location of the stage, for messages.
pub(in crate::stage) fn scene(opened: &Opened) -> Scene {
    Scene { stage: opened.stage.clone(), run: opened.run.path().display().to_string() }
}

/// Returns the observed configuration.
pub(in crate::stage) fn configuration(opened: &Opened) -> ConfigurationSeen {
    match &opened.configuration {
        Configuration::Absent => ConfigurationSeen::Absent,
        Configuration::Broken(complaints) => ConfigurationSeen::Broken(complaints.clone()),
        Configuration::Read(stage) if stage.id != opened.stage => ConfigurationSeen::OtherStage(stage.id.to_string()),
        Configuration::Read(_) => ConfigurationSeen::Read,
    }
}

/// Compares the stage with its composition. A run without a log was not composed here and has nothing to compare
/// with, which is reported. A log that exists but is not reliable fails.
///
/// # Errors
/// Fails on an I/O error.
pub(in crate::stage) fn composition(opened: &Opened, scene: &Scene) -> Result<Checks, StageError> {
    let mut checks = Checks::default();
    let history = &opened.history;
    let broken = match &history.trust {
        LogTrust::Absent => {
            checks.warnings.push(
                "the run has no wf-log.jsonl: nothing vouches for what was composed, and nothing of the run can be changed"
                    .to_owned(),
            );
            return Ok(checks);
        }
        LogTrust::Broken(reason) | LogTrust::Differs(reason) => Some(reason.clone()),
        LogTrust::Unknown | LogTrust::Kept if history.composed.is_none() => {
            Some("it does not say what was composed".to_owned())
        }
        LogTrust::Unknown | LogTrust::Kept => history.illegal.clone(),
    };
    if history.trust == LogTrust::Unknown {
        checks.warnings.push(
            "the run's log is sound in itself, and this machine never wrote it: it has to be taken on by `--adopt` before \
             anything of the run is changed"
                .to_owned(),
        );
    }
    if let Some(reason) = broken {
        let message = format!("the log of the run, wf-log.jsonl, cannot be used: {reason}");
        let action = "put the run's directory back as Referee left it, or compose the run again";
        checks.checks.push(configuration::not_as_composed(scene, &message, action));
    }
    let mut objections = contradictions(&opened.run, history, &opened.stage)?;
    objections.extend(opened.read_otherwise(&objections));
    let changed = objections.iter().filter(|objection| objection.name == StandingName::NotAsComposed);
    checks
        .checks
        .extend(changed.map(|objection| configuration::not_as_composed(scene, &objection.message, &objection.action)));
    Ok(checks)
}

/// Observes a file of a stage, however large it is.
///
/// # Errors
/// Fails on an I/O error that concerns more than this file.
pub(in crate::stage) fn look(opened: &Opened, stage: &StageId, place: &PathReference) -> Result<Looked, StageError> {
    let nothing = |sight| Ok(Looked { sight, bytes: 0, digest: None });
    let path = match place {
        PathReference::Inside(path) => path,
        PathReference::Outside { fault, .. } => return nothing(Sight::Outside(*fault)),
    };
    match opened.run.look(stage, path) {
        Ok(Some(seen)) => {
            let sight = if seen.bytes == 0 { Sight::Empty } else { Sight::Holds };
            Ok(Looked { sight, bytes: seen.bytes, digest: Some(seen.digest) })
        }
        // Only opening the file tells why there is none.
        Ok(None) => match read(opened, stage, path)? {
            Read::Nothing(sight) => nothing(sight),
            Read::TooLarge => nothing(Sight::Unreadable(format!(
                "it has more than the {} bytes that are looked at",
                limit::STAGE_LOOK_BYTES
            ))),
            Read::Bytes(_) => nothing(Sight::Absent),
        },
        Err(error) => nothing(Sight::Unreadable(refused(error)?)),
    }
}

/// Reads a file of a stage, up to the size limit.
///
/// # Errors
/// Fails on an I/O error that concerns more than this file.
pub(in crate::stage) fn read(opened: &Opened, stage: &StageId, path: &StagePath) -> Result<Read, StageError> {
    match opened.run.read(stage, path) {
        Ok(FileContent::Absent) => Ok(Read::Nothing(Sight::Absent)),
        Ok(FileContent::NotAFile) => Ok(Read::Nothing(Sight::NotAFile)),
        Ok(FileContent::TooLarge) => Ok(Read::TooLarge),
        Ok(FileContent::Bytes(bytes)) if bytes.is_empty() => Ok(Read::Nothing(Sight::Empty)),
        Ok(FileContent::Bytes(bytes)) => Ok(Read::Bytes(bytes)),
        Err(error) => Ok(Read::Nothing(Sight::Unreadable(refused(error)?))),
    }
}

/// Returns why a file may not be read. Any other I/O error is passed on.
fn refused(error: LedgerError) -> Result<String, StageError> {
    match error {
        LedgerError::Io { source, .. }
            if matches!(source.kind(), ErrorKind::PermissionDenied | ErrorKind::InvalidFilename) =>
        {
            Ok(source.to_string())
        }
        error => Err(error.into()),
    }
}
