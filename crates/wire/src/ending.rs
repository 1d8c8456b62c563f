//! What documents say again of how a command ended.

use referee_model::record::Ending;

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
