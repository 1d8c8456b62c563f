//! A browser that is driven through an MCP server.

use std::time::{Duration, Instant};

use referee_model::plan::Browser;
use referee_model::record::Executable;
use referee_syntax::{ansi, cut, hex};
use serde_json::json;

use super::client::{Client, Fault, Patience, ToolAnswer};
use super::driver::{self, CommandResult, Kind, Task};
use super::launch;
use super::server::Server;
use crate::attempt::{Demand, ExecError, Tick, Turn, Watcher};
use crate::command::Commands;

/// Time in which a browser starts.
const START: Duration = Duration::from_mins(1);

/// Time beyond its limit within which the driver of a command answers that it is over.
const MARGIN: Duration = Duration::from_secs(10);

/// Time in which a browser closes its pages.
const CLOSE: Duration = Duration::from_secs(1);

/// Maximum length of what a server says, in characters.
const MESSAGE_CHARACTERS: usize = 1_000;

/// Tool that closes the browser.
const CLOSE_TOOL: &str = "browser_close";

pub(super) struct Session {
    client: Client,
    /// Tool that runs the driver.
    tool: &'static str,
    closes: bool,
    /// Name and version of the browser and of its server.
    pub(super) peer: String,
    pub(super) executables: Vec<Executable>,
}

/// Reason why a session could not be started.
pub(super) enum Unstarted {
    /// There is no process: it may be tried again.
    Refused { executables: Vec<Executable>, message: String },
    /// There was a server, which is ended.
    Failed { executables: Vec<Executable>, fault: Fault },
}

impl Session {
    /// Starts a server, and the browser with it.
    pub(super) fn start(
        turn: &Turn<'_>,
        browser: &Browser,
        commands: &Commands<'_>,
        watcher: &mut Watcher<'_>,
    ) -> Result<Result<Self, Unstarted>, ExecError> {
        let prepared = launch::prepare(turn.action, turn.captured, browser, commands);
        let known = prepared.resolved.as_ref().map(|resolved| resolved.executables.clone()).unwrap_or_default();
        let server = match Server::start(turn, commands, &prepared)? {
            Ok(server) => server,
            Err(refusal) => {
                return Ok(Err(Unstarted::Refused { executables: known, message: refusal.message }));
            }
        };
        let mut patience =
            Patience { until: turn.bounds.deadline.min(Instant::now() + START), tick: &mut *watcher.tick };
        Ok(Self::greet(Client::new(server), &known, &mut patience)
            .map_err(|fault| match fault {
                Fault::Unanswered if Instant::now() < turn.bounds.deadline => {
                    Fault::Gone(format!("the browser did not start within {} s", START.as_secs()))
                }
                other => other,
            })
            .map_err(|fault| Unstarted::Failed { executables: known, fault }))
    }

    fn greet(mut client: Client, executables: &[Executable], patience: &mut Patience<'_>) -> Result<Self, Fault> {
        let server = client.initialize(patience).map_err(|fault| said("the MCP server cannot be used", fault))?;
        let tools = client.tools(patience).map_err(|fault| said("the MCP server cannot be used", fault))?;
        let has = |name: &str| tools.iter().any(|tool| tool == name);
        let Some(tool) = driver::TOOLS.into_iter().find(|name| has(name)) else {
            let message =
                format!("the MCP server {server} has no tool `{}`: use a newer @playwright/mcp", driver::TOOLS[0]);
            return Err(Fault::Gone(message));
        };
        let closes = has(CLOSE_TOOL);
        let mut session = Self { client, tool, closes, peer: server, executables: executables.to_vec() };
        let told = session.ask(&Task::Start, Duration::ZERO, false, patience);
        let told = told.map_err(|fault| said("the browser does not start", fault))?;
        if told.kind != Kind::Done {
            return Err(Fault::Gone(format!("the browser does not start: {}", told.message)));
        }
        if let Some(browser) = told.browser {
            session.peer = format!("{} {} ({})", browser.name, browser.version, session.peer);
        }
        Ok(session)
    }

    /// Carries out a command, whose limit the driver itself keeps.
    pub(super) fn command(
        &mut self,
        task: &Task<'_>,
        limit: Duration,
        last: bool,
        deadline: Instant,
        tick: Tick<'_>,
    ) -> Result<CommandResult, Fault> {
        let mut patience = Patience { until: deadline.min(Instant::now() + limit + MARGIN), tick };
        let told = match self.ask(task, limit, last, &mut patience) {
            Err(Fault::Unanswered) if Instant::now() < deadline => {
                let message = format!("the MCP server did not answer within {} ms", (limit + MARGIN).as_millis());
                return Err(Fault::Gone(message));
            }
            other => other.map_err(|fault| said("the browser was lost", fault))?,
        };
        // A server starts another browser by itself, which knows nothing of earlier commands.
        match told.kind {
            Kind::Lost => Err(Fault::Gone(told.message)),
            _ if told.is_new => Err(Fault::Gone("the browser was lost: the server started another one".to_owned())),
            _ => Ok(told),
        }
    }

    fn ask(
        &mut self,
        task: &Task<'_>,
        limit: Duration,
        last: bool,
        patience: &mut Patience<'_>,
    ) -> Result<CommandResult, Fault> {
        let nonce = nonce().map_err(Fault::Run)?;
        let limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let code = driver::code(task, &nonce, limit_ms, last);
        let answer = self.client.call(self.tool, &json!({"code": code}), patience)?;
        driver::told(&answer.text, &nonce).ok_or_else(|| Fault::Gone(unusable(&answer)))
    }

    /// Whether its server is still running.
    pub(super) fn is_alive(&self) -> bool {
        !self.client.server().inbox.is_over()
    }

    /// Ends the browser and its server, with every process.
    pub(super) fn end(mut self) {
        if self.closes && self.is_alive() {
            let mut tick = || Ok(Demand::GoOn);
            let mut patience = Patience { until: Instant::now() + CLOSE, tick: &mut tick };
            // If it does not close by itself, it is ended below.
            let _ = self.client.call(CLOSE_TOOL, &json!({}), &mut patience);
        }
        self.client.server_mut().end();
    }

    /// Kills the browser and its server, with every process.
    pub(super) fn kill(mut self) {
        self.client.server_mut().kill();
    }
}

/// Returns a mark that no page can guess.
fn nonce() -> Result<String, ExecError> {
    let mut bytes = [0; 16];
    let system = |source| ExecError::System { what: "draw a random number", source };
    getrandom::fill(&mut bytes).map_err(|error| system(error.into()))?;
    Ok(hex::encode(&bytes))
}

/// Puts what failed before what the server did.
fn said(what: &str, fault: Fault) -> Fault {
    match fault {
        Fault::Gone(how) => Fault::Gone(format!("{what}: {how}")),
        other => other,
    }
}

/// Returns what a server said instead of the driver's answer.
fn unusable(answer: &ToolAnswer) -> String {
    let text = ansi::strip(&answer.text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("###"));
    let text = cut::characters(&lines.collect::<Vec<_>>().join(" "), MESSAGE_CHARACTERS);
    match text.as_str() {
        "" => "the MCP server answered nothing".to_owned(),
        text if answer.is_error => text.to_owned(),
        text => format!("the MCP server answered something else: {text}"),
    }
}
