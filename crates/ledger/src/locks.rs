//! Locks that a person wrote, kept out of the reach of whoever changes the workspace: the lock itself, and what the
//! protected files held (design, "Lock").
//!
//! ```text
//! <state>/locks/<workspace>/referee.lock   the lock that was written last, as it was
//! <state>/locks/<workspace>/history.json   all locks that were written, and by whom
//! <state>/locks/<workspace>/<sha256>       a protected file's content
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use referee_model::id::Digest;
use referee_wire::lock_history::{self, LockEntry, LockHistory};
use sha2::{Digest as _, Sha256};

use crate::error::LedgerError;
use crate::folder::{Folder, Kind};
use crate::lock;
use crate::state::{Area, State};

/// The file that holds the lock.
const LOCK: &str = "referee.lock";
/// The file that tells of all locks.
const HISTORY: &str = "history.json";

/// What is kept of one workspace. It stands for the place: a workspace that is moved has nothing kept.
#[derive(Debug)]
pub struct KeptLock {
    /// The lock, as it was written.
    pub bytes: Vec<u8>,
    /// The locks that were written, this one among them if it was written since they are remembered.
    pub history: LockHistory,
    folder: Folder,
}

impl KeptLock {
    /// Returns what a protected file held. None: it is not kept, or no longer what it was.
    pub fn content(&self, digest: &Digest) -> Option<Vec<u8>> {
        let bytes = self.folder.read(&digest.to_string()).ok().flatten()?;
        (Digest::from_bytes(Sha256::digest(&bytes).into()) == *digest).then_some(bytes)
    }
}

/// Returns what is kept of a workspace. None: no lock of it was ever kept here.
///
/// # Errors
/// Fails where something is kept and cannot be read: that must not look like nothing.
pub fn kept(state: &State, workspace: &Path) -> Result<Option<KeptLock>, LedgerError> {
    let locks = Folder::open(&state.area(Area::Locks)?)?;
    let Some(folder) = locks.child(&name(workspace))? else { return Ok(None) };
    let Some(bytes) = folder.read(LOCK)? else { return Ok(None) };
    let history = history(&folder, workspace)?;
    Ok(Some(KeptLock { bytes, history, folder }))
}

/// Reads the history of a workspace's locks. One that cannot be read is an error: it must not look like none.
fn history(folder: &Folder, workspace: &Path) -> Result<LockHistory, LedgerError> {
    let Some(bytes) = folder.read(HISTORY)? else { return Ok(empty(workspace)) };
    let path = || folder.path().join(HISTORY);
    lock_history::read(&bytes).map_err(|error| LedgerError::Unreadable { path: path(), reason: error.to_string() })
}

fn empty(workspace: &Path) -> LockHistory {
    LockHistory::new(workspace.to_string_lossy().into_owned())
}

/// Keeps a lock, with what the files held, in place of the one before, and remembers who wrote it.
///
/// # Errors
/// Fails where the system refuses. The lock is written last: until then the one before holds.
pub fn keep(
    state: &State,
    workspace: &Path,
    lock: &[u8],
    contents: &BTreeMap<Digest, Vec<u8>>,
    written: LockEntry,
) -> Result<(), LedgerError> {
    let folder = Folder::open(&state.area(Area::Locks)?)?.make(&name(workspace))?;
    let _lock = lock::mark_live(folder.again()?)?;
    // Whoever writes a lock over a history that cannot be read was told so, and begins another one.
    let mut history = history(&folder, workspace).unwrap_or_else(|_| empty(workspace));
    for (digest, content) in contents {
        let name = digest.to_string();
        if folder.kind(&name)?.is_none() {
            folder.replace(&name, content)?;
        }
    }
    // Before the lock: one that is there is one that is known.
    history.push(written);
    let rendered = history.render();
    let unusable = |reason: String| LedgerError::Unusable { path: folder.path().join(HISTORY), reason };
    folder.replace(HISTORY, &rendered.map_err(|error| unusable(error.to_string()))?)?;
    folder.replace(LOCK, lock)?;
    for (name, kind) in folder.entries()? {
        let is_used = Digest::parse(&name).is_ok_and(|digest| contents.contains_key(&digest));
        if kind == Kind::File && ![LOCK, HISTORY].contains(&name.as_str()) && !is_used {
            folder.discard(&name)?;
        }
    }
    Ok(())
}

/// Returns the name under which a workspace is known.
fn name(workspace: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    Digest::from_bytes(Sha256::digest(workspace.as_os_str().as_bytes()).into()).to_string()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn digest(content: &[u8]) -> Digest {
        Digest::from_bytes(Sha256::digest(content).into())
    }

    fn entry(lock: &[u8]) -> LockEntry {
        LockEntry {
            digest: digest(lock),
            previous: None,
            at: referee_model::time::Timestamp::from_millisecond(0),
            by: lock_history::LockAuthor::Terminal,
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
        keep(&state, one, b"first", &contents(&[b"a", b"b"]), entry(b"first")).unwrap();
        keep(&state, one, b"second", &contents(&[b"b"]), entry(b"second")).unwrap();
        let found = kept(&state, one).unwrap().unwrap();
        assert_eq!(found.bytes, b"second");
        let remembered: Vec<Digest> = found.history.locks.iter().map(|lock| lock.digest).collect();
        assert_eq!(remembered, [digest(b"first"), digest(b"second")]);
        assert_eq!(found.content(&digest(b"b")).unwrap(), b"b");
        assert_eq!(found.content(&digest(b"a")), None, "it is not needed any more");
        assert!(kept(&state, other).unwrap().is_none());
    }

    #[test]
    fn a_content_that_was_changed_is_none() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let workspace = Path::new("/one");
        keep(&state, workspace, b"lock", &BTreeMap::from([(digest(b"a"), b"a".to_vec())]), entry(b"lock")).unwrap();
        let file = state.path().join("locks").join(name(workspace)).join(digest(b"a").to_string());
        fs::write(file, "b").unwrap();
        assert_eq!(kept(&state, workspace).unwrap().unwrap().content(&digest(b"a")), None);
    }
}
