//! The package for an executor: `handoff.json`.

use referee_ledger::incidents::Part;
use referee_model::document::{from_bytes, to_bytes};
use referee_model::incident::approval::{Approval, summary};
use referee_model::incident::handoff::{HANDOFF, HandoffDocument, HandoffIncident, HandoffOk, HandoffPaths};
use referee_model::incident::remediation::PLAN;
use referee_model::incident::status::IncidentStatus;
use serde_json::Value;

use super::super::{IncidentContext, IncidentError, Stored};

/// Builds the package of an incident in its current state.
pub(super) fn package(
    context: IncidentContext<'_>,
    stored: &Stored,
    executor: &str,
    approval: &Approval,
) -> Result<HandoffDocument, IncidentError> {
    let incident = &stored.incident;
    let id = &incident.incident_id;
    let plan = context.incidents.file(id, Part::Plan, PLAN)?.unwrap_or_default();
    let clean = |text: &str| context.clean(text);
    let package = HandoffDocument {
        status: HandoffOk::Ok,
        incident_id: id.clone(),
        prepared_at: context.now(),
        handoff_status: IncidentStatus::HandedOff,
        executor: executor.to_owned(),
        incident: HandoffIncident {
            id: id.clone(),
            status: IncidentStatus::Approved,
            step: clean(&incident.step),
            failure_class: clean(&incident.failure_class),
            message: clean(&incident.message),
            ym: incident.ym.clone(),
            run_id: clean(&incident.run_id),
        },
        plan: value(&plan)?,
        paths: HandoffPaths::of(id, stored.path()),
        approval: summary(approval),
    };
    // Read back, so that times have whole seconds and the package can be compared with one in a queue.
    from_bytes(HANDOFF, &to_bytes(&package)?).map_err(|error| IncidentError::Internal(error.to_string()))
}

/// Parses a document that was written as JSON.
pub(super) fn value(bytes: &[u8]) -> Result<Value, IncidentError> {
    serde_json::from_slice(bytes).map_err(|error| IncidentError::Refused(format!("it is no JSON any more: {error}")))
}
