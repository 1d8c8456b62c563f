//! Only a check that was red can turn green: a check shows that an incident is resolved if it failed for it, in
//! the captured run or at the start of the loop, before any turn of an agent.

use referee_judge::agent_loop::{Leaving, is_pass};
use referee_ledger::redness::Redness;
use referee_model::gate::GateAnswer;
use referee_model::incident::attempt::{self, FinalStatus, LoopPhase, RunResultDocument};
use referee_model::incident::remediation::Verification;
use referee_model::incident::status::IncidentEvent;
use referee_model::verdict::Exit;

use super::Drive;
use super::loop_record::change;
use super::results::{self, Checked};
use crate::incident::IncidentError;

/// Reason for a loop whose checks pass but resolve nothing.
pub(super) const NEVER_RED: &str = "the plan's checks pass, and none of them is known to have failed for this incident: they do not \
    show that it is over. Only a person can close it, or write a check that fails because of it";

/// Whether one of these checks is known to have failed for the incident.
pub(super) fn was_red(redness: &Redness, verifications: &[Verification]) -> bool {
    verifications.iter().any(|verification| redness.was_red(verification.command()))
}

impl Drive<'_, '_> {
    /// Runs the checks before the first turn of an agent, if none of them is known to have been red. Returns
    /// `None` if one was red and the loop continues.
    pub(super) fn first_look(&mut self) -> Result<Option<RunResultDocument>, IncidentError> {
        // Without an agent the first turn is this look. After an agent worked, a failure may be its own doing.
        let is_first = matches!(self.file.phase, LoopPhase::Between | LoopPhase::Over);
        if self.was_red || self.request.agent.is_none() || !is_first {
            return Ok(None);
        }
        let next = attempt::evidence_directory(self.file.iteration.saturating_add(1));
        let asked = (self.verify)(&self.verifications, &format!("before_{next}"));
        if self.runner.is_canceled() {
            return Ok(Some(self.stopped()));
        }
        let answer = self.answered(asked)?;
        let checked = results::checked(self.context, &answer, &self.verifications);
        self.reasons.clone_from(&checked.reasons);
        self.file.reports = checked.paths();
        if answer.exit == Exit::Specification {
            return self.leave_without_turn(Leaving::Specification).map(Some);
        }
        self.keep_red(&answer, &checked)?;
        if self.was_red {
            self.save("turn", "before the first turn: the plan's checks fail, as they must")?;
            return Ok(None);
        }
        let result =
            RunResultDocument { reason: NEVER_RED.to_owned(), never_red: true, ..self.result(FinalStatus::Running) };
        let files = vec![self.state_file()?, Self::result_file(&result)?];
        change(self.context, self.id, Some(IncidentEvent::TurnTaken), ("turn", NEVER_RED), files)?;
        Ok(Some(result))
    }

    /// As [`Self::first_look`], for a loop without an agent: the result of the checks is that before any work.
    pub(super) fn looked_without_agent(&mut self, answer: &GateAnswer, checked: &Checked) -> Result<(), IncidentError> {
        let nobody_worked = self.request.agent.is_none() && self.file.agent.is_none();
        if self.was_red || !nobody_worked || answer.exit == Exit::Specification {
            return Ok(());
        }
        self.keep_red(answer, checked)
    }

    /// Records which checks failed.
    fn keep_red(&mut self, answer: &GateAnswer, checked: &Checked) -> Result<(), IncidentError> {
        let red = red(answer, checked, &self.verifications);
        if !red.is_empty() {
            self.context.change_redness(self.id, |redness| redness.add(&red))?;
            self.was_red = true;
        }
        Ok(())
    }
}

/// Returns the checks that failed. If the whole did not pass and no single check explains it, these are all of them.
pub(super) fn red(answer: &GateAnswer, checked: &Checked, verifications: &[Verification]) -> Vec<String> {
    if is_pass(answer) {
        Vec::new()
    } else if checked.failed.is_empty() {
        verifications.iter().map(Verification::command).cloned().collect()
    } else {
        checked.failed.clone()
    }
}
