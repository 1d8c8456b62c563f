//! Services: started, awaited until they are ready, and stopped when the run is over.
//!
//! | before the start | during the wait | result |
//! |---|---|---|
//! | another process listens at its port: not started | it ends | given up, with all of its output |
//! | | its time is over, or the run is interrupted | stopped, with all of its output |
//! | | all probes succeed, and the listener at its port is not part of its tree | stopped |
//! | | all probes succeed, and it listens at its port itself, if it has one | ready, and keeps running |
//!
//! Where the port may belong to any process (`external`), the listener is not checked.

mod live;
mod output;
mod probe;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use referee_model::limit;
use referee_model::plan::service::Port;
use referee_model::plan::{CaptureName, Command, Service};
use referee_model::record::service::{Readiness, ServiceStart};
use referee_model::record::{Ending, LeakedProcess, Log, Notice, ServiceFacts, StartFailure};

pub(crate) use self::live::Live;
use self::probe::Probes;
use crate::attempt::{self, Demand, ExecError, TICK, Turn, Watcher};
use crate::capture::{Pump, Sink};
use crate::command::{self, Commands, Prepared};
use crate::host::Clock;
use crate::notice;
use crate::port::{self, Listeners, PortOwner};
use crate::resolve::Refusal;

/// Interval between two rounds of probes.
const LOOK: Duration = Duration::from_millis(100);

/// Interval between two checks for an answer.
const ANSWER: Duration = Duration::from_millis(5);

/// Number of consecutive checks that must find another process at the port, because a process that was just started
/// may not be recognized yet.
const FOREIGN_LOOKS: u32 = 2;

/// Result of starting a service.
pub(crate) struct Begun {
    pub(crate) facts: ServiceFacts,
    pub(crate) notices: Vec<Notice>,
    /// Port that was found for the service, under its name.
    pub(crate) captured: Option<(CaptureName, String)>,
    /// The service, if it is ready and was started here.
    pub(crate) live: Option<Live>,
}

/// Shared means of starting a service.
pub(crate) struct Means<'run> {
    pub(crate) commands: &'run Commands<'run>,
    pub(crate) sink: &'run dyn Sink,
    pub(crate) clock: Clock,
}

/// Starts a service, if it is to be started, and waits until it is ready or given up.
pub(crate) fn begin(
    turn: &Turn<'_>,
    service: &Service,
    means: &Means<'_>,
    watcher: &mut Watcher<'_>,
) -> Result<Begun, ExecError> {
    let mut facts = ServiceFacts {
        started: None,
        port: None,
        probes: Vec::new(),
        port_check: None,
        readiness: Readiness::Interrupted,
        log: None,
        leaked: Vec::new(),
    };
    let (ground, probes) = match prepare(turn, service) {
        Ok(prepared) => prepared,
        Err(message) => {
            facts.readiness = Readiness::CouldNotStart { cause: StartFailure::System, message };
            return Ok(Begun { facts, notices: Vec::new(), captured: None, live: None });
        }
    };
    facts.port = ground.port;
    let captured = ground.captured.clone();
    let mut starting = Starting { turn, service, means, ground, probes, facts, notices: Vec::new(), foreign: 0 };
    let live = starting.run(watcher)?;
    let Starting { probes, mut facts, notices, .. } = starting;
    facts.probes = probes.observed();
    Ok(Begun { facts, notices, captured, live })
}

/// Values that are known before a service is started.
struct ServiceInputs {
    /// Port that the service is to listen on.
    port: Option<u16>,
    captured: Option<(CaptureName, String)>,
    /// Values for the placeholders in the service's own texts.
    known: BTreeMap<CaptureName, String>,
}

fn prepare(turn: &Turn<'_>, service: &Service) -> Result<(ServiceInputs, Probes), String> {
    let mut ground = ServiceInputs { port: None, captured: None, known: turn.captured.clone() };
    match &service.port {
        None => {}
        Some(Port::Fixed(number)) => ground.port = Some(*number),
        Some(Port::Auto(name)) => {
            let number = port::free().map_err(|error| format!("no free port could be found for it: {error}"))?;
            ground.known.insert(name.clone(), number.to_string());
            ground.port = Some(number);
            ground.captured = Some((name.clone(), number.to_string()));
        }
    }
    let probes = Probes::new(service, &ground.known)?;
    if service.command.is_none() && probes.is_empty() && ground.port.is_none() {
        return Err("nothing tells whether it is there: give it a URL or a port to be asked at".to_owned());
    }
    Ok((ground, probes))
}

/// A service that is starting.
struct Starting<'run> {
    turn: &'run Turn<'run>,
    service: &'run Service,
    means: &'run Means<'run>,
    ground: ServiceInputs,
    probes: Probes,
    facts: ServiceFacts,
    notices: Vec<Notice>,
    /// Number of consecutive checks that found another process at the port.
    foreign: u32,
}

/// Result of the wait for a service.
enum Waited {
    Ready {
        after_ms: u64,
    },
    ForeignPort,
    /// The service has ended.
    Over,
    DeadlineExceeded,
    Interrupted(Demand),
}

impl Starting<'_> {
    /// Returns the service, if it is ready and was started here. The result is recorded in the facts.
    fn run(&mut self, watcher: &mut Watcher<'_>) -> Result<Option<Live>, ExecError> {
        let Some(command) = &self.service.command else {
            let waited = self.wait(&mut None, watcher)?;
            self.facts.readiness = self.readiness(&waited);
            return Ok(None);
        };
        if let Some(number) = self.ground.port.filter(|_| self.asks_who_listens()) {
            let check = port::check(number, &|_| false);
            let is_taken = check.in_use;
            self.facts.port_check = Some(check.into());
            if is_taken {
                self.facts.readiness = Readiness::PortTaken;
                return Ok(None);
            }
        }
        let mut live = match self.start(command)? {
            Ok(live) => Some(live),
            Err(Refusal { cause, message }) => {
                self.facts.readiness = Readiness::CouldNotStart { cause, message };
                return Ok(None);
            }
        };
        let mut waited = self.wait(&mut live, watcher)?;
        let Some(mut live) = live else { return Ok(None) };
        if let Waited::Ready { .. } = waited {
            if !live.is_over() {
                self.facts.readiness = self.readiness(&waited);
                return Ok(Some(live));
            }
            if !self.goes_on_without(&live) {
                waited = Waited::Over;
            }
        }
        self.facts.readiness = self.readiness(&waited);
        self.give_up(live, &waited, watcher)?;
        Ok(None)
    }

    /// Whether the listener at the port is checked.
    fn asks_who_listens(&self) -> bool {
        self.service.command.is_some() && !self.service.external
    }

    /// Starts the service's command, or returns why it cannot be started.
    fn start(&mut self, command: &Command) -> Result<Result<Live, Refusal>, ExecError> {
        let action = self.turn.action;
        let port = self.ground.port.filter(|_| self.ground.captured.is_some());
        let prepared = self.means.commands.prepare(action, command, &self.ground.known, port);
        let started = self.means.commands.start(action, &prepared, None);
        let Prepared { directory, selected, argv, resolved, .. } = prepared;
        let mut executables = Vec::new();
        if let Ok(resolved) = resolved {
            executables = resolved.executables;
            self.notices.extend(resolved.notices);
        }
        self.facts.started = Some(ServiceStart {
            argv,
            directory: directory.to_string_lossy().into_owned(),
            executables,
            environment: command::shown(&selected),
            dropped_variables: selected.dropped,
            pid: started.as_ref().ok().map(|(running, _)| running.leader.pid().unsigned_abs()),
        });
        let (mut running, pipes) = match started {
            Ok(started) => started,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let capture = match self.means.sink.begin(action, self.turn.attempt) {
            Ok(capture) => capture,
            Err(error) => {
                attempt::abandon(&mut running);
                return Err(error.into());
            }
        };
        let pump = Pump::new(pipes.stdout, pipes.stderr, capture, None, self.means.commands.output_bytes());
        Live::watch(self.turn, self.means.clock, running, pump, self.probes.signs()).map(Ok)
    }

    /// Waits until the service is ready, or cannot become ready any more.
    fn wait(&mut self, live: &mut Option<Live>, watcher: &mut Watcher<'_>) -> Result<Waited, ExecError> {
        let began = Instant::now();
        let deadline = self.turn.bounds.deadline;
        let mut next_look = began;
        loop {
            match (watcher.tick)()? {
                Demand::GoOn => {}
                demand => return Ok(Waited::Interrupted(demand)),
            }
            if live.as_mut().is_some_and(|live| live.is_over() && !self.goes_on_without(live)) {
                return Ok(Waited::Over);
            }
            let now = Instant::now();
            if now >= deadline {
                // Whether the service is up, but answers wrongly, cannot be seen after it was stopped.
                self.facts.port_check = self.ground.port.map(|number| who_listens(number, live.as_ref()).into());
                return Ok(Waited::DeadlineExceeded);
            }
            if now >= next_look {
                next_look = now + LOOK;
                self.probes.ask(deadline).map_err(broken)?;
            }
            if self.probes.answer().map_err(broken)? == Some(true) {
                match self.look_who_listens(live.as_ref(), began) {
                    Look::Ready => return Ok(self.ready()),
                    Look::Foreign => return Ok(Waited::ForeignPort),
                    Look::NotYet => {}
                }
            }
            let longest = deadline.saturating_duration_since(Instant::now()).min(TICK).min(ANSWER);
            if live.as_mut().is_none_or(|live| live.wait(longest)) {
                std::thread::sleep(longest);
            }
        }
    }

    /// Whether the command has ended as intended, because another process runs the service.
    fn goes_on_without(&self, live: &Live) -> bool {
        self.service.external && live.ended_with() == Some(&Ending::Exited { code: 0 })
    }

    fn ready(&self) -> Waited {
        let after = self.turn.began.elapsed().as_millis();
        Waited::Ready { after_ms: u64::try_from(after).unwrap_or(u64::MAX) }
    }

    /// Determines, once all probes succeed, whether the service is ready.
    fn look_who_listens(&mut self, live: Option<&Live>, began: Instant) -> Look {
        let Some(number) = self.ground.port else {
            let has_settled = began.elapsed() >= Duration::from_millis(limit::SETTLE_MS);
            return if has_settled || !self.probes.is_empty() { Look::Ready } else { Look::NotYet };
        };
        let listeners = who_listens(number, live);
        let look = self.judge(&listeners, live);
        self.facts.port_check = Some(listeners.into());
        look
    }

    fn judge(&mut self, listeners: &Listeners, live: Option<&Live>) -> Look {
        if !self.asks_who_listens() {
            // Either the service has its own probes, or the port is the only one.
            return if listeners.in_use || !self.probes.is_empty() { Look::Ready } else { Look::NotYet };
        }
        match listeners.owner() {
            PortOwner::Nobody => {
                self.foreign = 0;
                Look::NotYet
            }
            PortOwner::Service => Look::Ready,
            // It is not the service where nothing of that is left.
            PortOwner::Unknown if live.is_none_or(|live| live.tree.usage(false).processes == 0) => Look::NotYet,
            // The port was free before the service was started.
            PortOwner::Unknown => {
                self.notices.push(notice::unknown_listener(listeners.port));
                Look::Ready
            }
            PortOwner::Other => {
                self.foreign += 1;
                if self.foreign < FOREIGN_LOOKS { Look::NotYet } else { Look::Foreign }
            }
        }
    }

    fn readiness(&self, waited: &Waited) -> Readiness {
        let bounds = &self.turn.bounds;
        match waited {
            Waited::Ready { after_ms } => Readiness::Ready { after_ms: *after_ms },
            Waited::ForeignPort => Readiness::ForeignPort,
            Waited::DeadlineExceeded => {
                Readiness::DeadlineExceeded { timeout_ms: bounds.timeout_ms, of_task: bounds.of_task }
            }
            // How the service ended is recorded when its output is complete.
            Waited::Over | Waited::Interrupted(_) => Readiness::Interrupted,
        }
    }

    /// Ends a service that did not become ready, or has nothing left to run, and collects its output.
    fn give_up(&mut self, mut live: Live, waited: &Waited, watcher: &mut Watcher<'_>) -> Result<(), ExecError> {
        live.raise(if let Waited::Interrupted(demand) = waited { *demand } else { Demand::Stop });
        while !live.wait(TICK) {
            if (watcher.tick)()? == Demand::Kill {
                live.raise(Demand::Kill);
            }
        }
        let Some(outcome) = live.into_outcome() else { return Ok(()) };
        let (ended, log): (_, Log) = outcome?;
        let (leaked, notices): (Vec<LeakedProcess>, _) = command::left_behind(&ended);
        if let Waited::Over = waited {
            self.facts.readiness = Readiness::Ended { ending: ended.ending };
        }
        self.facts.leaked = leaked;
        self.facts.log = Some(log);
        self.notices.extend(notices);
        Ok(())
    }
}

/// Result of checking the listener at the port.
enum Look {
    Ready,
    NotYet,
    Foreign,
}

/// Finds the listeners at a port, and whether they are processes of the service.
fn who_listens(number: u16, live: Option<&Live>) -> Listeners {
    port::check(number, &|pid| live.is_some_and(|live| live.tree.holds(pid)))
}

fn broken(message: String) -> ExecError {
    ExecError::System { what: "look for the signs of a service", source: std::io::Error::other(message) }
}
