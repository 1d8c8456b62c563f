//! Baselines: recorded from sealed evidence, and checked against what is to run.

use std::path::{Path, PathBuf};

use referee_judge::baseline::{self, RecordedBaseline};
use referee_ledger::State;
use referee_ledger::evidence::Evidence;
use referee_model::baseline::Baseline;
use referee_model::id::TaskId;
use referee_model::plan::Plan;
use referee_model::suite::Suite;
use referee_model::{evidence_name, limit};
use referee_spec::read;

use crate::context::Context;
use crate::error::EngineError;
use crate::event_sink::{EventSink, Note};
use crate::verification::{self, AxisState, VerificationOutcome, Verifier, VerifyRequest};
use crate::{redaction, replay, suite};

/// Reads the baseline that a run is compared with: a baseline file, or a directory of evidence to record one
/// from. A requested baseline that cannot be used is an error, and nothing runs: it is never ignored.
///
/// # Errors
/// Fails if the baseline cannot be used, or if it does not belong to the requested tasks.
pub fn given(
    context: &Context,
    path: &Path,
    suites: &[Suite],
    asked: &[TaskId],
    events: &mut dyn EventSink,
) -> Result<Baseline, EngineError> {
    let [suite] = suites else {
        return Err(EngineError::usage("a baseline is one of one specification: run them one by one".to_owned()));
    };
    let plans = suite::wanted(suite, asked).into_iter();
    let plans: Vec<Plan> = plans.map(|plan| redaction::stored(plan, &context.environment)).collect();
    let whole = context.directory.join(path);
    let baseline = if whole.is_dir() {
        let tasks: Vec<TaskId> = plans.iter().map(|plan| plan.task.clone()).collect();
        of_evidence(context, &sealed_in(&whole, &tasks, path)?, events)?
    } else {
        let bytes = read::file(&whole, limit::BASELINE_BYTES).map_err(|error| unusable(path, error))?;
        if bytes.len() as u64 > limit::BASELINE_BYTES {
            return Err(unusable(path, format_args!("it is larger than {} bytes", limit::BASELINE_BYTES)));
        }
        referee_model::baseline::baseline_document::read(&bytes).map_err(|error| unusable(path, error))?
    };
    let plans: Vec<&Plan> = plans.iter().collect();
    for note in fit(&baseline, &plans).map_err(|why| unusable(path, why))? {
        events.on_note(&Note::Text(note));
    }
    Ok(baseline)
}

fn unusable(path: &Path, error: impl std::fmt::Display) -> EngineError {
    EngineError::usage(format!("the baseline {} cannot be used: {error}", path.display()))
}

/// Returns the sealed directories of these tasks, or the named directory if it is itself a sealed run.
///
/// # Errors
/// Fails if there is no sealed run.
pub fn sealed_in(whole: &Path, tasks: &[TaskId], named: &Path) -> Result<Vec<PathBuf>, EngineError> {
    if is_sealed(whole) {
        return Ok(vec![whole.to_owned()]);
    }
    let directories = tasks.iter().map(|task| whole.join(task.as_str()));
    let directories: Vec<PathBuf> = directories.filter(|directory| is_sealed(directory)).collect();
    if directories.is_empty() {
        return Err(EngineError::usage(format!("no sealed run in {}", named.display())));
    }
    Ok(directories)
}

/// Returns whether a directory holds a sealed run.
pub fn is_sealed(directory: &Path) -> bool {
    directory.join(evidence_name::SEAL).is_file()
}

/// Records a baseline from sealed runs.
///
/// # Errors
/// Fails if a baseline cannot be recorded from one of the runs.
pub fn of_evidence(
    context: &Context,
    directories: &[PathBuf],
    events: &mut dyn EventSink,
) -> Result<Baseline, EngineError> {
    let mut baseline = Baseline::default();
    let state = context.state_if_any()?;
    for directory in directories {
        let (task, taken) = take(context, directory, state.as_ref())?;
        for note in taken.notes {
            events.on_note(&Note::Text(format!("{task}: {note}")));
        }
        baseline.tasks.insert(task, taken.baseline);
    }
    Ok(baseline)
}

/// Records the baseline of a task from its evidence directory: verifies the seal, then judges the evidence
/// again. Refuses a directory that was tampered with or cannot be verified, a task with a later run that was
/// never sealed, and a run that [`baseline::take`] refuses.
fn take(context: &Context, directory: &Path, state: Option<&State>) -> Result<(TaskId, RecordedBaseline), EngineError> {
    let refused = |why: Vec<String>| {
        unusable(context.shown(directory), format_args!("no baseline can be taken of it: {}", why.join("; ")))
    };
    let verification =
        verification::verify(&VerifyRequest { directory, replay: false, state, verifier: &Verifier::nobody() })?;
    if matches!(verification.standing(), VerificationOutcome::Tampered | VerificationOutcome::Unverifiable) {
        let is_wrong = |state| matches!(state, AxisState::Broken | AxisState::Unverifiable);
        let wrong = verification.axes.into_iter().filter(|axis| is_wrong(axis.state));
        return Err(refused(wrong.flat_map(|axis| axis.reasons).collect()));
    }
    let replay = replay::replay(&Evidence::open(directory)?)?;
    let taken = baseline::take(&replay.report).map_err(refused)?;
    Ok((replay.report.plan.task, taken))
}

/// Checks that a baseline fits these tasks. Returns notes about it, one sentence each.
///
/// | the baseline                                       | is                                              |
/// |----------------------------------------------------|-------------------------------------------------|
/// | knows none of the tasks                            | refused                                         |
/// | has a task from another specification              | refused                                         |
/// | has a task, and knows none of its actions by name or id | refused                                    |
/// | lacks some of the tasks                            | accepted: every finding in them is new, which is noted |
fn fit(baseline: &Baseline, plans: &[&Plan]) -> Result<Vec<String>, String> {
    let mut missing = Vec::new();
    for plan in plans {
        let Some(known) = baseline.tasks.get(&plan.task) else {
            missing.push(plan.task.as_str());
            continue;
        };
        let (then, now) = (&known.specification, &plan.specification.file);
        if then != now {
            let sentence =
                format!("the baseline of {} was taken with the specification {then}, and not with {now}", plan.task);
            return Err(sentence);
        }
        let is_known = |id, name| known.actions.iter().any(|entry| entry.action == id || entry.name == name);
        if !known.actions.is_empty()
            && !plan.actions.iter().any(|action| is_known(action.id.clone(), action.name.clone()))
        {
            let sentence = format!("the baseline of {} speaks of other actions: none of them is in {now}", plan.task);
            return Err(sentence);
        }
    }
    if missing.len() == plans.len() {
        let known: Vec<&str> = baseline.tasks.keys().map(TaskId::as_str).collect();
        let sentence = format!(
            "the baseline is one of {}, and there is nothing in it of {}",
            known.join(", "),
            missing.join(", ")
        );
        return Err(sentence);
    }
    let note = |task: &&str| format!("{task} is not in the baseline: whatever is found in it is new");
    Ok(missing.iter().map(note).collect())
}
