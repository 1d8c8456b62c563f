//! Prepares a stage: puts outputs of other stages into it (seed 5; FI-03, FI-04).

use std::collections::BTreeMap;

use referee_judge::stage::transition::next;
use referee_ledger::stages::HeldRun;
use referee_model::id::Digest;
use referee_model::stage::life::{StageEvent, StageState};
use referee_model::stage::log::StageChange;
use referee_model::stage::parameters::ParametersDocument;
use referee_report::stage::changes::{self, CopiedInput, StagePreparedDocument};

use super::change;
use super::file_path::parameters_path;
use super::history::History;
use super::sources::{self, Taking};
use super::{Opened, StageError, Workshop, run_record};

/// Options of a preparation.
#[derive(Debug, Clone, Copy, Default)]
pub struct PrepareOptions {
    /// Whether the stage is prepared even if an attempt is active or completed, which ends that attempt.
    pub again: bool,
    /// Whether to only report the result, without writing anything.
    pub dry_run: bool,
    /// Whether a run that was moved or copied here is adopted.
    pub adopt: bool,
}

/// Puts outputs of other stages into a stage. Takes only what they published, as they published it, and reports
/// everything that is missing at once.
///
/// The files are written before the log's line and have no effect without it.
///
/// # Errors
/// Fails if something is missing, if the stage cannot be prepared now, or on an I/O error.
pub fn prepare(
    workshop: &Workshop<'_>,
    opened: &mut Opened,
    wishes: PrepareOptions,
) -> Result<StagePreparedDocument, StageError> {
    let held = change::hold(workshop, &opened.run)?;
    let log = change::log(&held, workshop, wishes.adopt && !wishes.dry_run)?;
    opened.history = History::of(&log);
    if wishes.dry_run && wishes.adopt {
        opened.history = opened.history.clone().adopted();
    }
    if !wishes.dry_run {
        run_record::catch_up(&held, &opened.run, &log)?;
    }
    change::refuse_meddled(opened)?;
    let before = opened.history.stage(&opened.stage);
    allowed(opened, before.state, wishes.again)?;
    let taking = sources::look(opened, change::declared(opened)?)?;
    if !taking.problems.is_empty() {
        return Err(StageError::Refused(taking.problems));
    }
    let mut warnings = Vec::new();
    if !wishes.dry_run {
        let inputs = write(&held, opened, &taking)?;
        let operation = StageChange::Prepared { sources: taking.sources.clone(), inputs };
        held.append(workshop.now, Some(&opened.stage), before.attempt, workshop.by, operation)?;
        warnings.extend(run_record::renew(&held, &opened.run, &log)?);
    }
    document(workshop, opened, taking, (wishes.dry_run, warnings))
}

/// Fails if an attempt is active, blocked or completed, unless `again` allows to end it.
fn allowed(opened: &Opened, state: StageState, again: bool) -> Result<(), StageError> {
    let command = change::command(opened, "stage prepare", &opened.stage, "--again");
    if is_begun(state) && !again {
        let what = match state {
            StageState::Completed => {
                "it is done: what it published is not published any more where it is prepared again"
            }
            _ => "its attempt is on: it is over where the stage is prepared again",
        };
        return Err(StageError::Refused(vec![format!(
            "stage {} is {}, and {what}; where that is meant: `{command}`",
            opened.stage,
            state.as_str()
        )]));
    }
    next(state, StageEvent::Prepared).map(drop).map_err(|illegal| StageError::Illegal(illegal, command))
}

/// Whether an attempt is active, blocked or completed, so that another preparation ends it.
fn is_begun(state: StageState) -> bool {
    matches!(state, StageState::Active | StageState::Blocked | StageState::Completed)
}

/// Writes the inputs. Returns their digests by path.
fn write(held: &HeldRun<'_>, opened: &Opened, taking: &Taking) -> Result<BTreeMap<String, Digest>, StageError> {
    let stage = &opened.stage;
    let mut inputs = BTreeMap::new();
    for file in &taking.files {
        let copied = held.copy((&file.from, &file.source), (stage, &file.target))?;
        if copied != Some(file.digest) {
            return Err(StageError::Refused(vec![format!(
                "{} of stage {} changed while it was copied: put it back as it was published, and prepare again",
                file.source, file.from
            )]));
        }
        inputs.insert(file.target.to_string(), file.digest);
    }
    // An input from an earlier preparation that is no longer published.
    for (_, target) in &taking.left_out {
        held.discard(stage, target)?;
    }
    if taking.parameters.is_empty() {
        return Ok(inputs);
    }
    let path = parameters_path()?;
    let bytes = referee_model::document::to_bytes(&ParametersDocument(taking.parameters.clone()))
        .map_err(|error| StageError::Internal(error.to_string()))?;
    held.write(stage, &path, &bytes)?;
    inputs.insert(path.to_string(), Digest::of(&bytes));
    Ok(inputs)
}

fn document(
    workshop: &Workshop<'_>,
    opened: &Opened,
    taking: Taking,
    (dry_run, warnings): (bool, Vec<String>),
) -> Result<StagePreparedDocument, StageError> {
    let copied = taking.files.into_iter().map(|file| CopiedInput {
        name: file.name,
        from_stage: file.from,
        source: file.source.to_string(),
        path: file.target.to_string(),
        sha256: file.digest,
    });
    let parameters = workshop.redactor.data_strictly(serde_json::Value::Object(taking.parameters));
    let before = opened.history.stage(&opened.stage).state;
    let (words, more) = match dry_run {
        true if is_begun(before) => ("stage prepare", "--again"),
        true => ("stage prepare", ""),
        false => ("stage accept", ""),
    };
    let state = if dry_run { before } else { StageState::Prepared };
    Ok(StagePreparedDocument {
        stage_prepared_version: changes::version(),
        stage_id: opened.stage.clone(),
        run_id: change::run_id(&opened.history)?,
        state,
        dry_run,
        sources: taking.sources,
        copied: copied.collect(),
        left_out: taking.left_out.into_iter().map(|(name, _)| name).collect(),
        parameters: parameters.as_object().cloned().unwrap_or_default(),
        warnings,
        next: change::command(opened, words, &opened.stage, more),
    })
}

#[cfg(test)]
mod tests;
