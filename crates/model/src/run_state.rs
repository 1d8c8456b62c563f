//! The states of an agent's run, what happens to it, and how it ends (seed 2, 1.5). `judge::run_state` says what follows
//! from what.

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $word:ident = $spelling:literal,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
            #[serde(rename_all = "snake_case")]
            pub enum $name {
                $($(#[$word_doc])* $word,)*
            }

            impl $name {
                /// All of them.
                pub const ALL: &[Self] = &[$(Self::$word,)*];

                /// Returns it as documents spell it.
                pub fn as_str(self) -> &'static str {
                    match self {
                        $(Self::$word => $spelling,)*
                    }
                }

                /// Returns the one of this spelling.
                pub fn parse(text: &str) -> Option<Self> {
                    Self::ALL.iter().copied().find(|word| word.as_str() == text)
                }
            }
        )*
    };
}

words! {
    /// Where a run is. The last three are ends.
    RunState {
        /// It waits for a workspace.
        Queued = "queued",
        /// It has a workspace.
        Leased = "leased",
        /// The agent works.
        Building = "building",
        /// Its work is being kept.
        Snapshotting = "snapshotting",
        /// Its work is being checked.
        Verifying = "verifying",
        /// What failed is being told to the agent.
        Feedback = "feedback",
        /// A pull request is open.
        PrCreated = "pr_created",
        /// Continuous integration is being waited for.
        CiPolling = "ci_polling",
        /// It is done.
        Succeeded = "succeeded",
        /// It is over, and not done.
        Failed = "failed",
        /// A person stopped it.
        Canceled = "canceled",
    }
    /// What happens to a run.
    RunEvent {
        /// There is a workspace.
        WorkspaceAcquired = "workspace_acquired",
        /// The agent began for the first time.
        BuildStarted = "build_started",
        /// The agent is through.
        BuildCompleted = "build_completed",
        /// The agent failed.
        BuildFailed = "build_failed",
        /// The work is kept.
        SnapshotCompleted = "snapshot_completed",
        /// The work could not be kept.
        SnapshotFailed = "snapshot_failed",
        /// All checks passed.
        VerifyPassed = "verify_passed",
        /// Checks failed, and there are turns left.
        VerifyFailedRetryable = "verify_failed_retryable",
        /// Checks failed, and there are no turns left.
        VerifyFailedTerminal = "verify_failed_terminal",
        /// The agent knows what failed, and begins again.
        FeedbackGenerated = "feedback_generated",
        /// A pull request was opened.
        PrCreated = "pr_created",
        /// Continuous integration is asked.
        CiPollingStarted = "ci_polling_started",
        /// Continuous integration passed.
        CiPassed = "ci_passed",
        /// Continuous integration failed.
        CiFailed = "ci_failed",
        /// Continuous integration did not answer in time.
        CiTimeout = "ci_timeout",
        /// A person stopped it.
        UserCanceled = "user_canceled",
        /// Something that the run needs does not work.
        SystemError = "system_error",
    }
    /// How a run ended.
    RunResult {
        /// The work passed.
        Passed = "passed",
        /// The work did not pass its checks.
        FailedVerification = "failed_verification",
        /// The agent failed.
        FailedBuild = "failed_build",
        /// The time was up.
        FailedTimeout = "failed_timeout",
        /// Something that the run needs does not work.
        FailedError = "failed_error",
        /// A person stopped it.
        Canceled = "canceled",
    }
}

impl RunState {
    /// Whether it is an end: nothing happens to the run any more.
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
            assert_eq!(RunState::parse(state.as_str()), Some(*state));
        }
        assert_eq!(RunEvent::parse("unheard_of"), None);
    }
}
