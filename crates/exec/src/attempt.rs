//! One attempt of one command: a state machine around a single wait for every event.
//!
//! | state | meaning | transitions |
//! |---|---|---|
//! | running | the command runs | its end → lingering; timeout, interruption → polite; limit exceeded, failure → final |
//! | lingering | the command has ended, but its output is open or processes are left | nothing left → over; after a short grace period → polite, or final where no process is left to ask |
//! | polite | all processes were asked to end | nothing left → over; after the grace period → final |
//! | final | all processes are killed, repeatedly | nothing left → over; after a time limit → over |
//!
//! Output is captured in every state. A service that exits with 0 and leaves processes behind went to the
//! background: it stays in the first state while any process of its tree lives. What is left of a command that started
//! a container to stay is left to the container.

use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use referee_model::limit;
use referee_model::plan::{Action, CaptureName};
use referee_model::record::{Ending, LeakedProcess};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::Signal;

mod stop_request;

pub(crate) use self::stop_request::StopRequest;
use crate::capture::{Pump, Pumped, SinkError};
use crate::group::Tree;
use crate::meter::{Excess, Meter};
use crate::observer::ObserverError;
use crate::silence::Listening;
use crate::spawn::{Exit, Leader, retry};

/// Maximum time between two calls of the watcher.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// Interval of checks for the end of a tree that does not announce it.
const LOOK: Duration = Duration::from_millis(10);

/// Interval of checks for the tree of a service that went to the background.
const BACKGROUND_LOOK: Duration = Duration::from_millis(200);

/// Time after which processes that cannot be killed are left alone.
const FINAL_BOUND: Duration = Duration::from_secs(5);

/// Reasons why a run cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// Output could not be stored.
    #[error("cannot store output: {0}")]
    Sink(#[from] SinkError),
    /// An event could not be stored.
    #[error("cannot write the journal: {0}")]
    Observer(#[from] ObserverError),
    /// The system refused something that no run can do without.
    #[error("cannot {what}: {source}")]
    System { what: &'static str, source: std::io::Error },
}

/// Instruction of the watcher for the running action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    GoOn,
    Stop,
    /// Kill it.
    Kill,
}

/// Callback of the watcher, called several times a second, and whenever there may be a request to stop.
pub(crate) type Tick<'tick> = &'tick mut dyn FnMut() -> Result<Demand, ObserverError>;

/// Access to the observer of the run during a wait.
pub(crate) struct Watcher<'watcher> {
    /// Descriptor that becomes readable when there may be a request to stop.
    pub(crate) wake: BorrowedFd<'watcher>,
    pub(crate) tick: Tick<'watcher>,
}

/// Time limits of one attempt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Time by which the attempt must have ended.
    pub(crate) deadline: Instant,
    pub(crate) timeout_ms: u64,
    pub(crate) of_task: bool,
    pub(crate) grace: Duration,
}

/// One attempt of one action, as passed to the code that carries it out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn<'turn> {
    pub(crate) action: &'turn Action,
    /// Number of the attempt, from 1.
    pub(crate) attempt: u32,
    pub(crate) began: Instant,
    pub(crate) bounds: Bounds,
    /// Values that earlier actions captured.
    pub(crate) captured: &'turn BTreeMap<CaptureName, String>,
}

/// Condition for counting a command as running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stay {
    /// Until the command itself ends; processes that remain were left behind.
    Itself,
    /// While any process of its tree lives, if the command itself exits with 0 and thus went to the background.
    Tree,
    /// Until the command itself ends; if it exits with 0, processes that remain belong to the container that it left
    /// running.
    Container,
}

#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) ending: Ending,
    /// Processes that outlived the command and were ended.
    pub(crate) leaked: Vec<LeakedProcess>,
    /// Processes that could not be ended.
    pub(crate) survivors: Vec<LeakedProcess>,
    /// Ids of leaked processes that other actions may have left behind as well, with those actions.
    pub(crate) doubtful: Vec<(u32, Vec<String>)>,
    /// Milliseconds without activity before the timeout, if long enough to be reported.
    pub(crate) idle_ms: Option<u64>,
}

/// A running command with its tree of processes.
pub(crate) struct Running {
    pub(crate) leader: Leader,
    pub(crate) tree: Tree,
    pub(crate) meter: Meter,
    pub(crate) listening: Listening,
}

/// Watches a started command until none of its processes is left.
pub(crate) fn supervise(
    started: &mut Running,
    pump: &mut Pump,
    bounds: &Bounds,
    stay: Stay,
    watcher: &mut Watcher<'_>,
) -> Result<Ended, ExecError> {
    let Running { leader, tree, meter, listening } = started;
    let mut supervision = Supervision {
        leader,
        tree,
        meter,
        listening,
        idle_ms: None,
        pump,
        bounds,
        stay,
        state: State::Running,
        next_look: None,
        exit: None,
        stop: None,
        killed: false,
        silent: false,
        deserted: false,
        leaked: Vec::new(),
        survivors: Vec::new(),
        doubtful: Vec::new(),
        failure: None,
    };
    loop {
        let demand = (watcher.tick)().unwrap_or_else(|error| supervision.fail(error.into()));
        supervision.advance(demand);
        if supervision.state == State::Over {
            return supervision.ended(demand);
        }
        supervision.wait(watcher.wake);
    }
}

/// Kills a command that is not watched yet, with its tree.
pub(crate) fn abandon(running: &mut Running) {
    let Running { leader, tree, meter, .. } = running;
    meter.kill();
    let until = Instant::now() + FINAL_BOUND;
    while Instant::now() < until {
        tree.signal(leader, Signal::KILL);
        leader.reap();
        if leader.is_reaped() && tree.is_over() {
            return;
        }
        std::thread::sleep(LOOK);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Lingering { until: Instant },
    Polite { until: Instant },
    Final { until: Instant },
    Over,
}

/// Reason why a command was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Deadline,
    Interruption,
    Flood,
    Excess(Excess),
    Failure,
}

struct Supervision<'run> {
    leader: &'run mut Leader,
    tree: &'run Tree,
    meter: &'run mut Meter,
    listening: &'run mut Listening,
    /// Milliseconds without activity before the timeout, if long enough to be reported.
    idle_ms: Option<u64>,
    pump: &'run mut Pump,
    bounds: &'run Bounds,
    stay: Stay,
    state: State,
    /// Time of the next check for processes of a service that went to the background.
    next_look: Option<Instant>,
    exit: Option<Exit>,
    stop: Option<Stop>,
    killed: bool,
    /// Whether the last wait brought no output.
    silent: bool,
    /// Whether the last check in the final state found no process.
    deserted: bool,
    leaked: Vec<LeakedProcess>,
    survivors: Vec<LeakedProcess>,
    doubtful: Vec<(u32, Vec<String>)>,
    failure: Option<ExecError>,
}

impl Supervision<'_> {
    /// Moves to the next state.
    fn advance(&mut self, demand: Demand) {
        if self.exit.is_none() {
            match self.leader.exit() {
                Ok(exit) => {
                    self.exit = exit;
                    if exit.is_some() {
                        // Limits that the kernel noted as exceeded count even where the command itself succeeded.
                        self.stop_for(self.meter.by_kernel());
                    }
                }
                Err(source) => {
                    self.fail(ExecError::System { what: "tell how a command ended", source });
                }
            }
        }
        let now = Instant::now();
        if matches!(self.state, State::Running | State::Lingering { .. } | State::Polite { .. }) {
            let excess = self.meter.look(self.tree, now);
            self.stop_for(excess);
        }
        if self.state == State::Running && self.exit.is_none() {
            self.listening.look(self.tree, now);
        }
        let has_ended = self.state == State::Running && self.exit.is_some() && !self.is_in_background(now);
        match self.state {
            State::Running if has_ended => {
                self.state = State::Lingering { until: now + Duration::from_millis(limit::LEAK_GRACE_MS) };
                self.end_if_nothing_is_left();
            }
            State::Running => match demand {
                Demand::Kill => self.kill(Some(Stop::Interruption)),
                Demand::Stop => self.ask_to_end(Stop::Interruption),
                Demand::GoOn if now >= self.bounds.deadline => {
                    self.idle_ms = self.listening.idle_ms(now, self.bounds.timeout_ms);
                    self.ask_to_end(Stop::Deadline);
                }
                Demand::GoOn => {}
            },
            State::Lingering { until } if (self.stay, self.exit) == (Stay::Container, Some(Exit::Code(0))) => {
                if self.pump.is_closed() || now >= until || demand == Demand::Kill {
                    self.pump.close();
                    self.leader.reap();
                    self.tree.leave_to_container();
                    self.state = State::Over;
                }
            }
            State::Lingering { until } => {
                if !self.end_if_nothing_is_left() && (now >= until || demand == Demand::Kill) {
                    self.end_leaked();
                }
            }
            State::Polite { until } => {
                if !self.end_if_nothing_is_left() && (now >= until || demand == Demand::Kill) {
                    self.kill(None);
                }
            }
            State::Final { until } => {
                if now >= until {
                    let pipes = self.pump.inodes();
                    self.survivors = self.tree.give_up().iter().map(|process| process.leaked(&pipes)).collect();
                    self.state = State::Over;
                } else if !self.end_if_nothing_is_left() {
                    self.kill_again();
                }
            }
            State::Over => {}
        }
    }

    /// Kills the command where it has exceeded a limit.
    fn stop_for(&mut self, excess: Option<Excess>) {
        if let Some(excess) = excess {
            self.kill(Some(Stop::Excess(excess)));
        }
    }

    /// Whether the command is a service that has exited, and whose tree still lives.
    fn is_in_background(&mut self, now: Instant) -> bool {
        if (self.stay, self.exit) != (Stay::Tree, Some(Exit::Code(0))) {
            return false;
        }
        if self.next_look.is_none_or(|due| now >= due) {
            self.next_look = Some(now + BACKGROUND_LOOK);
            return !self.tree.members().is_empty();
        }
        true
    }

    /// Waits until something happens or the next check is due, and reads available output.
    fn wait(&mut self, wake: BorrowedFd<'_>) {
        let mut waiting = Vec::with_capacity(4);
        waiting.push(PollFd::from_borrowed_fd(wake, PollFlags::IN));
        if self.exit.is_none() {
            waiting.push(PollFd::from_borrowed_fd(self.leader.end(), PollFlags::IN));
        }
        let before = waiting.len();
        waiting.extend(self.pump.waiting());
        let timeout = self.until_next_look();
        let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(timeout.subsec_nanos()) };
        if let Err(error) = retry(|| rustix::event::poll(&mut waiting, Some(&timeout))) {
            self.fail(ExecError::System { what: "wait for a command", source: error.into() });
            return;
        }
        let ready: Vec<bool> = waiting[before..].iter().map(|waited| !waited.revents().is_empty()).collect();
        self.silent = !ready.contains(&true);
        if !self.silent {
            self.listening.printed(Instant::now());
        }
        match self.pump.pump(&ready) {
            Ok(Pumped::Kept) => {}
            Ok(Pumped::OverLimit) => self.kill(Some(Stop::Flood)),
            Err(error) => {
                self.fail(error.into());
            }
        }
    }

    /// Returns the maximum time to wait, which is less than a second.
    fn until_next_look(&self) -> Duration {
        let (until, look) = match self.state {
            State::Running => (self.bounds.deadline, TICK),
            // Open output signals its end; processes without output do not.
            State::Lingering { until } if !self.pump.is_closed() => (until, TICK),
            State::Lingering { until } | State::Polite { until } | State::Final { until } => (until, LOOK),
            State::Over => return Duration::ZERO,
        };
        // Rounded up, so that the last wait does not end just before the time is reached.
        (until.saturating_duration_since(Instant::now()) + Duration::from_micros(100)).min(look)
    }

    fn end_if_nothing_is_left(&mut self) -> bool {
        if self.exit.is_none() || !self.pump.is_closed() {
            return false;
        }
        self.leader.reap();
        let nothing_left = self.tree.is_over();
        if nothing_left {
            self.state = State::Over;
        }
        nothing_left
    }

    fn ask_to_end(&mut self, stop: Stop) {
        self.stop = Some(stop);
        self.claim_doubtful();
        self.tree.signal(self.leader, Signal::TERM);
        self.state = State::Polite { until: Instant::now() + self.bounds.grace };
    }

    /// Lists the processes that outlived the command, and asks them to end.
    fn end_leaked(&mut self) {
        self.leaked = self.left();
        self.claim_doubtful();
        if self.leaked.is_empty() {
            // A process outside of the tree holds the output open: there is nothing to end, only output to read.
            self.state = State::Final { until: Instant::now() + FINAL_BOUND };
            return;
        }
        self.tree.signal(self.leader, Signal::TERM);
        self.state = State::Polite { until: Instant::now() + Duration::from_millis(limit::LEAK_GRACE_MS) };
    }

    /// Describes the processes of the tree that are left beside the command itself.
    fn left(&self) -> Vec<LeakedProcess> {
        let pipes = self.pump.inodes();
        self.tree.members().iter().map(|process| process.leaked(&pipes)).collect()
    }

    /// Records processes that other commands may have left behind as well. When only this command is left, it
    /// reports them, even if they end with everything else.
    fn claim_doubtful(&mut self) {
        for (process, actions) in self.tree.doubtful() {
            let pid = process.pid();
            if self.doubtful.iter().any(|(known, _)| *known == pid) {
                continue;
            }
            if self.leaked.iter().all(|leaked| leaked.pid != pid) {
                self.leaked.push(process.leaked(&self.pump.inodes()));
            }
            self.doubtful.push((pid, actions));
        }
    }

    fn kill(&mut self, stop: Option<Stop>) {
        self.stop = self.stop.or(stop);
        self.killed = true;
        self.claim_doubtful();
        self.meter.kill();
        self.tree.signal(self.leader, Signal::KILL);
        if !matches!(self.state, State::Final { .. } | State::Over) {
            self.state = State::Final { until: Instant::now() + FINAL_BOUND };
        }
    }

    fn kill_again(&mut self) {
        self.meter.kill();
        self.tree.signal(self.leader, Signal::KILL);
        let deserted = self.exit.is_some() && self.tree.members().is_empty();
        if deserted && self.deserted && self.silent {
            // The ended processes have closed their ends, so a process outside of the tree holds the output open.
            self.pump.close();
        }
        self.deserted = deserted;
    }

    /// Ends everything because the run itself cannot continue. Only the first failure is reported.
    fn fail(&mut self, failure: ExecError) -> Demand {
        if self.failure.is_none() {
            self.failure = Some(failure);
            self.pump.close();
            self.kill(Some(Stop::Failure));
        }
        Demand::Kill
    }

    fn ended(self, demand: Demand) -> Result<Ended, ExecError> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let killed = self.killed;
        let ending = match (self.stop, self.exit) {
            (Some(Stop::Deadline), _) => {
                Ending::DeadlineExceeded { timeout_ms: self.bounds.timeout_ms, of_task: self.bounds.of_task, killed }
            }
            (Some(Stop::Interruption), _) => Ending::Interrupted { killed },
            (Some(Stop::Excess(excess)), _) => excess.ending(),
            (Some(Stop::Flood), _) => Ending::OutputLimitExceeded { limit_bytes: self.pump.limit() },
            // The signal that requested the stop may have reached the command as well.
            (_, Some(Exit::Signal(_))) if demand != Demand::GoOn => Ending::Interrupted { killed },
            (_, Some(Exit::Code(code))) => Ending::Exited { code },
            (_, Some(Exit::Signal(signal))) => Ending::Signaled { signal },
            (_, None) => unreachable!("a command that was not stopped is watched until it ends"),
        };
        let Self { leaked, survivors, doubtful, idle_ms, .. } = self;
        Ok(Ended { ending, leaked, survivors, doubtful, idle_ms })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use referee_model::id::Digest;
    use referee_model::plan::guard::Limits;
    use referee_model::record::{Log, Stream, StreamMap};

    use super::*;
    use crate::capture::Capture;
    use crate::process_registry::Marker;
    use crate::signal::Cancellation;
    use crate::spawn::{Launch, Started, start};

    struct Counting(StreamMap);

    impl Capture for Counting {
        fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), SinkError> {
            self.0.push(stream, bytes.len() as u64);
            Ok(())
        }

        fn finish(self: Box<Self>) -> Result<Log, SinkError> {
            Ok(Log::of("log", self.0.total_bytes(), Digest::from_bytes([0; 32]), self.0))
        }
    }

    #[test]
    fn a_flood_is_ended_at_the_limit_and_what_fits_is_kept() {
        const LIMIT_BYTES: u64 = 300_000;
        crate::process_table::adopt_orphans().unwrap();
        let program = referee_testkit::fake_tool();
        let marker = Marker { execution: "exec-flood".to_owned(), action: "STEP.1".to_owned() };
        let arguments = ["ignore-term", "flood=both:1000000000000", "sleep=60000"].map(str::to_owned);
        let launch = Launch {
            program: &program,
            name: "fake-tool",
            arguments: &arguments,
            directory: Path::new("/"),
            variables: &BTreeMap::new(),
            marker: &marker,
            input: None,
            shim: None,
        };
        let Started { leader, stdout, stderr } = start(&launch).unwrap();
        let tree = Tree::of(&leader);
        let mut running =
            Running { leader, tree, meter: Meter::new(Limits::default(), None), listening: Listening::new(None) };
        let capture = Box::new(Counting(StreamMap::default()));
        let mut pump = Pump::new(stdout.into(), stderr.into(), capture, None, LIMIT_BYTES);
        let minute = Duration::from_mins(1);
        let bounds = Bounds { deadline: Instant::now() + minute, timeout_ms: 60_000, of_task: false, grace: minute };
        let cancellation = Cancellation::new().unwrap();
        let mut watcher = Watcher { wake: cancellation.wake(), tick: &mut || Ok(Demand::GoOn) };
        let ended = supervise(&mut running, &mut pump, &bounds, Stay::Itself, &mut watcher).unwrap();
        assert_eq!(ended.ending, Ending::OutputLimitExceeded { limit_bytes: LIMIT_BYTES });
        assert!(ended.leaked.is_empty() && ended.survivors.is_empty() && running.leader.is_reaped());
        assert_eq!(pump.finish().unwrap().0.bytes, LIMIT_BYTES);
    }
}
