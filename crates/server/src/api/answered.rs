//! Response documents of the API.

use std::collections::BTreeMap;

use referee_model::id::Digest;
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::IncidentStatus;
use serde::Serialize;
use serde_json::Value;

use referee_model::incident::IncidentDocument;
use referee_model::incident::event::IncidentEventDocument;

/// An order that was cancelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OrderCancelled {
    /// The order. The queue stops its worker, and whoever asked for it gets no answer.
    pub cancelled: Digest,
}

/// An incident with all of its files.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "An incident whole"))]
pub struct IncidentDetailDocument {
    /// The incident.
    pub incident: IncidentDocument,
    /// Content of `plan.json`, unchanged. Null if there is no plan.
    pub plan: Option<Value>,
    /// SHA-256 of `plan.json`. An approval refers to it by `plan_digest`.
    pub plan_digest: Option<String>,
    /// Content of `plan.md`.
    pub plan_text: Option<String>,
    /// Approval of the current plan.
    pub approval: ApprovalAnswer,
    /// Content of `handoff.json`, unchanged.
    pub handoff: Option<Value>,
    /// Content of `accept.json`: the executor's acceptance of the handoff.
    pub accept: Option<Value>,
    /// Content of `handback.json`: the executor's claim about its work, which nothing here verifies.
    pub handback: Option<Value>,
    /// Contents of `attempt_01.json` and its successors, unchanged: the last 100.
    pub attempts: Vec<Value>,
    /// Content of `run_result.json`, unchanged.
    pub run_result: Option<Value>,
    /// Content of `loop_state.json`, unchanged.
    pub loop_state: Option<Value>,
    /// State of the last repair loop that this server started for the incident. Null if it started none.
    pub work: Option<LoopStanding>,
    /// Content of `context.json`, unchanged.
    pub context: Option<Value>,
    /// The end of the incident's log.
    pub log_tail: Option<String>,
    /// Directories of the incident, relative to the root, with their files.
    pub paths: IncidentPaths,
    /// Names of files that exist but cannot be parsed.
    pub unreadable: Vec<String>,
}

/// Directories of an incident, relative to the root, with their files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IncidentPaths {
    /// The incident's main directory.
    pub incident: String,
    /// File names by directory.
    pub files: BTreeMap<String, Vec<String>>,
}

/// Approval of the current plan of an incident.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Approval of an incident's plan"))]
pub struct ApprovalAnswer {
    /// Whether there is an approval that is valid for the current plan.
    pub stands: bool,
    /// Why there is no valid approval. Null if there is one.
    pub reason: Option<String>,
    /// Name of the approver, as given in the approval.
    pub person: Option<String>,
    /// Time of the approval.
    pub approved_at: Option<String>,
    /// SHA-256 of the approved plan.
    pub plan_sha256: Option<String>,
    /// Revision of the approved plan.
    pub revision: Option<u32>,
    /// Verification commands of the planner's own that were approved, too.
    pub commands: Vec<String>,
    /// `signed` or `self_asserted`.
    pub standing: Option<String>,
    /// Owner of the signing key, as named in the trust store. Null if the approval is self-asserted.
    pub approver: Option<String>,
}

/// State of a repair loop that the server started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoopStanding {
    /// Whether the loop is running.
    pub is_running: bool,
    /// Why the loop ended without a result. Null if it is running, or ended with one.
    pub problem: Option<String>,
}

/// Result of a capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "What was captured"))]
pub struct CapturedAnswer {
    /// `new`, `occurrence`, `known`, `regression` or `skipped`. `known`: the same run was captured before.
    pub captured: &'static str,
    /// Id of the incident. Null if nothing was captured.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub incident_id: Option<IncidentId>,
    /// Id of the resolved incident that this one is a regression of. Null if it is none.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub regression_of: Option<IncidentId>,
    /// Why nothing was captured. Null if something was.
    pub reason: Option<String>,
}

/// Status of an incident after an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Where an incident stands now"))]
pub struct StandingAnswer {
    /// Id of the incident.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub incident_id: IncidentId,
    /// Status of the incident.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub status: IncidentStatus,
    /// Directory of the incident, relative to the root.
    pub path: String,
}

/// Result of planning all incidents without a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Plans for all"))]
pub struct PlanAllAnswer {
    /// Number of incidents that this request tried to plan.
    pub target: u64,
    /// Number of incidents that were planned.
    pub planned: u64,
    /// Number of incidents that could not be planned.
    pub failed: u64,
    /// Reasons of the failures, one sentence each, by incident id.
    pub failures: BTreeMap<String, String>,
    /// Number of incidents that still need a plan. Repeat the request to plan them.
    pub remaining: u64,
}

/// Events of an incident.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Events of an incident"))]
pub struct EventsAnswer {
    /// The events, in order.
    pub events: Vec<IncidentEventDocument>,
    /// Cursor for the next page: the value for `after`. Null if there are no more events.
    pub next: Option<u64>,
}

/// A repair loop that was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "A loop that was begun"))]
pub struct LoopBegun {
    /// Id of the incident.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub incident_id: IncidentId,
    /// Always `running`.
    pub status: &'static str,
    /// URL path to follow the loop's progress.
    pub location: String,
}

/// Handbacks of executors.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "What executors handed back"))]
pub struct HandbacksAnswer {
    /// The handbacks, one for each incident that has one.
    pub handbacks: Vec<HandbackRow>,
    /// Cursor for the next page: the value for `after`. Null if there are no more incidents.
    pub next: Option<String>,
}

/// Handback of one incident.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HandbackRow {
    /// Id of the incident.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub incident_id: IncidentId,
    /// Status of the incident.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub status: IncidentStatus,
    /// Content of `handback.json`, unchanged: the executor's claim.
    pub handback: Value,
}
