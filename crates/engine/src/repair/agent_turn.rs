//! The agent's part of a turn: its process, its answer, and its retries.

use referee_exec::agent_process::{AgentEnd, pause};
use referee_foreign::agent_answer;
use referee_judge::build_error::{Options, of_agent_result, of_wall_clock};
use referee_judge::retry::{self, RetryDecision};
use referee_model::agent_result::{AgentResult, Captured, KnownEnd};
use referee_model::agent_run::RunStep;
use referee_model::build_error::{BuildError, BuildErrorType, FailedPhase};
use referee_model::record::Ending;
use referee_model::run_file::RunFile;
use referee_model::run_state::RunState;

use super::{Repair, handover};
use crate::agent_loop::{AgentTurn, TurnEnd};
use crate::error::EngineError;

/// Maximum number of processes that a warning names.
const LEFT_NAMED: usize = 5;

/// Result of the agent's part of a turn.
pub(super) enum Built {
    /// The agent ended by itself, and does not report a failure.
    Completed,
    /// The agent failed, and is not retried.
    Failed(BuildError),
    /// The agent could not be started.
    NotStarted(BuildError),
    /// The run was asked to stop.
    Canceled,
}

impl Repair<'_, '_> {
    /// Runs the agent, with retries according to the retry policy, and stores the result of the last attempt.
    pub(super) fn attempts(&mut self) -> Result<Built, EngineError> {
        for attempt in 0.. {
            let (result, built) = self.attempt()?;
            let duration_ms = result.duration_ms;
            let error = match &built {
                Built::Failed(error) | Built::NotStarted(error) => Some(error.clone()),
                Built::Completed | Built::Canceled => None,
            };
            self.keep_agent(result);
            let Some(error) = error else {
                (self.told)(RunStep::AgentEnded { duration_ms, error: None });
                return Ok(built);
            };
            // Stored before it is acted on: no document of the agent has what the runner knows about the end.
            self.set_error(error.clone());
            let Some((wait_ms, reason)) = self.tried_again(&error, attempt) else {
                self.save()?;
                (self.told)(RunStep::AgentEnded { duration_ms, error: Some(&error) });
                return Ok(built);
            };
            (self.told)(RunStep::Retried { error: &error, reason: &reason, wait_ms });
            self.warn("agent_retry", &format!("{}; {reason}", error.message));
            self.save()?;
            let is_canceled = pause(self.request.cancellation, wait_ms);
            (self.run.error, self.run.build_error) = (None, None);
            if is_canceled {
                break;
            }
            self.forget_attempt()?;
            self.turn.retried = Some(error.message);
        }
        Ok(Built::Canceled)
    }

    /// Returns the wait in milliseconds before the next attempt, and the reason for it. `None` if there is none.
    fn tried_again(&mut self, error: &BuildError, attempt: u32) -> Option<(u64, String)> {
        let policy = &self.request.options.retry;
        let RetryDecision::Retry { reason } = retry::decide(policy, error.kind, attempt) else { return None };
        let wait_ms = retry::delay_ms(policy, attempt, self.request.chance());
        let is_time_left = self.runner.spent_ms().saturating_add(wait_ms) < self.request.options.timeout;
        is_time_left.then_some((wait_ms, reason))
    }

    /// Discards the result of the last attempt before the next one.
    fn forget_attempt(&mut self) -> Result<(), EngineError> {
        self.turn.result = None;
        self.directory.discard(RunFile::Agent(self.run.iteration))?;
        self.save()
    }

    /// Whether there is a sign that the agent was started in the turn during which the run was interrupted.
    pub(super) fn had_begun(&self) -> Result<bool, EngineError> {
        let told = self.turn.result.is_some() || self.run.build_error.is_some();
        Ok(told || self.directory.read(RunFile::Iteration(self.run.iteration))?.is_some())
    }

    /// Returns the result of a turn that began before the run was interrupted. A turn whose error or result was
    /// stored is over; any other is only known to have begun, so its work is checked.
    pub(super) fn finished_before(&mut self) -> Result<Built, EngineError> {
        if let Some(error) = self.run.build_error.clone() {
            let is_of_system = error.kind == BuildErrorType::SystemError;
            return Ok(if is_of_system { Built::NotStarted(error) } else { Built::Failed(error) });
        }
        if let Some(result) = &self.turn.result {
            let ended =
                if result.success { Built::Completed } else { Built::Failed(self.error_of(result, KnownEnd::Nothing)) };
            return Ok(ended);
        }
        if let Some(left) = self.resumed.take() {
            let (result, built) = self.ended(&left, false);
            self.keep_agent(result);
            self.save()?;
            return Ok(built);
        }
        self.warn("agent_cut_off", "the run was cut off while the agent worked: what it did is checked as it is");
        let mut result = AgentResult::default();
        "Referee was ended while the agent worked: what it printed is lost".clone_into(&mut result.stderr);
        self.keep_agent(result);
        self.save()?;
        Ok(Built::Completed)
    }

    fn attempt(&mut self) -> Result<(AgentResult, Built), EngineError> {
        let left_ms = self.request.options.timeout.saturating_sub(self.runner.spent_ms());
        let is_of_run = left_ms < self.request.agent.timeout;
        let handover::Given { argv, variables, input } = self.given()?;
        // From here on the agent may be working, no matter which process continues the run.
        self.keep_iteration(RunState::Building, None);
        let (number, timeout) = (self.run.iteration, left_ms.min(self.request.agent.timeout));
        let turn = AgentTurn { number, argv: &argv, variables, input: input.as_bytes(), timeout };
        match self.runner.run(&self.request.agent, &self.handed, turn) {
            Ok(left) => Ok(self.ended(&left, is_of_run)),
            Err(error) => {
                let error = self.system_error(BuildErrorType::SystemError, &error.to_string());
                Ok((AgentResult::default(), Built::NotStarted(error)))
            }
        }
    }

    fn ended(&mut self, left: &TurnEnd, is_of_run: bool) -> (AgentResult, Built) {
        self.warn_of_leaked(&left.end);
        let mut result = result(left);
        let built = self.built(left, &mut result, is_of_run);
        (result, built)
    }

    fn built(&self, left: &TurnEnd, result: &mut AgentResult, is_of_run: bool) -> Built {
        // An error has the last lines, a document the first: they differ if a stream is cut.
        let of_end = |known| {
            let ends = AgentResult { stdout: left.stdout.end(), stderr: left.stderr.end(), ..result.clone() };
            self.error_of(&ends, known)
        };
        match &left.end.ending {
            Ending::Exited { .. } if !result.success => Built::Failed(of_end(KnownEnd::Nothing)),
            Ending::Exited { .. } => Built::Completed,
            Ending::Interrupted { .. } => Built::Canceled,
            Ending::Signaled { .. } if self.runner.is_canceled() => Built::Canceled,
            Ending::Signaled { signal } => Built::Failed(of_end(KnownEnd::Signal(*signal))),
            Ending::DeadlineExceeded { .. } if is_of_run => Built::Failed(BuildError {
                phase: Some(FailedPhase::Build),
                agent_result_file: Some(self.agent_file()),
                ..of_wall_clock(self.runner.spent_ms(), self.request.options.timeout, self.now())
            }),
            Ending::DeadlineExceeded { .. } => {
                let error = of_end(KnownEnd::DeadlineHit);
                let limit = self.request.agent.timeout / 1_000;
                let message = format!("{}: the limit of a turn is {limit}s", error.message);
                Built::Failed(BuildError { message, ..error })
            }
            Ending::MemoryLimitExceeded { .. } => Built::Failed(of_end(KnownEnd::MemoryLimit)),
            Ending::OutputLimitExceeded { limit_bytes } => Built::Failed(BuildError {
                message: format!("the agent was stopped: it printed more than {limit_bytes} bytes"),
                ..of_end(KnownEnd::Nothing)
            }),
            Ending::ProcessLimitExceeded { limit } => Built::Failed(BuildError {
                message: format!("the agent was stopped: it ran more than {limit} processes at once"),
                ..of_end(KnownEnd::Nothing)
            }),
            Ending::CouldNotStart { message, .. } => {
                message.clone_into(&mut result.stderr);
                let error = self
                    .system_error(BuildErrorType::SystemError, &format!("the agent could not be started: {message}"));
                Built::NotStarted(BuildError {
                    phase: Some(FailedPhase::Build),
                    agent_result_file: Some(self.agent_file()),
                    ..error
                })
            }
        }
    }

    fn error_of(&self, result: &AgentResult, known: KnownEnd) -> BuildError {
        of_agent_result(result, known, Some(&self.agent_file()), self.now(), Options::default())
    }

    pub(super) fn agent_file(&self) -> String {
        RunFile::Agent(self.run.iteration).to_string()
    }

    fn warn_of_leaked(&mut self, end: &AgentEnd) {
        if end.leaked.is_empty() {
            return;
        }
        let named: Vec<String> =
            end.leaked.iter().take(LEFT_NAMED).map(|left| format!("{} ({})", left.pid, left.command)).collect();
        let message = format!(
            "the agent left {} running, ended with its turn: {}",
            processes(end.leaked.len()),
            named.join(", ")
        );
        self.warn("agent_left_processes", &message);
    }

    /// Stores the result of the agent, and keeps it for the rest of the turn.
    fn keep_agent(&mut self, result: AgentResult) {
        let captured = Captured { run_id: self.run.id.clone(), iteration: self.run.iteration, at: self.now() };
        let result = AgentResult { captured: Some(captured), ..result };
        self.run.session_id = result.session_id.clone().or(self.run.session_id.take());
        self.keep_result(&result);
        self.turn.result = Some(result);
    }
}

pub(super) fn processes(count: usize) -> String {
    if count == 1 { "a process".to_owned() } else { format!("{count} processes") }
}

/// Returns the result of the process, with its answer if it gave one as data.
fn result(TurnEnd { end, stdout, stderr }: &TurnEnd) -> AgentResult {
    let exit_code = match end.ending {
        Ending::Exited { code } => Some(code),
        _ => None,
    };
    let plain = AgentResult {
        success: exit_code == Some(0),
        exit_code,
        stdout: stdout.beginning(),
        stderr: stderr.beginning(),
        duration_ms: end.duration_ms,
        ..AgentResult::default()
    };
    match agent_answer::read(&stdout.lines()) {
        None => plain,
        Some(answer) => AgentResult {
            success: plain.success && !answer.failed,
            session_id: answer.output.session_id.clone(),
            tokens_used: answer.output.usage,
            structured_output: Some(answer.output),
            total_cost_usd: answer.total_cost_usd,
            model: answer.model,
            turns: answer.turns,
            tool_calls: answer.tool_calls,
            ..plain
        },
    }
}
