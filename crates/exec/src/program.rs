//! Runs a program as an agent host runs a hook: with a document on standard input, recording its output.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeReader, Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use crate::memory_file;
use crate::process_registry::Helper;
use crate::signal::Cancellation;

/// Maximum output of a hook, in bytes.
pub const HOOK_OUTPUT_BYTES: u64 = 1024 * 1024;

/// Interval of checks whether the program has ended.
const LOOK: Duration = Duration::from_millis(5);

/// Time that a program that is followed has to end by itself when it is asked to.
const GRACE: Duration = Duration::from_secs(10);

#[derive(Debug, Clone)]
pub struct Call {
    /// Program to run; a name is searched for on the search path of its own environment.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Working directory of the program.
    pub directory: PathBuf,
    pub environment: Vec<(OsString, OsString)>,
    /// Standard input of the program.
    pub input: Vec<u8>,
    pub bound: Duration,
    /// Maximum output of each stream, in bytes; a program that prints more is stopped.
    pub output_bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// Exit code. None: a signal ended the program.
    pub exit: Option<i32>,
    /// Whether the program was stopped at its timeout, or because it printed too much.
    pub was_stopped: bool,
    /// Standard output of the program.
    pub stdout: Vec<u8>,
    /// Standard error of the program.
    pub stderr: Vec<u8>,
}

impl Called {
    /// Returns the first line of standard error, or how the program ended if it said nothing.
    pub fn complaint(&self) -> String {
        let said = String::from_utf8_lossy(&self.stderr);
        let silent = if self.exit.is_some() { "it ended without a word" } else { "it was ended by a signal" };
        said.lines().next().unwrap_or(silent).to_owned()
    }
}

impl Call {
    /// Runs the program until it ends, in a process group of its own; at its timeout the whole group is killed.
    ///
    /// # Errors
    /// Fails where the program cannot be started, and where its output cannot be read.
    pub fn run(&self) -> io::Result<Called> {
        let mut output = [memory_file::empty("hook")?, memory_file::empty("hook")?];
        let mut command = self.command()?;
        command.process_group(0).stdout(output[0].try_clone()?).stderr(output[1].try_clone()?);
        let (exit, was_stopped) = self.end(Helper::spawn(&mut command)?, &output)?;
        let mut read = output.iter_mut().map(|file| {
            let mut bytes = Vec::new();
            file.rewind()?;
            file.take(self.output_bytes).read_to_end(&mut bytes)?;
            Ok::<_, io::Error>(bytes)
        });
        let mut next = || read.next().transpose().map(Option::unwrap_or_default);
        Ok(Called { exit, was_stopped, stdout: next()?, stderr: next()? })
    }

    /// Runs the program until it ends, as [`Call::run`] does, and hands over each line of its standard output while it runs,
    /// without the line break. The first request to stop, and the timeout, ask it to end; a second request, and 10 seconds after
    /// the first, kill its process group. `output_bytes` bounds a line, and the standard error.
    ///
    /// # Errors
    /// Fails where the program cannot be started, and where its output cannot be read.
    pub fn follow(&self, cancellation: &Cancellation, each: &mut dyn FnMut(&[u8])) -> io::Result<Called> {
        let mut errors = memory_file::empty("errors")?;
        let (exit, was_stopped) = self.attended(Some(&errors), Signal::TERM, cancellation, each)?;
        let mut stderr = Vec::new();
        errors.rewind()?;
        errors.take(self.output_bytes).read_to_end(&mut stderr)?;
        Ok(Called { exit, was_stopped, stdout: Vec::new(), stderr })
    }

    /// Runs the program as [`Call::follow`] does, but also hands over what it prints to standard error, and kills its process
    /// group at the first request. Returns its exit code. `None`: a signal ended it.
    ///
    /// # Errors
    /// As [`Call::follow`].
    pub fn follow_all(&self, cancellation: &Cancellation, each: &mut dyn FnMut(&[u8])) -> io::Result<Option<i32>> {
        Ok(self.attended(None, Signal::KILL, cancellation, each)?.0)
    }

    /// Starts the program, and reads lines until it has ended. `errors` gets its standard error; `None`: that is read as well.
    /// `first` is the signal of the first request.
    fn attended(
        &self,
        errors: Option<&File>,
        first: Signal,
        cancellation: &Cancellation,
        each: &mut dyn FnMut(&[u8]),
    ) -> io::Result<(Option<i32>, bool)> {
        let (reader, writer) = io::pipe()?;
        rustix::fs::fcntl_setfl(&reader, OFlags::NONBLOCK)?;
        let mut command = self.command()?;
        match errors {
            Some(errors) => command.stderr(errors.try_clone()?),
            None => command.stderr(writer.try_clone()?),
        };
        command.process_group(0).stdout(writer);
        let mut helper = Helper::spawn(&mut command)?;
        // The program alone keeps the pipe open.
        drop(command);
        let mut lines = Lines { reader, rest: Vec::new(), limit_bytes: self.output_bytes };
        let followed = self.attend(&mut helper, &mut lines, (first, cancellation), each);
        if followed.is_err() {
            end(&mut helper)?;
        }
        followed
    }

    /// Reads lines until the program has ended. Returns its exit code, and whether its timeout ended it.
    fn attend(
        &self,
        helper: &mut Helper,
        lines: &mut Lines,
        (first, cancellation): (Signal, &Cancellation),
        each: &mut dyn FnMut(&[u8]),
    ) -> io::Result<(Option<i32>, bool)> {
        let until = Instant::now().checked_add(self.bound);
        let mut asked: Option<Instant> = None;
        let mut was_stopped = false;
        loop {
            // What it wrote before it ended is read after its end is known.
            let ended = helper.child.try_wait()?;
            lines.read(each)?;
            if let Some(status) = ended {
                return Ok((status.code(), was_stopped));
            }
            let is_over = until.is_some_and(|until| Instant::now() >= until);
            let requests = cancellation.level();
            match asked {
                None if is_over || requests > 0 => {
                    was_stopped = is_over;
                    asked = Some(Instant::now());
                    signal(helper, first);
                }
                Some(since) if requests > 1 || since.elapsed() >= GRACE => signal(helper, Signal::KILL),
                _ => {}
            }
            lines.wait(cancellation)?;
        }
    }

    /// Puts the program in the place of this process: it keeps the process id, and with it every signal that somebody sends, and
    /// gets the input on its standard input. Its time and its output are not limited.
    ///
    /// Returns only if the program cannot be started.
    pub fn replace(&self) -> io::Error {
        match self.command() {
            Ok(mut command) => command.exec(),
            Err(error) => error,
        }
    }

    /// Returns the program with its input, and with the streams and the process group of this process.
    fn command(&self) -> io::Result<Command> {
        let mut command = Command::new(&self.program);
        let environment = self.environment.iter().map(|(name, value)| (name, value));
        command.args(&self.arguments).current_dir(&self.directory).env_clear().envs(environment);
        command.stdin(Stdio::from(memory_file::holding("input", &self.input)?));
        Ok(command)
    }

    fn end(&self, mut helper: Helper, output: &[File; 2]) -> io::Result<(Option<i32>, bool)> {
        let until = Instant::now() + self.bound;
        let child = &mut helper.child;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok((status.code(), false));
            }
            let is_too_much =
                output.iter().any(|file| file.metadata().is_ok_and(|facts| facts.len() > self.output_bytes));
            if is_too_much || Instant::now() >= until {
                self::end(&mut helper)?;
                return Ok((None, true));
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// The lines of a program's output.
struct Lines {
    reader: PipeReader,
    /// What was read of a line that has not ended.
    rest: Vec<u8>,
    limit_bytes: u64,
}

impl Lines {
    /// Hands over the lines that are there, and the last one without a line break once nobody writes any more.
    fn read(&mut self, each: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let mut piece = vec![0; 64 * 1024];
        loop {
            match self.reader.read(&mut piece) {
                Ok(0) if self.rest.is_empty() => return Ok(()),
                Ok(0) => {
                    each(&std::mem::take(&mut self.rest));
                    return Ok(());
                }
                Ok(length) => self.take(piece.get(..length).unwrap_or_default(), each)?,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn take(&mut self, piece: &[u8], each: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.rest.extend_from_slice(part);
            if self.rest.len() as u64 > self.limit_bytes {
                return Err(io::Error::other(format!("it printed a line of more than {} bytes", self.limit_bytes)));
            }
            if self.rest.pop_if(|last| *last == b'\n').is_some() {
                each(&std::mem::take(&mut self.rest));
            }
        }
        Ok(())
    }

    /// Waits until there is output or a request to stop, for a moment at most.
    fn wait(&self, cancellation: &Cancellation) -> io::Result<()> {
        let mut waiting =
            [PollFd::new(&self.reader, PollFlags::IN), PollFd::from_borrowed_fd(cancellation.wake(), PollFlags::IN)];
        let moment = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        match rustix::event::poll(&mut waiting, Some(&moment)) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        // A program that closed its output may run on.
        if waiting[0].revents().contains(PollFlags::HUP) {
            std::thread::sleep(LOOK);
        }
        Ok(())
    }
}

/// Sends a signal to a program's group. The leader has not been waited for, so the id still belongs to its group.
fn signal(helper: &Helper, signal: Signal) {
    if let Some(group) = i32::try_from(helper.child.id()).ok().and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

/// Kills a program with its group.
fn end(helper: &mut Helper) -> io::Result<()> {
    signal(helper, Signal::KILL);
    helper.child.kill()?;
    helper.child.wait().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(line: &str, bound: Duration) -> Call {
        Call {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), line.into()],
            directory: "/".into(),
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            input: b"asked\n".to_vec(),
            bound,
            output_bytes: HOOK_OUTPUT_BYTES,
        }
    }

    fn shell(line: &str, bound: Duration) -> Called {
        call(line, bound).run().unwrap()
    }

    #[test]
    fn what_it_reads_prints_and_exits_with_is_told() {
        let called = shell("cat; echo aside >&2; exit 3", Duration::from_mins(1));
        let expected =
            Called { exit: Some(3), was_stopped: false, stdout: b"asked\n".to_vec(), stderr: b"aside\n".to_vec() };
        assert_eq!(called, expected);
        assert_eq!(shell("kill -9 $$", Duration::from_mins(1)).exit, None);
    }

    fn follow(line: &str, bound: Duration, cancellation: &Cancellation) -> (Called, Vec<String>) {
        let mut lines = Vec::new();
        let mut each = |line: &[u8]| {
            lines.push(String::from_utf8_lossy(line).into_owned());
            if line == b"stop me" {
                cancellation.request(15);
            }
        };
        let called = call(line, bound).follow(cancellation, &mut each).unwrap();
        (called, lines)
    }

    #[test]
    fn the_lines_of_one_that_is_followed_are_handed_over_with_the_last_one_that_has_no_end() {
        let never = Cancellation::new().unwrap();
        let (called, lines) = follow("cat; echo; echo aside >&2; printf end; exit 3", Duration::from_mins(1), &never);
        assert_eq!(lines, ["asked", "", "end"]);
        assert_eq!((called.exit, called.was_stopped, called.stderr), (Some(3), false, b"aside\n".to_vec()));
    }

    #[test]
    fn one_of_which_all_is_followed_is_killed_when_it_is_asked_to_end() {
        let cancellation = Cancellation::new().unwrap();
        let mut lines = Vec::new();
        let mut each = |line: &[u8]| {
            lines.push(String::from_utf8_lossy(line).into_owned());
            if line == b"stop me" {
                cancellation.request(15);
            }
        };
        assert_eq!(
            call("echo out; echo aside >&2; exit 3", Duration::MAX).follow_all(&cancellation, &mut each).unwrap(),
            Some(3)
        );
        let trap = "trap 'echo over; exit 4' TERM; echo stop me; while :; do sleep 0.1; done";
        assert_eq!(call(trap, Duration::MAX).follow_all(&cancellation, &mut each).unwrap(), None);
        assert_eq!(lines, ["out", "aside", "stop me"]);
    }

    #[test]
    fn one_that_is_followed_ends_when_it_is_asked_to_by_a_request_or_its_timeout() {
        let cancellation = Cancellation::new().unwrap();
        let trap = "trap 'echo over; exit 4' TERM; echo stop me; while :; do sleep 0.1; done";
        let (called, lines) = follow(trap, Duration::from_mins(1), &cancellation);
        assert_eq!((called.exit, called.was_stopped), (Some(4), false));
        assert_eq!(lines, ["stop me", "over"]);
        let never = Cancellation::new().unwrap();
        let (called, _) = follow("sleep 600", Duration::from_millis(100), &never);
        assert_eq!((called.exit, called.was_stopped), (None, true));
    }

    #[test]
    fn one_that_does_not_end_or_prints_without_end_is_stopped_with_all_that_it_started() {
        let called = shell("echo begun; sleep 600 & wait", Duration::from_millis(300));
        assert!(called.was_stopped && called.exit.is_none());
        assert!(
            shell("while :; do echo 0123456789012345678901234567890123456789; done", Duration::from_mins(1))
                .was_stopped
        );
    }
}
