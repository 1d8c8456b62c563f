use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdStatus};

/// A child process, by its pidfd (pidfd_open(2)).
#[derive(Debug)]
pub(crate) struct ProcessHandle(OwnedFd);

impl ProcessHandle {
    /// Opens a child that is not reaped.
    pub(crate) fn open(child: Pid) -> io::Result<Self> {
        Ok(Self(rustix::process::pidfd_open(child, PidfdFlags::empty())?))
    }

    /// Returns a descriptor that becomes readable when the process ends.
    pub(crate) fn end(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Returns what to wait for.
    pub(crate) fn id(&self) -> WaitId<'_> {
        WaitId::PidFd(self.0.as_fd())
    }

    /// Returns the signal that ended the process. None: the system does not say it before the process is reaped.
    #[expect(clippy::unused_self, reason = "the other handle cannot tell")]
    pub(crate) fn signal(&self, status: &WaitIdStatus) -> Option<i32> {
        status.terminating_signal()
    }

    /// Kills the process, which is not reaped.
    pub(crate) fn kill(&self) {
        // Where the process has ended, that is the desired state.
        let _ = rustix::process::pidfd_send_signal(&self.0, Signal::KILL);
    }
}
