//! A person's approval of a plan (ruling 27).
//!
//! An approval binds the bytes of `plan.json`. It counts by the signature of an approver's key, or by its digest
//! in the user's state directory, never because a file in the incident's directories says so.

use referee_judge::incident::transition::next;
use referee_ledger::approvals::{self, SignError};
use referee_ledger::attest::Signer;
use referee_ledger::incidents::{Part, PartFile};
use referee_ledger::key::PrivateKey;
use referee_ledger::waivers::Approvers;
use referee_model::id::Digest;
use referee_model::incident::PlanState;
use referee_model::incident::approval::{APPROVAL, APPROVED_PLAN, Approval, ApprovalTerms, said};
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::{PLAN, PLAN_TEXT, RemediationPlan};
use referee_model::incident::status::{IncidentEvent, IncidentStatus};
use referee_model::limit;
use referee_model::time::Timestamp;
use referee_report::remediation_plan::with_approval;

use super::difference::lines;
use super::{IncidentContext, IncidentError, Stored, part_file, take_step};

mod proposed;
mod standing;

pub(super) use self::proposed::Proposed;
pub(super) use self::standing::{approved_plan, judge};
pub use self::standing::{inspect, standing};

/// What authenticates an approval.
pub enum Credential<'credential> {
    /// Signed now, with an approver's key.
    Key(&'credential Signer),
    /// Signed now, with this private key: PEM, or its base64 body alone.
    Secret(&'credential str),
    /// Signed elsewhere: a DSSE envelope around the approval, which itself names the approver, the plan and the time.
    Envelope(&'credential [u8]),
    /// Typed at a terminal, without a key. The caller verifies that it is a terminal and not an agent's shell.
    Terminal,
}

/// A requested approval.
pub struct ApprovalRequest<'request> {
    /// Name of the approver, as given.
    pub person: &'request str,
    /// Reason or condition of the approval. May be empty.
    pub note: &'request str,
    /// Commands of the planner's own that are approved too.
    pub commands: &'request [String],
    /// What authenticates the approval.
    pub credential: Credential<'request>,
    /// Digest of the plan that was reviewed: no other plan is approved. `None`: the current plan, whichever it is.
    pub expected: Option<Digest>,
}

/// Approves the current plan of an incident. Does nothing if it is approved already; replaces an approval that no
/// longer counts.
///
/// # Errors
/// Fails if there is no plan, if the status of the incident does not allow it, or if the credential does not count.
pub fn approve(
    context: IncidentContext<'_>,
    id: &IncidentId,
    request: &ApprovalRequest<'_>,
) -> Result<Approval, IncidentError> {
    context.needs_a_person(APPROVE)?;
    if context.find(id)?.incident.status == IncidentStatus::Approved && standing(context, id)?.is_ok() {
        return Err(next(IncidentStatus::Approved, IncidentEvent::Approved).err().map_or_else(unheard, Into::into));
    }
    let stored = context.find(id)?;
    approved(stored.incident.status)?;
    let proposed = Proposed::read(context, id)?;
    proposed.is_the_one(request.expected)?;
    let now = context.now();
    let envelope = envelope(context, &proposed, request, now)?;
    let is_bare = matches!(request.credential, Credential::Terminal);
    let root = context.incidents.root();
    if is_bare {
        approvals::keep_self_asserted(context.state, root, id, &envelope)?;
    }
    let granted = approvals::look(context.state, root, id, &envelope, now)?;
    let kept = granted
        .map_err(|reason| IncidentError::Forbidden(format!("the approval does not count: {reason}{ADVICE}")))
        .and_then(|approval| keep(context, &stored, &proposed, (approval, envelope), now));
    if kept.is_err() && is_bare {
        approvals::void(context.state, root, id, now)?;
    }
    kept
}

/// The action that only a person may perform here.
pub const APPROVE: &str = "approve a plan";

/// Advice for a key that does not count.
const ADVICE: &str =
    " (a person who is to approve needs a trusted key: `referee key trust PUBLIC.pem --name NAME --as approver`)";

/// Signs an approval of the current plan of an incident without storing it, and returns the envelope, to be
/// submitted where it counts.
///
/// # Errors
/// As [`approve`], and if no key is given to sign with.
pub fn sign(
    context: IncidentContext<'_>,
    id: &IncidentId,
    request: &ApprovalRequest<'_>,
) -> Result<Vec<u8>, IncidentError> {
    context.needs_a_person(APPROVE)?;
    if !matches!(request.credential, Credential::Key(_) | Credential::Secret(_)) {
        return Err(IncidentError::Invalid("an approval is signed by a key: name one".to_owned()));
    }
    approved(context.find(id)?.incident.status)?;
    let proposed = Proposed::read(context, id)?;
    proposed.is_the_one(request.expected)?;
    envelope(context, &proposed, request, context.now())
}

/// Returns the status of an incident after approval. If an earlier approval no longer counts, it is voided first.
fn approved(status: IncidentStatus) -> Result<IncidentStatus, IncidentError> {
    let from = match status {
        IncidentStatus::Approved => next(status, IncidentEvent::PlanChanged)?,
        status => status,
    };
    Ok(next(from, IncidentEvent::Approved)?)
}

fn unheard() -> IncidentError {
    IncidentError::Internal("the table of transitions lets an incident be approved twice".to_owned())
}

/// Returns the approval as it is stored beside the plan.
fn envelope(
    context: IncidentContext<'_>,
    proposed: &Proposed,
    request: &ApprovalRequest<'_>,
    now: Timestamp,
) -> Result<Vec<u8>, IncidentError> {
    let terms = || terms(context, proposed, request, now);
    let signed = |signer: &Signer| approvals::sign(&terms()?, signer).map_err(IncidentError::from);
    match request.credential {
        Credential::Key(signer) => signed(signer),
        Credential::Secret(secret) => {
            let key = PrivateKey::from_pasted(secret).map_err(|error| IncidentError::Forbidden(error.to_string()))?;
            signed(&key.into())
        }
        Credential::Envelope(envelope) => handed_in(context, proposed, envelope, now),
        Credential::Terminal if approvals::names_an_approver(context.state)? => Err(IncidentError::Forbidden(
            "a key is trusted to approve, so a word without a signature does not count: approve by that key".to_owned(),
        )),
        Credential::Terminal => {
            approvals::unsigned(&terms()?).map_err(|error| IncidentError::Invalid(error.to_string()))
        }
    }
}

impl From<SignError> for IncidentError {
    fn from(error: SignError) -> Self {
        match error {
            SignError::Approval(error) => Self::Invalid(error.to_string()),
            SignError::Ledger(error) => Self::Store(error),
        }
    }
}

fn terms(
    context: IncidentContext<'_>,
    proposed: &Proposed,
    request: &ApprovalRequest<'_>,
    now: Timestamp,
) -> Result<ApprovalTerms, IncidentError> {
    proposed.takes(request.commands)?;
    let mut commands = request.commands.to_vec();
    commands.sort_unstable();
    commands.dedup();
    Ok(ApprovalTerms {
        incident: proposed.plan.incident_id.clone(),
        plan: proposed.digest,
        revision: proposed.plan.revision,
        person: context.redactor.text(request.person.trim()),
        approved_at: now,
        commands,
        note: context.clean(request.note.trim()),
    })
}

/// Accepts an approval that was signed elsewhere: it must be recent, and for this plan.
fn handed_in(
    context: IncidentContext<'_>,
    proposed: &Proposed,
    envelope: &[u8],
    now: Timestamp,
) -> Result<Vec<u8>, IncidentError> {
    let refused = |reason: String| IncidentError::Forbidden(format!("the approval does not count: {reason}"));
    let approvers = Approvers::load(Some(context.state), now);
    let terms = approvals::open(envelope, &approvers).map_err(refused)?.terms;
    proposed.is_meant(&terms, now).map_err(refused)?;
    if now.milliseconds_since(terms.approved_at) > limit::APPROVAL_ENVELOPE_MS {
        return Err(refused("it was signed more than an hour ago: sign another one".to_owned()));
    }
    Ok(envelope.to_vec())
}

/// Stores an approval with its plan.
fn keep(
    context: IncidentContext<'_>,
    seen: &Stored,
    proposed: &Proposed,
    (approval, envelope): (Approval, Vec<u8>),
    now: Timestamp,
) -> Result<Approval, IncidentError> {
    let id = &seen.incident.incident_id;
    let mut files =
        vec![part_file(Part::Plan, APPROVAL, envelope), part_file(Part::Plan, APPROVED_PLAN, proposed.bytes.clone())];
    files.extend(plan_text(context, id, Some(&approval))?);
    context.change(id, "plan_approve", now, |stored, change| {
        unchanged(seen, stored)?;
        change.incident.status = approved(stored.incident.status)?;
        change.incident.plan_state = Some(PlanState::Approved);
        change.incident.approved_at = Some(approval.terms.approved_at);
        change.incident.approved_by = Some(approval.terms.person.clone());
        (change.files, change.note) = (files, said(&approval));
        Ok(())
    })?;
    Ok(approval)
}

/// Fails if the plan was replaced in the meantime.
fn unchanged(seen: &Stored, stored: &Stored) -> Result<(), IncidentError> {
    let key = |stored: &Stored| (stored.incident.status, stored.incident.plan_revision);
    if key(seen) == key(stored) {
        return Ok(());
    }
    let id = &seen.incident.incident_id;
    Err(IncidentError::Refused(format!("incident {id} was just changed by another process: look at it again")))
}

/// Returns `plan.md`, if it exists, with the section on its approval.
fn plan_text(
    context: IncidentContext<'_>,
    id: &IncidentId,
    approval: Option<&Approval>,
) -> Result<Vec<PartFile>, IncidentError> {
    let text = context.incidents.file(id, Part::Plan, PLAN_TEXT)?;
    Ok(text.map(|text| part_file(Part::Plan, PLAN_TEXT, with_approval(&text, approval))).into_iter().collect())
}

/// Rejects the plan of an incident. Earlier approvals no longer count.
///
/// # Errors
/// Fails if the status of the incident does not allow it, or if the result cannot be stored.
pub fn reject(context: IncidentContext<'_>, id: &IncidentId, reason: &str) -> Result<(), IncidentError> {
    context.needs_a_person("refuse a plan")?;
    let reason = context.clean(reason.trim());
    if reason.is_empty() || reason.chars().count() > limit::APPROVAL_TEXT_CHARACTERS {
        let most = limit::APPROVAL_TEXT_CHARACTERS;
        return Err(IncidentError::Invalid(format!("a reason is needed, of at most {most} characters")));
    }
    next(context.find(id)?.incident.status, IncidentEvent::Rejected)?;
    let now = context.now();
    approvals::void(context.state, context.incidents.root(), id, now)?;
    let files = plan_text(context, id, None)?;
    context.change(id, "reject", now, |_, change| {
        take_step(change, IncidentEvent::Rejected)?;
        change.incident.plan_state = Some(PlanState::Rejected);
        (change.incident.approved_at, change.incident.approved_by) = (None, None);
        (change.files, change.note) = (files, reason);
        Ok(())
    })?;
    Ok(())
}

/// Returns the current plan of an incident.
///
/// # Errors
/// Fails if there is none, or if it is not a valid plan.
pub fn plan(context: IncidentContext<'_>, id: &IncidentId) -> Result<RemediationPlan, IncidentError> {
    Proposed::read(context, id).map(|proposed| proposed.plan)
}

/// Returns the line diff from the plan that was approved last to the current one. `None` if none was approved, or
/// they are equal.
///
/// # Errors
/// Fails if the files cannot be read.
pub fn difference(context: IncidentContext<'_>, id: &IncidentId) -> Result<Option<String>, IncidentError> {
    let Some(before) = context.incidents.file(id, Part::Plan, APPROVED_PLAN)? else { return Ok(None) };
    let after = context.incidents.file(id, Part::Plan, PLAN)?.unwrap_or_default();
    if before == after {
        return Ok(None);
    }
    let envelope = context.incidents.file(id, Part::Plan, APPROVAL)?.unwrap_or_default();
    let root = context.incidents.root();
    let now = context.now();
    let approval = approvals::look(context.state, root, id, &envelope, now)?;
    // This very change may void it: its signer is reported all the same.
    let approval = approval.or_else(|_| approvals::open(&envelope, &Approvers::load(Some(context.state), now)));
    let vouched = approval.ok().filter(|approval| approval.terms.plan == Digest::of(&before));
    let head = vouched.map_or_else(
        || format!("{APPROVED_PLAN}, as it is there: nobody vouches for it now"),
        |approval| format!("the plan {}", said(&approval)),
    );
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Some(format!("--- {head}\n+++ {PLAN}, as it is now\n{}", lines(&text(&before), &text(&after)))))
}

#[cfg(test)]
mod tests;
