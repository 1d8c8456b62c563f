//! The diagnostics of a run, one by one and as a summary for the next turn (seed 4).

use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::id::{ActionId, ExecutionId, TaskId};
use crate::reading::Level;
use crate::time::Timestamp;

document_words! {
    /// Origin of a diagnostic (seed 4, `origin`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum DiagnosticSource {
        /// A test run, or an HTTP request.
        Test = "test",
        /// A linter or formatter.
        Lint = "lint",
        /// A type checker or compiler.
        Build = "build",
        /// A command, file or service that did not behave as required.
        Runtime = "runtime",
    }
}

/// The diagnostics of one run, derived from its report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiagnosticLog {
    /// The distinct diagnostics, most severe first; at most [`crate::limit::DIAGNOSTICS_LISTED`].
    pub entries: Vec<Finding>,
    /// Number of distinct diagnostics, including unlisted ones.
    pub distinct: u64,
    /// Summary of the most severe ones in a few lines, for prompts.
    pub summary: String,
}

/// One distinct diagnostic of a run. Diagnostics with the same source, file, message and line are one (ruling 22).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Finding {
    /// Kind of check that produced the finding.
    pub source: DiagnosticSource,
    /// Id of the action that showed the finding.
    #[serde(rename = "actionId")]
    pub action: ActionId,
    /// Name of the action. Unlike the id, it does not change when a check is inserted before the action.
    pub action_name: String,
    /// The command that ran, as one line.
    pub command: String,
    /// Tool that reported the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// File, relative to the workspace where it lies in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// For a failed test the file under test, relative to the workspace: that of the innermost stack frame in the
    /// project outside of tests. None: not a test, or no such frame is known.
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
    /// Whether the finding prevents a pass: its action does, and the finding is one of the causes.
    pub blocking: bool,
    /// Time at which the action that showed it ended.
    pub timestamp: Timestamp,
    /// Number of occurrences in this run.
    #[serde(rename = "occurrenceCount")]
    pub occurrences: u64,
    /// Fingerprint, the same in every run that shows the finding.
    pub fingerprint: Fingerprint,
}

impl Finding {
    /// Returns the finding with `clean` applied to every text.
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

    /// Returns the 1-based line.
    pub fn line(&self) -> Option<u32> {
        self.position.map(|position| position.line)
    }

    /// Returns the 1-based column.
    pub fn column(&self) -> Option<u32> {
        self.position.and_then(|position| position.column)
    }
}

/// A position in a file.
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
    /// Version of this format.
    #[serde(rename = "diagnosticsRegisterVersion")]
    pub version: String,
    /// The registered runs, in the order in which they were added; at most [`crate::limit::REGISTERED_RUNS`],
    /// plus the last run of each task.
    pub runs: Vec<RegisteredRun>,
    /// Number of diagnostics dropped because there were too many.
    pub dropped: u64,
    /// The diagnostics, unique by task and fingerprint; at most [`crate::limit::DIAGNOSTICS_REGISTERED`].
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

/// A registered run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegisteredRun {
    /// Id of the task.
    #[serde(rename = "taskId")]
    pub task: TaskId,
    /// Id of the run.
    #[serde(rename = "executionId")]
    pub execution: ExecutionId,
    /// Time at which the run ended.
    #[serde(rename = "endedAt")]
    pub ended: Timestamp,
    /// Whether the run left checks out: such a run clears no diagnostics.
    pub reduced: bool,
}

/// A diagnostic as the register keeps it over runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegisteredDiagnostic {
    /// Id of the task whose runs show it.
    #[serde(rename = "taskId")]
    pub task: TaskId,
    /// The diagnostic as of the last run that showed it.
    #[serde(rename = "diagnostic")]
    pub entry: Finding,
    /// The first run that showed it.
    pub first_seen: Sighting,
    /// The last run that showed it.
    pub last_seen: Sighting,
    /// Number of occurrences in all runs together.
    pub count: u64,
    /// Number of runs that showed it.
    pub runs: u64,
    /// The run that cleared it. None: still present, as far as known.
    pub cleared: Option<Sighting>,
}

/// A run and the time at which it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sighting {
    /// Id of the run.
    #[serde(rename = "executionId")]
    pub execution: ExecutionId,
    /// Time at which the run ended.
    pub at: Timestamp,
}
