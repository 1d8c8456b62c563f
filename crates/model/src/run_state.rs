//! States, events and results of an agent run (seed 2, 1.5). `judge::run_state` defines the transitions.

use serde::{Deserialize, Serialize};

document_words! {
    /// State of an agent run. The last three states are final.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum RunState {
        /// Waiting for a workspace.
        Queued = "queued",
        /// A workspace is assigned.
        Leased = "leased",
        /// The agent is working.
        Building = "building",
        /// A snapshot of the work is being taken.
        Snapshotting = "snapshotting",
        /// The work is being verified.
        Verifying = "verifying",
        /// Feedback on failures is being generated for the agent.
        Feedback = "feedback",
        /// A pull request is open.
        PrCreated = "pr_created",
        /// Waiting for continuous integration.
        CiPolling = "ci_polling",
        /// The run succeeded.
        Succeeded = "succeeded",
        /// The run failed.
        Failed = "failed",
        /// A person canceled the run.
        Canceled = "canceled",
    }

    /// An event of an agent run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum RunEvent {
        /// A workspace was assigned.
        WorkspaceAcquired = "workspace_acquired",
        /// The agent started for the first time.
        BuildStarted = "build_started",
        /// The agent finished.
        BuildCompleted = "build_completed",
        /// The agent failed.
        BuildFailed = "build_failed",
        /// A snapshot of the work was taken.
        SnapshotCompleted = "snapshot_completed",
        /// The snapshot could not be taken.
        SnapshotFailed = "snapshot_failed",
        /// All checks passed.
        VerifyPassed = "verify_passed",
        /// Checks failed, and turns are left.
        VerifyFailedRetryable = "verify_failed_retryable",
        /// Checks failed, and no turns are left.
        VerifyFailedTerminal = "verify_failed_terminal",
        /// Feedback was generated, and the agent starts again.
        FeedbackGenerated = "feedback_generated",
        /// A pull request was opened.
        PrCreated = "pr_created",
        /// Polling of continuous integration started.
        CiPollingStarted = "ci_polling_started",
        /// Continuous integration passed.
        CiPassed = "ci_passed",
        /// Continuous integration failed.
        CiFailed = "ci_failed",
        /// Continuous integration did not complete in time.
        CiTimeout = "ci_timeout",
        /// A person canceled the run.
        UserCanceled = "user_canceled",
        /// A component that the run depends on failed.
        SystemError = "system_error",
    }

    /// Result of an agent run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum RunResult {
        /// The work passed verification.
        Passed = "passed",
        /// The work did not pass verification.
        FailedVerification = "failed_verification",
        /// The agent failed.
        FailedBuild = "failed_build",
        /// A time limit was exceeded.
        FailedTimeout = "failed_timeout",
        /// A component that the run depends on failed.
        FailedError = "failed_error",
        /// A person canceled the run.
        Canceled = "canceled",
    }
}

impl RunState {
    /// Returns whether the state is final.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Canceled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_eleven_states_seventeen_events_and_six_results() {
        assert_eq!([RunState::ALL.len(), RunEvent::ALL.len(), RunResult::ALL.len()], [11, 17, 6]);
        assert_eq!(RunState::ALL.iter().filter(|state| state.is_terminal()).count(), 3);
        for state in RunState::ALL {
            assert_eq!(RunState::parse(state.as_str()), Some(state));
        }
        assert_eq!(RunEvent::parse("unheard_of"), None);
    }
}
