//! `GET /api/runs/{task}/{execution}/actions/{action}/log`: a range of lines of an action's log, with findings that
//! were read from the log.

use referee_model::id::{ActionId, Digest, ExecutionId, TaskId};
use referee_model::reading::Level;
use serde::{Deserialize, Serialize};

use referee_model::document::{DocumentError, Kind};
#[cfg(feature = "schema")]
use referee_model::number::Count;

const KIND: Kind = Kind { name: "the log of an action", key: "actionLogVersion", version: "1.0.0" };

/// Format of the document that holds an action's findings; its major version is the one that this module reads.
const FINDINGS: Kind = Kind { name: "the findings of an action", key: "diagnosticsVersion", version: "1.0.0" };

/// Document with a range of lines of an action's log.
#[document]
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "schema", schemars(title = "Referee log of an action"))]
pub struct ActionLogDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    action_log_version: &'static str,
    /// Lines and findings of the log.
    #[serde(flatten)]
    log: ActionLog,
}

/// A range of lines of an action's log, with the attempt that it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActionLog {
    /// Id of the task.
    pub task_id: TaskId,
    /// Id of the run.
    pub execution_id: ExecutionId,
    /// Id of the action.
    pub action_id: ActionId,
    /// Number of the attempt, from 1.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub attempt: u64,
    /// Number of attempts that left a record.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub attempts: u64,
    /// Name of the log among the evidence files.
    pub file: String,
    /// Size of the log in bytes.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub bytes: u64,
    /// SHA-256 of the log, as recorded in the seal.
    pub sha256: Digest,
    /// Number of lines of the log.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub line_count: u64,
    /// Requested lines, of both streams in the order in which they arrived.
    pub lines: Vec<LogLine>,
    /// Number of the line after these. Null: the log ends with them.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Count>"))]
    pub next_line: Option<u64>,
    /// Number of findings, listed or not. Of all attempts only the last one has findings.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub finding_count: u64,
    /// First findings, each with the line that it was read from, which may lie anywhere in the log.
    pub findings: Vec<LogFinding>,
}

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
#[serde(rename_all = "camelCase")]
pub struct LogLine {
    /// Number of the line, 1-based.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub number: u64,
    /// Text of the line without its line end. Bytes that are not text are replaced; control characters are kept as
    /// printed.
    pub text: String,
    /// Number of bytes that are left out at the end of the line.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub left_out: u64,
}

/// A finding and the lines of the log that it was read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
#[serde(rename_all = "camelCase")]
pub struct LogFinding {
    /// First line of the log that the finding was read from, 1-based. Null: it lies beyond the log's end.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Count>"))]
    pub log_line: Option<u64>,
    /// Last line of the log that the finding was read from, 1-based.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Count>"))]
    pub last_log_line: Option<u64>,
    /// Finding as the action's findings list it.
    #[serde(flatten)]
    pub finding: Finding,
}

/// A finding of an action, reduced to what is shown beside the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Name of the tool that reported the finding.
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
    /// 1-based line in `file`. Null: none was printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// 1-based column in `line`. Null: none was printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Byte range of the log that the finding was read from.
    pub origin: FindingOrigin,
}

/// Byte range of the log that a finding was read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FindingOrigin {
    /// Name of the reader's rule that recognized the finding.
    pub rule: String,
    /// Offset of the first byte in the log.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub start: u64,
    /// Offset after the last byte in the log.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub end: u64,
}

pub fn document(log: ActionLog) -> ActionLogDocument {
    ActionLogDocument { action_log_version: KIND.version, log }
}

/// Reads the findings of an action, reduced to what is shown beside its log.
///
/// # Errors
/// Fails for bytes that are not such a document.
pub fn read_findings(bytes: &[u8]) -> Result<Vec<Finding>, DocumentError> {
    let findings: Findings = FINDINGS.read(bytes)?;
    Ok(findings.diagnostics)
}

/// The one key of an action's findings that is read; all others are ignored.
#[derive(Deserialize)]
struct Findings {
    diagnostics: Vec<Finding>,
}
