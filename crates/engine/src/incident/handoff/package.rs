//! The package for an executor: `handoff.json` and `handoff.md`.

use std::fmt::Write as _;

use referee_ledger::incidents::Part;
use referee_model::document::{from_bytes, to_bytes};
use referee_model::incident::approval::{Approval, ApprovalStanding};
use referee_model::incident::approval::{said, summary};
use referee_model::incident::handoff::{HANDOFF, HandoffDocument, HandoffIncident, HandoffOk, HandoffPaths};
use referee_model::incident::remediation::PLAN;
use referee_model::incident::remediation::RemediationPlan;
use referee_model::incident::status::IncidentStatus;
use referee_syntax::markdown::escaped;
use serde_json::Value;

use super::super::{IncidentContext, IncidentError, Stored};

/// Maximum number of characters of a line that are shown to people.
const SHOWN: usize = 600;

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

/// Renders a package as Markdown.
pub(super) fn text(context: IncidentContext<'_>, package: &HandoffDocument, approval: &Approval) -> String {
    let shown = |text: &str| escaped(&context.clean(text), SHOWN);
    let plan = serde_json::from_value::<RemediationPlan>(package.plan.clone()).ok();
    let mut text = format!("# Handoff of {}\n\nTo {}.\n", package.incident_id, shown(&package.executor));
    let mut part = |title: &str, lines: &[String]| {
        if !lines.is_empty() {
            let _ = writeln!(text, "\n## {title}\n\n{}", lines.join("\n"));
        }
    };
    let incident = &package.incident;
    part(
        "What failed",
        &[
            format!("- Step: {}", shown(&incident.step)),
            format!("- Class: {}", shown(&incident.failure_class)),
            format!("- Message: {}", shown(&incident.message)),
        ],
    );
    if let Some(plan) = &plan {
        part("Plan", &[shown(&plan.summary)]);
        let action = |action: &referee_model::incident::remediation::RemediationAction| {
            format!("- {} ({}): {}", shown(&action.id), shown(&action.priority), shown(&action.title))
        };
        part("Actions", &plan.actions.iter().map(action).collect::<Vec<_>>());
        part("Paths", &plan.target_paths().iter().map(|path| format!("- {}", shown(path))).collect::<Vec<_>>());
        let line = |line: &String| format!("- {}", shown(line));
        part("Checks", &plan.verification_commands.iter().map(line).collect::<Vec<_>>());
        part("Done when", &plan.done_criteria.iter().map(line).collect::<Vec<_>>());
    }
    let mut word = vec![format!("{}.", escaped(&said(approval), SHOWN))];
    if approval.standing == ApprovalStanding::SelfAsserted {
        word.push("\n**Self-asserted: no key stands for the person.**".to_owned());
    }
    part("Approval", &word);
    let id = &package.incident_id;
    part(
        "How to answer",
        &[
            format!("- Take it: `referee incident ack {id} --executor NAME`"),
            format!("- Hand it back: `referee incident ack {id} --result handback.json`"),
            "- A success that is only said proves nothing: the plan's checks decide.".to_owned(),
        ],
    );
    text
}
