use std::io::{self, PipeReader, Write};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus};

/// A child process that a thread waits for.
#[derive(Debug)]
pub(crate) struct ProcessHandle {
    child: Pid,
    end: PipeReader,
}

impl ProcessHandle {
    /// Opens a child that is not reaped.
    pub(crate) fn open(child: Pid) -> io::Result<Self> {
        let (end, mut told) = io::pipe()?;
        let wait = move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            // Any other error says that the child is reaped already.
            while rustix::process::waitid(WaitId::Pid(child), options).err() == Some(Errno::INTR) {}
            // Nobody reads it where the handle is gone.
            let _ = told.write_all(b".");
        };
        std::thread::Builder::new().name("child".to_owned()).spawn(wait)?;
        Ok(Self { child, end })
    }

    /// Returns a descriptor that becomes readable when the process ends.
    pub(crate) fn end(&self) -> BorrowedFd<'_> {
        self.end.as_fd()
    }

    /// Returns what to wait for.
    pub(crate) fn id(&self) -> WaitId<'_> {
        WaitId::Pid(self.child)
    }

    /// Returns the signal that ended the process. None: macOS does not say it before the process is reaped.
    #[expect(clippy::unused_self, reason = "the other handle can tell")]
    pub(crate) fn signal(&self, _: &WaitIdStatus) -> Option<i32> {
        None
    }

    /// Kills the process, which is not reaped, so that its id is its own.
    pub(crate) fn kill(&self) {
        let _ = rustix::process::kill_process(self.child, Signal::KILL);
    }
}
