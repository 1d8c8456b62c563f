//! Whether an approval counts, for a plan as it is now.

use referee_judge::incident::transition::next;
use referee_ledger::approvals;
use referee_ledger::incidents::{Change, Part};
use referee_model::id::Digest;
use referee_model::incident::approval::Approval;
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::{IncidentEvent, IncidentStatus};
use referee_wire::approval::APPROVAL;
use referee_wire::incident::PlanState;
use referee_wire::remediation_plan::PLAN;

use super::super::{Desk, IncidentError, Stored};
use super::proposed::Proposed;
use super::{plan_text, unchanged};

/// Returns the approval of an incident's plan as it is now, if it counts: it binds these bytes, and is somebody's who may
/// approve. Why it does not count is the other part. Where the plan is not the one that was approved, an approved incident goes
/// back to `plan_proposed` by this question.
///
/// # Errors
/// Fails where the incident cannot be read, or changed.
pub fn standing(desk: Desk<'_>, id: &IncidentId) -> Result<Result<Approval, String>, IncidentError> {
    let stored = desk.find(id)?;
    match look(desk, id)? {
        Found::Counts(approval) => Ok(Ok(approval)),
        Found::No(reason) => Ok(Err(reason)),
        Found::Changed(reason) => {
            void_changed(desk, &stored, &reason)?;
            Ok(Err(reason))
        }
    }
}

/// What was found of an approval.
enum Found {
    /// It counts.
    Counts(Approval),
    /// There is none, or none that counts.
    No(String),
    /// It is of another plan.
    Changed(String),
}

fn look(desk: Desk<'_>, id: &IncidentId) -> Result<Found, IncidentError> {
    let Some(envelope) = desk.incidents.file(id, Part::Plan, APPROVAL)? else {
        return Ok(Found::No("nobody has approved of its plan".to_owned()));
    };
    let now = desk.host.clock.now();
    let approval = match approvals::look(desk.state, desk.incidents.root(), id, &envelope, now)? {
        Ok(approval) => approval,
        Err(reason) => return Ok(Found::No(format!("its approval does not count: {reason}"))),
    };
    let person = &approval.terms.person;
    let Some(bytes) = desk.incidents.file(id, Part::Plan, PLAN)? else {
        return Ok(Found::Changed(format!("the plan that {person} approved of is gone: approve of another one")));
    };
    if Digest::of(&bytes) != approval.terms.plan {
        return Ok(Found::Changed(format!("the plan was changed after {person} approved of it: approve of it again")));
    }
    let proposed = match Proposed::of(id, bytes) {
        Ok(proposed) => proposed,
        Err(error) => return Ok(Found::No(error.to_string())),
    };
    Ok(match proposed.is_meant(&approval.terms, now) {
        Ok(()) => Found::Counts(approval),
        Err(reason) => Found::No(format!("its approval does not count: {reason}")),
    })
}

/// Puts an incident back before a person, because its plan is not the one that was approved.
fn void_changed(desk: Desk<'_>, seen: &Stored, reason: &str) -> Result<(), IncidentError> {
    if seen.incident.status != IncidentStatus::Approved {
        return Ok(());
    }
    let now = desk.host.clock.now();
    // Written back as it was it does not count either.
    approvals::void(desk.state, desk.incidents.root(), &seen.incident.incident_id, now)?;
    let files = plan_text(desk, &seen.incident.incident_id, None)?;
    let voided = desk.incidents.change(&seen.incident.incident_id, now, |stored| {
        unchanged(seen, stored)?;
        let mut incident = stored.incident.clone();
        incident.status = next(incident.status, IncidentEvent::PlanChanged)?;
        incident.plan_state = Some(PlanState::Proposed);
        incident.approved_at = None;
        incident.approved_by = None;
        incident.updated_at = now;
        let change = Change::of(incident, IncidentEvent::PlanChanged.as_str(), desk.by);
        Ok::<_, IncidentError>(Change { files, note: reason.to_owned(), ..change })
    });
    match voided {
        // Whoever changed it just now has put it before a person, or will be asked again.
        Err(IncidentError::Refused(_) | IncidentError::Illegal(_)) => Ok(()),
        voided => voided.map(drop),
    }
}
