//! What a list of incidents costs over HTTP with 10 000 of them, at 1 000 requests a second, beside the floor in the same
//! run: the same server answering `GET /api/health`. `cargo bench -p referee --bench serve`.
//!
//! Requests are due by the clock, whether or not the ones before were answered, and a time is counted from when a request was
//! due: an answer that comes late makes those behind it late too, and none of that is left out.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement starts processes, makes files, opens sockets and prints"
)]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const INCIDENTS: usize = 10_000;
const RATE: u32 = 1_000;
const SECONDS: u32 = 20;
const CONNECTIONS: usize = 32;
const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

const LIST: &str = "/api/errors/incidents";
const FILTERED: &str = "/api/errors/incidents?status=plan_proposed&limit=100";
const HEALTH: &str = "/api/health";

fn main() {
    let outside = tempfile::tempdir().expect("a temporary directory can be made");
    let workspace = outside.path().join("workspace");
    let began = Instant::now();
    incidents(&workspace.join(".referee/reports"));
    println!("{INCIDENTS} incidents written as directories:    {:.1} s", began.elapsed().as_secs_f64());
    let server = Server::start(&workspace, &outside.path().join("state"));
    let began = Instant::now();
    let first = server.connect().and_then(|mut connection| connection.ask(LIST)).expect("the server answers");
    println!("first list:                         {:.0} ms, {first} bytes", milliseconds(began.elapsed()));
    // The floor before and after, so that a drifting machine is seen.
    for target in [HEALTH, LIST, FILTERED, HEALTH] {
        println!("{}", server.load(target));
    }
    println!("to reach: p99 under 20 ms for the lists, no failure, {RATE} a second");
}

/// What came of asking for some time.
struct Load {
    target: &'static str,
    times: Vec<Duration>,
    failures: usize,
    took: Duration,
}

/// The program while it serves.
struct Server {
    program: Child,
    address: String,
}

impl Server {
    fn start(workspace: &Path, state: &Path) -> Self {
        let mut program = Command::new(Path::new(env!("CARGO_BIN_EXE_referee")))
            .args(["serve", "--listen", "127.0.0.1:0", "--format", "json"])
            .env("REFEREE_STATE_DIR", state)
            .env("REFEREE_TOKEN", TOKEN)
            .current_dir(workspace)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let stdout = program.stdout.take().expect("its output is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("it says where it listens");
        let said: serde_json::Value = serde_json::from_str(&line).expect("it says so as JSON");
        let address = said["address"].as_str().and_then(|address| address.strip_prefix("http://"));
        Self { program, address: address.expect("it says its address").to_owned() }
    }

    fn connect(&self) -> io::Result<Connection> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        Ok(Connection { stream: BufReader::new(stream), host: self.address.clone() })
    }

    /// Asks at the rate, over connections that stay open.
    fn load(&self, target: &'static str) -> Load {
        let (next, times, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()), AtomicUsize::new(0));
        let all = (RATE * SECONDS) as usize;
        let connections: Vec<_> =
            (0..CONNECTIONS).map(|_| self.connect().expect("the server takes a connection")).collect();
        let began = Instant::now();
        std::thread::scope(|scope| {
            for mut connection in connections {
                let (next, times, failures) = (&next, &times, &failures);
                scope.spawn(move || {
                    let mut own = Vec::with_capacity(all / CONNECTIONS * 2);
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= all {
                            break;
                        }
                        let due = began + Duration::from_secs(1) * u32::try_from(number).unwrap_or(u32::MAX) / RATE;
                        std::thread::sleep(due.saturating_duration_since(Instant::now()));
                        if connection.ask(target).is_ok() {
                            own.push(due.elapsed());
                            continue;
                        }
                        failures.fetch_add(1, Ordering::Relaxed);
                        if let Ok(another) = self.connect() {
                            connection = another;
                        }
                    }
                    times.lock().expect("no thread panics while it holds the times").extend(own);
                });
            }
        });
        let took = began.elapsed();
        let mut times = times.into_inner().expect("no thread panicked");
        times.sort_unstable();
        Load { target, times, failures: failures.into_inner(), took }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// A connection that stays open.
struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Connection {
    /// Asks and reads the whole answer; returns the size of its body.
    fn ask(&mut self, target: &str) -> io::Result<usize> {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n", self.host);
        self.stream.get_mut().write_all(request.as_bytes())?;
        let wrong = || io::Error::from(io::ErrorKind::InvalidData);
        let mut line = String::new();
        let mut length = None;
        self.stream.read_line(&mut line)?;
        if !line.starts_with("HTTP/1.1 200 ") {
            return Err(wrong());
        }
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            if line.trim_end().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse::<usize>().ok();
            }
        }
        let mut body = vec![0; length.ok_or_else(wrong)?];
        self.stream.read_exact(&mut body)?;
        Ok(body.len())
    }
}

impl std::fmt::Display for Load {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = |thousandths: usize| {
            let place = (self.times.len() * thousandths / 1_000).min(self.times.len().saturating_sub(1));
            milliseconds(self.times.get(place).copied().unwrap_or_default())
        };
        let answered = f64::from(u32::try_from(self.times.len()).unwrap_or(u32::MAX));
        write!(
            formatter,
            "GET {:<52} p50 {:>7.2} ms  p99 {:>7.2} ms  p99.9 {:>7.2} ms  {:.0} a second  {} failed",
            self.target,
            at(500),
            at(990),
            at(999),
            answered / self.took.as_secs_f64(),
            self.failures
        )
    }
}

/// Writes incidents as any program may that knows the directories of seed 3.
fn incidents(root: &Path) {
    const STATUSES: [&str; 4] = ["new", "plan_proposed", "approved", "running"];
    const CLASSES: [&str; 3] = ["test_failure", "timeout", "validation_failure"];
    let inbox = root.join("error_inbox");
    for number in 0..INCIDENTS {
        let id = format!("2026-{:02}-run{:04}-{number:05}", 1 + number % 12, number % 500);
        let folder = inbox.join(&id);
        std::fs::create_dir_all(&folder).expect("directories can be made");
        let status = STATUSES[number % STATUSES.len()];
        let at = format!(
            "2026-{:02}-{:02}T{:02}:{:02}:00+00:00",
            1 + number % 11,
            1 + number % 28,
            number % 24,
            number % 60
        );
        let incident = serde_json::json!({
            "incident_id": id, "status": status, "created_at": at, "updated_at": at, "run_id": format!("run{}", number % 500),
            "year": 2026, "month": 1 + number % 12, "ym": format!("2026-{:02}", 1 + number % 12),
            "step": format!("STEP.{}", number % 40), "failure_class": CLASSES[number % CLASSES.len()],
            "message": format!("the service did not answer request {number} within its deadline of 10000 ms"),
            "error_signature": format!("{}|STEP.{}|the service did not answer", CLASSES[number % CLASSES.len()], number % 40),
            "evidence": { "log_tail_file": "log_tail.txt", "audit_tail_file": "audit_tail.jsonl", "context_file": "context.json" },
            "source_paths": { "log_path": "", "audit_path": "", "context_path": "" },
        });
        let write = |name: &str, text: String| std::fs::write(folder.join(name), text).expect("files can be written");
        write("incident.json", incident.to_string());
        write("status.txt", status.to_owned());
        write("log_tail.txt", format!("request {number}: no answer\n"));
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
