//! Finds and writes the lock: the one in the workspace, checked against the one that is kept in the state directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use referee_ledger::State;
use referee_ledger::attest::{self, Signer};
use referee_ledger::locks::history::{LockAuthor, LockEntry, LockHistory, SignedLock};
use referee_ledger::locks::lock_document::{self, FILE_NAME};
use referee_ledger::locks::{self, Locked};
use referee_ledger::waivers::Approvers;
use referee_ledger::workspace::{self, Looked};
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::lock::Lock;
use referee_model::run_context::protection::{Drift, DriftChange, Mode, TrustedBaseline};
use referee_model::time::Timestamp;

use super::lock_snapshot::LockSnapshot;
use super::{Baseline, Contents, ProtectionError, compare, descent};

/// The file beside the lock that holds an approver's signature over it.
pub const ENVELOPE: &str = "referee.lock.intoto.jsonl";

/// Payload type of the signature.
const PAYLOAD_TYPE: &str = "application/vnd.referee.lock+json";

/// Finds the baseline of a workspace: the kept lock of the workspace, also under the name that it had before it
/// was moved, or that of the worktree that it is linked to (`main`), or else the lock in the workspace. Returns
/// `None` if there is none of them and never was, so that nothing is protected.
///
/// # Errors
/// Fails if a lock exists and cannot be read: that must not look like no lock.
pub fn find(
    workspace: &Path,
    main: Option<&Path>,
    state: Option<&State>,
    at: Timestamp,
) -> Result<Option<Baseline>, ProtectionError> {
    let found = workspace::look(workspace, FILE_NAME);
    let approver = approver(workspace, &found, state, at);
    let Some(state) = state else { return in_workspace(&found, false, approver) };
    let Known { name, is_own } = Known::find(state, workspace, main)?;
    let history = locks::remembered(state, &name)?;
    let unsigned = unsigned(history.as_ref(), &found, approver.as_ref());
    let Some(kept) = locks::kept(state, &name)? else {
        let of_workspace = in_workspace(&found, true, approver)?;
        let is_missed = of_workspace.is_none() && history.is_some();
        let baseline = if is_missed { Some(missed()) } else { of_workspace };
        return Ok(baseline.map(|baseline| baseline.with(unsigned)));
    };
    let digest = Digest::of(&kept.bytes);
    let lock = lock_document::read(&kept.bytes).map_err(ProtectionError::content)?;
    let doubt = descent::doubt(&kept.history, digest);
    let (change, detail) = match &found {
        Looked::File(held) if held.sha256 == digest => {
            // An approver who signs it vouches for it.
            let doubt = doubt.filter(|_| approver.is_none());
            let found = baseline(lock, digest, approver, Contents::Kept(Box::new(kept)), Vec::new(), Vec::new());
            return Ok(Some(Baseline { doubt, ..found }.with(unsigned)));
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
    let of_itself = vec![of_lock(change, detail.to_owned())];
    let found = baseline(lock, digest, None, Contents::Kept(Box::new(kept)), of_itself, Vec::new());
    Ok(Some(Baseline { doubt, ..found }))
}

/// The name under which the state directory knows a workspace.
struct Known {
    name: PathBuf,
    /// Whether it is the workspace's own name, and not that of the main worktree.
    is_own: bool,
}

impl Known {
    /// Finds the name: of the workspace itself, the one that it had before it was moved and linked, or that of its
    /// main worktree.
    fn find(state: &State, workspace: &Path, main: Option<&Path>) -> Result<Self, ProtectionError> {
        let own = |name: PathBuf| Self { name, is_own: true };
        if locks::remembered(state, workspace)?.is_some_and(|history| !history.linked_worktree || main.is_none())
            || locks::kept(state, workspace)?.is_some()
        {
            return Ok(own(workspace.to_path_buf()));
        }
        if let Some(before) = locks::moved(state, workspace)? {
            return Ok(own(before));
        }
        Ok(main.map_or_else(|| own(workspace.to_path_buf()), |main| Self { name: main.to_path_buf(), is_own: false }))
    }
}

/// Returns the drift for a lock that no approver signed, if one signed the lock before it.
fn unsigned(history: Option<&LockHistory>, found: &Looked, approver: Option<&String>) -> Option<Drift> {
    let signed = history?.signed.as_ref().filter(|_| approver.is_none())?;
    let Looked::File(held) = found else { return None };
    let who = &signed.approver;
    let detail = format!(
        "the lock was signed by {who}, and this one by no trusted approver: put the signed one back, or have an approver sign \
         again with `referee lock --key`"
    );
    (held.sha256 != signed.digest).then(|| of_lock(DriftChange::Modified, detail))
}

/// Returns a baseline for a lock of which only its former existence is known.
fn missed() -> Baseline {
    let lock = Lock {
        made: Timestamp::from_millisecond(0),
        plans: BTreeMap::new(),
        rules: Vec::new(),
        files: Vec::new(),
        test_counts: BTreeMap::new(),
        named_tests: BTreeMap::new(),
        sources: None,
    };
    let detail = "there was a lock, and it is gone: put it back, or let a person write another with `referee lock` at a terminal";
    let of_itself = vec![of_lock(DriftChange::Removed, detail.to_owned())];
    let nothing = Digest::of([]);
    baseline(lock, nothing, None, Contents::Unknown, of_itself, Vec::new())
}

fn of_lock(change: DriftChange, detail: String) -> Drift {
    Drift { detail, ..compare::differing(FILE_NAME, Mode::Frozen, change) }
}

/// Whether a lock is an earlier one that was kept and that a person vouched for.
fn is_ancestor(history: &LockHistory, digest: Digest) -> bool {
    history.of(digest).is_some() && descent::doubt(history, digest).is_none()
}

/// Returns a baseline from the bytes of a lock, of which nothing else is known.
///
/// # Errors
/// Fails for bytes that are not a valid lock.
pub fn of_bytes(bytes: &[u8]) -> Result<Baseline, ProtectionError> {
    let lock = lock_document::read(bytes).map_err(ProtectionError::content)?;
    let digest = Digest::of(bytes);
    Ok(baseline(lock, digest, None, Contents::Unknown, Vec::new(), Vec::new()))
}

/// Returns the baseline for the lock in the workspace, if none is kept.
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
    let lock = lock_document::read(held.content.as_ref().ok_or_else(too_large)?).map_err(ProtectionError::content)?;
    if let Some(approver) = approver {
        return Ok(Some(baseline(lock, held.sha256, Some(approver), Contents::Unknown, Vec::new(), Vec::new())));
    }
    let place =
        if has_state { "the state directory knows none of this workspace" } else { "there is no state directory" };
    let notes = vec![format!(
        "the lock was taken from the workspace, where agents can write, as {place}: `referee lock` keeps one"
    )];
    Ok(Some(baseline(lock, held.sha256, None, Contents::Unknown, Vec::new(), notes)))
}

fn approved(bytes: &[u8], digest: Digest, approver: String) -> Result<Baseline, ProtectionError> {
    let lock = lock_document::read(bytes).map_err(ProtectionError::content)?;
    Ok(baseline(lock, digest, Some(approver), Contents::Unknown, Vec::new(), Vec::new()))
}

/// Returns a baseline for a lock that HEAD has and the workspace does not.
///
/// # Errors
/// Fails for bytes that are not a valid lock.
pub fn removed(bytes: &[u8]) -> Result<Baseline, ProtectionError> {
    let detail = "the lock itself was removed, and HEAD holds one: put it back, or write another with `referee lock`";
    Ok(of_bytes(bytes)?.with(Some(of_lock(DriftChange::Removed, detail.to_owned()))))
}

/// Returns the trusted approver who signed the lock in a workspace. `None` if there is none.
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
        beside: Vec::new(),
    }
}

/// The circumstances of writing a lock.
#[derive(Debug, Clone)]
pub struct Writing {
    /// Author of the lock.
    pub by: LockAuthor,
    /// The agent in whose shell it is written. `None`: no agent's shell.
    pub agent: Option<String>,
    /// SHA-256 of the replaced lock. `None` if there is none.
    pub previous: Option<Digest>,
    /// Paths of the accepted differences, one for each difference.
    pub accepted: Vec<String>,
    /// The locked specifications, relative to the workspace if they are in it.
    pub specifications: Vec<String>,
    /// Whether the workspace is in a linked worktree.
    pub linked_worktree: bool,
}

/// Writes a lock into the workspace, and keeps it in the state directory with the contents of its files and its
/// author. An approver signs it, so that it is trusted where no state directory knows it.
///
/// # Errors
/// Fails if either cannot be written.
pub fn write(
    workspace: &Path,
    state: Option<&State>,
    taken: &LockSnapshot,
    writing: Writing,
    approver: Option<&Signer>,
) -> Result<Digest, ProtectionError> {
    let bytes = lock_document::render(&taken.lock).map_err(ProtectionError::content)?;
    let digest = Digest::of(&bytes);
    let envelope = approver.map(|approver| attest::sign(PAYLOAD_TYPE, &bytes, approver)).transpose()?;
    if let Some(state) = state {
        let Writing { by, agent, previous, accepted, specifications, linked_worktree } = writing;
        let approvers = Approvers::load(Some(state), taken.lock.made);
        let who = envelope.as_ref().and_then(|envelope| approvers.who_approved(envelope, PAYLOAD_TYPE, &bytes));
        let signed = who.map(|approver| SignedLock { digest, approver });
        let locked = Locked { specifications, signed, linked_worktree };
        let count = u32::try_from(accepted.len()).unwrap_or(u32::MAX);
        let at = taken.lock.made;
        let entry = LockEntry { digest, previous, at, by, agent, accepted: count, paths: accepted };
        locks::keep(state, workspace, &bytes, &taken.contents, entry, &locked)?;
    }
    referee_ledger::project_file::write(workspace, FILE_NAME, &bytes)?;
    if let Some(envelope) = envelope {
        referee_ledger::project_file::write(workspace, ENVELOPE, &envelope)?;
    }
    Ok(digest)
}
