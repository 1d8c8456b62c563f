//! Whether an approval counts for the current plan.

use referee_ledger::approvals;
use referee_ledger::incidents::Part;
use referee_model::id::Digest;
use referee_model::incident::PlanState;
use referee_model::incident::approval::{APPROVAL, Approval};
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::PLAN;
use referee_model::incident::status::{IncidentEvent, IncidentStatus};

use super::super::{IncidentContext, IncidentError, Stored, take_step};
use super::proposed::Proposed;
use super::{plan_text, unchanged};

/// Returns the approval of the current plan of an incident if it counts: it binds these bytes, and is given by an
/// approver. The inner error says why it does not count. If the plan is not the one that was approved, this call
/// moves an approved incident back to `plan_proposed`.
///
/// # Errors
/// Fails if the incident cannot be read or changed.
pub fn standing(context: IncidentContext<'_>, id: &IncidentId) -> Result<Result<Approval, String>, IncidentError> {
    Ok(approved_plan(context, id)?.map(|(approval, _)| approval))
}

/// As [`standing`], and changes nothing, for a caller who may only read.
///
/// # Errors
/// Fails if the incident cannot be read.
pub fn inspect(context: IncidentContext<'_>, id: &IncidentId) -> Result<Result<Approval, String>, IncidentError> {
    Ok(judged(context, id)?.map(|(approval, _)| approval).map_err(Invalid::reason))
}

/// Why an approval does not count.
pub(in crate::incident) enum Invalid {
    /// There is none, or it proves nothing.
    Unproven(String),
    /// The plan of this incident is not the one that was approved.
    Changed(String),
}

impl Invalid {
    pub(in crate::incident) fn reason(self) -> String {
        match self {
            Self::Unproven(reason) | Self::Changed(reason) => reason,
        }
    }
}

/// As [`standing`], with the plan that the approval is about.
///
/// # Errors
/// As [`standing`].
pub(in crate::incident) fn approved_plan(
    context: IncidentContext<'_>,
    id: &IncidentId,
) -> Result<Result<(Approval, Proposed), String>, IncidentError> {
    let seen = context.find(id)?;
    match judged(context, id)? {
        Err(Invalid::Changed(reason)) => {
            void_changed(context, &seen, &reason)?;
            Ok(Err(reason))
        }
        judged => Ok(judged.map_err(Invalid::reason)),
    }
}

fn judged(
    context: IncidentContext<'_>,
    id: &IncidentId,
) -> Result<Result<(Approval, Proposed), Invalid>, IncidentError> {
    context.find(id)?;
    let file = |name| context.incidents.file(id, Part::Plan, name);
    judge(context, id, (file(APPROVAL)?, file(PLAN)?))
}

/// Judges the approval of a plan, wherever both files are.
pub(in crate::incident) fn judge(
    context: IncidentContext<'_>,
    id: &IncidentId,
    (envelope, plan): (Option<Vec<u8>>, Option<Vec<u8>>),
) -> Result<Result<(Approval, Proposed), Invalid>, IncidentError> {
    let unproven = |reason: String| Ok(Err(Invalid::Unproven(reason)));
    let Some(envelope) = envelope else {
        return unproven("its plan is not approved".to_owned());
    };
    let now = context.now();
    let no = |reason: String| unproven(format!("its approval does not count: {reason}"));
    let approval = match approvals::look(context.state, context.incidents.root(), id, &envelope, now)? {
        Ok(approval) => approval,
        Err(reason) => return no(reason),
    };
    let person = &approval.terms.person;
    let bytes = match plan.map(|bytes| (Digest::of(&bytes) == approval.terms.plan, bytes)) {
        Some((true, bytes)) => bytes,
        changed => {
            let reason = match changed {
                None => format!("the plan that {person} approved is gone: approve another one"),
                Some(_) => format!("the plan was changed after {person} approved it: approve it again"),
            };
            return Ok(Err(Invalid::Changed(reason)));
        }
    };
    let proposed = match Proposed::of(id, bytes) {
        Ok(proposed) => proposed,
        Err(error) => return unproven(error.to_string()),
    };
    match proposed.is_meant(&approval.terms, now) {
        Ok(()) => Ok(Ok((approval, proposed))),
        Err(reason) => no(reason),
    }
}

/// Moves an incident back to `plan_proposed`, because its plan is not the one that was approved.
fn void_changed(context: IncidentContext<'_>, seen: &Stored, reason: &str) -> Result<(), IncidentError> {
    if seen.incident.status != IncidentStatus::Approved {
        return Ok(());
    }
    let now = context.now();
    // The approval stays void even if the plan is restored.
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
        // The concurrent change has put it before a person, or its author will be asked again.
        Err(IncidentError::Refused(_) | IncidentError::Illegal(_)) => Ok(()),
        voided => voided.map(drop),
    }
}
