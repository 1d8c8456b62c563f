//! Private temporary directories in the user's state directory. Each belongs to one run and is removed when the run
//! ends.

use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use referee_model::id::ExecutionId;
use rustix::io::Errno;

use crate::directory::{self, Directory, FileId, Kind};
use crate::error::LedgerError;
use crate::lock::{self, FileLock};
use crate::paths;
use crate::state::{Area, State, place_name};

/// Maximum number of directories of dead runs that one run removes.
const SWEPT: usize = 64;

/// Maximum number of concurrent runs with a home in one workspace.
const HOMES: usize = 64;

/// How long to wait for a lock that another process holds.
const PATIENCE: Duration = Duration::from_millis(100);

/// A directory that only this user can access. Removed with its content on drop.
#[derive(Debug)]
pub struct PrivateDirectory {
    path: PathBuf,
    /// Held while the directory is in use, to distinguish it from that of a dead run.
    _lock: FileLock,
}

impl PrivateDirectory {
    /// Creates a directory for a run, and removes those of dead runs.
    ///
    /// # Errors
    /// Fails on an I/O error, or if the run has a directory already.
    pub fn make(state: &State, execution: &ExecutionId) -> Result<Self, LedgerError> {
        // A short name: sockets are created in the directory, and their paths are limited to about a hundred
        // bytes.
        Self::named(state, execution.as_str().rsplit('-').next().unwrap_or_default())
    }

    /// Creates a second directory for a run: for what workers performed of it.
    ///
    /// # Errors
    /// Fails as [`PrivateDirectory::make`] does.
    pub fn of_workers(state: &State, execution: &ExecutionId) -> Result<Self, LedgerError> {
        Self::named(state, &format!("{execution}-workers"))
    }

    fn named(state: &State, name: &str) -> Result<Self, LedgerError> {
        let area = state.open_area(Area::Temporary)?;
        sweep(&area);
        // A process that cleans up may hold the lock for a moment; a live run holds it for long.
        Self::take(&area, name, PATIENCE)?
            .ok_or_else(|| LedgerError::io("lock", &area.path().join(name))(Errno::WOULDBLOCK))
    }

    /// Creates a home directory for the commands of a run in a workspace. It contains `links` to existing files
    /// and directories, given by their paths in the home, and a `.gitconfig` that trusts the workspace. It has
    /// the same path in each run, because tools store absolute paths; a concurrent run gets the next free one.
    ///
    /// # Errors
    /// Fails on an I/O error, or if too many runs are in progress.
    pub fn home(state: &State, workspace: &Path, links: &[(&str, PathBuf)]) -> Result<Self, LedgerError> {
        let area = state.open_area(Area::Temporary)?;
        sweep(&area);
        let project: String = place_name(workspace).chars().take(8).collect();
        let mut taken = None;
        for number in 0..HOMES {
            taken = Self::take(&area, &format!("home-{project}-{number}"), Duration::ZERO)?;
            if taken.is_some() {
                break;
            }
        }
        let home = taken.ok_or_else(|| LedgerError::io("make a home in", area.path())(Errno::WOULDBLOCK))?;
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

    /// Takes a directory, which is created. Returns `None` if another process holds its lock.
    fn take(area: &Directory, name: &str, patience: Duration) -> Result<Option<Self>, LedgerError> {
        let lock_name = format!("{name}.lock");
        let Some(lock) = lock::of_file_within(area, &lock_name, patience)? else { return Ok(None) };
        // The previous holder removed the lock file meanwhile: other processes will lock a new file.
        if area.id_of(&lock_name) != FileId::of(&*lock) {
            return Ok(None);
        }
        let path = area.path().join(name);
        match std::fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => Ok(Some(Self { path, _lock: lock })),
            // Left by a dead run, and could not be removed.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(LedgerError::io("make the directory", &path)(error)),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateDirectory {
    /// Leftovers are removed by a later run.
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Creates a directory within a private one, with its parents.
///
/// # Errors
/// Fails on an I/O error.
pub fn nested(directory: &Path) -> Result<(), LedgerError> {
    std::fs::create_dir_all(directory).map_err(LedgerError::io("make the directory", directory))
}

/// Writes a file into a private directory.
///
/// # Errors
/// Fails on an I/O error.
pub fn write(directory: &Path, name: &str, bytes: &[u8]) -> Result<(), LedgerError> {
    let path = directory.join(paths::component(name)?);
    std::fs::write(&path, bytes).map_err(LedgerError::io("write", &path))
}

/// Reads a file of a private directory. `None`: there is none.
///
/// # Errors
/// Fails on an I/O error, and if it is larger than `limit_bytes`.
pub fn read(directory: &Path, name: &str, limit_bytes: u64) -> Result<Option<Vec<u8>>, LedgerError> {
    Directory::open(directory)?.read_at_most(paths::component(name)?, limit_bytes)
}

/// Returns the names of the files in a private directory.
///
/// # Errors
/// Fails on an I/O error.
pub fn names(directory: &Path) -> Result<Vec<String>, LedgerError> {
    Directory::open(directory)?.names_of(Kind::File)
}

/// Removes a file from a private directory.
///
/// # Errors
/// Fails if the file does not exist, and on an I/O error.
pub fn without(directory: &Path, name: &str) -> Result<(), LedgerError> {
    let path = directory.join(paths::component(name)?);
    std::fs::remove_file(&path).map_err(LedgerError::io("remove", &path))
}

/// Writes a program into a private directory.
///
/// # Errors
/// Fails on an I/O error.
pub fn program(directory: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
    let path = directory.join(paths::component(name)?);
    std::fs::write(&path, bytes).map_err(LedgerError::io("write", &path))?;
    let mode = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(&path, mode).map_err(LedgerError::io("make executable", &path))?;
    Ok(path)
}

/// Removes the directories of runs that have ended.
fn sweep(area: &Directory) {
    let names = area.names_of(Kind::File).unwrap_or_default();
    for (name, lock) in names.iter().filter_map(|lock| Some((lock.strip_suffix(".lock")?, lock))).take(SWEPT) {
        // Leftovers are removed by a later run.
        if let Ok(Some(_free)) = lock::of_file_within(area, lock, Duration::ZERO) {
            remove(&area.path().join(name));
        }
    }
}

/// Removes a directory and then its lock.
fn remove(directory: &Path) {
    // The search for directories of dead runs skips a directory without a lock.
    if directory::remove_tree(directory).is_ok() {
        let _ = std::fs::remove_file(directory.with_extension("lock"));
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
        let make = || PrivateDirectory::home(&state, Path::new("/w"), &links).unwrap();
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
    fn a_directory_is_private_and_gone_with_all_in_it_and_those_of_dead_runs_are_cleared_away() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let area = state.area(Area::Temporary).unwrap();
        let execution = |id: &str| ExecutionId::parse(id).unwrap();
        let directory = PrivateDirectory::make(&state, &execution("exec-1-aa")).unwrap();
        assert_eq!(fs::metadata(directory.path()).unwrap().permissions().mode() & 0o777, 0o700);
        fs::create_dir_all(directory.path().join("deep/er")).unwrap();
        fs::set_permissions(directory.path().join("deep"), fs::Permissions::from_mode(0o000)).unwrap();
        let dead = area.join("bb");
        fs::create_dir(&dead).unwrap();
        fs::write(area.join("bb.lock"), "").unwrap();
        assert!(PrivateDirectory::make(&state, &execution("exec-1-aa")).is_err(), "one run has one");
        let other = PrivateDirectory::make(&state, &execution("exec-1-cc")).unwrap();
        assert!(!dead.exists() && directory.path().exists());
        drop((directory, other));
        assert_eq!(fs::read_dir(&area).unwrap().count(), 0);
    }
}
