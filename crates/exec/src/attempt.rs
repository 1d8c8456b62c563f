//! One try of one command: a small machine of states around one wait for everything that may happen.
//!
//! | state | it is in it | it leaves it |
//! |---|---|---|
//! | running | while the command runs | its end → lingering; deadline, interruption → polite; flood, failure → final |
//! | lingering | the command has ended, and its output is open or processes are left | nothing left → over; after a short grace → polite, or final where nobody is left to ask |
//! | polite | everyone was asked to end | nothing left → over; after the grace → final |
//! | final | everyone is killed, again and again | nothing left → over; after a bound → over |
//!
//! Output is kept in every state. A service that exits with 0 and leaves somebody behind went to the background: it stays in
//! the first state while anyone of its tree lives.

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

/// Longest wait before whoever watches is called again.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// Time between looks at a tree whose end nothing announces.
const LOOK: Duration = Duration::from_millis(10);

/// Time between looks at the tree of a service that went to the background.
const BACKGROUND_LOOK: Duration = Duration::from_millis(200);

/// Time after which what cannot be killed is left alone.
const FINAL_BOUND: Duration = Duration::from_secs(5);

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// Output could not be kept.
    #[error("cannot store output: {0}")]
    Sink(#[from] SinkError),
    /// What happened could not be kept.
    #[error("cannot write the journal: {0}")]
    Observer(#[from] ObserverError),
    /// The system refused what no run can do without.
    #[error("cannot {what}: {source}")]
    System { what: &'static str, source: std::io::Error },
}

/// What whoever watches the run asks of the action that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    GoOn,
    Stop,
    /// To end at once.
    Kill,
}

/// Is called several times a second, and whenever there may be a request to stop.
pub(crate) type Tick<'tick> = &'tick mut dyn FnMut() -> Result<Demand, ObserverError>;

/// Whoever watches while something is waited for.
pub(crate) struct Watcher<'watcher> {
    /// Becomes readable when there may be a request to stop.
    pub(crate) wake: BorrowedFd<'watcher>,
    pub(crate) tick: Tick<'watcher>,
}

/// The bounds of one attempt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// When it must have ended.
    pub(crate) deadline: Instant,
    pub(crate) timeout_ms: u64,
    pub(crate) of_task: bool,
    pub(crate) grace: Duration,
}

/// One attempt of one action, as whoever does its work is told of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn<'turn> {
    pub(crate) action: &'turn Action,
    /// 1 for the first.
    pub(crate) attempt: u32,
    pub(crate) began: Instant,
    pub(crate) bounds: Bounds,
    /// What earlier actions captured.
    pub(crate) captured: &'turn BTreeMap<CaptureName, String>,
}

/// How long something counts as running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stay {
    /// Until the command itself ends; what lives on was left behind.
    Itself,
    /// While anyone of its tree lives, if the command itself exits with 0: it went to the background.
    Tree,
}

#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) ending: Ending,
    /// What outlived the command, and was ended.
    pub(crate) leaked: Vec<LeakedProcess>,
    /// What could not be ended.
    pub(crate) survivors: Vec<LeakedProcess>,
    /// Those among the leaked that others may have left behind as well, with the actions that may have.
    pub(crate) doubtful: Vec<(u32, Vec<String>)>,
    /// For how many milliseconds it had done nothing when its deadline came, where that was long.
    pub(crate) idle_ms: Option<u64>,
}

/// A command that runs, and whoever belongs to it.
pub(crate) struct Running {
    pub(crate) leader: Leader,
    pub(crate) tree: Tree,
    pub(crate) meter: Meter,
    pub(crate) listening: Listening,
}

/// Watches a started command until nothing of it is left.
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

/// Ends a command that nobody watches yet, and its tree.
pub(crate) fn abandon(running: &mut Running) {
    let Running { leader, tree, meter, .. } = running;
    meter.kill();
    let until = Instant::now() + FINAL_BOUND;
    while Instant::now() < until {
        tree.signal(leader, Signal::KILL);
        leader.reap();
        if leader.is_reaped() && tree.members().is_empty() {
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

/// Why a command was stopped.
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
    /// For how long it had done nothing when its deadline came.
    idle_ms: Option<u64>,
    pump: &'run mut Pump,
    bounds: &'run Bounds,
    stay: Stay,
    state: State,
    /// When to look again whether anyone lives of a service that went to the background.
    next_look: Option<Instant>,
    exit: Option<Exit>,
    stop: Option<Stop>,
    killed: bool,
    /// Whether the last wait brought no output.
    silent: bool,
    /// Whether nobody was left at the last look in the final state.
    deserted: bool,
    leaked: Vec<LeakedProcess>,
    survivors: Vec<LeakedProcess>,
    doubtful: Vec<(u32, Vec<String>)>,
    failure: Option<ExecError>,
}

impl Supervision<'_> {
    /// Goes on to the state that what is known leads to.
    fn advance(&mut self, demand: Demand) {
        if self.exit.is_none() {
            match self.leader.exit() {
                Ok(exit) => {
                    self.exit = exit;
                    if exit.is_some() {
                        // What the kernel has noted stands, also where the command itself came through.
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

    /// Ends it for having used more than it may.
    fn stop_for(&mut self, excess: Option<Excess>) {
        if let Some(excess) = excess {
            self.kill(Some(Stop::Excess(excess)));
        }
    }

    /// Whether it is a service that has exited, and lives on in its tree.
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

    /// Waits until something happens, or it is time to look again, and takes what output there is.
    fn wait(&mut self, wake: BorrowedFd<'_>) {
        let mut waiting = Vec::with_capacity(4);
        waiting.push(PollFd::from_borrowed_fd(wake, PollFlags::IN));
        if self.exit.is_none() {
            waiting.push(PollFd::from_borrowed_fd(self.leader.pidfd(), PollFlags::IN));
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

    /// The time to wait at most; less than a second.
    fn until_next_look(&self) -> Duration {
        let (until, look) = match self.state {
            State::Running => (self.bounds.deadline, TICK),
            // Open output announces its end, processes without it do not.
            State::Lingering { until } if !self.pump.is_closed() => (until, TICK),
            State::Lingering { until } | State::Polite { until } | State::Final { until } => (until, LOOK),
            State::Over => return Duration::ZERO,
        };
        // Rounded up, so that the last wait does not end just before its time.
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

    /// Lists what outlived the command, and asks it to end.
    fn end_leaked(&mut self) {
        self.leaked = self.left();
        self.claim_doubtful();
        if self.leaked.is_empty() {
            // Somebody who is not of the tree holds the output: there is nobody to end, only bytes to take.
            self.state = State::Final { until: Instant::now() + FINAL_BOUND };
            return;
        }
        self.tree.signal(self.leader, Signal::TERM);
        self.state = State::Polite { until: Instant::now() + Duration::from_millis(limit::LEAK_GRACE_MS) };
    }

    /// Describes what is left of the tree beside the command itself.
    fn left(&self) -> Vec<LeakedProcess> {
        let pipes = self.pump.inodes();
        self.tree.members().iter().map(|process| process.leaked(&pipes)).collect()
    }

    /// Notes what others may have left behind as well: nobody but this command is there any more to tell of it, also where
    /// it ends with all the rest.
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
            // The dead have closed their ends: somebody who is not of the tree holds the output.
            self.pump.close();
        }
        self.deserted = deserted;
    }

    /// Ends everything because the run itself cannot go on. The first failure is the one that is told.
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
            // The signal that asked us to stop may have reached the command as well.
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
    use crate::group;
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
            Ok(Log {
                file: "log".to_owned(),
                bytes: self.0.total_bytes(),
                sha256: Digest::from_bytes([0; 32]),
                streams: self.0,
                redactions: Vec::new(),
                redaction_count: 0,
            })
        }
    }

    #[test]
    fn a_flood_is_ended_at_the_limit_and_what_fits_is_kept() {
        const LIMIT_BYTES: u64 = 300_000;
        group::adopt_orphans().unwrap();
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
