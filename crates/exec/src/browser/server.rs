//! The process of an MCP server: started like any command, watched by a thread of its own until none of its processes
//! is left, and written to through a pipe.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use referee_model::record::Ending;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::inbox::{Delivery, Inbox};
use crate::attempt::{self, Bounds, Demand, ExecError, Stay, StopRequest, Turn, Watcher};
use crate::capture::Pump;
use crate::command::{Commands, Prepared};
use crate::resolve::Refusal;
use crate::silence::Listening;
use crate::spawn;

/// A server has no deadline of its own; this is longer than any run.
const FOREVER: Duration = Duration::from_hours(24 * 365);

/// Time in which a server ends by itself once its standard input is closed.
const POLITE: Duration = Duration::from_secs(2);

/// Time in which a killed server ends, whatever it does: longer than the wait for processes that cannot be killed.
const KILLED: Duration = Duration::from_secs(15);

/// A server that is running, or has ended. It is ended, with all of its processes, when this is dropped.
pub(super) struct Server {
    /// Write end of its standard input. None: it is closed.
    input: Option<OwnedFd>,
    pub(super) inbox: Arc<Inbox>,
    order: Arc<StopRequest>,
    thread: Option<JoinHandle<()>>,
    grace: Duration,
}

/// Result of writing a part of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Number of bytes that were taken.
    Bytes(usize),
    /// The server takes nothing at the moment.
    Nothing,
    /// The server reads no more.
    Closed,
}

impl Server {
    /// Starts a server, or returns why it cannot be started.
    pub(super) fn start(
        turn: &Turn<'_>,
        commands: &Commands<'_>,
        prepared: &Prepared,
    ) -> Result<Result<Self, Refusal>, ExecError> {
        let system = |source| ExecError::System { what: "watch over a browser", source };
        let (read, write) = std::io::pipe().map_err(system)?;
        rustix::fs::fcntl_setfl(&write, OFlags::NONBLOCK).map_err(|error| system(error.into()))?;
        let (mut running, pipes) = match commands.start(turn.action, prepared, Some(read.as_fd())) {
            Ok(started) => started,
            Err(refusal) => return Ok(Err(refusal)),
        };
        drop(read);
        // A browser that is not used is silent.
        running.listening = Listening::new(None);
        let inbox = Arc::new(Inbox::default());
        let order = Arc::new(StopRequest::new().map_err(system)?);
        let delivery = Box::new(Delivery(Arc::clone(&inbox)));
        let mut pump = Pump::new(pipes.stdout, pipes.stderr, delivery, None, commands.output_bytes());
        let bounds = Bounds { deadline: Instant::now() + FOREVER, ..turn.bounds };
        let (heard, tell) = (Arc::clone(&order), Arc::clone(&inbox));
        // If no thread can be created, the started server is dropped, which ends it.
        let thread = std::thread::Builder::new().name("browser".to_owned()).spawn(move || {
            let mut tick = || Ok(heard.demand());
            let mut watcher = Watcher { wake: heard.wake(), tick: &mut tick };
            let ended = attempt::supervise(&mut running, &mut pump, &bounds, Stay::Itself, &mut watcher);
            tell.end(&match ended {
                Ok(ended) => how(&ended.ending),
                Err(error) => error.to_string(),
            });
        });
        let thread = Some(thread.map_err(system)?);
        Ok(Ok(Self { input: Some(write.into()), inbox, order, thread, grace: turn.bounds.grace }))
    }

    /// Writes as much as the server takes within `longest`.
    pub(super) fn write(&self, bytes: &[u8], longest: Duration) -> Written {
        let Some(input) = &self.input else { return Written::Closed };
        let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(longest.subsec_nanos()) };
        let mut waiting = [PollFd::new(input, PollFlags::OUT)];
        match spawn::retry(|| rustix::event::poll(&mut waiting, Some(&timeout))) {
            Ok(0) => return Written::Nothing,
            Ok(_) => {}
            Err(_) => return Written::Closed,
        }
        match spawn::retry(|| rustix::io::write(input, bytes)) {
            Ok(taken) => Written::Bytes(taken),
            Err(Errno::AGAIN) => Written::Nothing,
            Err(_) => Written::Closed,
        }
    }

    /// Ends the server with all of its processes: first by the end of its standard input.
    pub(super) fn end(&mut self) {
        self.input = None;
        if !self.inbox.wait_for_end(POLITE) {
            self.order.raise(Demand::Stop);
            self.inbox.wait_for_end(self.grace + POLITE);
        }
        self.kill();
    }

    /// Kills the server with all of its processes.
    pub(super) fn kill(&mut self) {
        self.input = None;
        let Some(thread) = self.thread.take() else { return };
        self.order.raise(Demand::Kill);
        if self.inbox.wait_for_end(KILLED) || thread.is_finished() {
            // The thread is about to end; if it has panicked, the server was ended when it was dropped.
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    /// A server does not outlive its run, whatever happened to the run.
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns how a server ended, as the end of a sentence that begins with its name.
fn how(ending: &Ending) -> String {
    match ending {
        Ending::Exited { code } => format!("it exited with {code}"),
        Ending::Signaled { signal } => format!("it was ended by signal {signal}"),
        Ending::OutputLimitExceeded { limit_bytes } => format!("it printed more than {limit_bytes} bytes"),
        _ => "it was ended".to_owned(),
    }
}
