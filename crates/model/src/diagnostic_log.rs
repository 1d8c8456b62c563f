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
    pub entries: Vec<Finding>,
    /// How many distinct ones there are, listed or not.
    pub distinct: u64,
    /// The top of them in a few lines, for prompts.
    pub summary: String,
}

/// One distinct diagnostic of a run. Those that agree in source, file, message and line are one (ruling 22).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Finding {
    /// Kind of check that produced the finding.
    pub source: DiagnosticSource,
    /// The action that showed it.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// The action's name: its number changes when a check is put before it.
    pub action_name: String,
    /// What ran, as one line.
    pub command: String,
    /// The tool that said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// File, relative to the workspace where it lies in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// For a failed test the file under test, relative to the workspace: the innermost frame in the project that is no test. None:
    /// it is no test, or no such frame is known.
    #[serde(default, rename = "fileUnderTest", skip_serializing_if = "Option::is_none")]
    pub under_test: Option<String>,
    /// Line and column in `file`. Null: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Code or rule; for a failed test its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Severity: error, warning or info.
    pub severity: Level,
    /// Message of the finding.
    pub message: String,
    /// Whether it stands against a pass: the action that showed it does, and it is among what made it so.
    pub blocking: bool,
    /// When the action that showed it was over.
    pub timestamp: Timestamp,
    /// How often this run shows it.
    #[serde(rename = "occurrenceCount")]
    pub occurrences: u64,
    /// What makes it the same one in another run.
    pub fingerprint: Fingerprint,
}

impl Finding {
    /// Returns it with every text as `clean` leaves it.
    #[must_use]
    pub fn with_texts(&self, clean: &dyn Fn(&str) -> String) -> Self {
        let text = |text: &Option<String>| text.as_deref().map(clean);
        Self {
            action_name: clean(&self.action_name),
            command: clean(&self.command),
            tool: text(&self.tool),
            file: text(&self.file),
            under_test: text(&self.under_test),
            code: text(&self.code),
            message: clean(&self.message),
            action: self.action.clone(),
            ..*self
        }
    }

    /// Its 1-based line.
    pub fn line(&self) -> Option<u32> {
        self.position.map(|position| position.line)
    }

    /// Its 1-based column.
    pub fn column(&self) -> Option<u32> {
        self.position.and_then(|position| position.column)
    }
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Position {
    /// 1-based line in the file.
    pub line: u32,
    /// 1-based column in the line. Null: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

/// The diagnostics of all runs below one evidence root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiagnosticRegister {
    /// The version of this document.
    #[serde(rename = "diagnosticsRegisterVersion")]
    pub version: String,
    /// The runs that it knows, in the order in which they were added; at most [`crate::limit::REGISTERED_RUNS`], and the last one of
    /// each task.
    pub runs: Vec<RegisteredRun>,
    /// How many were dropped because there were more than that.
    pub dropped: u64,
    /// The diagnostics, by task and fingerprint; each pair stands once. At most
    /// [`crate::limit::DIAGNOSTICS_REGISTERED`].
    #[serde(rename = "diagnostics")]
    pub entries: Vec<RegisteredDiagnostic>,
}

impl DiagnosticRegister {
    /// The version that is written.
    pub const VERSION: &str = "1.0.0";
}

impl Default for DiagnosticRegister {
    fn default() -> Self {
        Self { version: Self::VERSION.to_owned(), runs: Vec::new(), dropped: 0, entries: Vec::new() }
    }
}

/// A run that the register knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegisteredRun {
    /// Its task.
    #[serde(rename = "taskId")]
    pub task: TaskId,
    /// It.
    #[serde(rename = "executionId")]
    pub execution: ExecutionId,
    /// When it was over.
    #[serde(rename = "endedAt")]
    pub ended: Timestamp,
    /// Whether it left something out: such a run proves nothing gone.
    pub reduced: bool,
}

/// A diagnostic as the register keeps it over runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegisteredDiagnostic {
    /// The task whose runs show it.
    #[serde(rename = "taskId")]
    pub task: TaskId,
    /// As the last run that showed it did.
    #[serde(rename = "diagnostic")]
    pub entry: Finding,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sighting {
    /// The run.
    #[serde(rename = "executionId")]
    pub execution: ExecutionId,
    /// When it was over.
    pub at: Timestamp,
}
