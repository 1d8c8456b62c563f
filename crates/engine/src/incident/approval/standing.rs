//! Whether an approval counts, for a plan as it is now.

use referee_ledger::approvals;
use referee_ledger::incidents::Part;
use referee_model::id::Digest;
use referee_model::incident::PlanState;
use referee_model::incident::approval::APPROVAL;
use referee_model::incident::approval::Approval;
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::PLAN;
use referee_model::incident::status::{IncidentEvent, IncidentStatus};

use super::super::{IncidentContext, IncidentError, Stored, take_step};
use super::proposed::Proposed;
use super::{plan_text, unchanged};

/// Returns the approval of an incident's plan as it is now, if it counts: it binds these bytes, and is somebody's who may
/// approve. Why it does not count is the other part. Where the plan is not the one that was approved, an approved incident goes
/// back to `plan_proposed` by this question.
///
/// # Errors
/// Fails where the incident cannot be read, or changed.
pub fn standing(context: IncidentContext<'_>, id: &IncidentId) -> Result<Result<Approval, String>, IncidentError> {
    Ok(approved_plan(context, id)?.map(|(approval, _)| approval))
}

/// As [`standing`], with the plan that it is about.
///
/// # Errors
/// As there.
pub(in crate::incident) fn approved_plan(
    context: IncidentContext<'_>,
    id: &IncidentId,
) -> Result<Result<(Approval, Proposed), String>, IncidentError> {
    let stored = context.find(id)?;
    let Some(envelope) = context.incidents.file(id, Part::Plan, APPROVAL)? else {
        return Ok(Err("its plan is not approved".to_owned()));
    };
    let now = context.now();
    let no = |reason: String| Ok(Err(format!("its approval does not count: {reason}")));
    let approval = match approvals::look(context.state, context.incidents.root(), id, &envelope, now)? {
        Ok(approval) => approval,
        Err(reason) => return no(reason),
    };
    let person = &approval.terms.person;
    let bytes = context.incidents.file(id, Part::Plan, PLAN)?;
    let bytes = match bytes.map(|bytes| (Digest::of(&bytes) == approval.terms.plan, bytes)) {
        Some((true, bytes)) => bytes,
        changed => {
            let reason = match changed {
                None => format!("the plan that {person} approved is gone: approve another one"),
                Some(_) => format!("the plan was changed after {person} approved it: approve it again"),
            };
            void_changed(context, &stored, &reason)?;
            return Ok(Err(reason));
        }
    };
    let proposed = match Proposed::of(id, bytes) {
        Ok(proposed) => proposed,
        Err(error) => return Ok(Err(error.to_string())),
    };
    match proposed.is_meant(&approval.terms, now) {
        Ok(()) => Ok(Ok((approval, proposed))),
        Err(reason) => no(reason),
    }
}

/// Puts an incident back before a person, because its plan is not the one that was approved.
fn void_changed(context: IncidentContext<'_>, seen: &Stored, reason: &str) -> Result<(), IncidentError> {
    if seen.incident.status != IncidentStatus::Approved {
        return Ok(());
    }
    let now = context.now();
    // Written back as it was it does not count either.
    approvals::void(context.state, context.incidents.root(), &seen.incident.incident_id, now)?;
    let files = plan_text(context, &seen.incident.incident_id, None)?;
    let action = IncidentEvent::PlanChanged.as_str();
    let voided = context.change(&seen.incident.incident_id, action, now, |stored, change| {
        unchanged(seen, stored)?;
        take_step(change, IncidentEvent::PlanChanged)?;
        change.incident.plan_state = Some(PlanState::Proposed);
        (change.incident.approved_at, change.incident.approved_by) = (None, None);
        (change.files, change.note) = (files, reason.to_owned());
        Ok(())
    });
    match voided {
        // Whoever changed it just now has put it before a person, or will be asked again.
        Err(IncidentError::Refused(_) | IncidentError::Illegal(_)) => Ok(()),
        voided => voided.map(drop),
    }
}
