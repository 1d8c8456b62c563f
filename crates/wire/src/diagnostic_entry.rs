//! A diagnostic of a run, as the report's log and the register write it (seed 4, `DiagnosticsEntry`).

use referee_model::diagnostic_log::{DiagnosticEntry, DiagnosticSource};
use referee_model::fingerprint::Fingerprint;
use referee_model::id::ActionId;
use referee_model::reading::Level;
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::canonical::INTEGER_MAX;
use crate::form;
use crate::number::Count;

/// A distinct diagnostic. What the tool did not print is left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct EntryDocument {
    /// Where it comes from: a test run or request, a linter or formatter, a compiler or type checker, or any other action.
    #[schemars(with = "form::DiagnosticSource")]
    source: DiagnosticSource,
    #[schemars(with = "form::ActionId")]
    action_id: ActionId,
    action_name: String,
    /// What ran, as one line.
    command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// Relative to the workspace where it lies in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// For a failed test the file under test: the innermost frame in the project that is no test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file_under_test: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<PositionDocument>,
    /// Code or rule; for a failed test its name, for an action itself the rule that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[schemars(with = "form::Level")]
    severity: Level,
    message: String,
    /// Whether it stands against a pass.
    blocking: bool,
    /// When the action that showed it was over.
    #[schemars(with = "form::Time")]
    timestamp: Timestamp,
    /// How often the run shows it.
    #[schemars(with = "Count")]
    occurrence_count: u64,
    /// What makes it the same one in another run.
    #[schemars(with = "form::Fingerprint")]
    fingerprint: Fingerprint,
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PositionDocument {
    /// 1-based.
    line: u32,
    /// 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

impl From<&DiagnosticEntry> for EntryDocument {
    fn from(entry: &DiagnosticEntry) -> Self {
        Self {
            source: entry.source,
            action_id: entry.action.clone(),
            action_name: entry.action_name.clone(),
            command: entry.command.clone(),
            tool: entry.tool.clone(),
            file: entry.file.clone(),
            file_under_test: entry.under_test.clone(),
            position: entry.line.map(|line| PositionDocument { line, column: entry.column }),
            code: entry.code.clone(),
            severity: entry.severity,
            message: entry.message.clone(),
            blocking: entry.blocking,
            timestamp: entry.timestamp,
            occurrence_count: entry.occurrences.min(INTEGER_MAX),
            fingerprint: entry.fingerprint,
        }
    }
}

impl From<EntryDocument> for DiagnosticEntry {
    fn from(document: EntryDocument) -> Self {
        Self {
            source: document.source,
            action: document.action_id,
            action_name: document.action_name,
            command: document.command,
            tool: document.tool,
            file: document.file,
            under_test: document.file_under_test,
            line: document.position.map(|position| position.line),
            column: document.position.and_then(|position| position.column),
            code: document.code,
            severity: document.severity,
            message: document.message,
            blocking: document.blocking,
            timestamp: document.timestamp,
            occurrences: document.occurrence_count,
            fingerprint: document.fingerprint,
        }
    }
}
