//! The document of `referee incident show --format json`: everything that is stored of one incident, each document
//! as stored.

use referee_model::incident::approval::{Approval, ApprovalStanding};
use referee_model::incident::id::IncidentId;
use serde::Serialize;
use serde_json::Value;

use referee_model::document::Kind;
use referee_model::incident::IncidentDocument;
use referee_model::incident::event::IncidentEventDocument;

const KIND: Kind = Kind { name: "an incident as it is shown", key: "incident_show_version", version: "1.0.0" };

/// Everything that is stored of one incident.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IncidentShownDocument {
    pub incident_show_version: &'static str,
    pub incident: IncidentDocument,
    /// Directory of the incident, relative to the root.
    pub path: String,
    /// Content of `context.json`.
    pub context: Option<Value>,
    pub log_tail: String,
    /// Content of `diagnostics.json`.
    pub diagnostics: Option<Value>,
    /// Content of `grouping.json`.
    pub grouping: Option<Value>,
    /// Content of `plan.json`.
    pub plan: Option<Value>,
    /// Content of `plan.md`.
    pub plan_text: Option<String>,
    /// State of the approval of the incident's plan.
    pub approval: ApprovalShown,
    /// Content of `handoff.json`.
    pub handoff: Option<Value>,
    /// Content of `handback.json`: what the executor stated when it last handed the incident back.
    pub handback: Option<Value>,
    /// Contents of `attempt_01.json` and the following files; the last hundred.
    pub attempts: Vec<Value>,
    /// Content of `run_result.json`.
    pub run_result: Option<Value>,
    /// Events of the incident in order; the last hundred.
    pub events: Vec<IncidentEventDocument>,
    /// Files that could not be read, in sentences.
    pub degraded: Vec<String>,
}

/// State of a plan's approval.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ApprovalShown {
    pub stands: bool,
    /// Name of the approver, as stated in the approval. Null: there is no valid approval.
    pub person: Option<String>,
    /// Owner of the key that signed the approval, by the trust store. Null: it is self-asserted, or there is none.
    pub approver: Option<String>,
    /// Why the approval is not valid. Null: it is valid.
    pub reason: Option<String>,
}

impl From<Result<Approval, String>> for ApprovalShown {
    fn from(standing: Result<Approval, String>) -> Self {
        let approval = match standing {
            Ok(approval) => approval,
            Err(reason) => return Self { reason: Some(reason), ..Self::default() },
        };
        let approver = match approval.standing {
            ApprovalStanding::Signed { approver, .. } => Some(approver),
            ApprovalStanding::SelfAsserted => None,
        };
        Self { stands: true, approver, person: Some(approval.terms.person), reason: None }
    }
}

impl IncidentShownDocument {
    /// Creates a document with the incident only.
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

    pub fn id(&self) -> &IncidentId {
        &self.incident.incident_id
    }
}
