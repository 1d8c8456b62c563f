//! `incident.json`: what failed, when and where, and how far work at it has come (seed 3).
//!
//! The document is a contract with programs that know nothing of Referee: its keys are the seed's, what others added to it is
//! kept when it is written again, and times are UTC to the second.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::id::IncidentId;
use self::status::{Closing, IncidentStatus};
use crate::document::DocumentError;
use crate::fingerprint::Fingerprint;
use crate::time::Timestamp;

pub mod approval;
pub mod archive;
pub mod attempt;
pub mod class;
pub mod event;
pub mod evidence;
pub mod grouping;
pub mod handoff;
pub mod id;
pub mod list;
pub mod planner;
pub mod remediation;
pub mod seconds;
pub mod status;

/// An incident.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Referee incident"))]
pub struct IncidentDocument {
    /// Its id, which is the name of its directory.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub incident_id: IncidentId,
    /// Where it stands. `status.txt` says the same.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub status: IncidentStatus,
    /// When the incident was captured, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub created_at: Timestamp,
    /// When the incident last changed, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub updated_at: Timestamp,
    /// The run that failed. Empty: none was named.
    #[serde(default)]
    pub run_id: String,
    /// The year that the failed work was about.
    #[serde(default)]
    pub year: Option<i32>,
    /// The month that the failed work was about, as it was given.
    #[serde(default)]
    pub month: Option<i64>,
    /// Year and month, `2026-01`. Empty where either is missing or there is no such month.
    #[serde(default)]
    pub ym: String,
    /// What failed: a step or an action. May be empty.
    #[serde(default)]
    pub step: String,
    /// Which class of failure it is.
    #[serde(default = "unknown")]
    pub failure_class: String,
    /// What is wrong, in a sentence, without secrets.
    #[serde(default)]
    pub message: String,
    /// Class, step and message in one line (seed 3). `fingerprint` is what groups incidents.
    #[serde(default)]
    pub error_signature: String,
    /// What makes two failures one (ruling 23). None: it was captured by another program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub fingerprint: Option<Fingerprint>,
    /// How often it was seen: 1 when it is captured.
    #[serde(default = "one")]
    pub occurrences: u64,
    /// When it was last seen. None: once, when it was captured.
    #[serde(default, with = "seconds::optional", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Seconds>"))]
    pub last_seen_at: Option<Timestamp>,
    /// The resolved incident that this is a regression of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub regression_of: Option<IncidentId>,
    /// The files of evidence in its directory.
    #[serde(default)]
    pub evidence: EvidenceFiles,
    /// Where they were taken from. Empty: from nowhere.
    #[serde(default)]
    pub source_paths: SourcePaths,
    /// How far its plan is. None: it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_state: Option<PlanState>,
    /// Its plan, relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_path: Option<String>,
    /// When the current plan was made, in UTC, to the second. Null: there is no plan.
    #[serde(default, with = "seconds::optional", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Seconds>"))]
    pub planned_at: Option<Timestamp>,
    /// Plans that it had, the present one included.
    #[serde(default)]
    pub plan_revision: u32,
    /// Plans that the loop asked for (ruling 24). A person who reopens it sets this back.
    #[serde(default)]
    pub replans: u32,
    /// When its plan was approved.
    #[serde(default, with = "seconds::optional", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Seconds>"))]
    pub approved_at: Option<Timestamp>,
    /// Who approved of its plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// When it was handed off.
    #[serde(default, with = "seconds::optional", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Seconds>"))]
    pub handoff_at: Option<Timestamp>,
    /// The package for the executor, relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_path: Option<String>,
    /// Who is to carry it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_executor: Option<String>,
    /// Where the package was put for the executor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_queue_path: Option<String>,
    /// When its loop was first asked for.
    #[serde(default, with = "seconds::optional", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Seconds>"))]
    pub execution_requested_at: Option<Timestamp>,
    /// How work at it ended. None: it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub archive_result: Option<Closing>,
    /// Reason given for closing the incident.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive_reason: Option<String>,
    /// When the incident was closed, in UTC, to the second.
    #[serde(default, with = "seconds::optional", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Seconds>"))]
    pub archived_at: Option<Timestamp>,
    /// What other programs wrote beside it.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// The files of evidence in an incident's directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct EvidenceFiles {
    /// The end of the log.
    pub log_tail_file: String,
    /// The end of the audit log.
    pub audit_tail_file: String,
    /// What is known of the circumstances.
    pub context_file: String,
}

impl Default for EvidenceFiles {
    fn default() -> Self {
        Self {
            log_tail_file: LOG_TAIL.to_owned(),
            audit_tail_file: AUDIT_TAIL.to_owned(),
            context_file: CONTEXT.to_owned(),
        }
    }
}

/// Where the evidence was taken from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SourcePaths {
    /// Path of the log that was captured. Empty: no log was given.
    pub log_path: String,
    /// Path of the audit log that was captured. Empty: no audit log was given.
    pub audit_path: String,
    /// Path of the context file that was captured. Empty: none was given.
    pub context_path: String,
}

/// How far a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    /// It lies before a person.
    Proposed,
    /// A person approved of it.
    Approved,
    /// A person refused it.
    Rejected,
}

/// The incident itself.
pub const INCIDENT: &str = "incident.json";
/// Where it stands, in one word.
pub const STATUS: &str = "status.txt";
/// The end of its log.
pub const LOG_TAIL: &str = "log_tail.txt";
/// The end of its audit log.
pub const AUDIT_TAIL: &str = "audit_tail.jsonl";
/// What is known of its circumstances.
pub const CONTEXT: &str = "context.json";
/// Its judged diagnostics, where it was captured from a report.
pub const DIAGNOSTICS: &str = "diagnostics.json";
/// The end of the log of the latest occurrence, where a plan rests on that of an earlier one.
pub const LAST_LOG_TAIL: &str = "last_log_tail.txt";
/// How it was closed.
pub const ARCHIVE_META: &str = "archive_meta.json";
/// Why it was closed, for people.
pub const RESOLUTION_NOTE: &str = "resolution_note.md";

fn unknown() -> String {
    "unknown".to_owned()
}

fn one() -> u64 {
    1
}

/// Reads an incident, of ours or of another program that keeps to the contract. A status that nobody knows is read as `new`.
///
/// # Errors
/// Fails for bytes that are no incident.
pub fn read(bytes: &[u8]) -> Result<IncidentDocument, DocumentError> {
    // What Referee wrote itself leaves nothing open.
    if let Ok(incident) = serde_json::from_slice(bytes) {
        return Ok(incident);
    }
    let shape = |source| DocumentError::Shape { document: INCIDENT, source };
    let mut value: Value = serde_json::from_slice(bytes).map_err(shape)?;
    if let Some(status) = value.get_mut("status") {
        let known = status.as_str().and_then(IncidentStatus::parse).unwrap_or(IncidentStatus::New);
        *status = Value::String(known.as_str().to_owned());
    }
    without_blanks(&mut value);
    serde_json::from_value(value).map_err(shape)
}

/// What another program left open says nothing: `null` where a text, a number or an object stands, no status (`status.txt` has
/// it), and a word for the plan's state that is none of ours.
fn without_blanks(value: &mut Value) {
    const OURS: [&str; 11] = [
        "run_id",
        "ym",
        "step",
        "failure_class",
        "message",
        "error_signature",
        "occurrences",
        "evidence",
        "source_paths",
        "plan_revision",
        "replans",
    ];
    let Some(members) = value.as_object_mut() else { return };
    members.retain(|key, value| !(value.is_null() && OURS.contains(&key.as_str())));
    for part in ["evidence", "source_paths"] {
        if let Some(paths) = members.get_mut(part).and_then(Value::as_object_mut) {
            paths.retain(|_, path| !path.is_null());
        }
    }
    members.entry("status").or_insert_with(|| Value::String(IncidentStatus::New.as_str().to_owned()));
    if members.get("plan_state").is_some_and(|state| PlanState::deserialize(state).is_err()) {
        members.remove("plan_state");
    }
}
