//! A person's word about a plan (ruling 27).
//!
//! It binds the bytes of `plan.json`, and counts by the signature of an approver's key, or by its digest in the user's state
//! directory: never because a file in the incident's directories says so.

use referee_judge::incident::transition::next;
use referee_ledger::approvals::{self, SignError};
use referee_ledger::attest::Signer;
use referee_ledger::incidents::{Part, PartFile};
use referee_ledger::key::PrivateKey;
use referee_ledger::waivers::Approvers;
use referee_model::id::Digest;
use referee_model::incident::PlanState;
use referee_model::incident::approval::{APPROVAL, APPROVED_PLAN, said};
use referee_model::incident::approval::{Approval, ApprovalTerms};
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::RemediationPlan;
use referee_model::incident::remediation::{PLAN, PLAN_TEXT};
use referee_model::incident::status::{IncidentEvent, IncidentStatus};
use referee_model::limit;
use referee_model::time::Timestamp;

use super::difference::lines;
use super::{IncidentContext, IncidentError, Stored, part_file, take_step};

mod plan_text;
mod proposed;
mod standing;

pub(super) use self::proposed::Proposed;
pub(super) use self::standing::approved_plan;
pub use self::standing::standing;

/// Whose word an approval is.
pub enum Credential<'credential> {
    /// Signed now, with an approver's key.
    Key(&'credential Signer),
    /// Signed now, with this private key: PEM, or the line between its first and its last.
    Secret(&'credential str),
    /// Signed elsewhere: a DSSE envelope around the approval. It says itself who approves, of what, and when.
    Envelope(&'credential [u8]),
    /// Typed at a terminal, without a key. That it is a terminal, and no agent's shell, is for the caller to know.
    Terminal,
}

/// An approval that is asked for.
pub struct ApprovalRequest<'request> {
    /// Who approves, as they say.
    pub person: &'request str,
    /// Why, or under which condition. May be empty.
    pub note: &'request str,
    /// A planner's own commands that are approved too.
    pub commands: &'request [String],
    /// Whose word it is.
    pub credential: Credential<'request>,
    /// The digest of the plan that was looked at: another one is not approved. None: whichever lies there now is meant.
    pub expected: Option<Digest>,
}

/// Approves of an incident's plan as it is now. Where it counts as approved already nothing is done; where an approval does not
/// count any more another one takes its place.
///
/// # Errors
/// Fails where there is no plan, where the incident does not stand so, and where nobody's word is given that counts.
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
        .map_err(|reason| IncidentError::Unheard(format!("the approval does not count: {reason}{ADVICE}")))
        .and_then(|approval| keep(context, &stored, &proposed, (approval, envelope), now));
    if kept.is_err() && is_bare {
        approvals::void(context.state, root, id, now)?;
    }
    kept
}

/// What only a person may do here.
pub const APPROVE: &str = "approve a plan";

/// What to do where a key does not count.
const ADVICE: &str =
    " (a person who is to approve needs a trusted key: `referee key trust PUBLIC.pem --name NAME --as approver`)";

/// Signs an approval of an incident's plan as it is now, and keeps nothing: the envelope, to be handed in where it counts.
///
/// # Errors
/// As [`approve`], and where no key is given to sign with.
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

/// Where an incident stands once it is approved. One whose approval does not count any more goes back first.
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

/// The approval as it is kept beside the plan.
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
            let key = PrivateKey::from_pasted(secret).map_err(|error| IncidentError::Unheard(error.to_string()))?;
            signed(&key.into())
        }
        Credential::Envelope(envelope) => handed_in(context, proposed, envelope, now),
        Credential::Terminal if approvals::names_an_approver(context.state)? => Err(IncidentError::Unheard(
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

/// Takes an approval that was signed elsewhere: it must be of this plan, and of this hour.
fn handed_in(
    context: IncidentContext<'_>,
    proposed: &Proposed,
    envelope: &[u8],
    now: Timestamp,
) -> Result<Vec<u8>, IncidentError> {
    let refused = |reason: String| IncidentError::Unheard(format!("the approval does not count: {reason}"));
    let approvers = Approvers::load(Some(context.state), now);
    let terms = approvals::open(envelope, &approvers).map_err(refused)?.terms;
    proposed.is_meant(&terms, now).map_err(refused)?;
    if now.milliseconds_since(terms.approved_at) > limit::APPROVAL_ENVELOPE_MS {
        return Err(refused("it was signed more than an hour ago: sign another one".to_owned()));
    }
    Ok(envelope.to_vec())
}

/// Keeps an approval with the plan that it is of.
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

/// Refuses to go on where somebody else made another plan in the meantime.
fn unchanged(seen: &Stored, stored: &Stored) -> Result<(), IncidentError> {
    let key = |stored: &Stored| (stored.incident.status, stored.incident.plan_revision);
    if key(seen) == key(stored) {
        return Ok(());
    }
    let id = &seen.incident.incident_id;
    Err(IncidentError::Refused(format!("incident {id} was just changed by another process: look at it again")))
}

/// Returns `plan.md`, where there is one, with what is to be said of its approval.
fn plan_text(
    context: IncidentContext<'_>,
    id: &IncidentId,
    approval: Option<&Approval>,
) -> Result<Vec<PartFile>, IncidentError> {
    let text = context.incidents.file(id, Part::Plan, PLAN_TEXT)?;
    Ok(text
        .map(|text| part_file(Part::Plan, PLAN_TEXT, plan_text::with_approval(&text, approval)))
        .into_iter()
        .collect())
}

/// Refuses an incident's plan. Whatever was approved of before counts no more.
///
/// # Errors
/// Fails where the incident does not stand so, and where it cannot be kept.
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

/// Returns the plan of an incident as it is now.
///
/// # Errors
/// Fails where there is none, and where it is none.
pub fn plan(context: IncidentContext<'_>, id: &IncidentId) -> Result<RemediationPlan, IncidentError> {
    Proposed::read(context, id).map(|proposed| proposed.plan)
}

/// Returns how an incident's plan differs from the one that was approved last, line by line. None: none was approved, or they do
/// not differ.
///
/// # Errors
/// Fails where the files cannot be read.
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
    // It may be void by the very change: who signed it is told all the same.
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
