//! Makes a request and follows its redirects until the response is complete. All of it shares one deadline.

use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

use referee_model::limit;
use referee_model::plan::http::Method;
use referee_model::record::http::{NoAnswer, NoAnswerCause, Redirect};
use rustls::ClientConfig;
use ureq::config::Config;
use ureq::http::{HeaderMap, Request, Response};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::{Agent, Body};

use super::connection::Dial;
use super::failure::{self, Failure};
use super::progress::{Progress, Stage, State};
use super::request::Outgoing;

/// Number of bytes read at a time.
const READ_BYTES: usize = 64 * 1024;

/// Longest head of a response, in bytes.
const HEAD_BYTES: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct Transfer {
    pub(super) follow_redirects: bool,
    pub(super) verify_tls: bool,
    pub(super) rules: Arc<ClientConfig>,
    pub(super) body_limit_bytes: u64,
    pub(super) deadline: Instant,
    pub(super) progress: Progress,
}

#[derive(Debug)]
pub(super) struct Received {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
    pub(super) head_at: Instant,
}

impl Transfer {
    /// Makes the request, follows redirects, and receives the response.
    pub(super) fn run(&self, mut outgoing: Outgoing) -> Result<Received, Failure> {
        let mut visited = vec![(outgoing.method, outgoing.address.clone())];
        loop {
            let response = self.ask(&outgoing)?;
            let status = response.status().as_u16();
            let Some(location) = self.location(status, response.headers())? else {
                return self.receive(response);
            };
            outgoing.redirected(status, &location).map_err(|reason| {
                self.refuse(NoAnswerCause::BadRedirect, format!("a redirect ({status}) cannot be followed: {reason}"))
            })?;
            let here = (outgoing.method, outgoing.address.clone());
            if visited.contains(&here) {
                let message = format!("the redirects go in circles: {} is asked again", outgoing.address.uri());
                return Err(self.refuse(NoAnswerCause::RedirectLoop, message));
            }
            if visited.len() > limit::REDIRECTS {
                let message = format!("there are more than {} redirects", limit::REDIRECTS);
                return Err(self.refuse(NoAnswerCause::RedirectLoop, message));
            }
            self.progress.follows(Redirect { status, to: outgoing.address.uri().to_string() });
            visited.push(here);
        }
    }

    /// Makes the request and returns the status of the response.
    pub(super) fn head(&self, outgoing: &Outgoing) -> Result<u16, Failure> {
        self.ask(outgoing).map(|response| response.status().as_u16())
    }

    /// Makes one request and waits for the head of its response.
    fn ask(&self, outgoing: &Outgoing) -> Result<Response<Body>, Failure> {
        self.progress.asks(outgoing.address.host(), outgoing.address.port());
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Failure::Deadline);
        }
        let dial = Dial { rules: Arc::clone(&self.rules), verify: self.verify_tls, progress: self.progress.clone() };
        let agent = Agent::with_parts(config(left), dial, DefaultResolver::default());
        let response = send(&agent, outgoing).map_err(|error| self.failed(error))?;
        self.progress.answers(response.status().as_u16());
        if response.status().is_informational() {
            let message = format!("the server would go on in another protocol ({})", response.status());
            return Err(self.refuse(NoAnswerCause::Protocol, message));
        }
        Ok(response)
    }

    /// Returns the target of a redirect. None: the response is no redirect, or redirects are not followed.
    fn location(&self, status: u16, headers: &HeaderMap) -> Result<Option<String>, Failure> {
        let location = headers.get("location").filter(|_| matches!(status, 301 | 302 | 303 | 307 | 308));
        let Some(location) = location.filter(|_| self.follow_redirects) else { return Ok(None) };
        let text = std::str::from_utf8(location.as_bytes()).map_err(|_| {
            self.refuse(NoAnswerCause::BadRedirect, format!("a redirect ({status}) leads to what is not text"))
        })?;
        Ok(Some(text.to_owned()))
    }

    fn receive(&self, response: Response<Body>) -> Result<Received, Failure> {
        let head_at = Instant::now();
        let (parts, body) = response.into_parts();
        let mut reader = body.into_reader();
        let mut body = Vec::new();
        let mut buffer = vec![0; READ_BYTES];
        loop {
            let read = reader.read(&mut buffer).map_err(|error| self.failed(ureq::Error::from(error)))?;
            if read == 0 {
                break;
            }
            body.extend_from_slice(&buffer[..read]);
            if body.len() as u64 > self.body_limit_bytes {
                let message = format!("the body is longer than the {} bytes that are taken", self.body_limit_bytes);
                return Err(self.refuse(NoAnswerCause::BodyTooLarge, message));
            }
            if Instant::now() >= self.deadline {
                return Err(Failure::Deadline);
            }
        }
        if let Some(answer) = failure::of_break(&self.progress.state()) {
            return Err(Failure::NoAnswer(Box::new(answer)));
        }
        self.progress.reaches(Stage::Assertions);
        Ok(Received { status: parts.status.as_u16(), headers: parts.headers, body, head_at })
    }

    fn failed(&self, error: ureq::Error) -> Failure {
        let state = self.progress.state();
        match failure::of(error, &state) {
            // ureq reports a reset like any other end of the body.
            Failure::NoAnswer(answer) if answer.cause == NoAnswerCause::Truncated => {
                Failure::NoAnswer(failure::of_break(&state).map_or(answer, Box::new))
            }
            // The kernel gives up by itself after some minutes, which is not a passed deadline.
            Failure::Deadline if self.deadline > Instant::now() + TIMEOUT_SLACK => {
                Failure::NoAnswer(Box::new(silent(&state)))
            }
            other => other,
        }
    }

    fn refuse(&self, cause: NoAnswerCause, message: String) -> Failure {
        Failure::NoAnswer(Box::new(failure::no_answer(cause, message, &self.progress.state())))
    }
}

/// How long before the deadline a timeout inside ureq may fire, because it rounds.
const TIMEOUT_SLACK: Duration = Duration::from_millis(250);

fn silent(state: &State) -> NoAnswer {
    failure::no_answer(NoAnswerCause::Unreachable, format!("{} does not react", state.host), state)
}

fn config(left: Duration) -> Config {
    Agent::config_builder()
        .proxy(None)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        // All headers that are sent are set in the request, so that all are recorded.
        .user_agent("")
        .accept("")
        .accept_encoding("")
        .timeout_global(Some(left))
        .max_response_header_size(HEAD_BYTES)
        .max_idle_connections(0)
        .build()
}

fn send(agent: &Agent, outgoing: &Outgoing) -> Result<Response<Body>, ureq::Error> {
    let mut builder = Request::builder().method(outgoing.method.as_str()).uri(outgoing.address.uri().clone());
    for header in &outgoing.headers {
        builder = builder.header(&header.name, &header.value);
    }
    let wants_body = matches!(outgoing.method, Method::Post | Method::Put | Method::Patch);
    match &outgoing.body {
        Some(body) => agent.run(builder.body(body.as_slice())?),
        None if wants_body => agent.run(builder.body(&[][..])?),
        None => agent.run(builder.body(())?),
    }
}
