//! The status of all stages of a run. Only reads, and reports as much as the files allow.

use std::path::Path;

use referee_ledger::redact::Redactor;
use referee_ledger::stages::{FileContent, LogTrust, StageRun};
use referee_model::handback::{self, HANDBACK};
use referee_model::id::Digest;
use referee_model::stage::id::StageId;
use referee_model::stage::life::StageState;
use referee_model::stage::path::StagePath;
use referee_model::stage::run::{WF_RUN, WfRunDocument};
use referee_model::stage::{STAGE_CONFIG, message};
use referee_report::stage::standing::{LogStanding, StageStatus, StageStatusDocument, StatusQuestion};

use super::file_path::{output_data, path};
use super::history::{self, History, StageHistory, files};
use super::{Configuration, StageError};

mod next;

use next::StageView;

/// Returns the status of a run's stages, or of one of them. `named` is the run's directory as it is written in
/// suggested commands; `None` if the commands need not name it.
///
/// # Errors
/// Fails if the directory is no run, if the run has no such stage, or on an I/O error.
pub fn look(
    run: &StageRun,
    history: &History,
    only: Option<&StageId>,
    named: Option<&str>,
    redactor: &Redactor,
    read: impl Fn(&Path, FileContent) -> Configuration,
) -> Result<StageStatusDocument, StageError> {
    let recorded = files::recorded(run)?.ok();
    let order = in_order(run, history, recorded.as_ref())?;
    let directory = run.path().display();
    if order.is_empty() && history.trust == LogTrust::Absent && recorded.is_none() {
        let message = format!("{directory} is not a run of a workflow: it has no stages, no log and no {WF_RUN}");
        return Err(StageError::Unknown(message));
    }
    if let Some(stage) = only.filter(|stage| !order.contains(stage)) {
        return Err(super::unknown(stage, &order, run.path()));
    }
    let mut document = StageStatusDocument::of(directory.to_string(), log_standing(history));
    let of_log = history.composed.as_ref().map(|composed| composed.run_id.clone());
    document.run_id = of_log.or_else(|| recorded.as_ref().map(|recorded| recorded.run_id.clone()));
    document.log_problem = log_problem(history);
    document.contradictions = files::of_run(run, history)?;
    for id in order.iter().filter(|id| only.is_none_or(|only| *id == only)) {
        let configuration = configuration(run, id, &read)?;
        let mut stage = stage(run, history, recorded.as_ref(), id, redactor)?;
        let standing =
            StageView { history, id, configuration: &configuration, is_handed_back: stage.handed_back, named };
        let next = next::of(&standing);
        stage.next = next.sentence;
        stage.next_command = next.command;
        document.stages.push(stage);
    }
    Ok(document)
}

/// Returns the stages in their declared order; undeclared ones with a directory come last.
fn in_order(run: &StageRun, history: &History, recorded: Option<&WfRunDocument>) -> Result<Vec<StageId>, StageError> {
    let of_log = history.composed.as_ref().map(|composed| composed.stages.clone());
    let of_file = || recorded.map(|recorded| recorded.stages.iter().map(|stage| stage.id.clone()).collect());
    let mut order: Vec<StageId> = of_log.or_else(of_file).unwrap_or_default();
    for stage in run.stages()? {
        if !order.contains(&stage) {
            order.push(stage);
        }
    }
    Ok(order)
}

fn log_standing(history: &History) -> LogStanding {
    match &history.trust {
        LogTrust::Absent => LogStanding::Absent,
        LogTrust::Differs(_) => LogStanding::Differs,
        LogTrust::Broken(_) => LogStanding::Broken,
        LogTrust::Kept | LogTrust::Unknown if files::of_log(history).is_some() => LogStanding::Broken,
        LogTrust::Kept => LogStanding::Kept,
        LogTrust::Unknown => LogStanding::Unknown,
    }
}

fn log_problem(history: &History) -> Option<String> {
    if let Some(objection) = files::of_log(history) {
        return Some(format!("{}: {}", objection.message, objection.action));
    }
    match &history.trust {
        LogTrust::Absent => Some(
            "the run has no log, so nothing vouches for it, and nothing of it can be changed: it can be looked at, preflighted and \
             validated"
                .to_owned(),
        ),
        LogTrust::Unknown => Some(
            "the log of the run came from another place or machine: `--adopt`, with accept, prepare or finalize, takes it on"
                .to_owned(),
        ),
        LogTrust::Kept | LogTrust::Broken(_) | LogTrust::Differs(_) => None,
    }
}

/// Whether the log can be used for the states of stages: it is sound, here or elsewhere.
fn is_readable(history: &History) -> bool {
    matches!(log_standing(history), LogStanding::Kept | LogStanding::Unknown)
}

fn configuration(
    run: &StageRun,
    id: &StageId,
    read: impl Fn(&Path, FileContent) -> Configuration,
) -> Result<Configuration, StageError> {
    let path = path(STAGE_CONFIG)?;
    Ok(read(&run.stage_path(id).join(path.as_str()), run.read(id, &path)?))
}

fn stage(
    run: &StageRun,
    history: &History,
    recorded: Option<&WfRunDocument>,
    id: &StageId,
    redactor: &Redactor,
) -> Result<StageStatus, StageError> {
    let past = if is_readable(history) { Some(history.stage(id)) } else { None };
    let recorded = recorded.and_then(|recorded| recorded.stages.iter().find(|stage| stage.id == *id));
    let handback = run.read(id, &output_data(HANDBACK)?)?;
    let outdated = if past.is_some() { history::outdated(history, id) } else { Vec::new() };
    let state = past.as_ref().map(|past| past.state);
    let past = past.unwrap_or_default();
    Ok(StageStatus {
        stage_id: id.clone(),
        state,
        recorded: recorded.map(|stage| stage.status),
        attempt: past.attempt,
        started_at: past.started_at,
        control_since: past.accepted_at.filter(|_| past.state == StageState::Active),
        completed_at: past.completed_at,
        handed_back: handback != FileContent::Absent,
        question: question(run, id, &past, redactor)?,
        incident: past.incident.filter(|_| past.state == StageState::Failed),
        sources: past.sources,
        outdated,
        contradictions: files::of_stage(run, history, id)?,
        next: None,
        next_command: None,
    })
}

fn question(
    run: &StageRun,
    id: &StageId,
    past: &StageHistory,
    redactor: &Redactor,
) -> Result<Option<StatusQuestion>, StageError> {
    let Some(message) = &past.question else { return Ok(None) };
    let found = match StagePath::parse(message) {
        Ok(path) => run.read(id, &path)?,
        Err(_) => FileContent::Absent,
    };
    let read = match found {
        FileContent::Bytes(bytes) => message::read(&bytes).ok(),
        FileContent::Absent | FileContent::NotAFile | FileContent::TooLarge => None,
    };
    // The message file could have been changed; the log has the digest of the handback that asked.
    let text = match asked_by_handback(run, id, past)? {
        Some(question) => Some(redactor.text(&question)),
        None => read.as_ref().map(|read| {
            let question = redactor.text(&read.question);
            format!(
                "({HANDBACK} is not the one that asked: whether this was its question cannot be determined) {question}"
            )
        }),
    };
    Ok(Some(StatusQuestion { message: message.clone(), asked_at: read.map(|read| read.asked_at), text }))
}

/// Returns the question from the handback that asked it. `None` if that is gone or was replaced.
fn asked_by_handback(run: &StageRun, id: &StageId, past: &StageHistory) -> Result<Option<String>, StageError> {
    let asked = past.handbacks.last().map(|(_, digest)| *digest);
    Ok(match run.read(id, &output_data(HANDBACK)?)? {
        FileContent::Bytes(bytes) if Some(Digest::of(&bytes)) == asked => {
            handback::read(&bytes).ok().map(|handback| handback.description)
        }
        FileContent::Bytes(_) | FileContent::Absent | FileContent::NotAFile | FileContent::TooLarge => None,
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests meddle with files of runs")]
mod tests;
