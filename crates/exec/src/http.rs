//! Makes HTTP requests and observes their answers.
//!
//! A request runs on a thread of its own, and the caller waits in short steps. So the request is abandoned as soon
//! as its time is over or the run is interrupted, wherever it hangs. The thread ends by itself at the same
//! deadline.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use referee_model::plan::{Action, CaptureName, HttpRequest};
use referee_model::record::http::{
    CaptureObservation, HttpAnswer, HttpDiagnostics, HttpEnding, HttpFacts, NoAnswerCause,
};
use referee_model::record::{Notice, NoticeCode};

use crate::attempt::{Bounds, Demand, ExecError, TICK, Watcher};
use crate::capture::{Sink, SinkError, store_answer};
use crate::port;

use self::answer::{Captured, Observed};
use self::failure::Failure;
use self::progress::{Progress, Stage, State};
use self::request::Outgoing;
use self::transfer::{Received, Transfer};

mod address;

mod answer;

mod connection;

mod failure;

pub(crate) mod fetch;

mod health;

mod json;

mod observation;

mod progress;

mod request;

mod transfer;

mod trust;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Exchange<'a> {
    pub(crate) action: &'a Action,
    pub(crate) attempt: u32,
    pub(crate) request: &'a HttpRequest,
    pub(crate) workspace: &'a Path,
    /// Actions of the plan, whose services state where their health is checked.
    pub(crate) actions: &'a [Action],
    /// Values that earlier actions captured.
    pub(crate) captured: &'a BTreeMap<CaptureName, String>,
}

/// Facts of a request, captured values, and notices.
type Performed = (HttpFacts, Vec<(CaptureName, String)>, Vec<Notice>);

enum Outcome {
    Received(Box<Observation>),
    Failed(Failure),
    Interrupted,
}

/// An answer with its observations.
struct Observation {
    received: Received,
    observed: Observed,
    head_ms: u64,
    total_ms: u64,
}

/// Makes a request once.
///
/// Secret values that are captured are announced to the sink before any part of the answer is stored or returned.
pub(crate) fn perform(
    exchange: &Exchange<'_>,
    bounds: &Bounds,
    sink: &dyn Sink,
    watcher: &mut Watcher<'_>,
) -> Result<Performed, ExecError> {
    let request = exchange.request;
    let progress = Progress::default();
    let (outgoing, sent) = match request::fill(request, exchange.captured) {
        Ok(filled) => filled,
        Err(unsendable) => {
            let facts = unsent(unsendable.sent, unsendable.message);
            return Ok((facts, Vec::new(), Vec::new()));
        }
    };
    let rules = match trust::rules(exchange.workspace, request.verify_tls, request.ca_file.as_ref()) {
        Ok(rules) => rules,
        Err(message) => return Ok((unsent(sent, message), Vec::new(), Vec::new())),
    };
    let transfer = Transfer {
        follow_redirects: request.follow_redirects,
        verify_tls: request.verify_tls,
        rules,
        body_limit_bytes: request.body_limit_bytes,
        deadline: bounds.deadline,
        progress: progress.clone(),
    };
    let receiver = start(exchange, transfer, outgoing)?;
    let outcome = wait(&receiver, bounds, watcher)?;
    let state = progress.state();
    let (ending, values) = ending(outcome, exchange, bounds, sink, &state)?;
    let port_check = port_asked(&ending, &state).map(|port| port::check(port, &|_| false).into());
    let notices = Vec::from_iter(state.unchecked.then(unchecked));
    let (resolution, health_check) = health::look(exchange, &ending, &state);
    let diagnostics = HttpDiagnostics { port_check, resolution, health_check };
    let facts = HttpFacts { request: sent, redirects: state.redirects, ending, diagnostics };
    Ok((facts, values, notices))
}

/// Requests a URL once to check whether a server answers: returns the status of an answer that shows this, or a
/// word for why not.
///
/// A server that refuses this request is nevertheless there, so the statuses 200 to 403 are accepted.
pub(crate) fn probe(url: &str, verify_tls: bool, timeout: Duration) -> Result<u16, String> {
    let request = HttpRequest { follow_redirects: false, verify_tls, body_limit_bytes: 0, ..HttpRequest::get(url) };
    let (outgoing, _) = request::fill(&request, &BTreeMap::new()).map_err(|unsendable| unsendable.message)?;
    // No certificate file is given, so the directory to search for one does not matter.
    let rules = trust::rules(Path::new("/"), verify_tls, None)?;
    let transfer = Transfer {
        follow_redirects: false,
        verify_tls,
        rules,
        body_limit_bytes: 0,
        deadline: Instant::now() + timeout,
        progress: Progress::default(),
    };
    match transfer.head(&outgoing) {
        Ok(status @ 200..=403) => Ok(status),
        Ok(status) => Err(format!("HTTP {status}")),
        Err(Failure::Deadline) => Err("TIMEOUT".to_owned()),
        Err(Failure::NoAnswer(answer)) => Err(match answer.cause {
            NoAnswerCause::Refused => "CONNECTION_REFUSED".to_owned(),
            NoAnswerCause::Reset | NoAnswerCause::Truncated => "CONNECTION_RESET".to_owned(),
            NoAnswerCause::UnknownHost => "HOST_NOT_FOUND".to_owned(),
            NoAnswerCause::Unreachable => "HOST_UNREACHABLE".to_owned(),
            NoAnswerCause::Tls => "TLS_ERROR".to_owned(),
            NoAnswerCause::Protocol => "INVALID_RESPONSE".to_owned(),
            _ => answer.error.message,
        }),
    }
}

/// Returns the facts of a request that was never sent.
fn unsent(sent: referee_model::record::http::HttpSent, message: String) -> HttpFacts {
    let answer = failure::no_answer(NoAnswerCause::BadRequest, message, &State::default());
    HttpFacts {
        request: sent,
        redirects: Vec::new(),
        ending: HttpEnding::NoAnswer(answer),
        diagnostics: HttpDiagnostics::default(),
    }
}

/// Starts the thread that makes the request and observes its answer.
fn start(exchange: &Exchange<'_>, transfer: Transfer, outgoing: Outgoing) -> Result<Receiver<Outcome>, ExecError> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let (request, workspace) = (exchange.request.clone(), exchange.workspace.to_owned());
    let known: Vec<String> = exchange.captured.values().cloned().collect();
    let work = move || {
        let began = Instant::now();
        let outcome = match transfer.run(outgoing) {
            Err(failure) => Outcome::Failed(failure),
            Ok(received) => {
                let (head_ms, total_ms) = (milliseconds(received.head_at - began), milliseconds(began.elapsed()));
                let observed = answer::observe(&request, &workspace, &received, total_ms, &known);
                Outcome::Received(Box::new(Observation { received, observed, head_ms, total_ms }))
            }
        };
        // Where the receiver is gone, the request was abandoned.
        let _ = sender.send(outcome);
    };
    std::thread::Builder::new()
        .name("http".to_owned())
        .spawn(work)
        .map_err(|source| ExecError::System { what: "start a thread for a request", source })?;
    Ok(receiver)
}

/// Waits for the outcome, until the time of the request is over or the run is interrupted.
fn wait(receiver: &Receiver<Outcome>, bounds: &Bounds, watcher: &mut Watcher<'_>) -> Result<Outcome, ExecError> {
    loop {
        if (watcher.tick)()? != Demand::GoOn {
            return Ok(Outcome::Interrupted);
        }
        let left = bounds.deadline.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left.min(TICK)) {
            Ok(outcome) => return Ok(outcome),
            Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(Outcome::Failed(Failure::Deadline)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let message = "the request was lost by a fault of Referee itself";
                let answer = failure::no_answer(NoAnswerCause::Other, message, &State::default());
                return Ok(Outcome::Failed(Failure::NoAnswer(Box::new(answer))));
            }
        }
    }
}

/// Returns the ending as it is recorded, and the captured values.
fn ending(
    outcome: Outcome,
    exchange: &Exchange<'_>,
    bounds: &Bounds,
    sink: &dyn Sink,
    state: &State,
) -> Result<(HttpEnding, Vec<(CaptureName, String)>), SinkError> {
    Ok(match outcome {
        Outcome::Received(observation) => {
            let (answer, values) = keep(*observation, exchange, sink)?;
            (HttpEnding::Answered(Box::new(answer)), values)
        }
        Outcome::Failed(Failure::NoAnswer(answer)) => (HttpEnding::NoAnswer(*answer), Vec::new()),
        Outcome::Failed(Failure::Deadline) => {
            let ending = HttpEnding::DeadlineExceeded {
                timeout_ms: bounds.timeout_ms,
                of_task: bounds.of_task,
                waiting_for: state.stage.as_str().to_owned(),
                status: state.status,
            };
            (ending, Vec::new())
        }
        Outcome::Interrupted => (HttpEnding::Interrupted, Vec::new()),
    })
}

/// Announces secrets, then stores the answer.
fn keep(
    observation: Observation,
    exchange: &Exchange<'_>,
    sink: &dyn Sink,
) -> Result<(HttpAnswer, Vec<(CaptureName, String)>), SinkError> {
    let Observation { received, observed, head_ms, total_ms } = observation;
    for captured in observed.captures.iter().filter(|captured| captured.secret) {
        learn(captured, &received.body, sink)?;
    }
    let body = if exchange.action.evidence.exchange {
        Some(store_answer(sink, (exchange.action, exchange.attempt), &received.body)?)
    } else {
        None
    };
    let header = |(name, value): (&ureq::http::HeaderName, &ureq::http::HeaderValue)| {
        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let capture = |captured: &Captured| CaptureObservation {
        name: captured.name.clone(),
        found: captured.value.is_some(),
        secret: captured.secret,
    };
    let answer = HttpAnswer {
        status: received.status,
        headers: received.headers.iter().map(header).collect(),
        body,
        body_bytes: received.body.len() as u64,
        head_ms,
        total_ms,
        assertions: observed.assertions,
        captures: observed.captures.iter().map(capture).collect(),
    };
    let values = observed.captures.into_iter().filter_map(|captured| Some((captured.name, captured.value?)));
    Ok((answer, values.collect()))
}

fn learn(captured: &Captured, body: &[u8], sink: &dyn Sink) -> Result<(), SinkError> {
    let Some(value) = captured.value.as_deref().filter(|value| !value.is_empty()) else { return Ok(()) };
    answer::spellings(value, body).iter().try_for_each(|spelling| sink.learn(&captured.name, spelling))
}

/// Returns the port of this machine that was contacted, where nothing answered there.
fn port_asked(ending: &HttpEnding, state: &State) -> Option<u16> {
    let unanswered = match ending {
        HttpEnding::Answered(_) | HttpEnding::Interrupted => false,
        HttpEnding::NoAnswer(answer) => {
            let is_about_it = !matches!(answer.cause, NoAnswerCause::BadRequest | NoAnswerCause::UnknownHost);
            is_about_it && answer.status.is_none()
        }
        HttpEnding::DeadlineExceeded { .. } => matches!(state.stage, Stage::Connection | Stage::Answer),
    };
    state.port.filter(|_| unanswered && state.is_local())
}

fn unchecked() -> Notice {
    Notice {
        code: NoticeCode::UncheckedTls,
        message:
            "the server's certificate was not checked, because the specification says so; whoever answered may have \
                  been somebody else"
                .to_owned(),
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
