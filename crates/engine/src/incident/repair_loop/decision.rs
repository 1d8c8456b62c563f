//! Records a checked turn and carries out the decision.

use referee_judge::agent_loop::{Decided, TurnDecision};
use referee_ledger::incidents::{Part, PartFile};
use referee_model::document::to_bytes;
use referee_model::incident::attempt::{
    self, AgentTurnDocument, AttemptDocument, FinalStatus, LoopPhase, LoopResultDocument, ReplanDocument,
    RunResultDocument, TurnResult,
};
use referee_model::incident::status::IncidentEvent;
use referee_model::time::Timestamp;

use super::Drive;
use super::first_look::NEVER_RED;
use super::loop_record::{change, hundredths};
use super::results::Checked;
use crate::incident::{IncidentError, part_file};

/// Maximum number of different first failures that are counted by name.
const SIGNATURES: usize = 100;

impl Drive<'_, '_> {
    /// Records the turn and carries out the decision. Returns `None` if another turn follows.
    pub(super) fn decide(
        &mut self,
        decided: &Decided,
        checked: Checked,
        began: Timestamp,
    ) -> Result<Option<RunResultDocument>, IncidentError> {
        if let Some(checkpoints) = &self.runner.checkpoints {
            checkpoints.verify()?;
        }
        let reason = self.reason(decided);
        let attempt = self.attempt(decided, &checked, &reason, began);
        let name = attempt::file_name(attempt.iteration);
        self.results.retain(|result| result.iteration != attempt.iteration);
        self.results.push(LoopResultDocument {
            iteration: attempt.iteration,
            attempt: format!("{}/{name}", self.run_dir()),
            verification_passed: attempt.verification_passed,
            result: attempt.result,
            error_signature: attempt.error_signature.clone(),
            agent_ended: attempt.agent.as_ref().and_then(AgentTurnDocument::notice),
        });
        let note = format!("turn {}: {}: {reason}", attempt.iteration, attempt.result.as_str());
        let attempt = part_file(Part::Run, &name, to_bytes(&attempt)?);
        self.count(decided, checked);
        match decided.decision {
            TurnDecision::Passed if self.was_red => {
                let result = RunResultDocument { reason, ..self.result(FinalStatus::Resolved) };
                self.resolve(result, attempt, &note).map(Some)
            }
            TurnDecision::Escalate(_) => {
                let result = RunResultDocument { reason, ..self.result(FinalStatus::Escalated) };
                self.escalate(result, vec![attempt]).map(Some)
            }
            TurnDecision::Replan => {
                let iteration = self.file.iteration;
                let replan = ReplanDocument { requested: true, reason: reason.clone(), iteration, plan_json: None };
                let result = RunResultDocument { reason, replan, ..self.result(FinalStatus::ReplanRequested) };
                self.keep_turn(LoopPhase::Replan, attempt, Some(&result), &note)?;
                self.replan().map(Some)
            }
            TurnDecision::Passed | TurnDecision::Continue => {
                let is_never_red = decided.decision == TurnDecision::Passed;
                let stays = is_never_red || self.request.options.single_iteration;
                let result = stays.then(|| RunResultDocument {
                    reason,
                    never_red: is_never_red,
                    ..self.result(FinalStatus::Running)
                });
                self.keep_turn(LoopPhase::Between, attempt, result.as_ref(), &note)?;
                Ok(result)
            }
        }
    }

    /// Records a turn after which the loop continues, or the incident keeps its status.
    fn keep_turn(
        &mut self,
        phase: LoopPhase,
        attempt: PartFile,
        result: Option<&RunResultDocument>,
        note: &str,
    ) -> Result<(), IncidentError> {
        self.file.phase = phase;
        let mut files = vec![attempt, self.state_file()?];
        files.extend(result.map(Self::result_file).transpose()?);
        change(self.context, self.id, Some(IncidentEvent::TurnTaken), ("turn", note), files)
    }

    /// Counts the turn in the loop's state.
    fn count(&mut self, decided: &Decided, checked: Checked) {
        self.state.clone_from(&decided.state);
        self.file.counters = decided.state.clone();
        self.file.loops_used = decided.loops_used;
        self.file.same_error_repeats = decided.same_error_repeats;
        self.file.no_progress_streak = decided.no_progress_streak;
        let counts = &mut self.file.signature_counts;
        if !checked.signature.is_empty() && (counts.len() < SIGNATURES || counts.contains_key(&checked.signature)) {
            *counts.entry(checked.signature.clone()).or_default() += 1;
        }
        self.file.reports = checked.paths();
        self.file.last_signature = checked.signature;
    }

    fn attempt(&self, decided: &Decided, checked: &Checked, reason: &str, began: Timestamp) -> AttemptDocument {
        let finished = self.now();
        AttemptDocument {
            incident_id: self.id.clone(),
            iteration: self.file.iteration,
            started_at: began,
            finished_at: finished,
            actions_applied: self.file.actions_applied.clone(),
            verification_commands: self.plan.plan.verification_commands.clone(),
            command_results: checked.results.clone(),
            verification_passed: decided.decision == TurnDecision::Passed,
            result: match decided.decision {
                TurnDecision::Passed if self.was_red => TurnResult::Resolved,
                TurnDecision::Continue if !self.request.options.single_iteration => TurnResult::Continue,
                TurnDecision::Passed | TurnDecision::Continue => TurnResult::Running,
                TurnDecision::Replan => TurnResult::Replan,
                TurnDecision::Escalate(_) => TurnResult::Escalated,
            },
            reason: reason.to_owned(),
            error_signature: checked.signature.clone(),
            same_error_repeats: decided.same_error_repeats,
            no_progress_streak: decided.no_progress_streak,
            runtime_seconds: hundredths(finished.milliseconds_since(began), 1_000),
            plan_revision: self.plan.plan.revision,
            agent: self.file.agent.clone(),
            evidence: checked.reports.clone(),
        }
    }

    fn reason(&self, decided: &Decided) -> String {
        let first = self.reasons.first().map_or("the checks did not pass", String::as_str);
        match decided.decision {
            TurnDecision::Passed if self.was_red => "the plan's checks passed".to_owned(),
            TurnDecision::Passed => NEVER_RED.to_owned(),
            TurnDecision::Continue if self.request.options.single_iteration => {
                format!("one turn was asked for: {first}")
            }
            TurnDecision::Continue => first.to_owned(),
            TurnDecision::Replan => no_progress(decided.no_progress_streak),
            TurnDecision::Escalate(leaving) => format!("{}: {first}", leaving.sentence()),
        }
    }
}

/// Returns the reason for a new plan (seed 3).
pub(super) fn no_progress(turns: u32) -> String {
    format!("no actionable progress for {turns} consecutive loops")
}
