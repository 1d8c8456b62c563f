//! `incident.json`: what failed, when and where, and the progress of the work on it (seed 3).
//!
//! The document is a contract with programs that know nothing of Referee: its keys are those of the seed,
//! additions of other programs are preserved when it is written again, and times are in UTC to the second.

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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Referee incident"))]
pub struct IncidentDocument {
    /// Id of the incident, which is also the name of its directory.
    pub incident_id: IncidentId,
    /// Status of the incident, the same as in `status.txt`.
    pub status: IncidentStatus,
    /// When the incident was captured, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub created_at: Timestamp,
    /// When the incident last changed, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub updated_at: Timestamp,
    /// Id of the run that failed. Empty: not given.
    #[serde(default)]
    pub run_id: String,
    /// Year that the failed work was about.
    #[serde(default)]
    pub year: Option<i32>,
    /// Month that the failed work was about, as given.
    #[serde(default)]
    pub month: Option<i64>,
    /// Year and month, such as `2026-01`. Empty: either is missing, or the month is not valid.
    #[serde(default)]
    pub ym: String,
    /// Step or action that failed. May be empty.
    #[serde(default)]
    pub step: String,
    /// Class of the failure.
    #[serde(default = "unknown")]
    pub failure_class: String,
    /// Description of the failure in one sentence, without secrets.
    #[serde(default)]
    pub message: String,
    /// Class, step and message in one line (seed 3). Incidents are grouped by `fingerprint`, not by this.
    #[serde(default)]
    pub error_signature: String,
    /// Fingerprint of the failure, by which incidents are grouped (ruling 23). None: captured by another program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub fingerprint: Option<Fingerprint>,
    /// Number of occurrences, 1 when captured.
    #[serde(default = "one")]
    pub occurrences: u64,
    /// Time of the last occurrence. None: only the captured one.
    #[serde(default, with = "seconds::optional", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Seconds>"))]
    pub last_seen_at: Option<Timestamp>,
    /// Id of the resolved incident that this one is a regression of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regression_of: Option<IncidentId>,
    /// Names of the evidence files in the incident's directory.
    #[serde(default)]
    pub evidence: EvidenceFiles,
    /// Source paths of the evidence.
    #[serde(default)]
    pub source_paths: SourcePaths,
    /// State of the plan. None: there is no plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_state: Option<PlanState>,
    /// Path of the plan, relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_path: Option<String>,
    /// When the current plan was made, in UTC, to the second. Null: there is no plan.
    #[serde(default, with = "seconds::optional", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Seconds>"))]
    pub planned_at: Option<Timestamp>,
    /// Number of plans so far, including the current one.
    #[serde(default)]
    pub plan_revision: u32,
    /// Number of plans requested by the repair loop (ruling 24). Reset when a person reopens the incident.
    #[serde(default)]
    pub replans: u32,
    /// When the plan was approved, in UTC, to the second. Null: not approved.
    #[serde(default, with = "seconds::optional", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Seconds>"))]
    pub approved_at: Option<Timestamp>,
    /// Name of the person who approved the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// When the incident was handed off, in UTC, to the second. Null: not handed off.
    #[serde(default, with = "seconds::optional", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Seconds>"))]
    pub handoff_at: Option<Timestamp>,
    /// Path of the handoff package for the executor, relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_path: Option<String>,
    /// Name of the executor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_executor: Option<String>,
    /// Path at which the package was queued for the executor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_queue_path: Option<String>,
    /// When the repair loop was first requested, in UTC, to the second. Null: never.
    #[serde(default, with = "seconds::optional", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Seconds>"))]
    pub execution_requested_at: Option<Timestamp>,
    /// Result with which the incident was closed. None: it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive_result: Option<Closing>,
    /// Reason given for closing the incident.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive_reason: Option<String>,
    /// When the incident was closed, in UTC, to the second.
    #[serde(default, with = "seconds::optional", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::Seconds>"))]
    pub archived_at: Option<Timestamp>,
    /// Keys added by other programs.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

impl IncidentDocument {
    /// Creates a new incident, of which no more is known than its failure.
    pub fn new(incident_id: IncidentId, fingerprint: Fingerprint, at: Timestamp) -> Self {
        Self {
            incident_id,
            status: IncidentStatus::New,
            created_at: at,
            updated_at: at,
            run_id: String::new(),
            year: None,
            month: None,
            ym: String::new(),
            step: String::new(),
            failure_class: String::new(),
            message: String::new(),
            error_signature: String::new(),
            fingerprint: Some(fingerprint),
            occurrences: 1,
            last_seen_at: None,
            regression_of: None,
            evidence: EvidenceFiles::default(),
            source_paths: SourcePaths::default(),
            plan_state: None,
            plan_path: None,
            planned_at: None,
            plan_revision: 0,
            replans: 0,
            approved_at: None,
            approved_by: None,
            handoff_at: None,
            handoff_path: None,
            handoff_executor: None,
            handoff_queue_path: None,
            execution_requested_at: None,
            archive_result: None,
            archive_reason: None,
            archived_at: None,
            other: BTreeMap::new(),
        }
    }
}

/// Names of the evidence files in an incident's directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct EvidenceFiles {
    /// File with the end of the log.
    pub log_tail_file: String,
    /// File with the end of the audit log.
    pub audit_tail_file: String,
    /// File with the context of the failure.
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

/// Source paths of the evidence.
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

/// State of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    /// Proposed; waiting for a person's approval.
    Proposed,
    /// Approved by a person.
    Approved,
    /// Rejected by a person.
    Rejected,
}

/// The incident document.
pub const INCIDENT: &str = "incident.json";
/// The status of the incident, as one word.
pub const STATUS: &str = "status.txt";
/// The end of the log.
pub const LOG_TAIL: &str = "log_tail.txt";
/// The end of the audit log.
pub const AUDIT_TAIL: &str = "audit_tail.jsonl";
/// The context of the failure.
pub const CONTEXT: &str = "context.json";
/// The judged diagnostics, if the incident was captured from a report.
pub const DIAGNOSTICS: &str = "diagnostics.json";
/// The end of the log of the latest occurrence, where the plan refers to the log of an earlier one.
pub const LAST_LOG_TAIL: &str = "last_log_tail.txt";
/// The result of closing the incident.
pub const ARCHIVE_META: &str = "archive_meta.json";
/// The reason of closing the incident, for people.
pub const RESOLUTION_NOTE: &str = "resolution_note.md";

fn unknown() -> String {
    "unknown".to_owned()
}

fn one() -> u64 {
    1
}

/// Parses an incident document, written by Referee or by another program that follows the contract. An unknown
/// status is read as `new`.
///
/// # Errors
/// Fails for bytes that are not an incident document.
pub fn read(bytes: &[u8]) -> Result<IncidentDocument, DocumentError> {
    // A document written by Referee needs no corrections.
    if let Ok(incident) = serde_json::from_slice(bytes) {
        return Ok(incident);
    }
    let shape = |source| DocumentError::Shape { document: INCIDENT, source };
    let mut value: Value = serde_json::from_slice(bytes).map_err(shape)?;
    if let Some(status) = value.get_mut("status") {
        let known = status.as_str().and_then(IncidentStatus::read).unwrap_or(IncidentStatus::New);
        *status = Value::String(known.as_str().to_owned());
    }
    without_blanks(&mut value);
    serde_json::from_value(value).map_err(shape)
}

/// Removes values that carry no information in documents of other programs: `null` in place of a text, number or
/// object, and an unknown plan state. A missing status becomes `new` (`status.txt` has the actual one).
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
