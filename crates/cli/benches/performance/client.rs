//! The program while it serves, and those who ask it.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::measurement::{Fallible, Samples, field};
use crate::workbench::Workbench;

const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const CONNECTIONS: usize = 32;

/// The program while it serves a workspace.
pub(crate) struct Server {
    program: Child,
    address: String,
}

/// What came of asking for some time.
pub(crate) struct Load {
    pub(crate) times: Samples,
    pub(crate) failures: usize,
    pub(crate) answers_per_second: f64,
}

impl Server {
    pub(crate) fn start(bench: &Workbench, workspace: &Path) -> Fallible<Self> {
        let mut command = bench.referee(workspace, &["serve", "--listen", "127.0.0.1:0", "--format", "json"]);
        command.env("REFEREE_TOKEN", TOKEN).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = Self { program: command.spawn()?, address: String::new() };
        let mut line = String::new();
        if let Some(stdout) = server.program.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let said: serde_json::Value = serde_json::from_str(&line)?;
        let address = said["address"].as_str().and_then(|address| address.strip_prefix("http://"));
        address.ok_or("a server says where it listens")?.clone_into(&mut server.address);
        Ok(server)
    }

    pub(crate) fn connect(&self) -> io::Result<Connection> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        Ok(Connection { stream: BufReader::new(stream), host: self.address.clone() })
    }

    /// Bytes of memory that it holds now.
    pub(crate) fn memory_bytes(&self) -> Fallible<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.program.id()))?;
        Ok(field(&status, "VmRSS:") * 1_024)
    }

    /// Files and sockets that it holds open now.
    pub(crate) fn descriptors(&self) -> Fallible<usize> {
        Ok(fs::read_dir(format!("/proc/{}/fd", self.program.id()))?.count())
    }

    /// Asks at a rate, over connections that stay open. Requests are due by the clock, whether or not those before were
    /// answered, and a time is counted from when a request was due: an answer that comes late makes those behind it late, too.
    pub(crate) fn load(&self, target: &str, rate: u32, seconds: u32) -> Fallible<Load> {
        let (next, times, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()), AtomicUsize::new(0));
        let all = rate * seconds;
        let connections: Vec<_> = (0..CONNECTIONS).map(|_| self.connect()).collect::<io::Result<_>>()?;
        let began = Instant::now();
        std::thread::scope(|scope| {
            for mut connection in connections {
                let (next, times, failures) = (&next, &times, &failures);
                scope.spawn(move || {
                    let mut own = Vec::new();
                    loop {
                        let number = u32::try_from(next.fetch_add(1, Ordering::Relaxed)).unwrap_or(u32::MAX);
                        if number >= all {
                            break;
                        }
                        let due = began + Duration::from_secs(1) * number / rate;
                        std::thread::sleep(due.saturating_duration_since(Instant::now()));
                        if connection.get(target).is_ok() {
                            own.push(due.elapsed());
                            continue;
                        }
                        failures.fetch_add(1, Ordering::Relaxed);
                        if let Ok(another) = self.connect() {
                            connection = another;
                        }
                    }
                    times.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend(own);
                });
            }
        });
        let took = began.elapsed();
        let failures = failures.into_inner();
        let times = times.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let answered = f64::from(u32::try_from(times.len())?);
        Ok(Load { times: Samples::new(times), failures, answers_per_second: answered / took.as_secs_f64() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// A connection that stays open.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Connection {
    pub(crate) fn get(&mut self, target: &str) -> io::Result<Vec<u8>> {
        self.ask("GET", target, "")
    }

    pub(crate) fn post(&mut self, target: &str, body: &str) -> io::Result<Vec<u8>> {
        self.ask("POST", target, body)
    }

    /// Asks and reads the whole answer; an error where it is a refusal.
    fn ask(&mut self, method: &str, target: &str, body: &str) -> io::Result<Vec<u8>> {
        let (host, length) = (&self.host, body.len());
        let request = format!(
            "{method} {target} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {TOKEN}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut head = String::new();
        self.stream.read_line(&mut head)?;
        let mut length = 0;
        let mut line = String::new();
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            if line.trim_end().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        if head.starts_with("HTTP/1.1 2") {
            return Ok(answer);
        }
        Err(io::Error::other(format!("{}: {}", head.trim_end(), String::from_utf8_lossy(&answer))))
    }
}
