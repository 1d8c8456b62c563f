//! Gives an executor control of a stage: a new attempt begins, and files of the previous one are kept (seed 5;
//! what it lacks).

use std::collections::{BTreeMap, BTreeSet};

use referee_judge::stage::transition::next;
use referee_ledger::stages::{HeldRun, RunLog};
use referee_model::handback::{ACCEPT, HANDBACK, render_accept};
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::stage::id::StageId;
use referee_model::stage::life::{StageEvent, StageState};
use referee_model::stage::log::StageChange;
use referee_model::stage::parameters::OUTPUT_PARAMETERS;
use referee_model::stage::path::{PathReference, StagePath};
use referee_model::stage::workflow::Stage;
use referee_report::stage::changes::{self, StageAcceptedDocument};

use super::change;
use super::file_path::{output_data, parameters_path, path};
use super::history::files::exchanged;
use super::history::{History, StageHistory};
use super::{Opened, StageError, Workshop, question, run_record, sources};

/// Options of an acceptance.
#[derive(Debug, Clone, Copy, Default)]
pub struct AcceptOptions {
    /// Whether a new attempt begins even if one is active, waiting or completed.
    pub again: bool,
    /// Whether a run that was moved or copied here is adopted.
    pub adopt: bool,
}

/// Gives an executor control of a stage.
///
/// Files of the previous attempt are moved aside first, then `accept.json` is written, then the line of the log. A
/// crash in between leaves a stage under no executor's control; repeating the command completes the acceptance.
///
/// # Errors
/// Fails if a prerequisite is missing, if the state of the stage does not allow it, or on an I/O error.
pub fn accept(
    workshop: &Workshop<'_>,
    opened: &mut Opened,
    wishes: AcceptOptions,
) -> Result<StageAcceptedDocument, StageError> {
    let held = change::hold(workshop, &opened.run)?;
    let log = change::log(&held, workshop, wishes.adopt)?;
    opened.history = History::of(&log);
    run_record::catch_up(&held, &opened.run, &log)?;
    change::refuse_meddled(opened)?;
    let stage = change::declared(opened)?;
    let before = opened.history.stage(&opened.stage);
    let repeated = event(opened, &before, wishes.again)? == StageEvent::Repeated;
    refuse_unprepared(opened, stage, &before, &log)?;
    let mut warnings = Vec::new();
    for (place, content) in exchanged(&opened.run, &opened.stage, &before)? {
        question::write(&held, opened, &place, content)?;
        warnings.push(format!("{place} was not the answer that a person gave: it was written again"));
    }
    let kept = keep(&held, opened, stage, &before, &log)?;
    let accept = render_accept(workshop.now).map_err(|error| StageError::Internal(error.to_string()))?;
    held.write(&opened.stage, &output_data(ACCEPT)?, &accept)?;
    let inputs = present(opened, stage)?;
    refuse_exchanged(opened, stage, &inputs, &log)?;
    let attempt = before.attempt + 1;
    let operation = StageChange::Accepted { inputs: inputs.clone(), repeated };
    held.append(workshop.now, Some(&opened.stage), attempt, workshop.by, operation)?;
    warnings.extend(run_record::renew(&held, &opened.run, &log)?);
    warnings.extend(missing(stage, &inputs));
    Ok(StageAcceptedDocument {
        stage_accepted_version: changes::version(),
        stage_id: opened.stage.clone(),
        run_id: change::run_id(&opened.history)?,
        state: StageState::Active,
        attempt,
        accepted_at: workshop.now,
        prompts: [&stage.prompt.entry, &stage.prompt.main].map(|place| place.as_str().to_owned()).to_vec(),
        messages: answered(opened, &log),
        inputs,
        kept,
        warnings,
        next: change::command(opened, "stage preflight", &opened.stage, ""),
    })
}

/// Returns the event of this acceptance: the first of a turn, or one that ends another attempt.
fn event(opened: &Opened, before: &StageHistory, again: bool) -> Result<StageEvent, StageError> {
    let stage = &opened.stage;
    if before.attempt >= limit::STAGE_ATTEMPTS {
        let most = limit::STAGE_ATTEMPTS;
        return Err(StageError::Refused(vec![format!(
            "stage {stage} had {most} attempts, and no more: compose a run again"
        )]));
    }
    let repeats = matches!(before.state, StageState::Active | StageState::Blocked | StageState::Completed);
    let event = if repeats && again { StageEvent::Repeated } else { StageEvent::Accepted };
    let again = change::command(opened, "stage accept", stage, "--again");
    let advice = match before.state {
        StageState::Active => format!("an executor has control of it; to begin another attempt: `{again}`"),
        StageState::Blocked => {
            let answer = change::command(opened, "stage answer", stage, "");
            format!("its question waits for an answer (`{answer}`); to begin another attempt without one: `{again}`")
        }
        StageState::Completed => format!("it is done; to take that back and begin another attempt: `{again}`"),
        StageState::Pending | StageState::Prepared | StageState::Failed => String::new(),
    };
    next(before.state, event).map_err(|illegal| StageError::Illegal(illegal, advice))?;
    Ok(event)
}

/// Fails if inputs from other stages are not prepared, or differ from what was prepared or from what those stages
/// publish now.
fn refuse_unprepared(opened: &Opened, stage: &Stage, before: &StageHistory, log: &RunLog) -> Result<(), StageError> {
    if stage.sources().next().is_none() {
        return Ok(());
    }
    let is_begun = matches!(before.state, StageState::Active | StageState::Blocked | StageState::Completed);
    let prepare = change::command(opened, "stage prepare", &opened.stage, if is_begun { "--again" } else { "" });
    let sources: BTreeSet<&StageId> = stage.sources().collect();
    let (done, open): (Vec<_>, Vec<_>) =
        sources.into_iter().partition(|source| opened.history.stage(source).state == StageState::Completed);
    let mut problems = Vec::new();
    for source in open {
        let state = opened.history.stage(source).state.as_str();
        let finalize = change::command(opened, "stage finalize", source, "");
        problems
            .push(format!("stage {source}, which it takes something from, is {state}: end it first (`{finalize}`)"));
    }
    if let Some(inputs) = prepared(opened, log) {
        for path in self::sources::changed(&opened.run, &opened.stage, inputs)? {
            problems.push(format!("{path} is not what was put there: prepare it again (`{prepare}`)"));
        }
        let is_older = |source: &&StageId| before.sources.get(source) != Some(&opened.history.stage(source).attempt);
        for source in done.into_iter().filter(is_older) {
            problems
                .push(format!("stage {source} was done again since it was prepared: prepare it again (`{prepare}`)"));
        }
    } else {
        problems.push(format!("what comes from other stages was not put into it: prepare it first (`{prepare}`)"));
    }
    if problems.is_empty() { Ok(()) } else { Err(StageError::Refused(problems)) }
}

/// Fails if an input differs from the prepared one: the executor's inputs are those that were prepared, even if a
/// file was changed after it was compared.
fn refuse_exchanged(
    opened: &Opened,
    stage: &Stage,
    inputs: &BTreeMap<String, Digest>,
    log: &RunLog,
) -> Result<(), StageError> {
    if stage.sources().next().is_none() {
        return Ok(());
    }
    let prepared = prepared(opened, log).into_iter().flatten();
    let exchanged = prepared.filter(|(path, digest)| inputs.get(*path) != Some(digest));
    let problems: Vec<String> = exchanged
        .map(|(path, _)| {
            format!("{path} changed while the stage was accepted: let whatever writes it end, and prepare again")
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(StageError::Refused(problems)) }
}

/// Returns the files that the last preparation put into the stage.
fn prepared<'log>(opened: &Opened, log: &'log RunLog) -> Option<&'log BTreeMap<String, Digest>> {
    let of_stage = log.lines.iter().rev().filter(|line| line.stage_id.as_ref() == Some(&opened.stage));
    of_stage.into_iter().find_map(|line| match &line.operation {
        StageChange::Prepared { inputs, .. } => Some(inputs),
        _ => None,
    })
}

/// Moves the control files of the previous attempt aside, and copies its outputs. Returns the directory. `None` if
/// there was nothing.
fn keep(
    held: &HeldRun<'_>,
    opened: &Opened,
    stage: &Stage,
    before: &StageHistory,
    log: &RunLog,
) -> Result<Option<String>, StageError> {
    let run = &opened.run;
    let mut moved = Vec::new();
    // Before the first attempt there was no executor and no handback: existing control files were put there from
    // outside.
    for name in [HANDBACK, ACCEPT, OUTPUT_PARAMETERS] {
        let path = output_data(name)?;
        if run.look(&opened.stage, &path)?.is_some() {
            moved.push(path);
        }
    }
    if before.attempt == 0 && moved.is_empty() {
        return Ok(None);
    }
    let mut copied = Vec::new();
    if before.attempt > 0 {
        copied.extend(stage.outputs().filter_map(|output| output.path.inside().cloned()));
        copied.retain(|path| !moved.contains(path));
        for message in answered(opened, log) {
            copied.push(path(&message)?);
        }
    }
    held.keep_attempt(&opened.stage, before.attempt, &moved, &copied)?;
    Ok(Some(format!("attempts/{:03}", before.attempt)))
}

/// Returns the paths of answered questions of earlier attempts.
fn answered(opened: &Opened, log: &RunLog) -> Vec<String> {
    let of_stage = log.lines.iter().filter(|line| line.stage_id.as_ref() == Some(&opened.stage));
    let messages = of_stage.filter_map(|line| match &line.operation {
        StageChange::Answered { message, .. } => Some(message.clone()),
        _ => None,
    });
    messages.collect()
}

/// Returns the existing inputs with their digests. An empty input counts as missing: work can only rest on one
/// with content.
fn present(opened: &Opened, stage: &Stage) -> Result<BTreeMap<String, Digest>, StageError> {
    let parameters = parameters_path()?;
    let declared = stage.inputs.iter().filter_map(|input| input.path.inside());
    let paths: Vec<&StagePath> = declared.chain([&parameters]).collect();
    let mut present = BTreeMap::new();
    for path in paths {
        if let Some(seen) = opened.run.look(&opened.stage, path)?.filter(|seen| seen.bytes > 0) {
            present.insert(path.to_string(), seen.digest);
        }
    }
    Ok(present)
}

/// Returns a message for each required input that is missing, as preflight does.
fn missing(stage: &Stage, inputs: &BTreeMap<String, Digest>) -> Vec<String> {
    let is_missing = |place: &PathReference| !inputs.contains_key(place.as_str());
    let needed = stage.inputs.iter().filter(|input| input.is_required && is_missing(&input.path));
    needed.map(|input| format!("input {} is missing or empty: put it to {}", input.name, input.path.as_str())).collect()
}

#[cfg(test)]
mod tests;
