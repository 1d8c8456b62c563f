//! `GET /api/runs/{task}/{execution}/actions/{action}/log`: some lines of an action's log, with the findings that were read
//! from them.

use referee_model::id::{ActionId, Digest, ExecutionId, TaskId};
use referee_model::reading::Level;
use serde::{Deserialize, Serialize};

use referee_model::document::{DocumentError, Kind};
#[cfg(feature = "schema")]
use referee_model::number::Count;

const KIND: Kind = Kind { name: "the log of an action", key: "actionLogVersion", version: "1.0.0" };

/// The document that holds an action's findings; its major version is what is read here.
const FINDINGS: Kind = Kind { name: "the findings of an action", key: "diagnosticsVersion", version: "1.0.0" };

/// Some lines of an action's log.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(title = "Referee log of an action", deny_unknown_fields))]
pub struct ActionLogDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    action_log_version: &'static str,
    /// What is shown.
    #[serde(flatten)]
    log: ActionLog,
}

/// Some lines of an action's log, and what they belong to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActionLog {
    /// The task.
    pub task_id: TaskId,
    /// The run.
    pub execution_id: ExecutionId,
    /// The action.
    pub action_id: ActionId,
    /// Which attempt: 1 is the first.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub attempt: u64,
    /// How many attempts left a record.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub attempts: u64,
    /// The name of the log among the files of evidence.
    pub file: String,
    /// Size in bytes.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub bytes: u64,
    /// SHA-256 of it, by the seal.
    pub sha256: Digest,
    /// How many lines it has.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub line_count: u64,
    /// The lines that were asked for, both streams in the order in which they came.
    pub lines: Vec<LogLine>,
    /// The first line after these. Null: these end with the last one.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Count>"))]
    pub next_line: Option<u64>,
    /// How many findings there are, listed or not. Of all attempts the last one alone has findings.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub finding_count: u64,
    /// The first of them, with the line of the log that each was read from, wherever in the log that is.
    pub findings: Vec<LogFinding>,
}

/// A line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct LogLine {
    /// 1-based.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub number: u64,
    /// What it says, without its end; bytes that are no text are replaced, control characters are as they were printed.
    pub text: String,
    /// How many bytes of it are left out here, at its end.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub left_out: u64,
}

/// A finding, and where in the log it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct LogFinding {
    /// The line of the log, 1-based. Null: it lies beyond the log's end.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Count>"))]
    pub log_line: Option<u64>,
    /// The last line of the log that it was read from.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Count>"))]
    pub last_log_line: Option<u64>,
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
}

/// A finding as the findings of an action list it, as far as it is told beside the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The tool that said it.
    pub tool: String,
    /// Severity: error, warning or info.
    pub severity: Level,
    /// Message of the finding.
    pub message: String,
    /// Error code or rule of the tool. Null: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Path of the file as the tool printed it. Null: none was printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The bytes of the log that it was read from.
    pub origin: FindingOrigin,
}

/// The bytes of the log that a finding was read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FindingOrigin {
    /// The rule of the reader.
    pub rule: String,
    /// Offset of the first byte in the log.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub start: u64,
    /// Offset after the last byte in the log.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub end: u64,
}

/// Returns some lines of a log as a document.
pub fn document(log: ActionLog) -> ActionLogDocument {
    ActionLogDocument { action_log_version: KIND.version, log }
}

/// Reads the findings of an action, as far as they are told beside its log.
///
/// # Errors
/// Fails for bytes that are no such document.
pub fn read_findings(bytes: &[u8]) -> Result<Vec<Finding>, DocumentError> {
    let findings: Findings = FINDINGS.read(bytes)?;
    Ok(findings.diagnostics)
}

/// The one key of the findings of an action that is looked at; all others are passed over.
#[derive(Deserialize)]
struct Findings {
    diagnostics: Vec<Finding>,
}
