//! Runs a program as an agent host runs a hook: with a document on standard input, recording its output.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::memory_file;
use crate::process_registry::Helper;

/// Maximum output of a hook, in bytes.
pub const HOOK_OUTPUT_BYTES: u64 = 1024 * 1024;

/// Interval of checks whether the program has ended.
const LOOK: Duration = Duration::from_millis(5);

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

impl Call {
    /// Runs the program until it ends, in a process group of its own; at its timeout the whole group is killed.
    ///
    /// # Errors
    /// Fails where the program cannot be started, and where its output cannot be read.
    pub fn run(&self) -> io::Result<Called> {
        let mut input = memory_file::empty("hook")?;
        input.write_all(&self.input)?;
        input.rewind()?;
        let mut output = [memory_file::empty("hook")?, memory_file::empty("hook")?];
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(&self.directory)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .process_group(0)
            .stdin(Stdio::from(input))
            .stdout(output[0].try_clone()?)
            .stderr(output[1].try_clone()?);
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
                // The leader has not been waited for, so the id still belongs to its group.
                if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                    let _ = rustix::process::kill_process_group(group, Signal::KILL);
                }
                child.kill()?;
                child.wait()?;
                return Ok((None, true));
            }
            std::thread::sleep(LOOK);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(line: &str, bound: Duration) -> Called {
        let call = Call {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), line.into()],
            directory: "/".into(),
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            input: b"asked".to_vec(),
            bound,
            output_bytes: HOOK_OUTPUT_BYTES,
        };
        call.run().unwrap()
    }

    #[test]
    fn what_it_reads_prints_and_exits_with_is_told() {
        let called = shell("cat; echo aside >&2; exit 3", Duration::from_mins(1));
        let expected =
            Called { exit: Some(3), was_stopped: false, stdout: b"asked".to_vec(), stderr: b"aside\n".to_vec() };
        assert_eq!(called, expected);
        assert_eq!(shell("kill -9 $$", Duration::from_mins(1)).exit, None);
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
