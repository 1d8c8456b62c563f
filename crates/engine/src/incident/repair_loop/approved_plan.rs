//! The approved plan of a loop, protected against changes by an agent.

use referee_ledger::incidents::Part;
use referee_model::id::Digest;
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::{PLAN, Verification};
use referee_model::incident::status::{IncidentEvent, IncidentStatus};

use super::loop_record::change;
use crate::incident::approval::{Proposed, approved_plan};
use crate::incident::{IncidentContext, IncidentError};

/// Reads the plan and its verifications. Verifies that its approval counts and covers its commands, and that its
/// checks are those of the specification.
pub(super) fn approved(
    context: IncidentContext<'_>,
    id: &IncidentId,
    checks: &[Verification],
) -> Result<(Proposed, Vec<Verification>), IncidentError> {
    let Some(bytes) = context.incidents.file(id, Part::Plan, PLAN)? else {
        let reason = format!("incident {id} has no plan: make one with `referee incident plan`");
        return Err(before_a_person(context, id, reason)?);
    };
    // No approval makes up for missing verifications. For an unreadable plan, the check of the approval reports why.
    if Proposed::of(id, bytes).is_ok_and(|proposed| proposed.plan.verifications().is_empty()) {
        return Err(without_verification());
    }
    let plan = match approved_plan(context, id)? {
        Ok((_, plan)) => plan,
        Err(reason) => {
            let reason = format!("the plan is not approved as it is: {reason}");
            return Err(before_a_person(context, id, reason)?);
        }
    };
    // The plan is read again with its approval: it may have been replaced since.
    match verifications(&plan, checks) {
        Ok(verifications) if verifications.is_empty() => Err(without_verification()),
        Ok(verifications) => Ok((plan, verifications)),
        Err(reason) => Err(before_a_person(context, id, reason)?),
    }
}

/// Returns the verifications of a plan, or why the specification does not run what a person approved.
pub(super) fn verifications(plan: &Proposed, checks: &[Verification]) -> Result<Vec<Verification>, String> {
    let verifications = plan.plan.verifications();
    match verifications.iter().find_map(|verification| said_otherwise(verification, checks)) {
        None => Ok(verifications),
        Some(reason) => Err(format!(
            "{reason}: a person approved the one and the other would run. Make another plan with \
             `referee incident plan --force`, and approve that"
        )),
    }
}

pub(super) fn without_verification() -> IncidentError {
    let reason = "the plan has no verification commands: nothing could show that it is done";
    IncidentError::Refused(reason.to_owned())
}

/// Whether the plan is still the approved one.
pub(super) fn holds(context: IncidentContext<'_>, plan: &Proposed) -> Result<bool, IncidentError> {
    let bytes = context.incidents.file(&plan.plan.incident_id, Part::Plan, PLAN)?;
    Ok(bytes.is_some_and(|bytes| Digest::of(&bytes) == plan.digest))
}

/// Refuses the loop. If work on the incident has begun, moves it back to where a person has to approve its plan.
fn before_a_person(
    context: IncidentContext<'_>,
    id: &IncidentId,
    reason: String,
) -> Result<IncidentError, IncidentError> {
    if context.find(id)?.incident.status == IncidentStatus::Running {
        let event = Some(IncidentEvent::ReplanRequested);
        change(context, id, event, ("replan", "the plan is not what was approved"), Vec::new())?;
    }
    Ok(IncidentError::Refused(reason))
}

/// Returns why a check is not the one that a person was shown: another check has taken its place in the
/// specification, or its command text was changed. Whether the check exists at all is found when it is run.
fn said_otherwise(verification: &Verification, checks: &[Verification]) -> Option<String> {
    let Verification::Check { command: said, action: name } = verification else { return None };
    let is_named = |check: &&Verification| match check {
        Verification::Check { action: id, .. } => {
            id == name || id.rsplit_once('/').is_some_and(|(_, action)| action == name)
        }
        _ => false,
    };
    let found: Vec<&Verification> = checks.iter().filter(is_named).collect();
    let first = found.first().filter(|_| !found.iter().any(|check| check.command() == said))?;
    let runs = first.command();
    Some(format!("the plan says that the check {name} runs `{said}`, and in the specification it runs `{runs}`"))
}
