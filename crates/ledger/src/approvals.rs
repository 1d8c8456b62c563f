//! Approvals of plans: signing, opening, and their records in the user's state directory (ruling 27).
//!
//! Whatever works at an incident can change the incident's files. So an approval counts only if it is signed by a key
//! that the trust store lists as an approver's, or, if unsigned, by its digest in the state directory:
//!
//! ```text
//! <state>/approvals/<sha256 of the incidents' root and the id>.json   one incident
//! ```
//!
//! An unreadable record is an error, never treated as a missing one.

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

/// Reason why an approval could not be signed.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// The terms of the approval break a rule.
    #[error(transparent)]
    Approval(#[from] ApprovalError),
    /// The signer failed to sign.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// Signs an approval and returns its envelope.
///
/// # Errors
/// Fails if the terms break a rule, and if a key agent does not sign.
pub fn sign(terms: &ApprovalTerms, signer: &Signer) -> Result<Vec<u8>, SignError> {
    let payload = document::render(terms)?;
    let mut envelope = attest::sign(document::PAYLOAD_TYPE, &payload, signer)?;
    envelope.push(b'\n');
    Ok(envelope)
}

/// Returns the envelope of an unsigned approval.
///
/// # Errors
/// Fails if the terms break a rule.
pub fn unsigned(terms: &ApprovalTerms) -> Result<Vec<u8>, ApprovalError> {
    let payload = document::render(terms)?;
    let payload_type = document::PAYLOAD_TYPE.to_owned();
    let mut envelope = Envelope { payload_type, payload, signatures: Vec::new() }.line();
    envelope.push(b'\n');
    Ok(envelope)
}

/// Opens an approval that is signed by one of these approvers.
///
/// # Errors
/// Fails, with the reason, for anything else.
pub fn open(envelope: &[u8], approvers: &Approvers) -> Result<Approval, String> {
    let opened = approvers.open(envelope, document::PAYLOAD_TYPE)?;
    let terms = document::read(&opened.payload).map_err(|error| error.to_string())?;
    let key = Digest::parse(&opened.key).map_err(|error| error.to_string())?;
    Ok(Approval { terms, standing: ApprovalStanding::Signed { key, approver: opened.approver } })
}

/// Evaluates the approval file of a plan. Returns the approval if it counts at time `at`, else the reason why not.
///
/// # Errors
/// Fails if the trust store or the record cannot be read.
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

/// Returns whether the trust store lists an approver, current or former: then no unsigned approval counts.
///
/// # Errors
/// Fails if the trust store cannot be read.
pub fn names_an_approver(state: &State) -> Result<bool, LedgerError> {
    Ok(TrustStore::read(state)?.entries().any(|entry| entry.roles.contains(&Role::Approver)))
}

/// Records an unsigned approval, so that it counts.
///
/// # Errors
/// Fails if the record cannot be read or written.
pub fn keep_self_asserted(state: &State, root: &Path, id: &IncidentId, envelope: &[u8]) -> Result<(), LedgerError> {
    let mut record = record(state, root, id)?;
    record.self_asserted = Some(Digest::of(envelope));
    write(state, root, &record)
}

/// Voids all approvals that were given at or before `until`.
///
/// # Errors
/// Fails if the record cannot be read or written.
pub fn void(state: &State, root: &Path, id: &IncidentId, until: Timestamp) -> Result<(), LedgerError> {
    let mut record = record(state, root, id)?;
    record.self_asserted = None;
    record.void_until = Some(record.void_until.map_or(until, |before| before.max(until)));
    write(state, root, &record)
}

/// Parses the terms of an unsigned envelope. Returns `None` if it has signatures or is not an envelope.
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
