//! Approvals of plans: signed and opened, and what the user's state directory keeps of them (ruling 27).
//!
//! An incident's files lie where whoever works at it can change them. So an approval counts only by the signature of a key that
//! the trust store names as an approver's; or, where nobody signed it, by its digest in the state directory:
//!
//! ```text
//! <state>/approvals/<sha256 of the incidents' root and the id>.json   one incident
//! ```
//!
//! A record that cannot be read is an error: it must not look like none.

use std::path::Path;

use crate::attestation::envelope::Envelope;
use referee_model::id::Digest;
use referee_model::incident::approval::{self as document, ApprovalError, ApprovalRecord};
use referee_model::incident::approval::{Approval, ApprovalStanding, ApprovalTerms};
use referee_model::incident::id::IncidentId;
use referee_model::time::Timestamp;

use crate::attest::{self, Signer};
use crate::error::LedgerError;
use crate::state::{Area, State};
use crate::state_record::Key;
use crate::trust::{Role, TrustStore};
use crate::waivers::Approvers;

/// Why an approval could not be signed.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// What it says breaks a rule.
    #[error(transparent)]
    Approval(#[from] ApprovalError),
    /// The signer did not sign.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// Signs an approval. Returns its envelope.
///
/// # Errors
/// Fails where what it says breaks a rule, and where an agent does not sign.
pub fn sign(terms: &ApprovalTerms, signer: &Signer) -> Result<Vec<u8>, SignError> {
    let payload = document::render(terms)?;
    let mut envelope = attest::sign(document::PAYLOAD_TYPE, &payload, signer)?;
    envelope.push(b'\n');
    Ok(envelope)
}

/// Returns the envelope of an approval that nobody signs.
///
/// # Errors
/// Fails where what it says breaks a rule.
pub fn unsigned(terms: &ApprovalTerms) -> Result<Vec<u8>, ApprovalError> {
    let payload = document::render(terms)?;
    let payload_type = document::PAYLOAD_TYPE.to_owned();
    let mut envelope = Envelope { payload_type, payload, signatures: Vec::new() }.line();
    envelope.push(b'\n');
    Ok(envelope)
}

/// Opens an approval that one of these approvers signed.
///
/// # Errors
/// Fails, with the reason, for whatever is not that.
pub fn open(envelope: &[u8], approvers: &Approvers) -> Result<Approval, String> {
    let opened = approvers.open(envelope, document::PAYLOAD_TYPE)?;
    let terms = document::read(&opened.payload).map_err(|error| error.to_string())?;
    let key = Digest::parse(&opened.key).map_err(|error| error.to_string())?;
    Ok(Approval { terms, standing: ApprovalStanding::Signed { key, approver: opened.approver } })
}

/// Looks at an approval as it lies beside a plan, and returns it where it counts at this time.
///
/// # Errors
/// Fails where trust store or record cannot be read. The reason why it does not count is the other part.
pub fn look(
    state: &State,
    root: &Path,
    id: &IncidentId,
    envelope: &[u8],
    at: Timestamp,
) -> Result<Result<Approval, String>, LedgerError> {
    let record = record(state, root, id)?;
    let is_named = names_an_approver(state)?;
    let approval = match unsigned_terms(envelope) {
        Some(_) if is_named => {
            return Ok(Err("nobody signed it, and a key is trusted to approve: approve by that key".to_owned()));
        }
        Some(_) if record.self_asserted != Some(Digest::of(envelope)) => {
            return Ok(Err("nobody signed it, and it was not given at a terminal of this user's".to_owned()));
        }
        Some(Ok(terms)) => Approval { terms, standing: ApprovalStanding::SelfAsserted },
        Some(Err(reason)) => return Ok(Err(reason)),
        None => match open(envelope, &Approvers::load(Some(state), at)) {
            Ok(approval) => approval,
            Err(reason) => return Ok(Err(reason)),
        },
    };
    if record.void_until.is_some_and(|until| approval.terms.approved_at <= until) {
        return Ok(Err(
            "a plan of this incident was refused after it was given, or changed, or another one was made, or the incident was opened again: approve it again".to_owned()
        ));
    }
    Ok(Ok(approval))
}

/// Whether the trust store names anybody who may approve, or might once: then nobody's bare word counts.
///
/// # Errors
/// Fails where it cannot be read.
pub fn names_an_approver(state: &State) -> Result<bool, LedgerError> {
    Ok(TrustStore::read(state)?.entries().any(|entry| entry.roles.contains(&Role::Approver)))
}

/// Lets an approval count that nobody signed.
///
/// # Errors
/// Fails where the record cannot be read or written.
pub fn keep_self_asserted(state: &State, root: &Path, id: &IncidentId, envelope: &[u8]) -> Result<(), LedgerError> {
    let mut record = record(state, root, id)?;
    record.self_asserted = Some(Digest::of(envelope));
    write(state, root, &record)
}

/// Lets no approval count that was given by then.
///
/// # Errors
/// Fails where the record cannot be read or written.
pub fn void(state: &State, root: &Path, id: &IncidentId, until: Timestamp) -> Result<(), LedgerError> {
    let mut record = record(state, root, id)?;
    record.self_asserted = None;
    record.void_until = Some(record.void_until.map_or(until, |before| before.max(until)));
    write(state, root, &record)
}

/// What an envelope without signatures says. None: it has signatures, or is no envelope.
fn unsigned_terms(envelope: &[u8]) -> Option<Result<ApprovalTerms, String>> {
    let envelope = Envelope::read(envelope).ok().filter(|envelope| envelope.signatures.is_empty())?;
    if envelope.payload_type != document::PAYLOAD_TYPE {
        return Some(Err("it is not an approval".to_owned()));
    }
    Some(document::read(&envelope.payload).map_err(|error| error.to_string()))
}

fn record(state: &State, root: &Path, id: &IncidentId) -> Result<ApprovalRecord, LedgerError> {
    let kept = key(root, id).read(
        state,
        |bytes| document::RECORD.decode::<ApprovalRecord>(bytes),
        |record| record.incident.as_str(),
    )?;
    Ok(kept.unwrap_or_else(|| ApprovalRecord { incident: id.clone(), self_asserted: None, void_until: None }))
}

fn write(state: &State, root: &Path, record: &ApprovalRecord) -> Result<(), LedgerError> {
    key(root, &record.incident).write(state, document::RECORD.encode(record))
}

fn key<'a>(root: &'a Path, id: &'a IncidentId) -> Key<'a> {
    Key { area: Area::Approvals, root, id: id.as_str() }
}

#[cfg(test)]
mod tests;
