//! The state of every stage of a run according to its log, and contradictions by files of the run.

use std::collections::BTreeSet;

use referee_ledger::stages::StageRun;
use referee_model::stage::id::StageId;
use referee_model::stage::life::StageState;
use referee_model::stage::standing::Objection;

use super::StageError;

pub(crate) mod files;
mod fold;

pub use fold::{Composed, History, StageHistory, Validated};

/// Returns all objections to relying on the files of a stage: the log is not sound, or files of the run or the
/// stage contradict the log or differ from what was composed. A log that is missing or came from another machine
/// is no contradiction: changes of a run check [`History::is_sound`].
///
/// # Errors
/// Fails on an I/O error.
pub fn contradictions(run: &StageRun, history: &History, stage: &StageId) -> Result<Vec<Objection>, StageError> {
    let mut objections: Vec<Objection> = files::of_log(history).into_iter().collect();
    objections.extend(files::of_run(run, history)?);
    objections.extend(files::of_stage(run, history, stage)?);
    Ok(objections)
}

/// Returns why the inputs of a stage are out of date, a sentence each: a stage that they were taken from has
/// published another attempt or none, or is out of date itself.
pub fn outdated(history: &History, stage: &StageId) -> Vec<String> {
    reasons(history, stage, &mut BTreeSet::new())
}

fn reasons(history: &History, stage: &StageId, seen: &mut BTreeSet<StageId>) -> Vec<String> {
    let mut reasons = Vec::new();
    if !seen.insert(stage.clone()) {
        return reasons;
    }
    for (source, taken) in history.stage(stage).sources {
        let now = history.stage(&source);
        if now.state != StageState::Completed {
            let state = now.state.as_str();
            reasons.push(format!("{stage} was prepared from attempt {taken} of {source}, which is {state} now"));
        } else if now.attempt != taken {
            let published = now.attempt;
            reasons.push(format!(
                "{stage} was prepared from attempt {taken} of {source}, and attempt {published} is published now"
            ));
        } else {
            reasons.extend(self::reasons(history, &source, seen));
        }
    }
    reasons
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests meddle with files of runs")]
mod tests;
