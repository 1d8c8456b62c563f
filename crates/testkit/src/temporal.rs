//! Temporal's server, as `.ci/temporal` installs it: the one in memory, or the one that keeps its state.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use tempfile::TempDir;

use crate::port::{free_ports, wait_for_listener};

/// Starts a server that ends with whoever holds its standard input, also if it is killed.
const IN_MEMORY: &str = r#"java -cp "$1/jars/*" io.temporal.testserver.TestServer "$2" & read -r _; kill -9 $!; wait"#;

/// Starts the server that keeps its state, in the same way.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.ci/temporal");

/// What is started as a server.
#[derive(Debug, Clone)]
pub enum TemporalProgram {
    /// The one in memory.
    Memory {
        /// Where it is installed.
        directory: PathBuf,
    },
    /// The one that keeps its state.
    Lasting {
        /// Directory of its programs.
        programs: PathBuf,
        /// Where its state and its logs are. None: in a directory that goes with it.
        state: Option<PathBuf>,
        /// Port of the PostgreSQL server that it keeps its state in. None: a file.
        sql: Option<u16>,
    },
}

impl TemporalProgram {
    /// Returns the server that `REFEREE_TEMPORAL_SERVER` names, which keeps its state, or else the one that
    /// `REFEREE_TEMPORAL` names. None: none is installed.
    pub fn installed() -> Option<Self> {
        let directory = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_dir());
        let lasting = directory("REFEREE_TEMPORAL_SERVER");
        let lasting = lasting.map(|programs| Self::Lasting { programs, state: None, sql: None });
        lasting.or_else(|| directory("REFEREE_TEMPORAL").map(|directory| Self::Memory { directory }))
    }

    /// Whether it knows after a restart what it knew before.
    pub fn is_lasting(&self) -> bool {
        matches!(self, Self::Lasting { .. })
    }
}

/// A running server. It is killed when this is dropped, and when this process ends.
#[derive(Debug)]
pub struct TemporalServer {
    script: Child,
    hold: Option<ChildStdin>,
    program: TemporalProgram,
    /// Where its state is, if that goes with it.
    state: Option<TempDir>,
    /// The port that it listens at.
    pub port: u16,
    /// The process of the server; of the one in memory, the script that runs it.
    pub id: u32,
}

impl TemporalServer {
    /// Starts a server, and waits until it answers.
    ///
    /// # Errors
    /// Fails if it does not start.
    pub fn start(program: TemporalProgram) -> io::Result<Self> {
        let state = match &program {
            TemporalProgram::Lasting { state: None, .. } => Some(tempfile::tempdir()?),
            _ => None,
        };
        let port = free_ports()?;
        let (script, hold, id) = spawn(&program, state.as_ref().map(TempDir::path), port)?;
        Ok(Self { script, hold, program, state, port, id })
    }

    /// Kills the server (SIGKILL).
    ///
    /// # Errors
    /// Fails if the system does not tell that it ended.
    pub fn kill(&mut self) -> io::Result<()> {
        self.hold = None;
        self.script.wait().map(drop)
    }

    /// Starts the server again, on the same port: it knows what it kept.
    ///
    /// # Errors
    /// Fails if it does not start.
    pub fn restart(&mut self) -> io::Result<()> {
        self.kill()?;
        let state = self.state.as_ref().map(TempDir::path);
        (self.script, self.hold, self.id) = spawn(&self.program, state, self.port)?;
        Ok(())
    }
}

impl Drop for TemporalServer {
    fn drop(&mut self) {
        // A server that has ended already is what is wanted.
        drop(self.kill());
    }
}

fn spawn(program: &TemporalProgram, own: Option<&Path>, port: u16) -> io::Result<(Child, Option<ChildStdin>, u32)> {
    let mut command;
    let mut log = Stdio::null();
    match program {
        TemporalProgram::Memory { directory } => {
            command = Command::new("sh");
            command.args(["-c", IN_MEMORY, "sh"]).arg(directory).arg(port.to_string());
        }
        TemporalProgram::Lasting { programs, state, sql } => {
            let state = state.as_deref().or(own).unwrap_or(Path::new("."));
            std::fs::create_dir_all(state)?;
            log = File::create(state.join(format!("script-{port}.log")))?.into();
            command = Command::new(SCRIPT);
            command.arg("--serve").args([programs, state]).arg(port.to_string()).args(sql.map(|sql| sql.to_string()));
        }
    }
    let mut script = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn()?;
    let hold = script.stdin.take();
    if !program.is_lasting() {
        wait_for_listener(port)?;
        let id = script.id();
        return Ok((script, hold, id));
    }
    let mut line = String::new();
    if let Some(stdout) = script.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    let id = line.trim().strip_prefix("ready ").and_then(|id| id.parse().ok());
    let id = id.ok_or_else(|| io::Error::other(format!("Temporal's server does not start: see script-{port}.log")))?;
    Ok((script, hold, id))
}
