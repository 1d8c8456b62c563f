//! Baselines: taken of sealed evidence, and held against what is to run.

use std::path::Path;

use referee_judge::baseline::{self, Taken};
use referee_ledger::State;
use referee_ledger::evidence::Evidence;
use referee_model::baseline::Baseline;
use referee_model::id::TaskId;
use referee_model::plan::Plan;

use crate::replay;
use crate::request::Failure;
use crate::verification::{self, AxisState, Standing, Verifier, VerifyRequest};

/// Why there is no baseline.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The evidence is not such as a baseline may be taken of; one sentence a reason.
    #[error("no baseline can be taken of it: {}", .0.join("; "))]
    Evidence(Vec<String>),
    /// It is not one for what is to run.
    #[error("{0}")]
    Elsewhere(String),
    /// The evidence could not be looked at.
    #[error(transparent)]
    Failure(#[from] Failure),
}

/// Takes the baseline of a task from a folder of its evidence: judged anew, after its seal was checked.
///
/// # Errors
/// Fails where the folder was tampered with or cannot be verified, where a later run of the task was never sealed, and
/// where the run is not such as a baseline may be taken of (see [`baseline::take`]).
pub fn take(folder: &Path, state: Option<&State>) -> Result<(TaskId, Taken), Refused> {
    let verification =
        verification::verify(&VerifyRequest { folder, replay: false, state, verifier: &Verifier::nobody() })?;
    if matches!(verification.standing(), Standing::Tampered | Standing::Unverifiable) {
        let is_wrong = |state| matches!(state, AxisState::Broken | AxisState::Unverifiable);
        let wrong = verification.axes.into_iter().filter(|axis| is_wrong(axis.state));
        return Err(Refused::Evidence(wrong.flat_map(|axis| axis.reasons).collect()));
    }
    let replay = replay::replay(&Evidence::open(folder).map_err(Failure::from)?)?;
    let taken = baseline::take(&replay.report).map_err(Refused::Evidence)?;
    Ok((replay.report.plan.task, taken))
}

/// Makes sure that a baseline is one for these tasks, and returns what is worth knowing of it, one sentence each.
///
/// | the baseline                                       | is                                              |
/// |----------------------------------------------------|-------------------------------------------------|
/// | knows none of the tasks                            | refused                                         |
/// | has a task from another specification              | refused                                         |
/// | has a task, and knows none of its actions by name or id | refused                                    |
/// | lacks some of the tasks                            | taken: whatever is found in them is new, and that is said |
///
/// # Errors
/// Fails where it is refused: what was given and does not fit is never passed over.
pub fn fit(baseline: &Baseline, plans: &[&Plan]) -> Result<Vec<String>, Refused> {
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
            return Err(Refused::Elsewhere(sentence));
        }
        let is_known = |id, name| known.actions.iter().any(|entry| entry.action == id || entry.name == name);
        if !known.actions.is_empty()
            && !plan.actions.iter().any(|action| is_known(action.id.clone(), action.name.clone()))
        {
            let sentence = format!("the baseline of {} speaks of other actions: none of them is in {now}", plan.task);
            return Err(Refused::Elsewhere(sentence));
        }
    }
    if missing.len() == plans.len() {
        let known: Vec<&str> = baseline.tasks.keys().map(TaskId::as_str).collect();
        let sentence = format!(
            "the baseline is one of {}, and there is nothing in it of {}",
            known.join(", "),
            missing.join(", ")
        );
        return Err(Refused::Elsewhere(sentence));
    }
    let note = |task: &&str| format!("{task} is not in the baseline: whatever is found in it is new");
    Ok(missing.iter().map(note).collect())
}
