//! Records the result of a stage's validation in the run's log.

use referee_ledger::LedgerError;
use referee_ledger::stages::{HeldRun, LogTrust};
use referee_model::stage::log::{StageChange, StageVerdict};

use crate::stage::history::{History, Validated};
use crate::stage::outputs::Outputs;
use crate::stage::standing::Verdict;
use crate::stage::{Opened, StageError, Workshop};

/// Records the result in the log, if the log is reliable. The same result is recorded once per attempt. Returns a
/// note on why nothing was recorded, if that matters.
pub(in crate::stage) fn record(
    workshop: &Workshop<'_>,
    opened: &Opened,
    outputs: &Outputs,
    verdict: &Verdict,
) -> Option<String> {
    let unwritten = |why: String| Some(format!("what was found is not written into the run's log: {why}"));
    if opened.history.trust == LogTrust::Absent {
        // The checks report that there is no log.
        return None;
    }
    if !opened.history.is_sound() {
        return unwritten("the log cannot be used as it is".to_owned());
    }
    let Some(state) = workshop.state else {
        return unwritten("there is no state directory (REFEREE_STATE_DIR)".to_owned());
    };
    let verdict = match verdict {
        Verdict::Known(verdict) => Some(verdict.clone()),
        Verdict::NotAsked | Verdict::Unknown => None,
    };
    match opened.run.hold(state) {
        Ok(Some(held)) => match write(workshop, opened, &held, outputs, verdict) {
            Ok(()) => None,
            Err(error) => unwritten(error.to_string()),
        },
        Ok(None) => unwritten(StageError::Busy.to_string()),
        Err(error) => unwritten(error.to_string()),
    }
}

fn write(
    workshop: &Workshop<'_>,
    opened: &Opened,
    held: &HeldRun<'_>,
    outputs: &Outputs,
    verdict: Option<StageVerdict>,
) -> Result<(), StageError> {
    let now = History::of(&held.log()?).stage(&opened.stage);
    let before = opened.history.stage(&opened.stage);
    if (now.attempt, now.state) != (before.attempt, before.state) {
        return Err(StageError::Refused(vec!["the stage was changed while it was judged; judge it again".to_owned()]));
    }
    let passed = outputs.checks.is_pass();
    let is_same =
        |found: &Validated| found.passed == passed && found.outputs == outputs.found && found.verdict == verdict;
    if now.validated.as_ref().is_some_and(is_same) {
        return Ok(());
    }
    let operation = StageChange::Validated { passed, outputs: outputs.found.clone(), verdict };
    let appended: Result<_, LedgerError> =
        held.append(workshop.now, Some(&opened.stage), now.attempt, workshop.by, operation);
    appended.map(drop).map_err(StageError::from)
}
