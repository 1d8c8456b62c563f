//! A lock that a person wrote: the one in the workspace, held against the one that is kept in the state folder.

use std::collections::BTreeMap;
use std::path::Path;

use referee_ledger::attest::{self, Signer};
use referee_ledger::waivers::Approvers;
use referee_ledger::workspace::{self, Looked};
use referee_ledger::{State, locks};
use referee_model::circumstances::protection::{Drift, DriftChange, Mode, TrustedBaseline};
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::lock::Lock;
use referee_model::time::Timestamp;
use referee_wire::lock::{self, FILE_NAME};
use sha2::{Digest as _, Sha256};

use super::take::Taken;
use super::{Baseline, Contents, ProtectionError, compare};

/// The file beside the lock that holds an approver's signature over it.
pub const ENVELOPE: &str = "referee.lock.intoto.jsonl";

/// The type of what is signed.
const PAYLOAD_TYPE: &str = "application/vnd.referee.lock+json";

/// Finds what a workspace is to be held against: the lock that is kept, or else the one that lies in the workspace. None:
/// there is neither, so nothing is protected.
///
/// # Errors
/// Fails where a lock is there and cannot be read: that must not look like none.
pub fn find(workspace: &Path, state: Option<&State>, at: Timestamp) -> Result<Option<Baseline>, ProtectionError> {
    let found = workspace::look(workspace, FILE_NAME);
    let approver = approver(workspace, &found, state, at);
    let kept = state.map(|state| locks::kept(state, workspace)).transpose()?.flatten();
    let Some(kept) = kept else { return in_workspace(&found, state.is_some(), approver) };
    let digest = Digest::from_bytes(Sha256::digest(&kept.bytes).into());
    let lock = lock::read(&kept.bytes).map_err(ProtectionError::content)?;
    let (change, detail) = match &found {
        Looked::File(held) if held.sha256 == digest => {
            return Ok(Some(baseline(lock, digest, approver, Contents::Kept(kept), Vec::new(), Vec::new())));
        }
        Looked::File(held) => {
            if let Some(approver) = approver {
                return approved(held.content.as_deref().unwrap_or_default(), held.sha256, approver).map(Some);
            }
            (
                DriftChange::Modified,
                "the lock itself is another one than was written last, and no trusted approver signed it",
            )
        }
        Looked::Missing => (DriftChange::Removed, "the lock itself was removed"),
        Looked::Link(_) => (DriftChange::Modified, "the lock itself is a link now"),
        Looked::Unreadable(_) => (DriftChange::Unreadable, "the lock itself cannot be read"),
    };
    let of_itself = vec![Drift { detail: detail.to_owned(), ..compare::differing(FILE_NAME, Mode::Frozen, change) }];
    Ok(Some(baseline(lock, digest, None, Contents::Kept(kept), of_itself, Vec::new())))
}

/// Takes the lock in the workspace, where none is kept.
fn in_workspace(
    found: &Looked,
    has_state: bool,
    approver: Option<String>,
) -> Result<Option<Baseline>, ProtectionError> {
    let held = match found {
        Looked::Missing => return Ok(None),
        Looked::File(held) => held,
        Looked::Link(_) => return Err(ProtectionError::Content(format!("{FILE_NAME} is a link, and no lock"))),
        Looked::Unreadable(why) => return Err(ProtectionError::Content(format!("{FILE_NAME} cannot be read: {why}"))),
    };
    let too_large =
        || ProtectionError::Content(format!("{FILE_NAME} is larger than {} bytes", limit::PROTECTED_CONTENT_BYTES));
    let lock = lock::read(held.content.as_ref().ok_or_else(too_large)?).map_err(ProtectionError::content)?;
    if let Some(approver) = approver {
        return Ok(Some(baseline(lock, held.sha256, Some(approver), Contents::Unknown, Vec::new(), Vec::new())));
    }
    let place = if has_state { "the state folder knows none of this workspace" } else { "there is no state folder" };
    let notes = vec![format!(
        "the lock was taken from the workspace, in reach of whoever changes it, as {place}: `referee lock` keeps one"
    )];
    Ok(Some(baseline(lock, held.sha256, None, Contents::Unknown, Vec::new(), notes)))
}

fn approved(bytes: &[u8], digest: Digest, approver: String) -> Result<Baseline, ProtectionError> {
    let lock = lock::read(bytes).map_err(ProtectionError::content)?;
    Ok(baseline(lock, digest, Some(approver), Contents::Unknown, Vec::new(), Vec::new()))
}

/// Returns the trusted approver who signed the lock in a workspace. None: nobody did.
fn approver(workspace: &Path, lock: &Looked, state: Option<&State>, at: Timestamp) -> Option<String> {
    let (Looked::File(lock), Looked::File(envelope)) = (lock, workspace::look(workspace, ENVELOPE)) else {
        return None;
    };
    let approvers = Approvers::load(state, at);
    approvers.who_approved(envelope.content.as_deref()?, PAYLOAD_TYPE, lock.content.as_deref()?)
}

fn baseline(
    lock: Lock,
    digest: Digest,
    approved_by: Option<String>,
    contents: Contents,
    of_itself: Vec<Drift>,
    notes: Vec<String>,
) -> Baseline {
    Baseline {
        trusted: TrustedBaseline::Lock { digest, approved_by },
        lock,
        of_itself,
        notes,
        weakenings: BTreeMap::new(),
        contents,
        vouched: None,
    }
}

/// Writes a lock into the workspace, and keeps it with what its files held. An approver signs it, so that it is believed
/// where no state folder knows it.
///
/// # Errors
/// Fails where one of both cannot be written.
pub fn write(
    workspace: &Path,
    state: Option<&State>,
    taken: &Taken,
    approver: Option<&Signer>,
) -> Result<Digest, ProtectionError> {
    let bytes = lock::render(&taken.lock).map_err(ProtectionError::content)?;
    if let Some(state) = state {
        locks::keep(state, workspace, &bytes, &taken.contents)?;
    }
    referee_ledger::project_file::write(workspace, FILE_NAME, &bytes)?;
    if let Some(approver) = approver {
        let envelope = attest::sign(PAYLOAD_TYPE, &bytes, approver)?;
        referee_ledger::project_file::write(workspace, ENVELOPE, &envelope)?;
    }
    Ok(Digest::from_bytes(Sha256::digest(&bytes).into()))
}
