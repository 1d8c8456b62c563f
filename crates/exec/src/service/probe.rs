//! Probes whether a service is ready.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};

use referee_model::plan::service::{Port, Probe};
use referee_model::plan::{CaptureName, Service};
use referee_model::record::service::ProbeObservation;

use super::output::Signs;
use crate::http;

/// Maximum time that one probe may take in one round.
const PATIENCE: Duration = Duration::from_secs(5);

/// Maximum time that a port of this machine may take to accept a connection.
const LOCAL_PATIENCE: Duration = Duration::from_secs(1);

/// Statuses of a server that is up, even if it refuses this request (seed 1, dev server health check).
const THERE: std::ops::RangeInclusive<u16> = 200..=403;

/// Result of one probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sight {
    held: bool,
    last: String,
}

/// A probe that makes a request or a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Question {
    Url { url: String, verify_tls: bool },
    Port(u16),
    Address { host: String, port: u16 },
}

/// A probe and its observations so far.
struct Watched {
    sign: Sign,
    observation: ProbeObservation,
}

enum Sign {
    /// The probe with this index in the asker's questions.
    Question(usize),
    Line(usize),
}

/// The readiness probes of a service.
pub(crate) struct Probes {
    watched: Vec<Watched>,
    signs: Arc<Signs>,
    /// The thread that asks the questions. None: there are no questions.
    asker: Option<Asker>,
    began: Instant,
    is_asking: bool,
}

/// A thread that asks the questions: an answer may take long, and must not block the waiting thread.
struct Asker {
    /// Sends the time until which answers are useful, for each round.
    looks: Sender<Instant>,
    sights: Receiver<Vec<Sight>>,
}

impl Probes {
    /// Prepares the probes of a service.
    ///
    /// # Errors
    /// Fails if a probe cannot be prepared, with the reason.
    pub(crate) fn new(service: &Service, captured: &BTreeMap<CaptureName, String>) -> Result<Self, String> {
        let mut questions = Vec::new();
        let mut patterns = Vec::new();
        let mut watched = Vec::new();
        for probe in &service.ready {
            let (text, question) = match probe {
                Probe::Url { url, verify_tls } => {
                    let filled = url.fill(captured, str::to_owned);
                    let url = filled.map_err(|missing| format!("`{url}` needs `{missing}`, which was not captured"))?;
                    (url.clone(), Some(Question::Url { url, verify_tls: *verify_tls }))
                }
                Probe::Port(port) => {
                    let port = number(port, captured)?;
                    (format!("port {port}"), Some(Question::Port(port)))
                }
                Probe::Address { host, port } => {
                    (format!("{host}:{port}"), Some(Question::Address { host: host.clone(), port: *port }))
                }
                Probe::Output(pattern) => {
                    patterns.push(pattern.as_str());
                    (format!("output /{pattern}/"), None)
                }
            };
            let sign =
                if question.is_some() { Sign::Question(questions.len()) } else { Sign::Line(patterns.len() - 1) };
            questions.extend(question);
            let observation =
                ProbeObservation { probe: text, held: false, attempts: 0, last: String::new(), duration_ms: 0 };
            watched.push(Watched { sign, observation });
        }
        let signs = Arc::new(Signs::new(patterns.into_iter())?);
        let asker = (!questions.is_empty()).then(|| Asker::new(questions)).transpose();
        let asker = asker.map_err(|error| format!("no thread could be started to look for it: {error}"))?;
        Ok(Self { watched, signs, asker, began: Instant::now(), is_asking: false })
    }

    /// Returns the receiver of the output. None: no probe looks for lines.
    pub(crate) fn signs(&self) -> Option<Arc<Signs>> {
        let lines = self.watched.iter().any(|watched| matches!(watched.sign, Sign::Line(_)));
        lines.then(|| Arc::clone(&self.signs))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.watched.is_empty()
    }

    /// Begins a round whose answers are useful until the given time, unless one is in progress.
    pub(crate) fn ask(&mut self, until: Instant) -> Result<(), String> {
        if self.is_asking {
            return Ok(());
        }
        self.is_asking = true;
        match &self.asker {
            Some(asker) => asker.looks.send(until).map_err(|_| NOBODY_ASKS.to_owned()),
            None => Ok(()),
        }
    }

    /// Returns whether all probes succeeded in the finished round. None: no round has finished.
    pub(crate) fn answer(&mut self) -> Result<Option<bool>, String> {
        if !self.is_asking {
            return Ok(None);
        }
        let sights = match &self.asker {
            None => Vec::new(),
            Some(asker) => match asker.sights.try_recv() {
                Ok(sights) => sights,
                Err(TryRecvError::Empty) => return Ok(None),
                Err(TryRecvError::Disconnected) => return Err(NOBODY_ASKS.to_owned()),
            },
        };
        self.is_asking = false;
        let duration_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        for watched in &mut self.watched {
            let sight = match watched.sign {
                Sign::Question(at) => sights[at].clone(),
                Sign::Line(at) if self.signs.was_seen(at) => Sight { held: true, last: "seen".to_owned() },
                Sign::Line(_) => Sight { held: false, last: "not seen yet".to_owned() },
            };
            let observation = &mut watched.observation;
            (observation.held, observation.last) = (sight.held, sight.last);
            observation.attempts += 1;
            observation.duration_ms = duration_ms;
        }
        Ok(Some(self.watched.iter().all(|watched| watched.observation.held)))
    }

    /// Returns the observations, and stops probing.
    pub(crate) fn observed(self) -> Vec<ProbeObservation> {
        self.signs.forget();
        self.watched.into_iter().map(|watched| watched.observation).collect()
    }
}

const NOBODY_ASKS: &str = "what looks for the signs of a service has broken down";

impl Asker {
    /// Starts the thread, which ends when the sender of rounds is dropped.
    fn new(questions: Vec<Question>) -> io::Result<Self> {
        let (looks, asked) = channel::<Instant>();
        let (answers, sights) = channel();
        std::thread::Builder::new().name("probes".to_owned()).spawn(move || {
            for until in asked {
                let seen: Vec<Sight> = questions.iter().map(|question| question.ask(until)).collect();
                if answers.send(seen).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { looks, sights })
    }
}

impl Question {
    fn ask(&self, until: Instant) -> Sight {
        let rest = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        match self {
            Self::Url { url, verify_tls } => match http::probe(url, *verify_tls, rest.min(PATIENCE)) {
                Ok(status) => Sight { held: THERE.contains(&status), last: status.to_string() },
                Err(why) => Sight { held: false, last: why },
            },
            Self::Port(port) => accepts(&local(*port), rest.min(LOCAL_PATIENCE)),
            // Some systems resolve this name to only one of its two addresses (RFC 6761).
            Self::Address { host, port } if host == "localhost" => accepts(&local(*port), rest.min(LOCAL_PATIENCE)),
            Self::Address { host, port } => match (host.as_str(), *port).to_socket_addrs() {
                Ok(addresses) => accepts(&addresses.collect::<Vec<_>>(), rest.min(PATIENCE)),
                Err(error) => Sight { held: false, last: format!("UNKNOWN_HOST: {error}") },
            },
        }
    }
}

/// Returns whether a connection is accepted at one of the addresses.
fn accepts(addresses: &[SocketAddr], patience: Duration) -> Sight {
    let mut last = "no address is known".to_owned();
    for address in addresses {
        match TcpStream::connect_timeout(address, patience) {
            Ok(_) => return Sight { held: true, last: "accepted".to_owned() },
            Err(error) => last = refusal(&error),
        }
    }
    Sight { held: false, last }
}

fn refusal(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "CONNECTION_REFUSED".to_owned(),
        io::ErrorKind::TimedOut => "TIMEOUT".to_owned(),
        _ => error.to_string(),
    }
}

/// Addresses at which a service of this machine may listen: a server on localhost often uses only one of the
/// two. The failure of the last one is reported.
fn local(port: u16) -> [SocketAddr; 2] {
    [SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), port), SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)]
}

/// Returns a port number, which an earlier action may have captured.
pub(super) fn number(port: &Port, captured: &BTreeMap<CaptureName, String>) -> Result<u16, String> {
    match port {
        Port::Fixed(number) => Ok(*number),
        Port::Auto(name) => {
            let found = captured.get(name).ok_or_else(|| format!("the port `{name}` was not captured"))?;
            found.parse().map_err(|_| format!("the port `{name}` is not a port number"))
        }
    }
}
