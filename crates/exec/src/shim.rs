//! The small program between the engine and a command where there is a terminal: it takes the terminal away.
//!
//! A new session needs a process that is no group leader yet, and running code between fork and exec is out of the
//! question (it makes every start copy the engine's page tables). So the engine starts its own program again, which makes
//! the session and becomes the command.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::fs::{Mode, OFlags};

/// The first argument that makes a program run the shim.
pub(crate) const ARGUMENT: &str = "__shim";

/// What a command reads that is given nothing.
pub(crate) const NO_INPUT: &str = "/dev/null";

/// What the shim exits with where it could not become the command; the pipe says why.
const FAILED: u8 = 127;

/// Becomes a command without a terminal: the arguments are the path of what it reads on standard input, the name it is
/// given, its path, and its own arguments.
///
/// Standard input is a pipe to the engine. It ends when the command has been started; what went wrong before is written to
/// it as the system's error number. To be called first thing, with what follows `__shim`, before any thread is made.
pub fn run_shim(arguments: impl IntoIterator<Item = impl Into<OsString>>) -> ExitCode {
    let Ok(status) = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3) else {
        return ExitCode::from(FAILED);
    };
    let error = become_command(arguments.into_iter().map(Into::into));
    let number = error.raw_os_error().unwrap_or_else(|| rustix::io::Errno::INVAL.raw_os_error());
    // Where the engine is gone nobody needs to know.
    let _ = rustix::io::write(&status, &number.to_le_bytes());
    ExitCode::from(FAILED)
}

/// Returns only where it failed.
fn become_command(mut arguments: impl Iterator<Item = OsString>) -> io::Error {
    let (Some(input), Some(name), Some(program)) = (arguments.next(), arguments.next(), arguments.next()) else {
        return io::ErrorKind::InvalidInput.into();
    };
    if let Err(error) = leave_terminal(&input) {
        return error;
    }
    Command::new(program).arg0(name).args(arguments).exec()
}

fn leave_terminal(input: &OsStr) -> io::Result<()> {
    let input: OwnedFd = rustix::fs::open(input, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&input)?;
    rustix::process::setsid()?;
    Ok(())
}
