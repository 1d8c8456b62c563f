//! Stores a run, and reads it again to resume it (seed 2, 1.4). A detail that cannot be stored is a warning;
//! without the run itself and the state that it depends on there is no run.

use referee_foreign::agent_result;
use referee_judge::repair::Checked;
use referee_ledger::agent_runs::OwnFile;
use referee_model::agent_result::AgentResult;
use referee_model::agent_run::{
    AgentLoop, AgentTurn, IterationError, IterationErrorType, IterationRecord, VerificationTurn,
};
use referee_model::build_error::{BuildError, BuildErrorType};
use referee_model::run_file::RunFile;
use referee_model::run_state::RunState;
use referee_model::time::Timestamp;
use referee_model::verification::VerificationReport;

use super::{Repair, unreadable};
use crate::agent_loop::moved_on;
use crate::error::EngineError;

/// State of the current turn.
#[derive(Debug)]
pub(super) struct TurnSoFar {
    pub(super) started: Timestamp,
    /// Result of the agent. `None` if there is none yet.
    pub(super) result: Option<AgentResult>,
    pub(super) verification: Option<VerificationTurn>,
    /// False claims of the agent.
    pub(super) contradictions: Vec<String>,
    /// Why this attempt follows another one in the same turn. `None` for the first attempt.
    pub(super) retried: Option<String>,
}

impl TurnSoFar {
    pub(super) fn begun(started: Timestamp) -> Self {
        Self { started, result: None, verification: None, contradictions: Vec::new(), retried: None }
    }
}

impl Repair<'_, '_> {
    pub(super) fn save(&self) -> Result<(), EngineError> {
        let bytes = referee_model::document::to_bytes(&self.run).map_err(EngineError::internal)?;
        Ok(self.directory.write(RunFile::Run, &bytes)?)
    }

    /// Stores the state that the next turn depends on.
    pub(super) fn save_loop(&mut self, feedback: String, reports: Vec<String>) -> Result<(), EngineError> {
        let now = self.now();
        let spent_ms = self.runner.spent_ms();
        let (after_turn, state) = (self.run.iteration, self.state.clone());
        let kept = AgentLoop { after_turn, written_at: now, spent_ms, feedback, reports, state };
        let bytes = AgentLoop::KIND.encode(&kept).map_err(EngineError::internal)?;
        self.directory.write_own(OwnFile::Loop, &bytes)?;
        self.kept = Some(kept);
        Ok(())
    }

    /// Reads the state after the last counted turn. The time in which no process ran it does not count.
    pub(super) fn read_loop(&mut self) -> Result<(), EngineError> {
        let directory = self.directory;
        let now = self.now();
        let Some(bytes) = directory.read_own(OwnFile::Loop)? else {
            // Without the file, the run did not get past its first turn.
            self.runner.earlier_ms = self.turn.result.as_ref().map_or(0, |result| result.duration_ms);
            return Ok(());
        };
        let read: AgentLoop =
            AgentLoop::KIND.decode(&bytes).map_err(|error| directory.unreadable("loop.json", &error))?;
        let mut state = read.state.clone();
        state.began = state.began.map(|began| moved_on(began, read.written_at, now));
        self.state = state;
        self.runner.earlier_ms = read.spent_ms;
        self.kept = Some(read);
        Ok(())
    }

    /// Reads the agent's result of the current turn.
    pub(super) fn read_turn(&mut self) -> Result<(), EngineError> {
        let (directory, file) = (self.directory, RunFile::Agent(self.run.iteration));
        let Some(bytes) = directory.read(file)? else { return Ok(()) };
        let result = agent_result::read(&bytes).map_err(|error| unreadable(directory, file, &error))?;
        if let Some(captured) = &result.captured {
            let took = i64::try_from(result.duration_ms).unwrap_or(i64::MAX);
            let began = captured.at.as_millisecond().saturating_sub(took);
            self.turn.started = Timestamp::from_millisecond(began);
        }
        self.turn.result = Some(result);
        Ok(())
    }

    /// Stores the agent's result.
    pub(super) fn keep_result(&mut self, result: &AgentResult) {
        let bytes = referee_model::document::to_bytes(&result.kept());
        self.detail(RunFile::Agent(self.run.iteration), bytes);
    }

    /// Stores the verification of the agent's work, and keeps a summary of it for the turn.
    pub(super) fn keep_verification(&mut self, report: &VerificationReport) {
        let file = RunFile::Verification(self.run.iteration);
        self.turn.verification = Some(VerificationTurn {
            file: file.to_string(),
            passed: report.overall.passed,
            levels_run: report.levels.iter().map(|level| level.name.clone()).collect(),
            duration_ms: report.duration_ms,
        });
        let bytes = referee_model::document::to_bytes(report);
        self.detail(file, bytes);
    }

    /// Stores a summary of the turn, with the state that it leads to.
    pub(super) fn keep_iteration(&mut self, state: RunState, error: Option<&BuildError>) {
        let turn = self.run.iteration;
        let agent = self.turn.result.as_ref().map(|result| AgentTurn {
            session_id: result.session_id.clone(),
            result_file: RunFile::Agent(turn).to_string(),
            duration_ms: result.duration_ms,
            success: result.success,
            model: result.model.clone(),
            tokens_used: result.tokens_used,
            cost_usd: result.total_cost_usd,
        });
        let details = (!self.turn.contradictions.is_empty()).then(|| self.turn.contradictions.join("\n"));
        let completed_at = (state != RunState::Building).then(|| self.now());
        let record = IterationRecord {
            iteration: turn,
            state,
            snapshot_id: self.run.snapshot_ids.get(turn as usize).cloned(),
            feedback_generated: state == RunState::Feedback,
            started_at: self.turn.started,
            completed_at,
            duration_ms: completed_at.map(|end| end.milliseconds_since(self.turn.started)),
            agent,
            verification: self.turn.verification.clone(),
            error: error.map(|error| IterationError { kind: kind(error), message: error.message.clone(), details }),
        };
        let bytes = referee_model::document::to_bytes(&record);
        self.detail(RunFile::Iteration(turn), bytes);
    }

    /// Returns the run, the turn and the time of a verification.
    pub(super) fn checked(&self, began: Timestamp) -> Checked<'_> {
        let at = self.now();
        Checked {
            run: &self.run.id,
            turn: self.run.iteration,
            snapshot: self.run.snapshot_ids.get(self.run.iteration as usize).map(String::as_str),
            duration_ms: at.milliseconds_since(began),
            at,
        }
    }

    /// Stores a detail. A failure is only a warning and never fails the run (seed 2, 1.4).
    fn detail(&mut self, file: RunFile, bytes: Result<Vec<u8>, serde_json::Error>) {
        let kept = bytes.map_err(EngineError::internal).and_then(|bytes| Ok(self.directory.write(file, &bytes)?));
        if let Err(failure) = kept {
            self.warn("persistence", &format!("{file} could not be kept: {failure}"));
        }
    }
}

/// Returns the coarser error type of a turn.
fn kind(error: &BuildError) -> IterationErrorType {
    use BuildErrorType as Kind;
    match error.kind {
        Kind::AgentCrash => IterationErrorType::AgentCrash,
        Kind::AgentTaskFailure => IterationErrorType::AgentFailure,
        Kind::AgentTimeout => IterationErrorType::Timeout,
        Kind::TypecheckFailed | Kind::LintFailed | Kind::TestFailed | Kind::BlackboxFailed | Kind::CiFailed => {
            IterationErrorType::VerificationFailed
        }
        Kind::WorkspaceError | Kind::SnapshotError | Kind::GithubError | Kind::SystemError => {
            match error.verification_file {
                Some(_) => IterationErrorType::VerificationFailed,
                None => IterationErrorType::SystemError,
            }
        }
        Kind::Unknown => IterationErrorType::VerificationFailed,
    }
}
