//! `referee incident show --format json`: everything that is kept of one incident, each document as it lies there.

use referee_model::incident::id::IncidentId;
use serde::Serialize;
use serde_json::Value;

use referee_model::document::Kind;
use referee_model::incident::IncidentDocument;
use referee_model::incident::event::IncidentEventDocument;

const KIND: Kind = Kind { name: "an incident as it is shown", key: "incident_show_version", version: "1.0.0" };

/// Everything that is kept of one incident.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IncidentShownDocument {
    pub incident_show_version: &'static str,
    pub incident: IncidentDocument,
    /// Where its directory lies, relative to the root.
    pub path: String,
    /// `context.json`.
    pub context: Option<Value>,
    pub log_tail: String,
    /// `diagnostics.json`.
    pub diagnostics: Option<Value>,
    /// `grouping.json`.
    pub grouping: Option<Value>,
    /// `plan.json`.
    pub plan: Option<Value>,
    /// `plan.md`.
    pub plan_text: Option<String>,
    /// How the approval of its plan stands.
    pub approval: ApprovalShown,
    /// `handoff.json`.
    pub handoff: Option<Value>,
    /// `handback.json`: what the executor said last when it handed it back.
    pub handback: Option<Value>,
    /// `attempt_01.json` and on: the last hundred.
    pub attempts: Vec<Value>,
    /// `run_result.json`.
    pub run_result: Option<Value>,
    /// What happened to it, in order: the last hundred.
    pub events: Vec<IncidentEventDocument>,
    /// What could not be read, in sentences.
    pub degraded: Vec<String>,
}

/// How the approval of a plan stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ApprovalShown {
    pub stands: bool,
    /// Who approved, as they say. Null: nobody whose word counts.
    pub person: Option<String>,
    /// Whose key signed it, as the trust store says. Null: it is self-asserted, or there is none.
    pub approver: Option<String>,
    /// Why it does not count. Null: it does.
    pub reason: Option<String>,
}

impl IncidentShownDocument {
    /// Begins with the incident alone.
    pub fn of(incident: IncidentDocument, path: String) -> Self {
        Self {
            incident_show_version: KIND.version,
            incident,
            path,
            context: None,
            log_tail: String::new(),
            diagnostics: None,
            grouping: None,
            plan: None,
            plan_text: None,
            approval: ApprovalShown::default(),
            handoff: None,
            handback: None,
            attempts: Vec::new(),
            run_result: None,
            events: Vec::new(),
            degraded: Vec::new(),
        }
    }

    /// Returns the incident's id.
    pub fn id(&self) -> &IncidentId {
        &self.incident.incident_id
    }
}
