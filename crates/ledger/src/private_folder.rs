//! Private temporary folders: each is one run's, lies in the user's state folder, and is gone when the run is over.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use referee_model::id::{Digest, ExecutionId};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use crate::error::LedgerError;
use crate::lock::{self, FileLock, Hold};
use crate::paths;
use crate::state::{Area, State};

/// Most folders of dead runs that one run clears away.
const SWEPT: usize = 64;

/// Deepest folder in which what keeps its owner out is opened for removal.
const DEPTH: usize = 64;

/// Most runs in one workspace at the same time that have a home.
const HOMES: usize = 64;

/// How long a lock is tried that somebody else holds.
const PATIENCE: Duration = Duration::from_millis(100);

/// A folder that only this user may enter, and that is removed with all that is in it when this is dropped.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
    /// Held while the folder is in use, so that others can tell it from that of a run that died.
    _lock: FileLock,
}

impl PrivateFolder {
    /// Makes a folder for a run, and clears away those of runs that died.
    ///
    /// # Errors
    /// Fails where the system refuses, or the run has one already.
    pub fn make(state: &State, execution: &ExecutionId) -> Result<Self, LedgerError> {
        let area = state.area(Area::Temporary)?;
        sweep(&area);
        // Short: sockets are made in there, whose paths may have about a hundred bytes.
        let name = execution.as_str().rsplit('-').next().unwrap_or_default();
        let lock = area.join(format!("{name}.lock"));
        // Whoever clears away may hold it for a moment; a run that goes on holds it for long.
        Self::take(&area, name, PATIENCE)?.ok_or_else(|| LedgerError::io("lock", &lock)(Errno::WOULDBLOCK))
    }

    /// Makes a home for the commands of a run in a workspace, empty but for links to what is there elsewhere, by their paths
    /// in it. It has the same path in each run, because tools write absolute paths into what they keep; a second run at the
    /// same time gets the next one.
    ///
    /// # Errors
    /// Fails where the system refuses, or too many runs go on.
    pub fn home(state: &State, workspace: &Path, links: &[(&str, PathBuf)]) -> Result<Self, LedgerError> {
        let area = state.area(Area::Temporary)?;
        sweep(&area);
        let digest = Digest::from_bytes(Sha256::digest(workspace.as_os_str().as_bytes()).into()).to_string();
        let project = digest.get(..8).unwrap_or_default();
        let mut taken = None;
        for number in 0..HOMES {
            taken = Self::take(&area, &format!("home-{project}-{number}"), Duration::ZERO)?;
            if taken.is_some() {
                break;
            }
        }
        let home = taken.ok_or_else(|| LedgerError::io("make a home in", &area)(Errno::WOULDBLOCK))?;
        for base in [".config", ".local/share", ".local/state"] {
            nested(&home.path.join(base))?;
        }
        for (path, target) in links {
            let link = home.path.join(path);
            nested(link.parent().unwrap_or(&home.path))?;
            std::os::unix::fs::symlink(target, &link).map_err(LedgerError::io("make the link", &link))?;
        }
        nested(&home.path.join(".cache"))?;
        let git = home.path.join(".gitconfig");
        let written =
            format!("[safe]\n\tdirectory = \"{}\"\n", workspace.display().to_string().replace(['"', '\\', '\n'], "?"));
        std::fs::write(&git, written).map_err(LedgerError::io("write", &git))?;
        Ok(home)
    }

    /// Takes a folder, which is new. None: somebody else holds it.
    fn take(area: &Path, name: &str, patience: Duration) -> Result<Option<Self>, LedgerError> {
        let (path, lock) = (area.join(name), area.join(format!("{name}.lock")));
        let taken = FileLock::take(lock::open_at(&lock)?, Hold::Exclusive, patience);
        let Some(taken) = taken.map_err(LedgerError::io("lock", &lock))? else { return Ok(None) };
        // Whoever held it before removed it meanwhile: others will lock another file.
        let inode = |facts: std::io::Result<std::fs::Metadata>| facts.ok().map(|facts| facts.ino());
        if inode(taken.metadata()) != inode(lock.symlink_metadata()) {
            return Ok(None);
        }
        let mut builder = std::fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&path) {
            Ok(()) => Ok(Some(Self { path, _lock: taken })),
            // What a dead run left, and could not be cleared away.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(LedgerError::io("make the folder", &path)(error)),
        }
    }

    /// Returns where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateFolder {
    /// What cannot be removed now is removed by a later run.
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Makes a folder within a private one, and those above it.
///
/// # Errors
/// Fails where the system refuses.
pub fn nested(folder: &Path) -> Result<(), LedgerError> {
    std::fs::create_dir_all(folder).map_err(LedgerError::io("make the folder", folder))
}

/// Removes a file from a private folder.
///
/// # Errors
/// Fails where it is not there, and where the system refuses.
pub fn without(folder: &Path, name: &str) -> Result<(), LedgerError> {
    let path = folder.join(paths::component(name)?);
    std::fs::remove_file(&path).map_err(LedgerError::io("remove", &path))
}

/// Writes a program into a private folder.
///
/// # Errors
/// Fails where the system refuses.
pub fn program(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
    let path = folder.join(paths::component(name)?);
    std::fs::write(&path, bytes).map_err(LedgerError::io("write", &path))?;
    let mode = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(&path, mode).map_err(LedgerError::io("make executable", &path))?;
    Ok(path)
}

/// Removes the folders of runs that are over.
fn sweep(area: &Path) {
    let Ok(entries) = std::fs::read_dir(area) else { return };
    let locks = entries.flatten().map(|entry| entry.path());
    for lock in locks.filter(|path| path.extension() == Some(OsStr::new("lock"))).take(SWEPT) {
        let Ok(file) = File::open(&lock) else { continue };
        // What is not cleared away now is cleared away by a later run.
        if let Ok(Some(_free)) = FileLock::take(file, Hold::Exclusive, Duration::ZERO) {
            remove(&lock.with_extension(""));
        }
    }
}

/// Removes a folder and then its lock. What a command made unenterable for its owner is opened first.
fn remove(folder: &Path) {
    let is_gone = |folder: &Path| match std::fs::remove_dir_all(folder) {
        Ok(()) => true,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    if !is_gone(folder) {
        open(folder, DEPTH);
        if !is_gone(folder) {
            return;
        }
    }
    // Whoever looks for folders of dead runs passes over what has no lock.
    let _ = std::fs::remove_file(folder.with_extension("lock"));
}

fn open(folder: &Path, depth: usize) {
    // Links are not followed: only folders are entered.
    let is_folder = folder.symlink_metadata().is_ok_and(|facts| facts.is_dir());
    if !is_folder || depth == 0 {
        return;
    }
    let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700));
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        open(&entry.path(), depth - 1);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_home_is_new_each_time_at_the_same_path_and_holds_links_alone() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let links = [(".npm", outside.path().to_path_buf()), (".cargo/registry", outside.path().to_path_buf())];
        let make = || PrivateFolder::home(&state, Path::new("/w"), &links).unwrap();
        let home = make();
        fs::write(home.path().join(".npmrc"), "planted").unwrap();
        assert_eq!(fs::read_link(home.path().join(".cargo/registry")).unwrap(), outside.path());
        let beside = make();
        assert_ne!(beside.path(), home.path(), "a run at the same time has another");
        let path = home.path().to_path_buf();
        drop(home);
        assert!(!path.exists() && outside.path().join("state").exists(), "what links lead to stays");
        let again = make();
        assert_eq!((again.path(), again.path().join(".npmrc").exists()), (path.as_path(), false));
    }

    #[test]
    fn a_folder_is_private_and_gone_with_all_in_it_and_those_of_dead_runs_are_cleared_away() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let area = state.area(Area::Temporary).unwrap();
        let execution = |id: &str| ExecutionId::parse(id).unwrap();
        let folder = PrivateFolder::make(&state, &execution("exec-1-aa")).unwrap();
        assert_eq!(fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o700);
        fs::create_dir_all(folder.path().join("deep/er")).unwrap();
        fs::set_permissions(folder.path().join("deep"), fs::Permissions::from_mode(0o000)).unwrap();
        let dead = area.join("bb");
        fs::create_dir(&dead).unwrap();
        fs::write(area.join("bb.lock"), "").unwrap();
        assert!(PrivateFolder::make(&state, &execution("exec-1-aa")).is_err(), "one run has one");
        let other = PrivateFolder::make(&state, &execution("exec-1-cc")).unwrap();
        assert!(!dead.exists() && folder.path().exists());
        drop((folder, other));
        assert_eq!(fs::read_dir(&area).unwrap().count(), 0);
    }
}
