//! What went wrong in a run, finding by finding, and in short for whoever has the next turn (seed 4).

use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::id::{ActionId, ExecutionId, TaskId};
use crate::reading::Level;
use crate::time::Timestamp;

/// Where a diagnostic comes from (seed 4, `origin`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DiagnosticSource {
    /// A test run, or an HTTP request.
    Test,
    /// A linter or formatter.
    Lint,
    /// A type checker or compiler.
    Build,
    /// A command, file or service that did not do what it is for.
    Runtime,
}

/// The diagnostics of one run: a projection of its report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiagnosticLog {
    /// The distinct ones, gravest first; at most [`crate::limit::DIAGNOSTICS_LISTED`].
    pub entries: Vec<DiagnosticEntry>,
    /// How many distinct ones there are, listed or not.
    pub distinct: u64,
    /// The top of them in a few lines, for prompts.
    pub summary: String,
}

/// One distinct diagnostic of a run. Those that agree in source, file, message and line are one (ruling 22).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticEntry {
    /// Where it comes from.
    pub source: DiagnosticSource,
    /// The action that showed it.
    pub action: ActionId,
    /// The action's name: its number changes when a check is put before it.
    pub action_name: String,
    /// What ran, as one line.
    pub command: String,
    /// The tool that said it.
    pub tool: Option<String>,
    /// File, relative to the workspace where it lies in it.
    pub file: Option<String>,
    /// For a failed test the file under test, relative to the workspace: the innermost frame in the project that is no test. None:
    /// it is no test, or no such frame is known.
    pub under_test: Option<String>,
    /// 1-based line.
    pub line: Option<u32>,
    /// 1-based column.
    pub column: Option<u32>,
    /// Code or rule; for a failed test its name.
    pub code: Option<String>,
    /// How bad it is.
    pub severity: Level,
    /// What it says.
    pub message: String,
    /// Whether it stands against a pass: the action that showed it does, and it is among what made it so.
    pub blocking: bool,
    /// When the action that showed it was over.
    pub timestamp: Timestamp,
    /// How often this run shows it.
    pub occurrences: u64,
    /// What makes it the same one in another run.
    pub fingerprint: Fingerprint,
}

/// The diagnostics of all runs below one evidence root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiagnosticRegister {
    /// The runs that it knows, in the order in which they were added; at most [`crate::limit::REGISTERED_RUNS`], and the last one of
    /// each task.
    pub runs: Vec<RegisteredRun>,
    /// The diagnostics, by task and fingerprint; each pair stands once. At most
    /// [`crate::limit::DIAGNOSTICS_REGISTERED`].
    pub entries: Vec<RegisteredDiagnostic>,
    /// How many were dropped because there were more than that.
    pub dropped: u64,
}

/// A run that the register knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredRun {
    /// Its task.
    pub task: TaskId,
    /// The run, and when it was over.
    pub sighting: Sighting,
    /// Whether it left something out: such a run proves nothing gone.
    pub reduced: bool,
}

/// A diagnostic as the register keeps it over runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredDiagnostic {
    /// The task whose runs show it.
    pub task: TaskId,
    /// As the last run that showed it did.
    pub entry: DiagnosticEntry,
    /// The run that first showed it.
    pub first_seen: Sighting,
    /// The run that last showed it.
    pub last_seen: Sighting,
    /// How often all runs together showed it.
    pub count: u64,
    /// How many runs showed it.
    pub runs: u64,
    /// The run that proved it gone. None: it is there, as far as is known.
    pub cleared: Option<Sighting>,
}

/// A run, and when it was over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The run.
    pub execution: ExecutionId,
    /// When it was over.
    pub at: Timestamp,
}
