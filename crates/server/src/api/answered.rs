//! What the API answers.

use std::collections::BTreeMap;

use referee_model::incident::id::IncidentId;
use referee_model::incident::status::IncidentStatus;
use serde::Serialize;
use serde_json::Value;

use referee_model::incident::IncidentDocument;
use referee_model::incident::event::IncidentEventDocument;

/// An incident, and all that is kept of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "An incident whole"))]
pub struct IncidentDetailDocument {
    /// The incident.
    pub incident: IncidentDocument,
    /// `plan.json`, as it lies there. None: there is none.
    pub plan: Option<Value>,
    /// SHA-256 of `plan.json` as it lies there, to be said with an approval (`plan_digest`).
    pub plan_digest: Option<String>,
    /// `plan.md`.
    pub plan_text: Option<String>,
    /// Whether its plan, as it is now, was approved.
    pub approval: ApprovalAnswer,
    /// `handoff.json`, as it lies there.
    pub handoff: Option<Value>,
    /// `accept.json`: that the executor took it.
    pub accept: Option<Value>,
    /// `handback.json`: what the executor says of the work. A claim.
    pub handback: Option<Value>,
    /// `attempt_01.json` and on, as they lie there: the last hundred.
    pub attempts: Vec<Value>,
    /// `run_result.json`, as it lies there.
    pub run_result: Option<Value>,
    /// `loop_state.json`, as it lies there.
    pub loop_state: Option<Value>,
    /// What this server does with it. None: nothing, since it was started.
    pub work: Option<LoopStanding>,
    /// `context.json`, as it lies there.
    pub context: Option<Value>,
    /// The end of its log.
    pub log_tail: Option<String>,
    /// Where its directories lie, relative to the root.
    pub paths: IncidentPaths,
    /// Files that are there but cannot be read as what they are: their names.
    pub unreadable: Vec<String>,
}

/// Where an incident's directories lie, relative to the root, and what is in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IncidentPaths {
    /// Its own directory.
    pub incident: String,
    /// The files in each of its directories.
    pub files: BTreeMap<String, Vec<String>>,
}

/// Whether a plan, as it is now, was approved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Approval of an incident's plan"))]
pub struct ApprovalAnswer {
    /// Whether the approval counts.
    pub stands: bool,
    /// Why it does not. None: it does.
    pub reason: Option<String>,
    /// Who approved, as they say.
    pub person: Option<String>,
    /// When.
    pub approved_at: Option<String>,
    /// SHA-256 of the plan that was approved.
    pub plan_sha256: Option<String>,
    /// Its revision.
    pub revision: Option<u32>,
    /// A planner's own commands that were approved too.
    pub commands: Vec<String>,
    /// `signed` or `self_asserted`.
    pub standing: Option<String>,
    /// Whose key signed it, as the trust store says.
    pub approver: Option<String>,
}

/// What the server does with an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoopStanding {
    /// Whether its loop runs now.
    pub is_running: bool,
    /// Why the loop that was asked for did not come to a result. None: it runs, or it did.
    pub problem: Option<String>,
}

/// What became of a capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "What was captured"))]
pub struct CapturedAnswer {
    /// `new`, `occurrence`, `regression` or `skipped`.
    pub captured: &'static str,
    /// The incident. None: nothing was captured.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub incident_id: Option<IncidentId>,
    /// The resolved incident that this is a regression of.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub regression_of: Option<IncidentId>,
    /// Why nothing was captured.
    pub reason: Option<String>,
}

/// An incident after something was done with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Where an incident stands now"))]
pub struct StandingAnswer {
    /// The incident.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub incident_id: IncidentId,
    /// Where it stands.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub status: IncidentStatus,
    /// Where its directory lies, relative to the root.
    pub path: String,
}

/// Plans for all that have none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Plans for all"))]
pub struct PlanAllAnswer {
    /// Incidents that were to be planned.
    pub target: u64,
    /// Those that have a plan now.
    pub planned: u64,
    /// Those that have none for all that.
    pub failed: u64,
    /// Why not: a sentence for each.
    pub failures: BTreeMap<String, String>,
    /// Incidents that still wait for a plan: ask again.
    pub remaining: u64,
}

/// What happened to an incident.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "Events of an incident"))]
pub struct EventsAnswer {
    /// The events, in order.
    pub events: Vec<IncidentEventDocument>,
    /// What to ask with for more. None: that is all.
    pub next: Option<u64>,
}

/// A loop that works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "A loop that was begun"))]
pub struct LoopBegun {
    /// The incident.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub incident_id: IncidentId,
    /// `running`.
    pub status: &'static str,
    /// Where to look for what becomes of it.
    pub location: String,
}

/// What executors handed back.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "What executors handed back"))]
pub struct HandbacksAnswer {
    /// A row for each incident that was handed back.
    pub handbacks: Vec<HandbackRow>,
    /// What to ask with for the incidents behind these. None: there are none.
    pub next: Option<String>,
}

/// What an executor handed back.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HandbackRow {
    /// The incident.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub incident_id: IncidentId,
    /// Where it stands.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub status: IncidentStatus,
    /// What was handed back, as it lies there: a claim.
    pub handback: Value,
}
