//! The checks' part of a turn: asks the gate, stores its answer, and decides what follows.

use std::path::Path;

use referee_judge::agent_loop::{self, Decided, Turn, TurnDecision};
use referee_judge::claim;
use referee_judge::repair::{self as rules, FeedbackInputs};
use referee_model::agent_run::RunStep;
use referee_model::build_error::BuildError;
use referee_model::claim::ClaimGrade;
use referee_model::diagnostic_log::DiagnosticLog;
use referee_model::gate::{GateAnswer, GateTask};
use referee_model::id::TaskId;
use referee_model::run_file::RunFile;
use referee_model::run_state::{RunEvent, RunState};
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Exit};
use referee_model::verification::VerificationReport;

use super::Repair;
use crate::agent_loop::GateReply;
use crate::error::EngineError;
use crate::recorded;

/// Bytes at the end of the agent's output in which claims are looked for if it gave no data answer.
const WORDS_BYTES: usize = 8 * 1024;

/// Kind of the warning about an edit of a protected file.
const EDITED: &str = "edited";

/// Kind of the warning about a weaker specification.
const WEAKER: &str = "weaker";

/// Maximum number of sealed reports that are read.
const REPORTS: usize = 8;

/// Data from the sealed reports of tasks that did not pass.
#[derive(Default)]
struct Sealed {
    logs: Vec<(TaskId, DiagnosticLog)>,
    /// Error of the first one.
    error: Option<BuildError>,
}

impl Repair<'_, '_> {
    /// Asks the gate and acts on its answer.
    pub(super) fn verify(&mut self) -> Result<(), EngineError> {
        if self.kept.as_ref().is_some_and(|kept| kept.after_turn == self.run.iteration) {
            // The run was interrupted after the turn was counted.
            return self.event(RunEvent::VerifyFailedRetryable);
        }
        let began = self.now();
        let asked = self.request.ask();
        if self.runner.is_canceled() {
            return self.cancel();
        }
        match asked {
            GateReply::Answer(answer) => self.answered(*answer, began),
            GateReply::None { exit, reason } => {
                let error = self.unanswered(exit, &reason);
                self.keep_iteration(RunState::Failed, Some(&error));
                let event =
                    if exit == Exit::Specification { RunEvent::VerifyFailedTerminal } else { RunEvent::SystemError };
                self.fail(event, error, exit)
            }
        }
    }

    /// Asks the gate about the work of a failed agent. The answer is stored, but decides nothing.
    pub(super) fn check_for_the_record(&mut self) {
        let began = self.now();
        match self.request.ask() {
            GateReply::Answer(mut answer) => drop(self.looked_at(&mut answer, began)),
            GateReply::None { reason, .. } => self.warn("unanswered", &reason),
        }
    }

    /// Warns once of each edit of a protected file and of each weakening, whatever the result of the turn.
    fn warn_of_edits(&mut self, answer: &GateAnswer) {
        let edits = answer.edits().into_iter().map(|edit| (EDITED, edit));
        for (kind, sentence) in edits.chain(answer.weaker().into_iter().map(|weaker| (WEAKER, weaker.to_owned()))) {
            let sentence = self.runner.redactor.text(&sentence);
            if !self.run.warnings.iter().any(|warning| warning.kind == kind && warning.message == sentence) {
                self.warn(kind, &sentence);
            }
        }
    }

    fn answered(&mut self, mut answer: GateAnswer, began: Timestamp) -> Result<(), EngineError> {
        let report = self.looked_at(&mut answer, began);
        let span = (self.turn.started, self.now());
        let turn = Turn { answer: &answer, is_last: self.run.iteration >= self.run.max_iterations, span };
        let Decided { decision, state, .. } = agent_loop::after(&self.state, &self.budget, &turn);
        match decision {
            TurnDecision::Passed => {
                self.exit = Exit::Passed;
                self.keep_iteration(RunState::Succeeded, None);
                self.event(RunEvent::VerifyPassed)
            }
            TurnDecision::Continue | TurnDecision::Replan => {
                self.state = state;
                let sealed = self.sealed(&answer);
                let error = self.error(&answer, &sealed, &report);
                self.keep_iteration(RunState::Feedback, Some(&error));
                let feedback = self.feedback(&answer, &sealed, decision == TurnDecision::Replan);
                self.save_loop(feedback, reports(&answer))?;
                self.event(RunEvent::VerifyFailedRetryable)
            }
            TurnDecision::Escalate(leaving) => {
                let sealed = self.sealed(&answer);
                let error = self.error(&answer, &sealed, &report);
                self.warn("escalated", &format!("{}: {}", leaving.as_str(), leaving.sentence()));
                self.keep_iteration(RunState::Failed, Some(&error));
                // A rejected pass must not keep the exit code of a pass.
                let exit = if answer.exit == Exit::Passed { Exit::NothingRan } else { answer.exit };
                self.fail(RunEvent::VerifyFailedTerminal, error, exit)
            }
        }
    }

    /// Compares an answer with the agent's edits and claims, reports it and stores it.
    fn looked_at(&mut self, answer: &mut GateAnswer, began: Timestamp) -> VerificationReport {
        self.warn_of_edits(answer);
        self.hold_claims_against(answer);
        let report = rules::verification(answer, &self.checked(began));
        let summary = report.overall.summary.as_str();
        (self.told)(RunStep::Checked { summary, passed: report.overall.passed });
        self.keep_verification(&report);
        report
    }

    fn feedback(&self, answer: &GateAnswer, sealed: &Sealed, replan: bool) -> String {
        let snapshots = &self.run.snapshot_ids;
        let last = snapshots.last().zip(snapshots.iter().rev().nth(1));
        let told = FeedbackInputs {
            answer,
            logs: &sealed.logs,
            replan,
            unchanged: last.is_some_and(|(after, before)| after == before),
            turns_left: self.run.max_iterations.saturating_sub(self.run.iteration),
        };
        self.runner.redactor.text(&rules::feedback(&told))
    }

    fn error(&self, answer: &GateAnswer, sealed: &Sealed, report: &VerificationReport) -> BuildError {
        let file = RunFile::Verification(self.run.iteration).to_string();
        rules::error(answer, sealed.error.as_ref(), report, (&self.agent_file(), &file), self.now())
    }

    fn unanswered(&self, exit: Exit, reason: &str) -> BuildError {
        let error = rules::unanswered(exit, &self.runner.redactor.text(reason), self.now());
        BuildError { agent_result_file: Some(self.agent_file()), ..error }
    }

    /// Compares the agent's claims with the checks that ran.
    fn hold_claims_against(&mut self, answer: &mut GateAnswer) {
        let Some(result) = &self.turn.result else { return };
        let said = result.structured_output.as_ref().and_then(|output| output.result.clone());
        let said = said.unwrap_or_else(|| {
            let end = result.stdout.len().saturating_sub(WORDS_BYTES);
            result.stdout[result.stdout.ceil_char_boundary(end)..].to_owned()
        });
        if answer.contradictions.is_empty() {
            answer.contradictions = claim::contradictions(&said, answer);
        }
        let line = |words: &str, facts: &str| format!("\"{words}\": {facts}");
        let contradicted = answer.contradictions.iter().filter(|said| said.grade == ClaimGrade::Contradicted);
        let lines: Vec<String> = contradicted.map(|said| line(&said.words, &said.facts)).collect();
        // False claims are recorded, whatever the result of the turn.
        if !lines.is_empty() {
            self.warn("claims", &format!("what the agent says is not so: {}", lines.join("; ")));
        }
        self.turn.contradictions = lines;
    }

    /// Reads the sealed reports of the tasks that did not pass.
    fn sealed(&mut self, answer: &GateAnswer) -> Sealed {
        let mut sealed = Sealed::default();
        for task in failed(answer).take(REPORTS) {
            let directory = Path::new(&task.report).parent().unwrap_or(Path::new("/"));
            match recorded::open(directory, Some(&self.request.state)) {
                Ok(found) => {
                    sealed.error = sealed.error.or(found.report.verdict.build_error);
                    sealed.logs.push((task.task.clone(), found.report.diagnostics));
                }
                Err(error) => self.warn("evidence", &format!("{} cannot be read: {error}", directory.display())),
            }
        }
        sealed
    }
}

fn failed(answer: &GateAnswer) -> impl Iterator<Item = &GateTask> {
    answer.tasks.iter().filter(|task| task.decision != Decision::Pass)
}

/// Returns the reports that the next turn may read; those that did not pass come first.
fn reports(answer: &GateAnswer) -> Vec<String> {
    let passed = answer.tasks.iter().filter(|task| task.decision == Decision::Pass);
    failed(answer).chain(passed).map(|task| task.report.clone()).collect()
}
