//! How a command ended, in documents.

use referee_model::record::{Ending, StartFailure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;

/// How a command ended: exactly one of these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(crate) enum EndingDocument {
    /// By itself.
    Exited {
        /// The exit code.
        code: i32,
    },
    /// By a signal that Referee did not send.
    Signaled {
        /// The signal's number.
        signal: i32,
    },
    /// Stopped at its deadline.
    DeadlineExceeded {
        /// The limit, in milliseconds.
        limit_ms: u64,
        /// Whether the limit was the task's, not the action's.
        of_task: bool,
        /// Whether it had to be killed after its grace.
        killed: bool,
    },
    /// Stopped because the run was interrupted.
    Interrupted {
        /// Whether it had to be killed after its grace.
        killed: bool,
    },
    /// Stopped because it printed more than can be kept.
    OutputLimitExceeded {
        /// The limit, in bytes.
        limit_bytes: u64,
    },
    /// Stopped because more processes of it ran at once than it may have.
    ProcessLimitExceeded {
        /// The limit.
        limit: u64,
    },
    /// Stopped because it took more memory than it may have.
    MemoryLimitExceeded {
        /// The limit, in bytes.
        limit_bytes: u64,
    },
    /// Never started.
    CouldNotStart {
        /// Why, by kind.
        #[schemars(with = "form::StartFailure")]
        cause: StartFailure,
        /// Why, for a person.
        message: String,
    },
}

impl From<&Ending> for EndingDocument {
    fn from(ending: &Ending) -> Self {
        match *ending {
            Ending::Exited { code } => Self::Exited { code },
            Ending::Signaled { signal } => Self::Signaled { signal },
            Ending::DeadlineExceeded { limit_ms, of_task, killed } => {
                Self::DeadlineExceeded { limit_ms, of_task, killed }
            }
            Ending::Interrupted { killed } => Self::Interrupted { killed },
            Ending::OutputLimitExceeded { limit_bytes } => Self::OutputLimitExceeded { limit_bytes },
            Ending::ProcessLimitExceeded { limit } => Self::ProcessLimitExceeded { limit },
            Ending::MemoryLimitExceeded { limit_bytes } => Self::MemoryLimitExceeded { limit_bytes },
            Ending::CouldNotStart { cause, ref message } => Self::CouldNotStart { cause, message: message.clone() },
        }
    }
}

impl From<EndingDocument> for Ending {
    fn from(ending: EndingDocument) -> Self {
        match ending {
            EndingDocument::Exited { code } => Self::Exited { code },
            EndingDocument::Signaled { signal } => Self::Signaled { signal },
            EndingDocument::DeadlineExceeded { limit_ms, of_task, killed } => {
                Self::DeadlineExceeded { limit_ms, of_task, killed }
            }
            EndingDocument::Interrupted { killed } => Self::Interrupted { killed },
            EndingDocument::OutputLimitExceeded { limit_bytes } => Self::OutputLimitExceeded { limit_bytes },
            EndingDocument::ProcessLimitExceeded { limit } => Self::ProcessLimitExceeded { limit },
            EndingDocument::MemoryLimitExceeded { limit_bytes } => Self::MemoryLimitExceeded { limit_bytes },
            EndingDocument::CouldNotStart { cause, message } => Self::CouldNotStart { cause, message },
        }
    }
}

/// Returns the exit code, where the command ended by itself.
pub(crate) fn exit_code(ending: &Ending) -> Option<i32> {
    match ending {
        Ending::Exited { code } => Some(*code),
        _ => None,
    }
}

/// Returns the name of the signal that ended the command, whoever sent it.
pub(crate) fn signal(ending: &Ending) -> Option<String> {
    let of_ours = |killed: bool| if killed { "SIGKILL" } else { "SIGTERM" }.to_owned();
    match ending {
        Ending::Signaled { signal } => Some(referee_model::signal::shown(*signal)),
        Ending::DeadlineExceeded { killed, .. } | Ending::Interrupted { killed } => Some(of_ours(*killed)),
        Ending::Exited { .. }
        | Ending::OutputLimitExceeded { .. }
        | Ending::ProcessLimitExceeded { .. }
        | Ending::MemoryLimitExceeded { .. }
        | Ending::CouldNotStart { .. } => None,
    }
}

/// Says whether Referee stopped the command (seed 1, `killed`).
pub(crate) fn is_stopped(ending: &Ending) -> bool {
    match ending {
        Ending::DeadlineExceeded { .. }
        | Ending::Interrupted { .. }
        | Ending::OutputLimitExceeded { .. }
        | Ending::ProcessLimitExceeded { .. }
        | Ending::MemoryLimitExceeded { .. } => true,
        Ending::Exited { .. } | Ending::Signaled { .. } | Ending::CouldNotStart { .. } => false,
    }
}
