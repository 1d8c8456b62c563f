//! Contradictions between files of a run and its log. The log is trusted, the files are not, and a contradiction
//! blocks.

use std::collections::BTreeMap;

use referee_ledger::stages::{FileContent, LogTrust, StageRun};
use referee_model::handback::{ACCEPT, read_accept};
use referee_model::id::Digest;
use referee_model::incident::seconds;
use referee_model::stage::STAGES;
use referee_model::stage::id::StageId;
use referee_model::stage::life::StageState;
use referee_model::stage::message::{self, MessageDocument};
use referee_model::stage::path::StagePath;
use referee_model::stage::run::{self, WF_RUN, WfRunDocument, WfRunStatus};
use referee_model::stage::standing::{Objection, StandingName};
use referee_model::time::Timestamp;

use super::fold::{Composed, History, StageHistory};
use crate::stage::StageError;
use crate::stage::file_path::{output_data, path};

/// Directories of a stage to which nothing may be added after composition.
const COMPOSED_DIRECTORIES: [&str; 3] = ["prompt", "schemas", "specification"];

/// Returns the objection to the log itself: it is broken, is not the one that was written here, or has an illegal
/// step. A log that is missing or came from another machine contradicts nothing: changes of a run check
/// [`History::is_sound`].
pub(crate) fn of_log(history: &History) -> Option<Objection> {
    let message = match (&history.trust, &history.illegal) {
        (LogTrust::Broken(reason), _) => format!("the log of the run is broken: {reason}"),
        (LogTrust::Differs(reason), _) => format!("the log of the run is not the one that was written here: {reason}"),
        (LogTrust::Kept | LogTrust::Unknown, Some(illegal)) => {
            format!("the log of the run holds what cannot happen: {illegal}")
        }
        (LogTrust::Kept | LogTrust::Unknown, None) if history.composed.is_none() => {
            "the log of the run does not say what it is composed of".to_owned()
        }
        (LogTrust::Absent, _) | (LogTrust::Kept | LogTrust::Unknown, None) => return None,
    };
    let action =
        "put the run's directory back as it was, or compose another run with `referee stage compose`".to_owned();
    Some(Objection { name: StandingName::LogContradicts, message, action })
}

/// Returns contradictions by files of the run as a whole: `wf-run.json`, and the schemas that all stages share.
///
/// # Errors
/// Fails on an I/O error.
pub(crate) fn of_run(run: &StageRun, history: &History) -> Result<Vec<Objection>, StageError> {
    let Some(composed) = believed(history) else { return Ok(Vec::new()) };
    let mut objections = match recorded(run)? {
        // It is not written again: the name of the workflow is recorded nowhere else.
        Err(problem) => vec![Objection {
            action: format!("put {WF_RUN} back as it was, or compose another run with `referee stage compose`"),
            ..record(format!("{WF_RUN} {problem}"))
        }],
        Ok(document) => whole_record(&document, composed),
    };
    let own = composed.files.iter().filter(|(path, _)| !path.starts_with(&format!("{STAGES}/")));
    for (path, digest) in own {
        objections.extend(composed_file(path, digest, path, |path| run.read_own(path))?);
    }
    Ok(objections)
}

/// Returns contradictions by files of a stage: its entry in `wf-run.json`, `accept.json`, and the composed files.
///
/// # Errors
/// Fails on an I/O error.
pub(crate) fn of_stage(run: &StageRun, history: &History, stage: &StageId) -> Result<Vec<Objection>, StageError> {
    let Some(composed) = believed(history) else { return Ok(Vec::new()) };
    let mut objections = Vec::new();
    if !composed.stages.contains(stage) {
        let message = format!("the run was composed without a stage {stage}");
        let action = format!("remove the directory {STAGES}/{stage}");
        objections.push(Objection { name: StandingName::NotAsComposed, message, action });
    }
    if let Ok(document) = recorded(run)? {
        objections.extend(stage_record(&document, history, stage));
    }
    objections.extend(accept(run, history, stage)?);
    for (place, _) in exchanged(run, stage, &history.stage(stage))? {
        objections.push(Objection {
            action: "the log has the answer: begin another attempt (`referee stage accept`), which writes it again"
                .to_owned(),
            ..record(format!("{place} of {stage} is not the answer that a person gave"))
        });
    }
    objections.extend(as_composed(run, composed, stage)?);
    Ok(objections)
}

/// Returns the composition, if the log is reliable.
fn believed(history: &History) -> Option<&Composed> {
    let is_readable = matches!(history.trust, LogTrust::Kept | LogTrust::Unknown) && history.illegal.is_none();
    history.composed.as_ref().filter(|_| is_readable)
}

fn record(message: String) -> Objection {
    let action =
        "the log is what counts: undo the change; the next `referee stage prepare` or `accept` writes it again"
            .to_owned();
    Objection { name: StandingName::RecordContradicts, message, action }
}

/// Reads `wf-run.json`, or returns what is wrong with it.
pub(crate) fn recorded(run: &StageRun) -> Result<Result<WfRunDocument, String>, StageError> {
    Ok(match run.read_own(&path(WF_RUN)?)? {
        FileContent::Absent => Err("is missing".to_owned()),
        FileContent::NotAFile => Err("is not a regular file".to_owned()),
        FileContent::TooLarge => Err("is too large".to_owned()),
        FileContent::Bytes(bytes) => run::read(&bytes).map_err(|error| format!("cannot be read: {error}")),
    })
}

fn whole_record(document: &WfRunDocument, composed: &Composed) -> Vec<Objection> {
    let mut objections = Vec::new();
    if document.run_id != composed.run_id {
        let text = format!("{WF_RUN} says that it is {}, and the log that it is {}", document.run_id, composed.run_id);
        objections.push(record(text));
    }
    if !same(Some(document.created_at), Some(composed.at)) {
        let (file, log) = (seconds::text(document.created_at), seconds::text(composed.at));
        objections.push(record(format!("{WF_RUN} says that the run was composed at {file}, and the log at {log}")));
    }
    let stages: Vec<&StageId> = document.stages.iter().map(|stage| &stage.id).collect();
    if stages.iter().copied().ne(&composed.stages) {
        let named =
            |stages: &mut dyn Iterator<Item = &StageId>| stages.map(StageId::as_str).collect::<Vec<_>>().join(", ");
        let (file, log) = (named(&mut stages.into_iter()), named(&mut composed.stages.iter()));
        objections.push(record(format!("{WF_RUN} has the stages {file}, and the log {log}")));
    }
    objections
}

fn stage_record(document: &WfRunDocument, history: &History, id: &StageId) -> Vec<Objection> {
    let stage = history.stage(id);
    let Some(entry) = document.stages.iter().find(|entry| entry.id == *id) else { return Vec::new() };
    let mut objections = Vec::new();
    let is_completed = stage.state == StageState::Completed;
    if (entry.status == WfRunStatus::Completed) != is_completed {
        let (file, log) = if is_completed { ("pending", "completed") } else { ("completed", stage.state.as_str()) };
        objections.push(record(format!("{WF_RUN} says that {id} is {file}, and the log that it is {log}")));
    }
    for (what, file, log) in
        [("started", entry.started_at, stage.started_at), ("was completed", entry.completed_at, stage.completed_at)]
    {
        if !same(file, log) {
            let said =
                |time: Option<Timestamp>| time.map_or("never".to_owned(), |time| format!("at {}", seconds::text(time)));
            objections.push(record(format!(
                "{WF_RUN} says that {id} {what} {}, and the log {}",
                said(file),
                said(log)
            )));
        }
    }
    objections
}

/// Times in these files have whole seconds.
fn same(one: Option<Timestamp>, other: Option<Timestamp>) -> bool {
    one.map(seconds::text) == other.map(seconds::text)
}

fn accept(run: &StageRun, history: &History, id: &StageId) -> Result<Option<Objection>, StageError> {
    let stage = history.stage(id);
    let path = output_data(ACCEPT)?;
    let is_active = stage.state == StageState::Active;
    let found = match run.read(id, &path)? {
        FileContent::Absent if is_active => "is missing, and the log says that an executor has control".to_owned(),
        FileContent::Absent => return Ok(None),
        FileContent::NotAFile => "is not a regular file".to_owned(),
        FileContent::TooLarge => "is too large".to_owned(),
        FileContent::Bytes(bytes) => match (read_accept(&bytes), stage.accepted_at) {
            (Err(error), _) => format!("is none: {error}"),
            (Ok(_), None) => "is there, and the log says that nobody ever had control".to_owned(),
            (Ok(file), Some(log)) if same(Some(file), Some(log)) => return Ok(None),
            (Ok(file), Some(log)) => {
                format!("says that control was given at {}, and the log at {}", seconds::text(file), seconds::text(log))
            }
        },
    };
    Ok(Some(record(format!("{path} of {id} {found}"))))
}

/// Returns the answers of a stage whose files were changed or removed, as they were given.
pub(crate) fn exchanged<'history>(
    run: &StageRun,
    stage: &StageId,
    history: &'history StageHistory,
) -> Result<Vec<(StagePath, &'history MessageDocument)>, StageError> {
    let mut exchanged = Vec::new();
    for (name, content) in &history.answers {
        let place = path(name)?;
        let lying = match run.read(stage, &place)? {
            FileContent::Bytes(bytes) => message::read(&bytes).ok(),
            FileContent::Absent | FileContent::NotAFile | FileContent::TooLarge => None,
        };
        if lying.as_ref() != Some(content) {
            exchanged.push((place, content));
        }
    }
    Ok(exchanged)
}

fn as_composed(run: &StageRun, composed: &Composed, id: &StageId) -> Result<Vec<Objection>, StageError> {
    let below = format!("{STAGES}/{id}/");
    let files: BTreeMap<&str, (&str, &Digest)> = composed
        .files
        .iter()
        .filter_map(|(path, digest)| Some((path.strip_prefix(&below)?, (path.as_str(), digest))))
        .collect();
    let mut objections = Vec::new();
    for (path, (shown, digest)) in &files {
        objections.extend(composed_file(path, digest, shown, |path| run.read(id, path))?);
    }
    for directory in COMPOSED_DIRECTORIES {
        let path = path(directory)?;
        for name in run.files_below(id, &path)? {
            let path = format!("{directory}/{name}");
            if !files.contains_key(path.as_str()) {
                let message = format!("{below}{path} was not composed: somebody added it");
                objections.push(Objection {
                    name: StandingName::NotAsComposed,
                    message,
                    action: "remove it".to_owned(),
                });
            }
        }
    }
    Ok(objections)
}

fn composed_file(
    path: &str,
    digest: &Digest,
    shown: &str,
    read: impl FnOnce(&StagePath) -> Result<FileContent, referee_ledger::LedgerError>,
) -> Result<Option<Objection>, StageError> {
    let found = match StagePath::parse(path) {
        Err(fault) => format!("cannot be looked at: {fault}"),
        Ok(path) => match read(&path)? {
            FileContent::Bytes(bytes) if Digest::of(&bytes) == *digest => return Ok(None),
            FileContent::Bytes(_) => "was changed after it was composed".to_owned(),
            FileContent::Absent => "was removed after it was composed".to_owned(),
            FileContent::NotAFile => "was composed as a regular file, and is none any more".to_owned(),
            FileContent::TooLarge => "was changed after it was composed, and is too large".to_owned(),
        },
    };
    let action = "put it back as it was, or compose another run with `referee stage compose`".to_owned();
    Ok(Some(Objection { name: StandingName::NotAsComposed, message: format!("{shown} {found}"), action }))
}
