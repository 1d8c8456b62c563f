//! Everything that is stored of one incident, as one document.

use referee_model::handback::HANDBACK;
use referee_model::incident::attempt::RUN_RESULT;
use referee_model::incident::grouping::GROUPING;
use referee_model::incident::handoff::HANDOFF;
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::{PLAN, PLAN_TEXT};
use referee_model::incident::{CONTEXT, DIAGNOSTICS, LOG_TAIL};
use referee_report::incident_shown::IncidentShownDocument;

use super::detail::{self, Documents};
use super::{IncidentContext, IncidentError, Part, approval};

/// Maximum number of attempts and events shown, the last ones.
const LAST: usize = 100;

/// Returns everything stored about one incident. Parts that cannot be read are named, and hide no others.
///
/// # Errors
/// Fails if there is no such incident, or if it cannot be read.
pub fn shown(incidents: IncidentContext<'_>, id: &IncidentId) -> Result<IncidentShownDocument, IncidentError> {
    let detail = detail::detail(incidents, id)?;
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
        shown.approval = approval::standing(incidents, id).map_err(|error| error.to_string()).flatten().into();
    }
    shown.degraded = files.unreadable.iter().map(|(name, error)| format!("{name}: {error}")).collect();
    match incidents.incidents.events_of(id, LAST) {
        Ok(events) => shown.events = events,
        Err(error) => shown.degraded.push(format!("the events: {error}")),
    }
    shown.degraded.extend(incidents.incidents.events_fault().unwrap_or_else(|error| Some(error.to_string())));
    Ok(shown)
}
