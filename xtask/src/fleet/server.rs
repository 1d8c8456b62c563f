//! Servers that a fleet stands on: Temporal's, PostgreSQL, and object storage. Each is killed when it is dropped.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use serde_json::Value;

use super::wait::wait_until;
use crate::process;
use crate::repository::root;

/// Ports that a server of Temporal needs, one after another.
const TEMPORAL_PORTS: u16 = 9;

/// Ports from which servers get theirs. The system hands out others to those that do not care.
const FIRST_PORT: u16 = 10_000;
const PORT_BLOCKS: u16 = 1_000;

/// Credentials of the storage, which nobody else reaches.
pub(super) const ACCESS_KEY: &str = "fleet-of-tests";
pub(super) const SECRET_KEY: &str = "a-secret-of-the-fleet";

/// Builds Temporal's server where it is not built yet, and returns the directory of its programs.
pub(super) fn temporal_programs() -> io::Result<PathBuf> {
    if let Some(programs) = std::env::var_os("REFEREE_TEMPORAL_SERVER") {
        return Ok(programs.into());
    }
    let mut script = Command::new(root().join(".ci/temporal"));
    let directory = process::output(script.arg("--server").stderr(Stdio::inherit()))?;
    Ok(Path::new(directory.trim()).join("bin"))
}

/// A server of Temporal.
pub(super) struct Temporal {
    script: Child,
    hold: Option<ChildStdin>,
    programs: PathBuf,
    state: PathBuf,
    sql: Option<u16>,
    pub(super) port: u16,
    /// The process of the server itself.
    pub(super) id: u32,
}

impl Temporal {
    /// Starts a server that keeps its state in a directory, or in the PostgreSQL server on this port.
    pub(super) fn start(programs: &Path, state: &Path, sql: Option<u16>) -> io::Result<Self> {
        let port = free_ports()?;
        let (script, hold, id) = spawn(programs, state, port, sql)?;
        Ok(Self { script, hold, programs: programs.to_owned(), state: state.to_owned(), sql, port, id })
    }

    /// Kills the server (SIGKILL).
    pub(super) fn kill(&mut self) -> io::Result<()> {
        self.hold = None;
        self.script.wait().map(drop)
    }

    /// Starts the server again, with what it kept, on the same port.
    pub(super) fn restart(&mut self) -> io::Result<()> {
        (self.script, self.hold, self.id) = spawn(&self.programs, &self.state, self.port, self.sql)?;
        Ok(())
    }

    /// Size of the files that the server keeps its state in.
    pub(super) fn state_bytes(&self) -> u64 {
        let files = ["temporal.db", "temporal.db-wal"].map(|name| fs::metadata(self.state.join(name)));
        files.into_iter().filter_map(Result::ok).map(|file| file.len()).sum()
    }

    /// Asks the HTTP interface of the server about the namespace.
    pub(super) fn get(&self, path: &str) -> io::Result<Value> {
        let url = format!("http://127.0.0.1:{}/api/v1/namespaces/default/{path}", self.port + 1);
        let answer = process::output(Command::new("curl").args(["--silent", "--show-error", "--fail", &url]))?;
        Ok(serde_json::from_str(&answer)?)
    }
}

impl Drop for Temporal {
    fn drop(&mut self) {
        // A server that has ended already is what is wanted.
        drop(self.kill());
    }
}

fn spawn(programs: &Path, state: &Path, port: u16, sql: Option<u16>) -> io::Result<(Child, Option<ChildStdin>, u32)> {
    fs::create_dir_all(state)?;
    let mut command = Command::new(root().join(".ci/temporal"));
    command.arg("--serve").args([programs, state]).arg(port.to_string()).args(sql.map(|port| port.to_string()));
    let log = fs::File::create(state.join(format!("script-{port}.log")))?;
    let mut script = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn()?;
    let hold = script.stdin.take();
    let mut line = String::new();
    if let Some(stdout) = script.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    let id = line.trim().strip_prefix("ready ").and_then(|id| id.parse().ok());
    let id = id.ok_or_else(|| {
        io::Error::other(format!("Temporal's server does not start: see script-{port}.log in {}", state.display()))
    })?;
    Ok((script, hold, id))
}

/// A PostgreSQL server, as the user `postgres`, since it refuses to run as root.
pub(super) struct Postgres {
    server: Child,
    pub(super) port: u16,
}

impl Postgres {
    /// Starts a server with an empty cluster in a new directory. None: it is not installed.
    pub(super) fn start(directory: &Path) -> io::Result<Option<Self>> {
        let Some(programs) = postgres_programs() else { return Ok(None) };
        fs::create_dir_all(directory)?;
        let is_root = process::output(Command::new("id").arg("-u"))?.trim() == "0";
        if is_root {
            process::run(Command::new("chown").arg("postgres").arg(directory))?;
        }
        let command = |name: &str| {
            let program = programs.join(name);
            let mut command = Command::new(if is_root { Path::new("setpriv") } else { &program });
            if is_root {
                command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(&program);
            }
            command.current_dir(directory).stdin(Stdio::null());
            command
        };
        let cluster = directory.join("cluster");
        let mut initialize = command("initdb");
        process::output(initialize.args(["--auth=trust", "--username=postgres", "--pgdata"]).arg(&cluster))?;
        let port = free_ports()?;
        let log = fs::File::create(directory.join("log"))?;
        let server = command("postgres")
            .arg("-D")
            .arg(&cluster)
            .arg("-k")
            .arg(directory)
            .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-c", "max_connections=200"])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()?;
        let server = Self { server, port };
        wait_until("PostgreSQL listens", Duration::from_mins(1), || listens(port))?;
        Ok(Some(server))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // Its processes end with the first one, at once.
        drop(Command::new("kill").args(["-QUIT", &self.server.id().to_string()]).status());
        drop(self.server.wait());
    }
}

/// Finds the newest PostgreSQL of the machine.
fn postgres_programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(Result::ok);
    let mut programs: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    programs.retain(|programs| programs.join("postgres").is_file());
    programs.sort();
    programs.pop()
}

/// Object storage with the bucket `evidence`: versitygw over a directory.
pub(super) struct Storage {
    server: Child,
    directory: PathBuf,
    port: u16,
}

impl Storage {
    pub(super) fn start(directory: &Path) -> io::Result<Self> {
        for below in ["data/evidence", "meta"] {
            fs::create_dir_all(directory.join(below))?;
        }
        let port = free_ports()?;
        Ok(Self { server: serve(directory, port)?, directory: directory.to_owned(), port })
    }

    /// Kills the server (SIGKILL).
    pub(super) fn kill(&mut self) -> io::Result<()> {
        // It may have been killed before.
        drop(self.server.kill());
        self.server.wait().map(drop)
    }

    /// Starts the server again, on the same port.
    pub(super) fn restart(&mut self) -> io::Result<()> {
        self.server = serve(&self.directory, self.port)?;
        Ok(())
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the files behind the objects whose name begins so.
    pub(super) fn files(&self, prefix: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        add_files(&self.directory.join("data/evidence").join(prefix), &mut files);
        files.sort();
        files
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        drop(self.kill());
    }
}

fn serve(directory: &Path, port: u16) -> io::Result<Child> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let search = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&search).chain(cache.map(|cache| cache.join("referee-ci/bin")));
    let program = directories.map(|directory| directory.join("versitygw")).find(|program| program.is_file());
    let program = program.ok_or_else(|| io::Error::other("there is no versitygw: .ci/run installs it"))?;
    let server = Command::new(program)
        .args(["--port", &format!("127.0.0.1:{port}"), "--access", ACCESS_KEY, "--secret", SECRET_KEY])
        .args(["posix", "--sidecar"])
        .arg(directory.join("meta"))
        .arg(directory.join("data"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    wait_until("the storage listens", Duration::from_mins(1), || listens(port))?;
    Ok(server)
}

fn add_files(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            add_files(&path, files);
        } else {
            files.push(path);
        }
    }
}

fn listens(port: u16) -> bool {
    TcpStream::connect(("127.0.0.1", port)).is_ok()
}

/// Returns the first of ports where nobody listens. No two calls return the same.
pub(super) fn free_ports() -> io::Result<u16> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Programs that do this at once begin at different places.
    let begin = u16::try_from(std::process::id() % u32::from(PORT_BLOCKS)).unwrap_or_default();
    for _ in 0..PORT_BLOCKS {
        let block = (begin + NEXT.fetch_add(1, Ordering::Relaxed)) % PORT_BLOCKS;
        let first = FIRST_PORT + block * TEMPORAL_PORTS;
        if (first..first + TEMPORAL_PORTS).all(|port| TcpListener::bind(("127.0.0.1", port)).is_ok()) {
            return Ok(first);
        }
    }
    Err(io::Error::other("no ports are free"))
}
