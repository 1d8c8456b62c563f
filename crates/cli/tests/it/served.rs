//! A server of the program in a workspace, and requests to it, as bytes: what browsers and libraries would not send, too.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use serde_json::Value;

use crate::support::Workspace;

/// The bound on every wait for an answer: it only ends tests that would hang.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server that is gone when the test is over.
pub(crate) struct Server {
    child: Child,
    /// Its first line on standard output.
    pub(crate) announced: Value,
    /// Host and port.
    pub(crate) host: String,
    pub(crate) token: String,
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Reply {
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Fails the test unless this is a refusal of this kind, and returns what it says.
    #[track_caller]
    pub(crate) fn refuses(self, status: u16, class: &str) -> String {
        let refusal = self.is(status).json();
        assert_eq!(refusal["error"]["class"], class, "{refusal}");
        assert!(refusal["error"]["advice"].is_string(), "{refusal}");
        refusal["error"]["message"].as_str().unwrap().to_owned()
    }
}

impl Server {
    /// Starts a server at a free port.
    pub(crate) fn start(workspace: &Workspace, arguments: &[&str]) -> Self {
        let all: Vec<&str> = ["serve"].iter().chain(arguments).copied().collect();
        Self::launch(workspace, &all)
    }

    /// Starts a command that listens at any free port.
    pub(crate) fn launch(workspace: &Workspace, command: &[&str]) -> Self {
        Self::spawn(workspace.command(command))
    }

    /// Starts a command, to which the address is added.
    pub(crate) fn spawn(mut command: Command) -> Self {
        let mut child = command.args(["--listen", "0", "--format", "json"]).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let announced: Value = serde_json::from_str(&line).unwrap_or_else(|error| {
            let mut said = String::new();
            child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            panic!("{error}: {line}{said}")
        });
        let address = announced["address"].as_str().unwrap().split_once("://").unwrap().1;
        let host = address.split('/').next().unwrap().to_owned();
        let token = match announced["token_file"].as_str() {
            Some(file) => std::fs::read_to_string(file).unwrap().trim().to_owned(),
            None => String::new(),
        };
        Self { child, announced, host, token }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends these bytes, and reads the answer to its end.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Reply {
        exchange(self.connect(), bytes)
    }

    /// Asks with the token.
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], None)
    }

    /// Sends JSON with the token.
    pub(crate) fn post(&self, path: &str, body: &str) -> Reply {
        self.ask("POST", path, &[], Some(body))
    }

    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> Reply {
        let token = format!("Bearer {}", self.token);
        let mut all = vec![("authorization", token.as_str())];
        all.extend(headers);
        self.ask_without_token(method, path, &all, body)
    }

    pub(crate) fn ask_without_token(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Reply {
        self.raw(request(method, path, &self.host, headers, body).as_bytes())
    }

    /// Logs a browser in, and returns the cookie that it sends from then on.
    pub(crate) fn log_in(&self) -> String {
        let reply = self.ask_without_token("GET", &format!("/login?token={}", self.token), &[], None).is(303);
        let cookie = &reply.headers["set-cookie"];
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        cookie.split(';').next().unwrap().to_owned()
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Tells it to stop, waits until it did, and returns how, and what it said on standard error.
    pub(crate) fn stop(mut self) -> (ExitStatus, String) {
        self.signal(rustix::process::Signal::TERM);
        let status = self.child.wait().unwrap();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (status, said)
    }

    /// Waits until it ended.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Kills it, so that it can clear nothing away.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn request(method: &str, path: &str, host: &str, headers: &[(&str, &str)], body: Option<&str>) -> String {
    let mut text = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
    text.extend(headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")));
    match body {
        Some(body) => {
            if !names.contains(&"content-type") {
                text += "content-type: application/json\r\n";
            }
            text + &format!("content-length: {}\r\n\r\n{body}", body.len())
        }
        None => text + "\r\n",
    }
}

/// Asks at a Unix socket.
pub(crate) fn ask_at(socket: &Path, path: &str) -> Reply {
    let stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    exchange(stream, request("GET", path, "anything", &[], None).as_bytes())
}

fn exchange(mut stream: impl Read + Write, bytes: &[u8]) -> Reply {
    // A server that has seen enough hangs up before it was told everything.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    parse(&answer)
}

/// Sends these bytes and no more, and returns everything that comes until the server hangs up.
pub(crate) fn until_hung_up(mut stream: TcpStream, bytes: &[u8], ends: bool) -> String {
    stream.write_all(bytes).unwrap();
    if ends {
        stream.shutdown(Shutdown::Write).unwrap();
    }
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

pub(crate) fn parse(answer: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(answer).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let pair = |line: &str| line.split_once(':').map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()));
    Reply { status, headers: lines.filter_map(pair).collect(), body: body.to_owned() }
}

/// Writes an incident as another program that keeps to the contract would.
pub(crate) fn incident(workspace: &Workspace, id: &str, status: &str) {
    let directory = format!(".referee/reports/error_inbox/{id}");
    let time = "2026-02-17T03:00:00+00:00";
    let incident = serde_json::json!({
        "incident_id": id, "status": status, "created_at": time, "updated_at": time, "run_id": "run_1", "year": 2026,
        "month": 1, "ym": "2026-01", "step": "download", "failure_class": "transient", "message": "Network <timeout>",
        "error_signature": "transient | download | Network <timeout>",
    });
    workspace.write(&format!("{directory}/incident.json"), incident.to_string());
    workspace.write(&format!("{directory}/status.txt"), format!("{status}\n"));
    workspace.write(&format!("{directory}/log_tail.txt"), "start\nNetwork timeout\n");
}
