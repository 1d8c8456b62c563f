//! Where every stage of a run stands, as its log says, and where files of the run say otherwise.

use std::collections::BTreeSet;

use referee_ledger::stages::StageRun;
use referee_model::stage::id::StageId;
use referee_model::stage::life::StageState;
use referee_model::stage::standing::Objection;

use super::StageError;

pub(crate) mod files;
mod fold;

pub use fold::{Composed, History, StageHistory, Validated};

/// Returns everything that stands against going by the files of a stage: its log is not sound, or files of the run and the stage say
/// otherwise than the log, or are not what was composed. A log that is missing, or came from another machine, is none of it: whoever
/// changes a run looks at [`History::is_sound`].
///
/// # Errors
/// Fails where the system refuses.
pub fn contradictions(run: &StageRun, history: &History, stage: &StageId) -> Result<Vec<Objection>, StageError> {
    let mut objections: Vec<Objection> = files::of_log(history).into_iter().collect();
    objections.extend(files::of_run(run, history)?);
    objections.extend(files::of_stage(run, history, stage)?);
    Ok(objections)
}

/// Returns why what a stage was prepared from is out of date, a sentence each: another attempt of a stage that it took something from
/// is published now, or none is; or that stage is out of date itself.
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
