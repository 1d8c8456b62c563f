//! The small program between the engine and a command that must not have everything that the engine has: it
//! detaches the terminal, and confines the command.
//!
//! A new session needs a process that is not a group leader yet, a restriction must be in force before the
//! command's first instruction, and running code between fork and exec is not an option (it makes every start copy
//! the engine's page tables). So the engine starts its own program again, which restricts itself and becomes the
//! command.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use rustix::fs::{Mode, OFlags};
use rustix::io::FdFlags;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
};

use crate::sandbox::{self, Sandbox};

/// First argument that makes a program run the shim.
pub(crate) const ARGUMENT: &str = "__shim";

/// Standard input of a command, as the shim is told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    Empty,
    /// The descriptor was sent, see [`send_input`].
    Sent,
}

impl Input {
    fn word(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Sent => "sent",
        }
    }
}

/// Exit code of the shim where it could not become the command; the pipe states the reason.
const FAILED: u8 = 127;

/// Maximum length of the text that states why a command could not be confined, in bytes.
pub(crate) const REASON_BYTES: usize = 1024;

/// Prefixes of variables that the system's loader acts on. They must not reach the shim, which is not confined yet.
const LOADER_VARIABLES: [&str; 2] = ["LD_", "GLIBC_"];

/// Work of the shim before it becomes a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shim<'launch> {
    /// Program that calls [`run_shim`].
    pub(crate) program: &'launch Path,
    /// Confinement of the command. None: it is not confined.
    pub(crate) sandbox: Option<&'launch Sandbox>,
    /// Files of control groups, which the shim enters by writing to them.
    pub(crate) groups: &'launch [PathBuf],
}

impl Shim<'_> {
    /// Returns the arguments that instruct the shim, up to those of the command. Each list is preceded by its
    /// length. The variables that the loader acts on are among them, see [`Shim::holds_back`].
    pub(crate) fn arguments<'a>(
        &self,
        input: Input,
        variables: impl Iterator<Item = (&'a OsString, &'a OsString)>,
    ) -> Vec<OsString> {
        let held: Vec<OsString> = variables
            .filter(|(name, _)| Self::holds_back(name))
            .map(|(name, value)| {
                let joined = [name.as_bytes(), b"=", value.as_bytes()].concat();
                OsString::from_vec(joined)
            })
            .collect();
        let mut arguments: Vec<OsString> = vec![ARGUMENT.into(), input.word().into()];
        let abi = self.sandbox.map_or(0, |sandbox| sandbox.abi);
        arguments.push(abi.to_string().into());
        let paths = |paths: &[PathBuf]| paths.iter().map(|path| path.clone().into_os_string()).collect::<Vec<_>>();
        for list in [paths(self.sandbox.map_or(&[], |sandbox| &sandbox.writable)), paths(self.groups), held] {
            arguments.push(list.len().to_string().into());
            arguments.extend(list);
        }
        arguments
    }

    /// Whether a variable is passed to the command and not to the shim.
    pub(crate) fn holds_back(name: &OsStr) -> bool {
        LOADER_VARIABLES.iter().any(|prefix| name.as_bytes().starts_with(prefix.as_bytes()))
    }
}

/// Reason why the shim did not become the command.
enum Failure {
    System(io::Error),
    /// The command could not be confined, with a description.
    Confine(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// Becomes a command without a terminal, confined where requested. The arguments are those of `Shim::arguments`
/// after the first, then the name for the command, its path, and its own arguments.
///
/// Standard input is a connection to the engine, on which the command's own input may wait. It ends when the command
/// has been started. An error before that is written to it as the system's error number, followed by a description
/// where the command could not be confined; the command is not started then. Call this first, with the arguments after
/// `__shim`, before any thread is created.
pub fn run_shim(arguments: impl IntoIterator<Item = impl Into<OsString>>) -> ExitCode {
    let Ok(status) = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3) else {
        return ExitCode::from(FAILED);
    };
    let (error, words) = match become_command(arguments.into_iter().map(Into::into)) {
        Failure::System(error) => (error, String::new()),
        Failure::Confine(words) => (io::ErrorKind::PermissionDenied.into(), words),
    };
    let number = error.raw_os_error().unwrap_or_else(|| rustix::io::Errno::INVAL.raw_os_error());
    let words = words.as_bytes();
    let answer = [&number.to_le_bytes(), &words[..words.len().min(REASON_BYTES)]].concat();
    // Where the engine is gone, the answer is not needed.
    let _ = rustix::io::write(&status, &answer);
    ExitCode::from(FAILED)
}

/// Becomes the command; returns only on failure.
fn become_command(mut arguments: impl Iterator<Item = OsString>) -> Failure {
    match prepared(&mut arguments) {
        Ok(mut command) => Failure::System(command.args(arguments).exec()),
        Err(failure) => failure,
    }
}

/// Applies the requested restrictions to this process, and returns the command without its own arguments.
fn prepared(arguments: &mut impl Iterator<Item = OsString>) -> Result<Command, Failure> {
    let invalid = || Failure::System(io::ErrorKind::InvalidInput.into());
    let input = arguments.next().ok_or_else(invalid)?;
    // First of all: what is not received would be a broken connection for who reads the answer.
    let input = if input == Input::Sent.word() { receive_input()? } else { no_input()? };
    let abi = number(arguments).ok_or_else(invalid)?;
    let writable = list(arguments).ok_or_else(invalid)?;
    let groups = list(arguments).ok_or_else(invalid)?;
    let held = list(arguments).ok_or_else(invalid)?;
    let (Some(name), Some(program)) = (arguments.next(), arguments.next()) else { return Err(invalid()) };

    for group in &groups {
        // `0` stands for the writing process.
        enter(Path::new(group)).map_err(|error| {
            Failure::Confine(format!("it could not enter its control group {}: {error}", Path::new(group).display()))
        })?;
    }
    leave_terminal(&input)?;
    if abi > 0 {
        let writable: Vec<PathBuf> = writable.into_iter().map(PathBuf::from).collect();
        sandbox::confine(abi, &writable)
            .map_err(|error| Failure::Confine(format!("it could not be confined: {error}")))?;
    }
    let mut command = Command::new(program);
    command.arg0(name);
    for variable in &held {
        let bytes = variable.as_bytes();
        let at = bytes.iter().position(|byte| *byte == b'=').ok_or_else(invalid)?;
        command.env(OsStr::from_bytes(&bytes[..at]), OsStr::from_bytes(&bytes[at + 1..]));
    }
    Ok(command)
}

fn number(arguments: &mut impl Iterator<Item = OsString>) -> Option<u32> {
    arguments.next()?.to_str()?.parse().ok()
}

fn list(arguments: &mut impl Iterator<Item = OsString>) -> Option<Vec<OsString>> {
    let length = usize::try_from(number(arguments)?).ok()?;
    let list: Vec<OsString> = arguments.take(length).collect();
    (list.len() == length).then_some(list)
}

fn enter(group: &Path) -> io::Result<()> {
    let file = rustix::fs::open(group, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(file, b"0")?;
    Ok(())
}

/// Sends a command's standard input to its shim, before it is started.
pub(crate) fn send_input(shim: &UnixStream, input: BorrowedFd<'_>) -> io::Result<()> {
    let input = [input];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&input));
    rustix::net::sendmsg(shim, &[IoSlice::new(b".")], &mut control, SendFlags::empty())?;
    Ok(())
}

fn receive_input() -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    rustix::net::recvmsg(rustix::stdio::stdin(), &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::empty())?;
    let received = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    let received = received.ok_or(io::ErrorKind::UnexpectedEof)?;
    rustix::io::fcntl_setfd(&received, FdFlags::CLOEXEC)?;
    Ok(received)
}

fn no_input() -> io::Result<OwnedFd> {
    Ok(rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}

fn leave_terminal(input: &OwnedFd) -> io::Result<()> {
    rustix::stdio::dup2_stdin(input)?;
    rustix::process::setsid()?;
    Ok(())
}
