//! Locks that a person wrote, kept out of the reach of whoever changes the workspace: the lock itself, and what the
//! protected files held (design, "Lock").
//!
//! ```text
//! <state>/locks/<workspace>/referee.lock   the lock that was written last, as it was
//! <state>/locks/<workspace>/<sha256>       a protected file's content
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use referee_model::id::Digest;
use sha2::{Digest as _, Sha256};

use crate::error::LedgerError;
use crate::folder::{Folder, Kind};
use crate::state::{Area, State};

/// The file that holds the lock.
const LOCK: &str = "referee.lock";

/// What is kept of one workspace. It stands for the place: a workspace that is moved has nothing kept.
#[derive(Debug)]
pub struct KeptLock {
    /// The lock, as it was written.
    pub bytes: Vec<u8>,
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
    Ok(folder.read(LOCK)?.map(|bytes| KeptLock { bytes, folder }))
}

/// Keeps a lock, with what the files held, in place of the one before.
///
/// # Errors
/// Fails where the system refuses. The lock is written last: until then the one before holds.
pub fn keep(
    state: &State,
    workspace: &Path,
    lock: &[u8],
    contents: &BTreeMap<Digest, Vec<u8>>,
) -> Result<(), LedgerError> {
    let folder = Folder::open(&state.area(Area::Locks)?)?.make(&name(workspace))?;
    for (digest, content) in contents {
        let name = digest.to_string();
        if folder.kind(&name)?.is_none() {
            folder.replace(&name, content)?;
        }
    }
    folder.replace(LOCK, lock)?;
    for (name, kind) in folder.entries()? {
        let is_used = Digest::parse(&name).is_ok_and(|digest| contents.contains_key(&digest));
        if kind == Kind::File && name != LOCK && !is_used {
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

    #[test]
    fn what_is_kept_is_what_was_written_last_of_that_workspace_alone() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let (one, other) = (Path::new("/one"), Path::new("/other"));
        assert!(kept(&state, one).unwrap().is_none());
        let contents = |texts: &[&[u8]]| texts.iter().map(|text| (digest(text), text.to_vec())).collect();
        keep(&state, one, b"first", &contents(&[b"a", b"b"])).unwrap();
        keep(&state, one, b"second", &contents(&[b"b"])).unwrap();
        let found = kept(&state, one).unwrap().unwrap();
        assert_eq!(found.bytes, b"second");
        assert_eq!(found.content(&digest(b"b")).unwrap(), b"b");
        assert_eq!(found.content(&digest(b"a")), None, "it is not needed any more");
        assert!(kept(&state, other).unwrap().is_none());
    }

    #[test]
    fn a_content_that_was_changed_is_none() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let workspace = Path::new("/one");
        keep(&state, workspace, b"lock", &BTreeMap::from([(digest(b"a"), b"a".to_vec())])).unwrap();
        let file = state.path().join("locks").join(name(workspace)).join(digest(b"a").to_string());
        fs::write(file, "b").unwrap();
        assert_eq!(kept(&state, workspace).unwrap().unwrap().content(&digest(b"a")), None);
    }
}
