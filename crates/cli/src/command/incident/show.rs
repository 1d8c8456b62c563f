//! `referee incident list`, `show` and `explain`.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::incident::capture;
use referee_engine::incident::detail::{self, Documents};
use referee_engine::incident::{IncidentError, Part, Query};
use referee_model::exit_code;
use referee_model::handback::HANDBACK;
use referee_model::incident::approval::{Approval, ApprovalStanding};
use referee_model::incident::attempt::RUN_RESULT;
use referee_model::incident::grouping::GROUPING;
use referee_model::incident::remediation::{PLAN, PLAN_TEXT};
use referee_model::incident::{CONTEXT, DIAGNOSTICS, LOG_TAIL};
use referee_report::human;
use referee_report::incident_shown::{ApprovalShown, IncidentShownDocument};

use crate::args::incident::show::{Explain, List, Show};
use crate::output;

/// Maximum number of attempts and events shown, the last ones.
const LAST: usize = 100;

/// File with the package for an executor.
const HANDOFF: &str = "handoff.json";

/// Lists incidents. Unreadable ones are reported, and do not prevent listing the others (IN-30).
pub(super) fn list(context: &Context, arguments: &List) -> Result<u8, EngineError> {
    let service = super::service(context, &arguments.root)?;
    let incidents = service.context("cli").incidents;
    let query = Query {
        statuses: arguments.statuses.clone(),
        open: if arguments.archived { Some(false) } else { arguments.open.then_some(true) },
        failure_class: arguments.class.clone(),
        step: arguments.step.clone(),
        text: arguments.search.clone(),
        after: arguments.after.clone(),
        limit: arguments.limit,
        ..Query::default()
    };
    let list = incidents.list(&query).map_err(IncidentError::from)?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&list),
        |out| {
            let root = context.shown(incidents.root()).display().to_string();
            human::incident::list(&root, &list, &context.terminal.stdout, out)
        },
    )?;
    Ok(exit_code::PASSED)
}

/// Shows everything stored about one incident.
pub(super) fn show(context: &Context, arguments: &Show) -> Result<u8, EngineError> {
    let id = super::id(&arguments.id)?;
    let service = super::service(context, &arguments.root)?;
    let incidents = service.context("cli");
    let detail = detail::detail(incidents, &id)?;
    let path = detail.stored.path();
    let mut shown = IncidentShownDocument::of(detail.stored.incident.clone(), path);
    let mut files = Documents::of(&detail);
    shown.context = files.json(Part::Incident, CONTEXT);
    shown.log_tail = files.text(Part::Incident, LOG_TAIL).unwrap_or_default();
    shown.diagnostics = files.json(Part::Incident, DIAGNOSTICS);
    shown.grouping = files.json(Part::Incident, GROUPING);
    shown.plan = files.json(Part::Plan, PLAN);
    shown.plan_text = files.text(Part::Plan, PLAN_TEXT);
    shown.handoff = files.json(Part::Handoff, HANDOFF);
    shown.handback = files.json(Part::Handoff, HANDBACK);
    shown.run_result = files.json(Part::Run, RUN_RESULT);
    shown.attempts = files.attempts(LAST);
    if shown.plan.is_some() {
        shown.approval = approval(referee_engine::incident::approval::standing(incidents, &id));
    }
    shown.degraded = files.unreadable.iter().map(|(name, error)| format!("{name}: {error}")).collect();
    match incidents.incidents.events_of(&id, LAST) {
        Ok(events) => shown.events = events,
        Err(error) => shown.degraded.push(format!("the events: {error}")),
    }
    shown.degraded.extend(incidents.incidents.events_fault().unwrap_or_else(|error| Some(error.to_string())));
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&shown),
        |out| human::incident::show(&shown, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

/// Explains why failures belong to the same incident or are a regression, and why the incident has its class.
pub(super) fn explain(context: &Context, arguments: &Explain) -> Result<u8, EngineError> {
    let id = super::id(&arguments.id)?;
    let service = super::service(context, &arguments.root)?;
    let explained = capture::explain(service.context("cli"), &id)?;
    output::document(
        arguments.format,
        || referee_model::document::to_bytes(&explained),
        |out| human::incident::explain(&explained, &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

fn approval(standing: Result<Result<Approval, String>, IncidentError>) -> ApprovalShown {
    match standing {
        Ok(Ok(approval)) => ApprovalShown {
            stands: true,
            approver: match approval.standing {
                ApprovalStanding::Signed { approver, .. } => Some(approver),
                ApprovalStanding::SelfAsserted => None,
            },
            person: Some(approval.terms.person),
            reason: None,
        },
        Ok(Err(reason)) => ApprovalShown { reason: Some(reason), ..ApprovalShown::default() },
        Err(error) => ApprovalShown { reason: Some(error.to_string()), ..ApprovalShown::default() },
    }
}
