//! Temporal's server: the one in memory, or, where `REFEREE_TEMPORAL_SERVER` names it, the one that keeps its state.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Starts a server that ends with whoever holds its standard input, also if it is killed.
const SCRIPT: &str = r#"java -cp "$1/jars/*" io.temporal.testserver.TestServer "$2" & read -r _; kill -9 $!; wait"#;

/// Starts the server that keeps its state, in the same way.
const SERVE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.ci/temporal");

/// Ports that a server needs, one after another.
const PORTS: u16 = 9;

/// Ports from which servers get theirs. The system hands out others to those that do not care.
const FIRST_PORT: u16 = 20_000;
const LAST_PORT: u16 = 30_000;

/// A running server.
pub(crate) struct Server {
    process: Child,
    hold: Option<ChildStdin>,
    program: Program,
    pub(crate) port: u16,
}

/// What is started as a server.
enum Program {
    /// The one in memory.
    Memory { directory: PathBuf },
    /// The one that keeps its state, and where.
    Lasting { programs: PathBuf, state: tempfile::TempDir },
}

impl Program {
    fn installed() -> Option<Self> {
        let directory = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_dir());
        if let Some(programs) = directory("REFEREE_TEMPORAL_SERVER") {
            return Some(Self::Lasting { programs, state: tempfile::tempdir().unwrap() });
        }
        directory("REFEREE_TEMPORAL").map(|directory| Self::Memory { directory })
    }

    fn command(&self, port: u16) -> Command {
        let mut command;
        match self {
            Self::Memory { directory } => {
                command = Command::new("sh");
                command.args(["-c", SCRIPT, "sh"]).arg(directory);
            }
            Self::Lasting { programs, state } => {
                command = Command::new(SERVE);
                command.args([OsStr::new("--serve"), programs.as_os_str(), state.path().as_os_str()]);
            }
        }
        command.arg(port.to_string());
        command
    }

    /// Waits until a server that was started answers.
    fn wait(&self, process: &mut Child, port: u16) {
        match self {
            Self::Memory { .. } => {
                let until = Instant::now() + Duration::from_mins(1);
                while TcpStream::connect(("127.0.0.1", port)).is_err() {
                    assert!(Instant::now() < until, "the server does not listen");
                    thread::sleep(Duration::from_millis(50));
                }
            }
            Self::Lasting { .. } => {
                let mut line = String::new();
                BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
                assert!(line.starts_with("ready "), "the server does not start");
            }
        }
    }
}

impl Server {
    /// Starts a server. None: it is not installed, which is told.
    pub(crate) fn start() -> Option<Self> {
        let program = Program::installed();
        if program.is_none() {
            println!("skipped: no Temporal server, .ci/temporal installs it");
        }
        program.map(|program| Self::listen(program, free_ports()))
    }

    /// Starts a server that keeps its state. None: there is none, which is told.
    pub(crate) fn start_lasting() -> Option<Self> {
        let program = Program::installed().filter(|program| matches!(program, Program::Lasting { .. }));
        if program.is_none() {
            println!("skipped: no Temporal server that keeps its state, `.ci/temporal --server` builds it");
        }
        program.map(|program| Self::listen(program, free_ports()))
    }

    /// Starts a server that forgets all when it ends. None: there is none, which is told.
    pub(crate) fn start_forgetful() -> Option<Self> {
        let program = Program::installed().filter(|program| matches!(program, Program::Memory { .. }));
        if program.is_none() {
            println!("skipped: no Temporal server in memory, .ci/temporal installs it");
        }
        program.map(|program| Self::listen(program, free_ports()))
    }

    fn listen(program: Program, port: u16) -> Self {
        let (process, hold) = Self::spawn(&program, port);
        Self { process, hold, program, port }
    }

    fn spawn(program: &Program, port: u16) -> (Child, Option<ChildStdin>) {
        let mut command = program.command(port);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let hold = process.stdin.take();
        program.wait(&mut process, port);
        (process, hold)
    }

    /// Starts the server again, on the same port: it knows what it kept.
    pub(crate) fn restart(&mut self) {
        self.kill();
        (self.process, self.hold) = Self::spawn(&self.program, self.port);
    }

    /// Returns the server that tests share, each one with queues of its own.
    pub(crate) fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Server>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        self.hold = None;
        let _ = self.process.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns a port where nobody listens.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Returns the first of ports where nobody listens. No two calls return the same.
fn free_ports() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let places = (LAST_PORT - FIRST_PORT) / PORTS;
    // Tests of several programs at once begin at different places.
    let begin = u16::try_from(std::process::id() % u32::from(places)).unwrap();
    for _ in 0..places {
        let place = (begin + NEXT.fetch_add(1, Ordering::Relaxed)) % places;
        let first = FIRST_PORT + place * PORTS;
        if (first..first + PORTS).all(|port| TcpListener::bind(("127.0.0.1", port)).is_ok()) {
            return first;
        }
    }
    panic!("no ports are free");
}
