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
use referee_wire::lock_history::{LockAuthor, LockEntry, LockHistory};
use sha2::{Digest as _, Sha256};

use super::take::Taken;
use super::{Baseline, Contents, ProtectionError, compare, descent};

/// The file beside the lock that holds an approver's signature over it.
pub const ENVELOPE: &str = "referee.lock.intoto.jsonl";

/// The type of what is signed.
const PAYLOAD_TYPE: &str = "application/vnd.referee.lock+json";

/// Finds what a workspace is to be held against: the lock that is kept of it, or of the workspace that it is a linked worktree
/// of (`main`), or else the one that lies in it. None: there is none of them, so nothing is protected.
///
/// # Errors
/// Fails where a lock is there and cannot be read: that must not look like none.
pub fn find(
    workspace: &Path,
    main: Option<&Path>,
    state: Option<&State>,
    at: Timestamp,
) -> Result<Option<Baseline>, ProtectionError> {
    let found = workspace::look(workspace, FILE_NAME);
    let approver = approver(workspace, &found, state, at);
    let own = state.map(|state| locks::kept(state, workspace)).transpose()?.flatten();
    let is_own = own.is_some();
    let kept = match (own, state, main) {
        (None, Some(state), Some(main)) => locks::kept(state, main)?,
        (own, ..) => own,
    };
    let Some(kept) = kept else { return in_workspace(&found, state.is_some(), approver) };
    let digest = Digest::from_bytes(Sha256::digest(&kept.bytes).into());
    let lock = lock::read(&kept.bytes).map_err(ProtectionError::content)?;
    let doubt = descent::doubt(&kept.history, digest);
    let (change, detail) = match &found {
        Looked::File(held) if held.sha256 == digest => {
            // Who signs it stands for it.
            let doubt = doubt.filter(|_| approver.is_none());
            let found = baseline(lock, digest, approver, Contents::Kept(kept), Vec::new(), Vec::new());
            return Ok(Some(Baseline { doubt, ..found }));
        }
        // An older commit in a linked worktree has the lock of its time.
        Looked::File(held) if !is_own && approver.is_none() && is_ancestor(&kept.history, held.sha256) => {
            let notes = vec![format!("the lock is an earlier one of {}", kept.history.workspace)];
            return Ok(in_workspace(&found, true, None)?.map(|found| Baseline { notes, ..found }));
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
    let found = baseline(lock, digest, None, Contents::Kept(kept), of_itself, Vec::new());
    Ok(Some(Baseline { doubt, ..found }))
}

/// Whether a lock is one that was kept before, and that a person stood for.
fn is_ancestor(history: &LockHistory, digest: Digest) -> bool {
    history.of(digest).is_some() && descent::doubt(history, digest).is_none()
}

/// Makes a baseline of the bytes of a lock, of which nothing else is known.
///
/// # Errors
/// Fails for bytes that are no lock.
pub fn of_bytes(bytes: &[u8]) -> Result<Baseline, ProtectionError> {
    let lock = lock::read(bytes).map_err(ProtectionError::content)?;
    let digest = Digest::from_bytes(Sha256::digest(bytes).into());
    Ok(baseline(lock, digest, None, Contents::Unknown, Vec::new(), Vec::new()))
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
        doubt: None,
        weakenings: BTreeMap::new(),
        contents,
        vouched: None,
    }
}

/// Who writes a lock over which one.
#[derive(Debug, Clone)]
pub struct Writing {
    /// Who.
    pub by: LockAuthor,
    /// The agent in whose shell that is.
    pub agent: Option<String>,
    /// SHA-256 of the lock that is replaced. None: there is none.
    pub previous: Option<Digest>,
    /// The paths of what is accepted, one a difference.
    pub accepted: Vec<String>,
}

/// Writes a lock into the workspace, and keeps it with what its files held and who wrote it. An approver signs it, so that it is
/// believed where no state folder knows it.
///
/// # Errors
/// Fails where one of both cannot be written.
pub fn write(
    workspace: &Path,
    state: Option<&State>,
    taken: &Taken,
    writing: Writing,
    approver: Option<&Signer>,
) -> Result<Digest, ProtectionError> {
    let bytes = lock::render(&taken.lock).map_err(ProtectionError::content)?;
    let digest = Digest::from_bytes(Sha256::digest(&bytes).into());
    if let Some(state) = state {
        let Writing { by, agent, previous, accepted } = writing;
        let count = u32::try_from(accepted.len()).unwrap_or(u32::MAX);
        let at = taken.lock.made;
        let entry = LockEntry { digest, previous, at, by, agent, accepted: count, paths: accepted };
        locks::keep(state, workspace, &bytes, &taken.contents, entry)?;
    }
    referee_ledger::project_file::write(workspace, FILE_NAME, &bytes)?;
    if let Some(approver) = approver {
        let envelope = attest::sign(PAYLOAD_TYPE, &bytes, approver)?;
        referee_ledger::project_file::write(workspace, ENVELOPE, &envelope)?;
    }
    Ok(digest)
}
