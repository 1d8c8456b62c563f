//! A client of the Model Context Protocol: one request at a time, as lines of JSON-RPC.

use std::time::{Duration, Instant};

use referee_syntax::cut;
use serde_json::{Value, json};

use super::inbox::Heard;
use super::server::{Server, Written};
use crate::attempt::{Demand, ExecError, TICK, Tick};

/// Version of the protocol that is asked for. Any version is accepted: what is used of it never changed.
const PROTOCOL: &str = "2025-06-18";

/// Maximum number of pages of a list of tools.
const TOOL_PAGES: usize = 20;

/// Maximum length of a message of a server, in characters.
const MESSAGE_CHARACTERS: usize = 1_000;

/// Error number for a method that is not there (JSON-RPC 2.0).
const NO_METHOD: i64 = -32601;

pub(super) struct Client {
    server: Server,
    /// Id of the last request.
    last: u64,
    /// Whether a line was written in part, so that nothing more can be written.
    torn: bool,
}

/// Limits of a wait for an answer.
pub(super) struct Patience<'wait> {
    pub(super) until: Instant,
    pub(super) tick: Tick<'wait>,
}

/// Reason why there is no answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// The time is over.
    Unanswered,
    Interrupted(Demand),
    /// The server has ended, does not keep to the protocol, or cannot do what is asked.
    Gone(String),
    /// The run itself cannot continue.
    Run(ExecError),
}

/// Answer of a tool.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ToolAnswer {
    pub(super) is_error: bool,
    pub(super) text: String,
}

impl Client {
    pub(super) fn new(server: Server) -> Self {
        Self { server, last: 0, torn: false }
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    pub(super) fn server_mut(&mut self) -> &mut Server {
        &mut self.server
    }

    /// Greets the server, and returns its name and version.
    pub(super) fn initialize(&mut self, patience: &mut Patience<'_>) -> Result<String, Fault> {
        let client = json!({"name": "referee", "version": env!("CARGO_PKG_VERSION")});
        let params = json!({"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client});
        let result = self.request("initialize", &params, patience)?;
        let text = |key: &str| result["serverInfo"][key].as_str().map(|text| cut::characters(text, 100));
        let name = text("name").unwrap_or_else(|| "MCP server".to_owned());
        let told = text("version").map_or_else(|| name.clone(), |version| format!("{name} {version}"));
        self.notify("notifications/initialized", &json!({}), patience)?;
        Ok(told)
    }

    /// Returns the names of the server's tools.
    pub(super) fn tools(&mut self, patience: &mut Patience<'_>) -> Result<Vec<String>, Fault> {
        let mut names = Vec::new();
        let mut params = json!({});
        for _ in 0..TOOL_PAGES {
            let result = self.request("tools/list", &params, patience)?;
            let tools = result["tools"].as_array().ok_or_else(|| Fault::Gone("it lists no tools".to_owned()))?;
            names.extend(tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned));
            match result["nextCursor"].as_str() {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => break,
            }
        }
        Ok(names)
    }

    /// Calls a tool, and returns the texts of its answer.
    pub(super) fn call(
        &mut self,
        tool: &str,
        arguments: &Value,
        patience: &mut Patience<'_>,
    ) -> Result<ToolAnswer, Fault> {
        let result = self.request("tools/call", &json!({"name": tool, "arguments": arguments}), patience)?;
        let content = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let texts = content.iter().filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str());
        let text = texts.collect::<Vec<_>>().join("\n");
        Ok(ToolAnswer { is_error: result["isError"] == true, text })
    }

    /// Sends a request and waits for its answer. Answers to earlier requests are dropped.
    fn request(&mut self, method: &str, params: &Value, patience: &mut Patience<'_>) -> Result<Value, Fault> {
        self.last += 1;
        let id = self.last;
        self.server.inbox.want(true);
        let answer = self
            .send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}), patience)
            .and_then(|()| self.answer(id, patience));
        self.server.inbox.want(false);
        if matches!(answer, Err(Fault::Unanswered | Fault::Interrupted(_))) && !self.torn {
            let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
            // Short enough to be written whole or not at all, and only a courtesy.
            self.server.write(format!("{note}\n").as_bytes(), Duration::ZERO);
        }
        answer
    }

    fn notify(&mut self, method: &str, params: &Value, patience: &mut Patience<'_>) -> Result<(), Fault> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}), patience)
    }

    fn send(&mut self, message: &Value, patience: &mut Patience<'_>) -> Result<(), Fault> {
        if self.torn {
            return Err(Fault::Gone("it did not read a whole request".to_owned()));
        }
        let line = format!("{message}\n");
        let mut left = line.as_bytes();
        while !left.is_empty() {
            let longest = patience.look().inspect_err(|_| self.torn = left.len() < line.len())?;
            match self.server.write(left, longest) {
                Written::Bytes(taken) => left = left.get(taken..).unwrap_or_default(),
                Written::Nothing => {}
                Written::Closed => return Err(Fault::Gone(self.end())),
            }
        }
        Ok(())
    }

    /// Returns how the server ended, once it no longer reads.
    fn end(&self) -> String {
        self.server.inbox.wait_for_end(TICK * 20);
        loop {
            match self.server.inbox.next(Duration::ZERO) {
                Heard::Line(_) => {}
                Heard::Nothing => return "it reads no requests any more".to_owned(),
                Heard::Gone(how) => return how,
            }
        }
    }

    fn answer(&mut self, id: u64, patience: &mut Patience<'_>) -> Result<Value, Fault> {
        loop {
            let longest = patience.look()?;
            let line = match self.server.inbox.next(longest) {
                Heard::Line(line) => line,
                Heard::Nothing => continue,
                Heard::Gone(how) => return Err(Fault::Gone(how)),
            };
            // Some servers print other things as well, which are no messages.
            let Ok(mut message) = serde_json::from_slice::<Value>(&line) else { continue };
            if message.get("method").is_some() {
                self.serve(&message, patience)?;
            } else if message["id"] == id {
                if let Some(error) = message.get("error").filter(|error| !error.is_null()) {
                    let text = error["message"].as_str().map_or_else(|| error.to_string(), str::to_owned);
                    return Err(Fault::Gone(format!("it answered: {}", cut::characters(&text, MESSAGE_CHARACTERS))));
                }
                return Ok(message["result"].take());
            }
        }
    }

    /// Answers a request of the server. Notifications have no id, and need no answer.
    fn serve(&mut self, message: &Value, patience: &mut Patience<'_>) -> Result<(), Fault> {
        let id = &message["id"];
        let answer = match message["method"].as_str() {
            _ if id.is_null() => return Ok(()),
            Some("ping") => json!({"jsonrpc": "2.0", "id": id, "result": {}}),
            _ => {
                let error = json!({"code": NO_METHOD, "message": "there is no such method"});
                json!({"jsonrpc": "2.0", "id": id, "error": error})
            }
        };
        self.send(&answer, patience)
    }
}

impl Patience<'_> {
    /// Returns how long the next wait may last, unless there is nothing to wait for any more.
    fn look(&mut self) -> Result<Duration, Fault> {
        match (self.tick)().map_err(|error| Fault::Run(error.into()))? {
            Demand::GoOn => {}
            demand => return Err(Fault::Interrupted(demand)),
        }
        match self.until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            Some(left) => Ok(left.min(TICK)),
            None => Err(Fault::Unanswered),
        }
    }
}
