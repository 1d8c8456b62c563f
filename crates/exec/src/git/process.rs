//! A single git command: started like any command, with a deadline and a limit on its output.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::Signal;

use crate::memory_file;
use crate::process_registry::Marker;
use crate::spawn::{self, Exit, Launch};

/// Maximum duration of one command.
const DEADLINE: Duration = Duration::from_mins(2);

/// Maximum number of bytes that are kept of its standard error.
const COMPLAINT_BYTES: usize = 64 * 1024;

/// A git command to run.
pub(super) struct Call<'call> {
    pub(super) program: &'call Path,
    pub(super) arguments: Vec<String>,
    pub(super) directory: &'call Path,
    pub(super) variables: BTreeMap<OsString, OsString>,
    pub(super) input: Option<&'call [u8]>,
    pub(super) output_bytes: usize,
}

#[derive(Debug)]
pub(super) struct Output {
    /// Exit code. None: the command was ended by a signal.
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Output {
    /// Returns whether the command wrote to standard error.
    pub(super) fn complained(&self) -> bool {
        !self.stderr.is_empty()
    }

    /// Returns the most relevant line of standard error.
    pub(super) fn complaint(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr);
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
        // The reason for a rejected push follows the destination and the server's messages.
        let of = |mark: &str| lines().find(|line| line.starts_with(mark));
        let telling = ["fatal: ", "! [", "error: "].iter().find_map(|mark| of(mark));
        let line = telling.or_else(|| lines().next()).unwrap_or("it failed without a word");
        line.strip_prefix("fatal: ").or_else(|| line.strip_prefix("error: ")).unwrap_or(line).to_owned()
    }
}

impl Call<'_> {
    /// Runs the command and waits until it has ended.
    pub(super) fn run(&self) -> Result<Output, String> {
        let input = self
            .input
            .map(|text| memory_file::holding("objects", text))
            .transpose()
            .map_err(|error| error.to_string())?;
        let marker = Marker { execution: String::new(), action: "git".to_owned() };
        let launch = Launch {
            program: self.program,
            name: "git",
            arguments: &self.arguments,
            directory: self.directory,
            variables: &self.variables,
            marker: &marker,
            input: input.as_ref().map(AsFd::as_fd),
            shim: None,
        };
        let mut started = spawn::start(&launch).map_err(|refusal| refusal.message)?;
        let began = Instant::now();
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let (mut out_open, mut err_open) = (true, true);
        while out_open || err_open {
            let left = DEADLINE.checked_sub(began.elapsed()).ok_or_else(|| self.stopped(&started.leader))?;
            let bound = Timespec { tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX), tv_nsec: 1 };
            let mut waiting =
                [PollFd::new(&started.stdout, PollFlags::IN), PollFd::new(&started.stderr, PollFlags::IN)];
            // A closed pipe is always ready, so it is not polled.
            let waiting = match (out_open, err_open) {
                (true, true) => &mut waiting[..],
                (true, false) => &mut waiting[..1],
                _ => &mut waiting[1..],
            };
            spawn::retry(|| rustix::event::poll(waiting, Some(&bound))).map_err(|error| error.to_string())?;
            let ready = |index: usize| waiting.get(index).is_some_and(|pipe| !pipe.revents().is_empty());
            let (out_ready, err_ready) = (out_open && ready(0), err_open && ready(usize::from(out_open)));
            if out_ready {
                out_open = take(&mut started.stdout, &mut stdout)?;
            }
            if err_ready {
                err_open = take(&mut started.stderr, &mut stderr)?;
            }
            if stdout.len() > self.output_bytes {
                started.leader.signal_group(Signal::KILL);
                return Err(format!("it printed more than {} bytes", self.output_bytes));
            }
            stderr.truncate(COMPLAINT_BYTES);
        }
        let code = self.exit(&mut started.leader, began)?;
        Ok(Output { code, stdout, stderr })
    }

    fn exit(&self, leader: &mut spawn::Leader, began: Instant) -> Result<Option<i32>, String> {
        loop {
            if let Some(exit) = leader.exit().map_err(|error| error.to_string())? {
                leader.reap();
                return Ok(match exit {
                    Exit::Code(code) => Some(code),
                    Exit::Signal(_) => None,
                });
            }
            let left = DEADLINE.checked_sub(began.elapsed()).ok_or_else(|| self.stopped(leader))?;
            let bound = Timespec { tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX), tv_nsec: 1 };
            let end = leader.end();
            spawn::retry(|| rustix::event::poll(&mut [PollFd::from_borrowed_fd(end, PollFlags::IN)], Some(&bound)))
                .map_err(|error| error.to_string())?;
        }
    }

    fn stopped(&self, leader: &spawn::Leader) -> String {
        leader.signal_group(Signal::KILL);
        format!("{} gave no answer within {} s", self.program.display(), DEADLINE.as_secs())
    }
}

/// Reads the available bytes of a pipe. Returns whether more may follow.
fn take(pipe: &mut impl Read, into: &mut Vec<u8>) -> Result<bool, String> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match pipe.read(&mut buffer) {
            Ok(read) => {
                into.extend_from_slice(buffer.get(..read).unwrap_or_default());
                return Ok(read > 0);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.to_string()),
        }
    }
}
