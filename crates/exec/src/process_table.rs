//! The processes of this machine, as the system shows them: from /proc on Linux (`proc`), elsewhere from the program
//! `ps` (`ps`).
//!
//! | | Linux | elsewhere |
//! |---|---|---|
//! | orphans | become children of this process | become children of the system's first process |
//! | a signal to a process that may be gone | reaches that process or none | a process that got its id a moment ago could get it |
//! | memory | not shared with other processes | resident, so what is shared counts once for each process |
//! | processor time | with that of ended children | of the process alone |
//! | environments | of all processes of this user | without those that the system hides, such as of its own programs |
//! | who holds a pipe | known | not known |

#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod proc;
#[cfg(any(not(target_os = "linux"), feature = "portable"))]
mod ps;

#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) use self::proc::{
    ADOPTS_ORPHANS, adopt_orphans, all, command_line, holds_pipe, ignored_signals, markers, memory, now, one,
    own_children, signal,
};
#[cfg(any(not(target_os = "linux"), feature = "portable"))]
pub(crate) use self::ps::{
    ADOPTS_ORPHANS, adopt_orphans, all, command_line, holds_pipe, ignored_signals, markers, memory, now, one,
    own_children, signal,
};

/// Maximum length of a command line that is reported, in characters.
pub(crate) const COMMAND_CHARACTERS: usize = 200;

/// Whether a signal is in a set with one bit for each.
pub(crate) fn is_in(signals: u64, signal: i32) -> bool {
    signals & (1 << (signal - 1)) != 0
}

/// A process as the system shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    pub(crate) zombie: bool,
    /// Start time in the unit of [`now`]; together with the id it identifies a process for good.
    pub(crate) started: u64,
    /// Processor time in ticks, which are hundredths of a second on most systems.
    pub(crate) ticks: u64,
}

#[cfg(test)]
mod tests {
    use signal_hook::consts::{SIGCHLD, SIGHUP, SIGQUIT};

    use super::*;

    #[test]
    fn a_signal_is_one_bit_of_a_set() {
        assert!(is_in(1 << 16, SIGCHLD) && is_in(1, SIGHUP) && !is_in(1, SIGQUIT));
    }
}
