//! Runs this program again and observes the result (`referee selftest`).

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::memory_file;
use crate::process_registry::Helper;
use crate::process_table;

/// Maximum number of bytes that are kept of one output stream.
const OUTPUT_BYTES: u64 = 1024 * 1024;

/// Interval of checks whether the program has ended.
const LOOK: Duration = Duration::from_millis(5);

/// Options for running this program again.
#[derive(Debug, Clone)]
pub struct Own {
    pub program: PathBuf,
    /// Working directory of the program.
    pub directory: PathBuf,
    pub environment: Vec<(OsString, OsString)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Exit code. None: a signal ended the program.
    pub code: Option<i32>,
    /// Output of the program, standard output followed by standard error.
    pub output: String,
}

/// A running program. It is killed when this is dropped.
#[derive(Debug)]
pub struct Going {
    helper: Helper,
    output: [File; 2],
}

impl Own {
    /// Runs the program until it ends; after `bound` it is killed.
    ///
    /// # Errors
    /// Fails where the program cannot be started, or its output cannot be read.
    pub fn run(&self, arguments: &[&str], bound: Duration) -> io::Result<Ended> {
        self.start(arguments)?.end(bound)
    }

    /// Starts the program.
    ///
    /// # Errors
    /// Fails where the program cannot be started.
    pub fn start(&self, arguments: &[&str]) -> io::Result<Going> {
        // In memory, so that the output need not be read while the program runs.
        let sink = || memory_file::empty("output");
        let output = [sink()?, sink()?];
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(&self.directory)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(output[0].try_clone()?)
            .stderr(output[1].try_clone()?);
        Ok(Going { helper: Helper::spawn(&mut command)?, output })
    }
}

impl Going {
    /// Waits for the program to end; after `bound` it is killed.
    ///
    /// # Errors
    /// Fails where the exit status or the output cannot be determined.
    pub fn end(mut self, bound: Duration) -> io::Result<Ended> {
        let until = Instant::now() + bound;
        let status = loop {
            if let Some(status) = self.helper.child.try_wait()? {
                break status;
            }
            if Instant::now() >= until {
                self.helper.child.kill()?;
                break self.helper.child.wait()?;
            }
            std::thread::sleep(LOOK);
        };
        let mut bytes = Vec::new();
        for file in &mut self.output {
            file.rewind()?;
            file.take(OUTPUT_BYTES).read_to_end(&mut bytes)?;
        }
        Ok(Ended { code: status.code(), output: String::from_utf8_lossy(&bytes).into_owned() })
    }

    /// Kills the program, and no other process.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn kill(mut self) -> io::Result<()> {
        self.helper.child.kill()?;
        self.helper.child.wait().map(drop)
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        // Where the program has ended, there is nothing to do.
        let _ = self.helper.child.kill();
        let _ = self.helper.child.wait();
    }
}

/// Waits until a file holds a complete line, and returns it. None: it did not within `bound`.
pub fn line_of(file: &Path, bound: Duration) -> Option<String> {
    let until = Instant::now() + bound;
    while Instant::now() < until {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if let Some((line, _)) = text.split_once('\n') {
            return Some(line.to_owned());
        }
        std::thread::sleep(LOOK);
    }
    None
}

/// Whether a process is alive; a process that has ended and is not yet reaped is not.
pub fn is_alive(pid: u32) -> bool {
    i32::try_from(pid).ok().and_then(process_table::one).is_some_and(|process| !process.zombie)
}

pub fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
