//! Writes `wf-run.json` from the log. Nothing relies on the file; every change of a run rewrites it, after the log.

use referee_ledger::stages::{FileContent, HeldRun, RunLog, StageRun};
use referee_model::stage::STAGE_CONFIG;
use referee_model::stage::id::StageId;
use referee_model::stage::life::StageState;
use referee_model::stage::run::{self as wf_run, WF_RUN, WfRunDocument, WfRunStage, WfRunStatus};

use super::StageError;
use super::file_path::path;
use super::history::History;

/// Number of lines at the end of a log that are tried as the last one that the record includes.
const LINES_BACK: usize = 8;

/// Rewrites the record if the last change of the run was interrupted before that: the record then agrees exactly
/// with an earlier end of the log. Any other record is left as it is.
pub(super) fn catch_up(held: &HeldRun<'_>, run: &StageRun, log: &RunLog) -> Result<(), StageError> {
    // A log that is not reliable corrects nothing.
    let is_sound = History::of(log).is_sound();
    let Some(found) = read(run)?.filter(|_| is_sound) else { return Ok(()) };
    let now = of(log, &found);
    if now == found {
        return Ok(());
    }
    let shorter = |back: usize| {
        let lines = log.lines.get(..log.lines.len().checked_sub(back)?)?.to_vec();
        Some(of(&RunLog { lines, trust: log.trust.clone() }, &found))
    };
    let before = (1..=LINES_BACK).map_while(shorter).find(|before| *before != now);
    if before.is_some_and(|before| before == found) { write(held, &now) } else { Ok(()) }
}

/// Rewrites the record from the current log. Returns a note if it contradicted the earlier log.
pub(super) fn renew(held: &HeldRun<'_>, run: &StageRun, before: &RunLog) -> Result<Option<String>, StageError> {
    let Some(found) = read(run)? else {
        return Ok(Some(format!(
            "{WF_RUN} is missing or cannot be read: put it back, because it is not written again"
        )));
    };
    let warning = (of(before, &found) != found)
        .then(|| format!("{WF_RUN} said otherwise than the log, which takes precedence: it was rewritten"));
    let now = of(&held.log()?, &found);
    if now != found {
        write(held, &now)?;
    }
    Ok(warning)
}

fn read(run: &StageRun) -> Result<Option<WfRunDocument>, StageError> {
    Ok(match run.read_own(&path(WF_RUN)?)? {
        FileContent::Bytes(bytes) => wf_run::read(&bytes).ok(),
        FileContent::Absent | FileContent::NotAFile | FileContent::TooLarge => None,
    })
}

fn write(held: &HeldRun<'_>, document: &WfRunDocument) -> Result<(), StageError> {
    let bytes = referee_model::document::to_bytes(document).map_err(|error| StageError::Internal(error.to_string()))?;
    Ok(held.write_own(&path(WF_RUN)?, &bytes)?)
}

/// Returns the record that agrees with the log. The workflow's name and the order of stages are taken from the record.
fn of(log: &RunLog, found: &WfRunDocument) -> WfRunDocument {
    let history = History::of(log);
    let mut document = found.clone();
    let Some(composed) = &history.composed else { return document };
    document.run_id = composed.run_id.clone();
    document.created_at = to_the_second(composed.at);
    let of_composition = |name: &String| {
        let (stage, file) = name.strip_prefix("stages/")?.split_once('/')?;
        if file == STAGE_CONFIG { StageId::parse(stage).ok() } else { None }
    };
    let mut stages: Vec<StageId> = composed.files.keys().filter_map(of_composition).collect();
    if stages.is_empty() {
        stages = found.stages.iter().map(|stage| stage.id.clone()).collect();
    }
    let mut order: Vec<StageId> = Vec::new();
    for id in found.stages.iter().map(|stage| &stage.id).filter(|id| stages.contains(id)).chain(&stages) {
        if !order.contains(id) {
            order.push(id.clone());
        }
    }
    document.stages = order
        .into_iter()
        .map(|id| {
            let stage = history.stage(&id);
            let is_done = stage.state == StageState::Completed;
            WfRunStage {
                id,
                status: if is_done { WfRunStatus::Completed } else { WfRunStatus::Pending },
                started_at: stage.started_at.map(to_the_second),
                completed_at: stage.completed_at.map(to_the_second),
            }
        })
        .collect();
    document
}

/// Truncates a time to whole seconds, as the record has it.
fn to_the_second(time: referee_model::time::Timestamp) -> referee_model::time::Timestamp {
    referee_model::time::Timestamp::from_millisecond(time.as_millisecond().div_euclid(1_000) * 1_000)
}
