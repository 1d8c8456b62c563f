//! Environment, clock and terminal of the caller: the engine itself reads neither environment nor clock.

use std::ffi::{OsStr, OsString};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use referee_exec::Clock;
use referee_ledger::real_path;
use referee_ledger::redact::{Redactor, looks_secret};
use referee_model::id::ExecutionId;
use referee_model::record::Host;
use referee_model::time::Timestamp;
use referee_report::style::Style;

use crate::error::EngineError;
use crate::path::straight;

#[cfg(test)]
pub(crate) mod sample;
mod specification;
mod state;

pub use self::specification::{LoadedSpecifications, RemainingSpecification, SpecificationNames};

/// The environment of the program as it was at its start.
#[derive(Debug, Clone)]
pub struct Context {
    /// Directory that relative paths are resolved against.
    pub directory: PathBuf,
    /// All environment variables.
    pub environment: Vec<(OsString, OsString)>,
    /// Styles of the output for people.
    pub terminal: Terminal,
    /// Path of this program, which is started in place of commands that must not see a terminal. `None`: unknown.
    pub program: Option<PathBuf>,
    /// Whether the process has a controlling terminal, which a command could open.
    pub has_controlling_terminal: bool,
    /// Number of processors.
    pub processors: NonZeroUsize,
    /// Returns the current time.
    pub clock: fn() -> Timestamp,
    /// Returns random bytes.
    pub random: fn() -> io::Result<[u8; 4]>,
}

/// Styles of the two output streams.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Style of standard output, which carries the answer.
    pub stdout: Style,
    /// Style of standard error, which carries progress and error messages.
    pub stderr: Style,
}

/// Environment variables that coding agents set for their commands, with the agents' names.
const AGENTS: [(&str, &str); 18] = [
    ("CLAUDECODE", "claude-code"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_THREAD_ID", "codex"),
    ("CODEX_CI", "codex"),
    ("GEMINI_CLI", "gemini-cli"),
    ("QWEN_CODE", "qwen-code"),
    ("CURSOR_AGENT", "cursor"),
    ("COPILOT_CLI", "copilot"),
    ("COPILOT_AGENT_SESSION_ID", "copilot"),
    ("COPILOT_AGENT", "copilot"),
    ("OPENCODE", "opencode"),
    ("AIDER", "aider"),
    ("AUGMENT_AGENT", "augment"),
    ("CLINE_ACTIVE", "cline"),
    ("GOOSE_TERMINAL", "goose"),
    ("AMP_CURRENT_THREAD_ID", "amp"),
    ("ANTIGRAVITY_AGENT", "antigravity"),
    // The variable that several agents share comes last: it may hold anything.
    ("AI_AGENT", "agent"),
];

impl Context {
    /// Returns the value of a variable. `None`: it is unset or empty.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.environment.iter().find(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| value.as_os_str())
    }

    /// Returns the caller's search path for programs.
    pub fn search_path(&self) -> Option<&OsStr> {
        referee_exec::search_path(&self.environment)
    }

    /// Returns the current time.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Creates an id for a run that starts now: the time, so that ids sort, and random digits, so that ids are unique.
    ///
    /// # Errors
    /// Fails if the system has no random numbers.
    pub fn new_execution(&self) -> Result<ExecutionId, EngineError> {
        let random =
            (self.random)().map_err(|error| EngineError::internal(format!("cannot draw random numbers: {error}")))?;
        let time = self.now().to_string();
        let time: String = time.chars().filter(|character| !matches!(character, '-' | ':' | '.')).collect();
        let random = u32::from_be_bytes(random);
        ExecutionId::parse(format!("exec-{time}-{random:08x}"))
            .map_err(|error| EngineError::internal(error.to_string()))
    }

    /// Returns the host for `exec`. Its clock starts now.
    ///
    /// # Errors
    /// Fails if the path of this program is unknown.
    pub fn for_exec(&self) -> Result<referee_exec::Host, EngineError> {
        let shim = self
            .program
            .clone()
            .ok_or_else(|| EngineError::internal("cannot determine the path of this program".to_owned()))?;
        Ok(referee_exec::Host {
            environment: self.environment.clone(),
            shim,
            controlling_terminal: self.has_controlling_terminal,
            clock: Clock::starting_at(self.now()),
            confines: referee_exec::Confines::default(),
        })
    }

    /// Returns the facts about machine and program for the run record.
    pub fn host(&self) -> Host {
        let agent = AGENTS.iter().find(|(name, _)| self.variable(name).is_some());
        Host {
            platform: std::env::consts::OS.to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
            process_id: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            agent: agent.map(|(_, agent)| (*agent).to_owned()),
        }
    }

    /// Returns a redactor for the values of variables with secret-looking names, and for text that looks like a secret.
    pub fn redactor(&self) -> Redactor {
        let text = |text: &OsStr| text.to_str().map(str::to_owned);
        let variables = self.environment.iter().filter_map(|(name, value)| Some((text(name)?, text(value)?)));
        Redactor::new(variables.filter(|(name, _)| looks_secret(name)).collect(), Vec::new())
    }

    /// Returns the path that a caller names who may not leave the current directory. Links are resolved.
    ///
    /// # Errors
    /// Fails if it is not below the current directory.
    pub fn below(&self, named: &Path) -> Result<PathBuf, EngineError> {
        let path = real_path(&straight(&self.directory.join(named)));
        if path.starts_with(real_path(&self.directory)) {
            return Ok(path);
        }
        let (named, directory) = (named.display(), self.directory.display());
        Err(EngineError::usage(format!("path outside of the project: {named} (the project is {directory})")))
    }

    /// Returns a path for display: relative to the current directory, if it lies below it.
    pub fn shown<'path>(&self, path: &'path Path) -> &'path Path {
        path.strip_prefix(&self.directory).unwrap_or(path)
    }

    /// Returns the path of a specification for display: relative to the current directory, even if the file is
    /// in a directory above it.
    pub fn told(&self, file: &Path) -> String {
        let here = real_path(&self.directory);
        let below = file.strip_prefix(&self.directory).or_else(|_| file.strip_prefix(&here)).ok();
        let above = || {
            let steps = here.strip_prefix(file.parent()?).ok()?.components().count();
            Some(Path::new(&"../".repeat(steps)).join(file.file_name()?))
        };
        let told = below.map(Path::to_owned).or_else(above).unwrap_or_else(|| file.to_owned());
        told.to_string_lossy().into_owned()
    }
}
