//! Locks written by a person, stored where changes of the workspace cannot reach them: the lock itself, and the
//! content of the protected files (design, "Lock").
//!
//! ```text
//! <state>/locks/<workspace>/referee.lock   the lock that was written last, unchanged
//! <state>/locks/<workspace>/history.json   all locks that were written, with their authors; also seen ones
//! <state>/locks/<workspace>/<sha256>       the content of a protected file
//! ```
//!
//! That a workspace had a lock stays recorded, so that a removed lock or a moved workspace is detected.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use history::{LockEntry, LockHistory, SignedLock};
use referee_model::id::Digest;

use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::lock;
use crate::state::{Area, State, place_name};

pub mod history;
pub mod lock_document;

/// File name of the lock.
const LOCK: &str = "referee.lock";
/// File name of the history.
const HISTORY: &str = "history.json";

/// The recorded lock of a workspace, by its path; a workspace that was moved, with a link in its place, is
/// found by [`moved`].
#[derive(Debug)]
pub struct KeptLock {
    /// Content of the lock, as written.
    pub bytes: Vec<u8>,
    /// The locks that were written; includes this one if it was written since a history is kept.
    pub history: LockHistory,
    directory: Directory,
}

impl KeptLock {
    /// Returns the recorded content of a protected file. `None` if it is not recorded, or was altered.
    pub fn content(&self, digest: &Digest) -> Option<Vec<u8>> {
        let bytes = self.directory.read(&digest.to_string()).ok().flatten()?;
        (Digest::of(&bytes) == *digest).then_some(bytes)
    }
}

fn look(state: &State, workspace: &Path) -> Result<Option<Directory>, LedgerError> {
    state.look_into(Area::Locks)?.map_or(Ok(None), |locks| locks.child(&place_name(workspace)))
}

/// Returns the recorded lock of a workspace, or `None` if none was ever recorded here.
///
/// # Errors
/// Fails if a record exists and cannot be read; this is never reported as `None`.
pub fn kept(state: &State, workspace: &Path) -> Result<Option<KeptLock>, LedgerError> {
    let Some(directory) = look(state, workspace)? else { return Ok(None) };
    let Some(bytes) = directory.read(LOCK)? else { return Ok(None) };
    let history = history(&directory, workspace)?;
    Ok(Some(KeptLock { bytes, history, directory }))
}

/// Returns the history of a workspace's locks, including those that were only seen. Returns `None` if it never
/// had one.
///
/// # Errors
/// Fails if a history exists and cannot be read; this is never reported as `None`.
pub fn remembered(state: &State, workspace: &Path) -> Result<Option<LockHistory>, LedgerError> {
    let Some(directory) = look(state, workspace)? else { return Ok(None) };
    if directory.kind(HISTORY)?.is_none() && directory.kind(LOCK)?.is_none() {
        return Ok(None);
    }
    history(&directory, workspace).map(Some)
}

/// Returns the histories of all workspaces, by path. Unreadable ones are skipped: they matter for their own
/// workspace only.
///
/// # Errors
/// Fails if they cannot be listed.
pub fn all(state: &State) -> Result<Vec<LockHistory>, LedgerError> {
    let Some(locks) = state.look_into(Area::Locks)? else { return Ok(Vec::new()) };
    let read = |name: &str| {
        let bytes = locks.child(name).ok()??.read(HISTORY).ok()??;
        history::KIND
            .decode::<LockHistory>(&bytes)
            .ok()
            .filter(|history| name == place_name(Path::new(&history.workspace)))
    };
    let mut found: Vec<LockHistory> = locks.entries()?.iter().filter_map(|(name, _)| read(name)).collect();
    found.sort_by(|one, other| one.workspace.cmp(&other.workspace));
    Ok(found)
}

/// Returns the former path of a workspace that was moved, with a link left in its place, after a lock of it was
/// recorded. Returns `None` if it has no such path.
///
/// # Errors
/// As [`all`].
pub fn moved(state: &State, workspace: &Path) -> Result<Option<PathBuf>, LedgerError> {
    let leads_here =
        |before: &PathBuf| before != workspace && std::fs::canonicalize(before).is_ok_and(|place| place == workspace);
    Ok(all(state)?.into_iter().map(|history| PathBuf::from(history.workspace)).find(leads_here))
}

/// Facts recorded about a workspace in addition to its locks.
#[derive(Debug, Clone, Default)]
pub struct Locked {
    /// Locked specifications, relative to the workspace if inside it.
    pub specifications: Vec<String>,
    /// The lock signed by an approver. `None`: this lock is unsigned.
    pub signed: Option<SignedLock>,
    /// Whether the workspace is in a linked worktree.
    pub linked_worktree: bool,
}

impl Locked {
    fn add_to(&self, history: &mut LockHistory) {
        history.know(&self.specifications);
        history.signed = self.signed.clone().or_else(|| history.signed.take());
        history.linked_worktree = self.linked_worktree;
    }
}

/// Records that a workspace has a lock that was written elsewhere.
///
/// # Errors
/// Fails if the history cannot be read, and on an I/O error.
pub fn remember(state: &State, workspace: &Path, locked: &Locked) -> Result<(), LedgerError> {
    let before = remembered(state, workspace)?;
    let mut after = before.clone().unwrap_or_else(|| empty(workspace));
    locked.add_to(&mut after);
    if before.as_ref() == Some(&after) {
        return Ok(());
    }
    let directory = state.open_area(Area::Locks)?.make(&place_name(workspace))?;
    let _lock = lock::of_directory(&directory)?;
    write(&directory, &after)
}

/// Removes the recorded locks of a workspace. Returns `false` if there were none.
///
/// # Errors
/// Fails on an I/O error.
pub fn forget(state: &State, workspace: &Path) -> Result<bool, LedgerError> {
    let Some(directory) = look(state, workspace)? else { return Ok(false) };
    let _lock = lock::of_directory(&directory)?;
    let mut is_known = false;
    for (name, kind) in directory.entries()? {
        if kind == Kind::File {
            is_known |= [LOCK, HISTORY].contains(&name.as_str());
            directory.discard(&name)?;
        }
    }
    Ok(is_known)
}

fn write(directory: &Directory, kept: &LockHistory) -> Result<(), LedgerError> {
    let unusable = |reason: String| LedgerError::Unusable { path: directory.path().join(HISTORY), reason };
    let rendered = history::KIND.encode(kept).map_err(|error| unusable(error.to_string()))?;
    directory.replace(HISTORY, &rendered).map(drop)
}

/// Reads the history of a workspace's locks. An unreadable history is an error, never treated as a missing one.
fn history(directory: &Directory, workspace: &Path) -> Result<LockHistory, LedgerError> {
    let Some(bytes) = directory.read(HISTORY)? else { return Ok(empty(workspace)) };
    let path = || directory.path().join(HISTORY);
    history::KIND
        .decode::<LockHistory>(&bytes)
        .map_err(|error| LedgerError::Unreadable { path: path(), reason: error.to_string() })
}

fn empty(workspace: &Path) -> LockHistory {
    LockHistory::new(workspace.to_string_lossy().into_owned())
}

/// Records a lock and the content of the protected files, replacing the previous lock, and adds it to the
/// history.
///
/// # Errors
/// Fails on an I/O error. The lock is written last: until then the previous one stays.
pub fn keep(
    state: &State,
    workspace: &Path,
    lock: &[u8],
    contents: &BTreeMap<Digest, Vec<u8>>,
    written: LockEntry,
    locked: &Locked,
) -> Result<(), LedgerError> {
    let directory = state.open_area(Area::Locks)?.make(&place_name(workspace))?;
    let _lock = lock::of_directory(&directory)?;
    // The author of a lock over an unreadable history was warned, and starts a new one.
    let mut history = history(&directory, workspace).unwrap_or_else(|_| empty(workspace));
    for (digest, content) in contents {
        let name = digest.to_string();
        if directory.kind(&name)?.is_none() {
            directory.replace(&name, content)?;
        }
    }
    // The history is written before the lock, so that every recorded lock is in it.
    history.push(written);
    locked.add_to(&mut history);
    write(&directory, &history)?;
    directory.replace(LOCK, lock)?;
    for (name, kind) in directory.entries()? {
        let is_used = Digest::parse(&name).is_ok_and(|digest| contents.contains_key(&digest));
        if kind == Kind::File && ![LOCK, HISTORY].contains(&name.as_str()) && !is_used {
            directory.discard(&name)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn digest(content: &[u8]) -> Digest {
        Digest::of(content)
    }

    fn entry(lock: &[u8]) -> LockEntry {
        LockEntry {
            digest: digest(lock),
            previous: None,
            at: referee_model::time::Timestamp::from_millisecond(0),
            by: history::LockAuthor::Terminal,
            agent: None,
            accepted: 0,
            paths: Vec::new(),
        }
    }

    #[test]
    fn what_is_kept_is_what_was_written_last_of_that_workspace_alone() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let (one, other) = (Path::new("/one"), Path::new("/other"));
        assert!(kept(&state, one).unwrap().is_none());
        let contents = |texts: &[&[u8]]| texts.iter().map(|text| (digest(text), text.to_vec())).collect();
        keep(&state, one, b"first", &contents(&[b"a", b"b"]), entry(b"first"), &Locked::default()).unwrap();
        keep(&state, one, b"second", &contents(&[b"b"]), entry(b"second"), &Locked::default()).unwrap();
        let found = kept(&state, one).unwrap().unwrap();
        assert_eq!(found.bytes, b"second");
        let remembered: Vec<Digest> = found.history.locks.iter().map(|lock| lock.digest).collect();
        assert_eq!(remembered, [digest(b"first"), digest(b"second")]);
        assert_eq!(found.content(&digest(b"b")).unwrap(), b"b");
        assert_eq!(found.content(&digest(b"a")), None, "it is not needed any more");
        assert!(kept(&state, other).unwrap().is_none());
    }

    #[test]
    fn a_lock_that_was_only_seen_is_remembered_and_found_where_the_workspace_was_moved_to() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let root = outside.path().canonicalize().unwrap();
        let (before, after) = (root.join("before"), root.join("after"));
        fs::create_dir(&before).unwrap();
        assert_eq!(remembered(&state, &before).unwrap(), None);
        let signed = Some(SignedLock { digest: digest(b"lock"), approver: "Ada".to_owned() });
        let locked = Locked { specifications: vec!["referee.yaml".to_owned()], signed, linked_worktree: false };
        remember(&state, &before, &locked).unwrap();
        // Facts that are not given again stay recorded.
        remember(&state, &before, &Locked { signed: None, ..locked.clone() }).unwrap();
        let known = remembered(&state, &before).unwrap().unwrap();
        assert_eq!(
            (&known.specifications, &known.signed, known.locks.len()),
            (&locked.specifications, &locked.signed, 0)
        );
        assert!(kept(&state, &before).unwrap().is_none());
        fs::rename(&before, &after).unwrap();
        assert_eq!(moved(&state, &after).unwrap(), None);
        std::os::unix::fs::symlink(&after, &before).unwrap();
        assert_eq!(moved(&state, &after).unwrap(), Some(before.clone()));
        assert!(forget(&state, &before).unwrap() && !forget(&state, &before).unwrap());
        assert_eq!((all(&state).unwrap(), remembered(&state, &before).unwrap()), (Vec::new(), None));
    }

    #[test]
    fn a_content_that_was_changed_is_none() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let workspace = Path::new("/one");
        keep(
            &state,
            workspace,
            b"lock",
            &BTreeMap::from([(digest(b"a"), b"a".to_vec())]),
            entry(b"lock"),
            &Locked::default(),
        )
        .unwrap();
        let file = state.path().join("locks").join(place_name(workspace)).join(digest(b"a").to_string());
        fs::write(file, "b").unwrap();
        assert_eq!(kept(&state, workspace).unwrap().unwrap().content(&digest(b"a")), None);
    }
}
