//! Transitions of an agent's run (seed 2, 1.5).

use referee_model::build_error::BuildErrorType;
use referee_model::run_state::{RunEvent, RunResult, RunState};

/// An event that is not possible in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Illegal {
    pub state: RunState,
    pub event: RunEvent,
}

impl std::fmt::Display for Illegal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "`{}` cannot happen to a run that is {}", self.event.as_str(), self.state.as_str())
    }
}

impl std::error::Error for Illegal {}

/// Returns the next state.
///
/// | state        | event                   | next         |
/// |--------------|-------------------------|--------------|
/// | queued       | workspace_acquired      | leased       |
/// | leased       | build_started           | building     |
/// | building     | build_completed         | snapshotting |
/// | building     | build_failed            | failed       |
/// | snapshotting | snapshot_completed      | verifying    |
/// | snapshotting | snapshot_failed         | failed       |
/// | verifying    | verify_passed           | succeeded    |
/// | verifying    | verify_failed_retryable | feedback     |
/// | verifying    | verify_failed_terminal  | failed       |
/// | verifying    | pr_created              | pr_created   |
/// | feedback     | feedback_generated      | building     |
/// | feedback     | verify_failed_terminal  | failed       |
/// | pr_created   | ci_polling_started      | ci_polling   |
/// | pr_created   | verify_passed           | succeeded    |
/// | ci_polling   | ci_passed               | succeeded    |
/// | ci_polling   | ci_failed               | feedback     |
/// | ci_polling   | ci_timeout              | failed       |
/// | any but ends | user_canceled           | canceled     |
/// | any but ends | system_error            | failed       |
///
/// # Errors
/// Fails for every pair that is not in the table. `succeeded`, `failed` and `canceled` are final.
pub fn next(state: RunState, event: RunEvent) -> Result<RunState, Illegal> {
    use RunEvent as Event;
    use RunState::{
        Building, Canceled, CiPolling, Failed, Feedback, Leased, PrCreated, Queued, Snapshotting, Succeeded, Verifying,
    };
    Ok(match (state, event) {
        (Queued, Event::WorkspaceAcquired) => Leased,
        (Leased, Event::BuildStarted) | (Feedback, Event::FeedbackGenerated) => Building,
        (Building, Event::BuildCompleted) => Snapshotting,
        (Snapshotting, Event::SnapshotCompleted) => Verifying,
        (Verifying | PrCreated, Event::VerifyPassed) | (CiPolling, Event::CiPassed) => Succeeded,
        (Verifying, Event::VerifyFailedRetryable) | (CiPolling, Event::CiFailed) => Feedback,
        (Verifying, Event::PrCreated) => PrCreated,
        (PrCreated, Event::CiPollingStarted) => CiPolling,
        (Building, Event::BuildFailed)
        | (Snapshotting, Event::SnapshotFailed)
        | (Verifying | Feedback, Event::VerifyFailedTerminal)
        | (CiPolling, Event::CiTimeout) => Failed,
        (state, Event::UserCanceled) if !state.is_terminal() => Canceled,
        (state, Event::SystemError) if !state.is_terminal() => Failed,
        (state, event) => return Err(Illegal { state, event }),
    })
}

/// Returns the result of a run that an event brought into this state. None: it has not ended.
///
/// | state     | event                  | error         | result              |
/// |-----------|------------------------|---------------|---------------------|
/// | succeeded | any                    | any           | passed              |
/// | canceled  | any                    | any           | canceled            |
/// | failed    | build_failed, system_error | agent_timeout | failed_timeout  |
/// | failed    | build_failed           | any other     | failed_build        |
/// | failed    | verify_failed_terminal | any           | failed_verification |
/// | failed    | any other              | any           | failed_error        |
///
/// `failed_timeout` does not follow from an event alone: the error must report the timeout.
pub fn result(state: RunState, event: RunEvent, error: Option<BuildErrorType>) -> Option<RunResult> {
    match state {
        RunState::Succeeded => Some(RunResult::Passed),
        RunState::Canceled => Some(RunResult::Canceled),
        RunState::Failed => Some(match (event, error) {
            (RunEvent::BuildFailed | RunEvent::SystemError, Some(BuildErrorType::AgentTimeout)) => {
                RunResult::FailedTimeout
            }
            (RunEvent::BuildFailed, _) => RunResult::FailedBuild,
            (RunEvent::VerifyFailedTerminal, _) => RunResult::FailedVerification,
            _ => RunResult::FailedError,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
