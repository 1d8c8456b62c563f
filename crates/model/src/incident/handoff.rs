//! `handoff.json`: the package in which an incident is handed to an executor (seed 3). The file in the
//! executor's queue is identical, byte for byte.

use crate::incident::id::IncidentId;
use crate::incident::status::IncidentStatus;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::incident::approval::ApprovalSummary;
use crate::incident::seconds;

/// File name of the package.
pub const HANDOFF: &str = "handoff.json";
/// File name of the package as Markdown, for people.
pub const HANDOFF_TEXT: &str = "handoff.md";

/// Package in which an incident is handed to an executor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Referee handoff of an incident"))]
pub struct HandoffDocument {
    /// Always `ok`: the package is complete.
    pub status: HandoffOk,
    /// Id of the incident that is handed off.
    pub incident_id: IncidentId,
    /// When the package was prepared, in UTC, to the second.
    #[serde(with = "seconds")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Seconds"))]
    pub prepared_at: Timestamp,
    /// Status of the incident after the handoff: `handed_off`.
    pub handoff_status: IncidentStatus,
    /// Name of the executor that is to carry out the plan. No other executor can take the incident.
    pub executor: String,
    /// Summary of the failure that the incident records.
    pub incident: HandoffIncident,
    /// Content of the approved `plan.json`.
    pub plan: Value,
    /// Paths of the files, relative to the incident root.
    pub paths: HandoffPaths,
    /// Approval of the plan.
    pub approval: ApprovalSummary,
}

/// Marks a package as complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HandoffOk {
    /// The package is complete.
    Ok,
}

/// Summary of the failure, as far as an executor needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HandoffIncident {
    /// Id of the incident, as in `incident_id`.
    pub id: IncidentId,
    /// Status of the incident when the package was prepared.
    pub status: IncidentStatus,
    /// Name of the step or action that failed. May be empty.
    pub step: String,
    /// Class of the failure.
    pub failure_class: String,
    /// Error message of the failure.
    pub message: String,
    /// Year and month of the failure, such as `2026-01`. May be empty.
    pub ym: String,
    /// Id of the run that failed. May be empty.
    pub run_id: String,
}

/// Paths of the files, relative to the incident root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HandoffPaths {
    /// Directory of the incident, relative to the incident root.
    pub incident: String,
    /// Path of the plan as JSON.
    pub plan_json: String,
    /// Path of the plan as Markdown.
    pub plan_md: String,
    /// Path of the `approval.json` that approves the plan.
    pub approval_json: String,
    /// Path of this document, `handoff.json`.
    pub handoff_json: String,
    /// Path of the package as Markdown.
    pub handoff_md: String,
}

impl HandoffPaths {
    /// Returns the paths for an incident with the given directory.
    pub fn of(id: &IncidentId, incident: String) -> Self {
        Self {
            incident,
            plan_json: format!("error_plans/{id}/plan.json"),
            plan_md: format!("error_plans/{id}/plan.md"),
            approval_json: format!("error_plans/{id}/approval.json"),
            handoff_json: format!("error_handoffs/{id}/{HANDOFF}"),
            handoff_md: format!("error_handoffs/{id}/{HANDOFF_TEXT}"),
        }
    }
}

impl HandoffDocument {
    /// Returns whether two packages have the same content, apart from the time of preparation.
    pub fn says_the_same(&self, other: &Self) -> bool {
        Self { prepared_at: other.prepared_at, ..self.clone() } == *other
    }
}

#[cfg(test)]
mod tests {
    use crate::id::Digest;
    use crate::incident::approval::{Approval, ApprovalStanding, ApprovalTerms};
    use serde_json::json;

    use super::*;
    use crate::incident::approval::summary;

    fn package() -> HandoffDocument {
        let id = IncidentId::parse("incident_1").unwrap();
        let at = Timestamp::parse("2026-11-22T06:00:00Z").unwrap();
        let terms = ApprovalTerms {
            incident: id.clone(),
            plan: Digest::from_bytes([7; 32]),
            revision: 1,
            person: "Ada".to_owned(),
            approved_at: at,
            commands: Vec::new(),
            note: String::new(),
        };
        HandoffDocument {
            status: HandoffOk::Ok,
            incident_id: id.clone(),
            prepared_at: at,
            handoff_status: IncidentStatus::HandedOff,
            executor: "antigravity".to_owned(),
            incident: HandoffIncident {
                id: id.clone(),
                status: IncidentStatus::Approved,
                step: "types".to_owned(),
                failure_class: "verification".to_owned(),
                message: "TS2322".to_owned(),
                ym: "2026-01".to_owned(),
                run_id: String::new(),
            },
            plan: json!({ "any": ["plan"] }),
            paths: HandoffPaths::of(&id, "error_inbox/incident_1".to_owned()),
            approval: summary(&Approval { terms, standing: ApprovalStanding::SelfAsserted }),
        }
    }

    #[test]
    fn a_package_is_read_as_it_was_written() {
        let value = serde_json::to_value(package()).unwrap();
        assert_eq!(HandoffDocument::deserialize(&value).unwrap(), package());
        assert_eq!(
            (&value["prepared_at"], &value["handoff_status"]),
            (&json!("2026-11-22T06:00:00+00:00"), &json!("handed_off"))
        );
    }

    #[test]
    fn a_package_says_the_same_whenever_it_was_prepared() {
        let later = HandoffDocument { prepared_at: Timestamp::from_millisecond(0), ..package() };
        assert!(package().says_the_same(&later));
        assert!(!package().says_the_same(&HandoffDocument { executor: "another".to_owned(), ..package() }));
    }
}
