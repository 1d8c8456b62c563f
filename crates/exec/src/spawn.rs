//! Starts commands and reaps their processes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

use referee_model::record::StartFailure;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitIdOptions};

use crate::process_handle::ProcessHandle;
use crate::process_registry::{self, Marker};
use crate::process_table;
use crate::resolve::{Refusal, missing_interpreter};
use crate::shim::{self, Input, Shim};

/// Time in which the shim must become the command, in seconds; it takes about a millisecond.
const SHIM_SECONDS: i64 = 10;

/// A command with everything needed to start it.
pub(crate) struct Launch<'launch> {
    /// Absolute path of the program.
    pub(crate) program: &'launch Path,
    /// Name of the program, as its first argument.
    pub(crate) name: &'launch str,
    pub(crate) arguments: &'launch [String],
    pub(crate) directory: &'launch Path,
    pub(crate) variables: &'launch BTreeMap<OsString, OsString>,
    pub(crate) marker: &'launch Marker,
    /// Standard input. None: empty.
    pub(crate) input: Option<BorrowedFd<'launch>>,
    /// Shim that detaches the terminal and confines. None: neither is needed.
    pub(crate) shim: Option<Shim<'launch>>,
}

pub(crate) struct Started {
    pub(crate) leader: Leader,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// Starts a command in a process group of its own, with an empty standard input by default.
pub(crate) fn start(launch: &Launch<'_>) -> Result<Started, Refusal> {
    let (mut command, status) = if let Some(shim) = &launch.shim {
        let (own, given) = UnixStream::pair().map_err(|error| system(&error))?;
        let input = match launch.input {
            Some(input) => {
                shim::send_input(&own, input).map_err(|error| system(&error))?;
                Input::Sent
            }
            None => Input::Empty,
        };
        let mut command = Command::new(shim.program);
        // The shim creates a session, and thus a group.
        command.args(shim.arguments(input, launch.variables.iter()));
        command.arg(launch.name).arg(launch.program).stdin(OwnedFd::from(given));
        (command, Some(own))
    } else {
        let mut command = Command::new(launch.program);
        let input = launch.input.map(|input| input.try_clone_to_owned().map_err(|error| system(&error))).transpose()?;
        command.arg0(launch.name).process_group(0).stdin(input.map_or_else(Stdio::null, Stdio::from));
        (command, None)
    };
    let is_held_back = |name: &OsString| launch.shim.is_some() && shim::Shim::holds_back(name);
    let variables = launch.variables.iter().filter(|(name, _)| !is_held_back(name));
    command.args(launch.arguments).current_dir(launch.directory).env_clear().envs(variables);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());

    let started = Leader::start(&mut command, launch.marker);
    // The command holds the shim's end of the connection, which would otherwise never end.
    drop(command);
    let mut leader = started.map_err(|error| match &launch.shim {
        // The shim gets the command's arguments and environment.
        Some(shim) if error.raw_os_error() != Some(Errno::TOOBIG.raw_os_error()) => {
            Refusal::new(StartFailure::System, format!("{} could not be started: {error}", shim.program.display()))
        }
        _ => refusal(&error, launch.program),
    })?;
    if let Some(status) = status {
        await_shim(status, launch.program)?;
    }
    let (Some(stdout), Some(stderr)) = (leader.child.stdout.take(), leader.child.stderr.take()) else {
        unreachable!("both pipes were asked for above");
    };
    Ok(Started { leader, stdout, stderr })
}

/// Waits until the shim has become the command, or has reported why it could not.
fn await_shim(status: UnixStream, program: &Path) -> Result<(), Refusal> {
    let bound = Timespec { tv_sec: SHIM_SECONDS, tv_nsec: 0 };
    let ready = retry(|| rustix::event::poll(&mut [PollFd::new(&status, PollFlags::IN)], Some(&bound)));
    if ready.map_err(|error| system(&error.into()))? == 0 {
        let message = format!("the shim did not start the command within {SHIM_SECONDS} s");
        return Err(Refusal::new(StartFailure::System, message));
    }
    let mut answer = Vec::new();
    let most = 4 + shim::REASON_BYTES as u64;
    status.take(most).read_to_end(&mut answer).map_err(|error| system(&error))?;
    match answer.split_first_chunk::<4>() {
        Some((number, [])) => Err(refusal(&io::Error::from_raw_os_error(i32::from_le_bytes(*number)), program)),
        // Without the restriction the command is not started at all.
        Some((_, words)) => {
            Err(Refusal::new(StartFailure::System, format!("not started: {}", String::from_utf8_lossy(words))))
        }
        None => Ok(()),
    }
}

/// Returns the meaning of the system's error for a program that exists and may be executed.
fn refusal(error: &io::Error, program: &Path) -> Refusal {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOENT) => Refusal::new(StartFailure::BadFormat, missing_interpreter(program)),
        Some(Errno::NOEXEC) => {
            let message = format!("`{}` has a format that this system cannot run", program.display());
            Refusal::new(StartFailure::BadFormat, message)
        }
        Some(Errno::ACCESS | Errno::PERM) => {
            let message = format!("`{}` may not be executed: {error}", program.display());
            Refusal::new(StartFailure::NotExecutable, message)
        }
        Some(Errno::TOOBIG) => {
            let message = format!(
                "its arguments and environment together, or one of them alone, are too long for this system ({error}): \
                 give it fewer or shorter ones, or a file that holds them"
            );
            Refusal::new(StartFailure::System, message)
        }
        _ => system(error),
    }
}

fn system(error: &io::Error) -> Refusal {
    Refusal::new(StartFailure::System, format!("the command could not be started: {error}"))
}

/// Repeats a system call that was interrupted by a signal.
pub(crate) fn retry<T>(mut call: impl FnMut() -> rustix::io::Result<T>) -> rustix::io::Result<T> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            done => return done,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Code(i32),
    Signal(i32),
}

/// The process of a command, which leads its group. Until it is reaped, its id cannot be reused.
pub(crate) struct Leader {
    child: Child,
    handle: ProcessHandle,
    pid: Pid,
    number: u64,
    reaped: bool,
}

impl Leader {
    fn start(command: &mut Command, marker: &Marker) -> io::Result<Self> {
        // Locked during the start, so that no thread sees a child that is not registered yet.
        let mut roster = process_registry::lock();
        let since = process_table::now();
        let mut child = command.spawn()?;
        let pid = Pid::from_child(&child);
        match ProcessHandle::open(pid) {
            Ok(handle) => {
                let pipes = [inode(child.stdout.as_ref()), inode(child.stderr.as_ref())];
                let number = roster.enter(pid.as_raw_nonzero().get(), marker.clone(), since, pipes);
                Ok(Self { child, handle, pid, number, reaped: false })
            }
            Err(error) => {
                child.kill()?;
                child.wait()?;
                Err(error)
            }
        }
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// Returns a descriptor that becomes readable when the process ends.
    pub(crate) fn end(&self) -> BorrowedFd<'_> {
        self.handle.end()
    }

    /// Returns how the process ended, if it has. It remains to be reaped, so its id stays its own; but where the system
    /// tells only who reaps a process which signal ended it, such a process is reaped.
    pub(crate) fn exit(&mut self) -> io::Result<Option<Exit>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = retry(|| rustix::process::waitid(self.handle.id(), options))?;
        let Some(status) = status else { return Ok(None) };
        let code = status.exit_status().map(Exit::Code);
        if let Some(exit) = code.or_else(|| self.handle.signal(&status).map(Exit::Signal)) {
            return Ok(Some(exit));
        }
        self.reap();
        Ok(self.child.try_wait()?.and_then(|status| status.signal()).map(Exit::Signal))
    }

    /// Whether the process was reaped; neither its id nor its group's may be used then.
    pub(crate) fn is_reaped(&self) -> bool {
        self.reaped
    }

    /// Reaps the process without waiting; has no effect while it still runs.
    pub(crate) fn reap(&mut self) {
        if self.reaped {
            return;
        }
        // Locked during the reaping, since afterwards the id may be given to the next command.
        let mut roster = process_registry::lock();
        if matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
            self.reaped = true;
            roster.reaped(self.number);
        }
    }

    /// Sends a signal to the process group.
    pub(crate) fn signal_group(&self, signal: Signal) {
        if !self.reaped {
            // The group may be empty by now, or hold only processes that may not be signaled; the waiting code
            // finds out.
            let _ = rustix::process::kill_process_group(self.pid, signal);
        }
    }
}

impl Drop for Leader {
    /// Kills the command, which must not outlive its watcher, whatever happened to the watcher.
    fn drop(&mut self) {
        if !self.reaped {
            // Before the shim has created its group, there is only the process.
            self.handle.kill();
            self.signal_group(Signal::KILL);
            let bound = Timespec { tv_sec: 1, tv_nsec: 0 };
            let _ = retry(|| {
                rustix::event::poll(&mut [PollFd::from_borrowed_fd(self.handle.end(), PollFlags::IN)], Some(&bound))
            });
            self.reap();
        }
        process_registry::lock().strike(self.number);
    }
}

/// Returns the inode number of an output pipe; 0, which no pipe has, where it is not known.
fn inode(end: Option<&impl AsFd>) -> u64 {
    end.and_then(|end| rustix::fs::fstat(end).ok()).map_or(0, |stat| stat.st_ino)
}
