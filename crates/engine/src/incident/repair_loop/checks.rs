//! The checks' part of a turn: they run through the engine, and the result is counted.

use referee_judge::agent_loop::{self, Decided, Turn, is_pass};
use referee_ledger::LedgerError;
use referee_model::gate::GateAnswer;
use referee_model::incident::attempt::{self, FinalStatus, RunResultDocument};
use referee_model::incident::id::IncidentId;
use referee_model::verdict::{Decision, Exit};

use super::first_look::NEVER_RED;
use super::loop_record::run_dir;
use super::{Drive, results};
use crate::agent_loop::GateReply;
use crate::incident::{IncidentContext, IncidentError};

impl Drive<'_, '_> {
    /// Runs the checks and acts on the result. Returns `None` if another turn follows.
    pub(super) fn check(&mut self) -> Result<Option<RunResultDocument>, IncidentError> {
        let evidence = self.evidence_name();
        let asked = (self.verify)(&self.verifications, &evidence);
        if self.runner.is_canceled() {
            return Ok(Some(self.stopped()));
        }
        let answer = self.answered(asked)?;
        let began = self.file.turn_started_at.unwrap_or_else(|| self.now());
        let checked = results::checked(self.context, &answer, &self.verifications);
        self.looked_without_agent(&answer, &checked)?;
        self.reasons.clone_from(&checked.reasons);
        let decided = if is_pass(&answer) && !self.was_red {
            Decided::of_no_turn(&self.state)
        } else {
            let turn = Turn { answer: &answer, is_last: false, span: (began, self.now()) };
            agent_loop::after(&self.state, &self.budget, &turn)
        };
        self.decide(&decided, checked, began)
    }

    /// Completes an interrupted closure of a resolved incident. The checks run again: no file can prove that they
    /// passed.
    pub(super) fn close_again(&mut self) -> Result<RunResultDocument, IncidentError> {
        let evidence = format!("{}_closing", self.evidence_name());
        let asked = (self.verify)(&self.verifications, &evidence);
        if self.runner.is_canceled() {
            return Ok(self.stopped());
        }
        let answer = self.answered(asked)?;
        if !is_pass(&answer) {
            let reason = "it stands as resolved, and its checks do not pass: capture it again";
            return Err(IncidentError::Refused(reason.to_owned()));
        }
        if !self.was_red {
            return Err(IncidentError::Refused(format!("it stands as resolved, by hand: {NEVER_RED}")));
        }
        self.file.loops_used = self.state.loops.saturating_add(1);
        let result = self.result(FinalStatus::Resolved);
        self.after_resolved(result)
    }

    /// Returns the name of the current turn's evidence directory. Each turn has its own, so that attempts keep
    /// what they cite.
    fn evidence_name(&self) -> String {
        attempt::evidence_directory(self.file.iteration)
    }

    /// Returns an answer that is about the work, as [`answered`] does.
    pub(super) fn answered(&mut self, asked: GateReply) -> Result<GateAnswer, IncidentError> {
        let answer = answered(self.context, self.id, asked)?;
        self.edited = answer.edits().iter().map(|edit| self.context.clean(edit)).collect();
        Ok(answer)
    }
}

/// Returns an answer that is about the work. An internal error, or one of the evidence, is an error and counts as no turn.
pub(super) fn answered(
    context: IncidentContext<'_>,
    id: &IncidentId,
    asked: GateReply,
) -> Result<GateAnswer, IncidentError> {
    let (exit, reason) = match asked {
        GateReply::Answer(answer) if !matches!(answer.exit, Exit::Internal | Exit::Evidence) => return Ok(*answer),
        GateReply::Answer(answer) => (answer.exit, answer.next),
        GateReply::None { exit, reason } => (exit, reason),
    };
    let reason = context.clean(&reason);
    match exit {
        Exit::Evidence => {
            let path = context.incidents.root().join(run_dir(id));
            Err(IncidentError::Store(LedgerError::Unusable { path, reason }))
        }
        Exit::Specification => Ok(unanswered(reason)),
        _ => Err(IncidentError::Internal(reason)),
    }
}

/// Returns the answer for checks that could not be run, which no turn of an agent can fix.
fn unanswered(reason: String) -> GateAnswer {
    GateAnswer { next: reason, ..GateAnswer::of(Decision::Blocked, Exit::Specification, Vec::new()) }
}
