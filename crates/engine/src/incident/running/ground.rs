//! What a loop stands on: the plan as it was approved, and nothing that an agent could write since.

use referee_ledger::incidents::Part;
use referee_model::id::Digest;
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::{Verification, VerificationOrigin};
use referee_wire::remediation_plan::{self, PLAN, RemediationPlanDocument};
use sha2::{Digest as _, Sha256};

use super::Others;
use crate::incident::{IncidentContext, IncidentError};

/// The plan as it was approved.
pub(super) struct Ground {
    pub(super) plan: RemediationPlanDocument,
    pub(super) bytes: Vec<u8>,
    pub(super) digest: Digest,
    pub(super) verifications: Vec<Verification>,
}

/// Why a loop may not begin.
pub(super) enum Groundless {
    /// There is no plan that could be carried out.
    NoPlan(String),
    /// The plan has nothing that shows whether it is done.
    NothingToVerify,
    /// Nobody approved of it as it is.
    NotApproved(String),
    /// A check that it names runs something else than it says.
    OtherCheck(String),
}

impl Ground {
    /// Reads the plan, and makes sure that its approval counts and covers what it runs, and that its checks are what it says:
    /// these are those of the specification.
    pub(super) fn read(
        context: IncidentContext<'_>,
        id: &IncidentId,
        checks: &[Verification],
        others: &Others<'_>,
    ) -> Result<Result<Self, Groundless>, IncidentError> {
        let Some(bytes) = context.incidents.file(id, Part::Plan, PLAN)? else {
            return Ok(Err(Groundless::NoPlan(format!(
                "incident {id} has no plan: make one with `referee incident plan`"
            ))));
        };
        let plan = match remediation_plan::read(&bytes) {
            Ok(plan) if plan.incident_id == *id => plan,
            Ok(plan) => {
                return Ok(Err(Groundless::NoPlan(format!("{PLAN} is that of {}", plan.incident_id))));
            }
            Err(error) => return Ok(Err(Groundless::NoPlan(error.to_string()))),
        };
        let verifications = plan.verifications();
        if verifications.is_empty() {
            return Ok(Err(Groundless::NothingToVerify));
        }
        let digest = digest(&bytes);
        let approval = match (others.standing)(context, id)? {
            Ok(approval) if approval.terms.plan == digest => approval,
            Ok(_) => return Ok(Err(Groundless::NotApproved("another plan was approved".to_owned()))),
            Err(reason) => return Ok(Err(Groundless::NotApproved(reason))),
        };
        if let Some(own) = not_covered(&verifications, &approval.terms.commands) {
            let reason = format!("the plan has a command of the planner's own that was not approved: {own}");
            return Ok(Err(Groundless::NotApproved(reason)));
        }
        if let Some(reason) = verifications.iter().find_map(|verification| said_otherwise(verification, checks)) {
            return Ok(Err(Groundless::OtherCheck(reason)));
        }
        Ok(Ok(Self { plan, bytes, digest, verifications }))
    }

    /// Whether the plan is still what was approved.
    pub(super) fn holds(&self, context: IncidentContext<'_>) -> Result<bool, IncidentError> {
        let bytes = context.incidents.file(&self.plan.incident_id, Part::Plan, PLAN)?;
        Ok(bytes.is_some_and(|bytes| digest(&bytes) == self.digest))
    }
}

impl From<Groundless> for IncidentError {
    fn from(groundless: Groundless) -> Self {
        Self::Refused(match groundless {
            Groundless::NoPlan(reason) => reason,
            Groundless::NothingToVerify => {
                "the plan has no verification commands: nothing could show that it is done".to_owned()
            }
            Groundless::NotApproved(reason) => format!("the plan is not approved as it is: {reason}"),
            Groundless::OtherCheck(reason) => format!(
                "{reason}: a person approved of the one and the other would run. Make another plan with \
                 `referee incident plan --force`, and approve of that"
            ),
        })
    }
}

/// The first command of a planner's own that no person approved of.
fn not_covered<'a>(verifications: &'a [Verification], approved: &[String]) -> Option<&'a str> {
    let own = verifications.iter().filter(|verification| verification.origin == VerificationOrigin::Planner);
    own.map(|verification| verification.command.as_str()).find(|command| !approved.iter().any(|one| one == command))
}

/// Says why a check is not what a person was shown: its place in the specification is taken by another one since, or somebody wrote
/// another text beside it. Whether a check is there at all is seen when it is run.
fn said_otherwise(verification: &Verification, checks: &[Verification]) -> Option<String> {
    let VerificationOrigin::Check(name) = &verification.origin else { return None };
    let is_named = |check: &&Verification| match &check.origin {
        VerificationOrigin::Check(id) => id == name || id.rsplit_once('/').is_some_and(|(_, action)| action == name),
        _ => false,
    };
    let found: Vec<&Verification> = checks.iter().filter(is_named).collect();
    let first = found.first().filter(|_| !found.iter().any(|check| check.command == verification.command))?;
    let (said, runs) = (&verification.command, &first.command);
    Some(format!("the plan says that the check {name} runs `{said}`, and in the specification it runs `{runs}`"))
}

fn digest(bytes: &[u8]) -> Digest {
    Digest::from_bytes(Sha256::digest(bytes).into())
}
