//! Common steps of changes to a run: lock it, then read its log again, since an earlier reading may be outdated.

use referee_ledger::stages::{HeldRun, LogTrust, RunLog, StageRun};
use referee_model::plan::shell_word;
use referee_model::stage::id::{StageId, StageRunId};
use referee_model::stage::standing::{Objection, StandingName};
use referee_model::stage::workflow::Stage;

use super::history::{History, contradictions};
use super::{Configuration, Opened, StageError, Workshop};

/// Locks a run for a change.
pub(super) fn hold<'run>(workshop: &Workshop<'run>, run: &'run StageRun) -> Result<HeldRun<'run>, StageError> {
    let state = workshop.state.ok_or_else(|| {
        let what =
            "where a run's log ends is kept in the state directory, and there is none: set REFEREE_STATE_DIR, or HOME";
        StageError::Refused(vec![what.to_owned()])
    })?;
    run.hold(state)?.ok_or(StageError::Busy)
}

/// Reads the log of a locked run. Adopts a run from another place if requested.
pub(super) fn log(held: &HeldRun<'_>, workshop: &Workshop<'_>, adopt: bool) -> Result<RunLog, StageError> {
    let log = held.log()?;
    if adopt && log.trust == LogTrust::Unknown {
        held.adopt(workshop.now, workshop.by)?;
        return Ok(held.log()?);
    }
    Ok(log)
}

/// Returns the objections to the run itself, before anything of the stage is inspected.
pub(super) fn against_run(opened: &Opened) -> Result<Vec<Objection>, StageError> {
    let mut all = contradictions(&opened.run, &opened.history, &opened.stage)?;
    all.extend(opened.read_otherwise(&all));
    let is_told = all.iter().any(|objection| objection.name == StandingName::LogContradicts);
    if let Some(unsound) = unsound(&opened.history).filter(|_| !is_told) {
        all.push(unsound);
    }
    Ok(all)
}

/// Returns the objection that the log is not reliable. `None` if it is.
fn unsound(history: &History) -> Option<Objection> {
    if history.is_sound() {
        return None;
    }
    let (message, action) = match (&history.trust, &history.illegal) {
        (LogTrust::Absent, _) => {
            ("the run has no log, and nothing vouches for it".to_owned(), "compose a run of the workflow")
        }
        (LogTrust::Unknown, _) => (
            "the run's log is sound, and was not written here: it came from another place or machine".to_owned(),
            "where you know it, take it on: `referee stage accept`, `prepare` or `finalize` with --adopt",
        ),
        (LogTrust::Broken(why) | LogTrust::Differs(why), _) => {
            (format!("the run's log was modified: {why}"), "put it back as it was, or compose another run")
        }
        (LogTrust::Kept, Some(illegal)) => {
            (format!("the run's log says what must not happen: {illegal}"), "compose another run")
        }
        (LogTrust::Kept, None) => ("the run's log does not say what was composed".to_owned(), "compose another run"),
    };
    Some(Objection { name: StandingName::LogContradicts, message, action: action.to_owned() })
}

/// Fails if the log is not reliable, or if composed files were changed; reports all objections at once. Any other
/// contradiction between files and log is corrected by the change itself, and reported.
pub(super) fn refuse_meddled(opened: &Opened) -> Result<(), StageError> {
    let grave =
        |objection: &Objection| matches!(objection.name, StandingName::LogContradicts | StandingName::NotAsComposed);
    let told: Vec<String> = against_run(opened)?.iter().filter(|objection| grave(objection)).map(said).collect();
    if told.is_empty() { Ok(()) } else { Err(StageError::Refused(told)) }
}

/// Returns an objection as a sentence with its remedy.
pub(super) fn said(objection: &Objection) -> String {
    format!("{}: {}; {}", objection.name.as_str(), objection.message, objection.action)
}

/// Returns the declaration of a stage.
pub(super) fn declared(opened: &Opened) -> Result<&Stage, StageError> {
    let name = format!("stages/{}/stage-config.yaml", opened.stage);
    match &opened.configuration {
        Configuration::Read(stage) if stage.id == opened.stage => Ok(stage),
        Configuration::Read(stage) => {
            Err(StageError::Refused(vec![format!("{name} is of another stage, {}: put its own back", stage.id)]))
        }
        Configuration::Absent => Err(StageError::Refused(vec![format!("{name} is missing: put it back")])),
        Configuration::Broken(complaints) => Err(StageError::Refused(
            complaints.iter().map(|complaint| format!("{name} cannot be read: {complaint}")).collect(),
        )),
    }
}

/// Returns the run's id, from the log.
pub(super) fn run_id(history: &History) -> Result<StageRunId, StageError> {
    let composed = history.composed.as_ref();
    composed
        .map(|composed| composed.run_id.clone())
        .ok_or_else(|| StageError::Internal("a log without a run".to_owned()))
}

/// Returns the command for a stage, so that it can be run in any directory.
pub(super) fn command(opened: &Opened, words: &str, stage: &StageId, more: &str) -> String {
    let directory = shell_word(&opened.run.path().display().to_string());
    let more = if more.is_empty() { String::new() } else { format!(" {more}") };
    format!("referee {words} {stage}{more} --run-dir {directory}")
}
