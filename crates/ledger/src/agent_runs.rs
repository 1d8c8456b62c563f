//! Agent runs, turn by turn (seed 2, 1.4), stored in the user's state directory, which an agent must not write to.
//!
//! ```text
//! <state>/agents/<run>/run.json             state of the run; written before and after each step
//! <state>/agents/<run>/order.json           the order that the run was started with
//! <state>/agents/<run>/loop.json            state that a turn passes to the next one
//! <state>/agents/<run>/agent-N.json         result of the agent in turn N
//! <state>/agents/<run>/verification-N.json  verification of the agent's work in turn N
//! <state>/agents/<run>/iteration-N.json     summary of turn N
//! <state>/agents/.locks/<workspace>.lock    held while a run works in that workspace
//! ```
//!
//! The agent's input files are elsewhere, in a directory of their own that is removed with the run ([`Handed`]).

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use referee_model::run_file::RunFile;

use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::lock::{self, FileLock};
use crate::paths;
use crate::state::{Area, State, place_name};

/// The order that the run was started with.
const ORDER: &str = "order.json";
/// State that a turn passes to the next one.
const LOOP: &str = "loop.json";
/// Directory that contains the workspace locks.
const LOCKS: &str = ".locks";
/// Prefix of run ids.
const PREFIX: &str = "run-";
const ID_BYTES: usize = 48;

#[derive(Debug)]
pub struct RunDirectory {
    directory: Directory,
}

/// A document of a run in addition to those that the seed specifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnFile {
    /// The order that the run was started with.
    Order,
    /// State that a turn passes to the next one.
    Loop,
}

impl OwnFile {
    /// Returns the name of the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Order => ORDER,
            Self::Loop => LOOP,
        }
    }
}

/// Returns whether a text is a well-formed run id.
pub fn is_run_id(text: &str) -> bool {
    let rest = text.strip_prefix(PREFIX).filter(|rest| !rest.is_empty() && text.len() <= ID_BYTES);
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
}

impl RunDirectory {
    /// Creates the directory of a new run.
    ///
    /// # Errors
    /// Fails on an I/O error, and if a run with this id exists already.
    pub fn make(state: &State, run: &str) -> Result<Self, LedgerError> {
        let area = state.open_area(Area::Agents)?;
        let name = id(run)?;
        if !area.make_new(name)? {
            return Err(LedgerError::Unusable {
                path: area.path().join(name),
                reason: "there is a run of this id already".to_owned(),
            });
        }
        area.sync()?;
        Ok(Self { directory: area.make(name)? })
    }

    /// Opens the directory of a run. Returns `None` if there is no such run.
    ///
    /// # Errors
    /// Fails if the path exists and is not a directory.
    pub fn find(state: &State, run: &str) -> Result<Option<Self>, LedgerError> {
        if !is_run_id(run) {
            return Ok(None);
        }
        let Some(area) = state.look_into(Area::Agents)? else { return Ok(None) };
        Ok(area.child(run)?.map(|directory| Self { directory }))
    }

    /// Reads a document. Returns `None` if it was never written.
    ///
    /// # Errors
    /// Fails if the document exists and cannot be read; this is never reported as `None`.
    pub fn read(&self, file: RunFile) -> Result<Option<Vec<u8>>, LedgerError> {
        self.directory.read(&file.to_string())
    }

    /// Writes a document atomically. It is on disk when this returns.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn write(&self, file: RunFile, bytes: &[u8]) -> Result<(), LedgerError> {
        self.directory.replace(&file.to_string(), bytes).map(drop)
    }

    /// Removes an outdated document, if it exists.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn discard(&self, file: RunFile) -> Result<(), LedgerError> {
        self.directory.discard(&file.to_string())
    }

    /// Same as [`RunDirectory::read`], for an [`OwnFile`].
    ///
    /// # Errors
    /// As [`RunDirectory::read`].
    pub fn read_own(&self, file: OwnFile) -> Result<Option<Vec<u8>>, LedgerError> {
        self.directory.read(file.name())
    }

    /// Same as [`RunDirectory::write`], for an [`OwnFile`].
    ///
    /// # Errors
    /// As [`RunDirectory::write`].
    pub fn write_own(&self, file: OwnFile, bytes: &[u8]) -> Result<(), LedgerError> {
        self.directory.replace(file.name(), bytes).map(drop)
    }

    /// Lists the existing documents, as [`RunFile::listed`] does; other files are ignored.
    ///
    /// # Errors
    /// Fails where the directory cannot be listed.
    pub fn files(&self) -> Result<Vec<RunFile>, LedgerError> {
        Ok(RunFile::listed(self.directory.names_of(Kind::File)?.iter().map(String::as_str)))
    }

    /// Returns the error for a document whose content is invalid.
    pub fn unreadable(&self, name: &str, reason: &dyn std::fmt::Display) -> LedgerError {
        LedgerError::Unreadable { path: self.directory.path().join(name), reason: reason.to_string() }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Lists the ids of all runs, latest first (ids begin with the time).
///
/// # Errors
/// Fails where the directory cannot be listed.
pub fn ids(state: &State) -> Result<Vec<String>, LedgerError> {
    let Some(area) = state.look_into(Area::Agents)? else { return Ok(Vec::new()) };
    Ok(area.names_of(Kind::Directory)?.into_iter().rev().filter(|name| is_run_id(name)).collect())
}

fn id(run: &str) -> Result<&str, LedgerError> {
    if is_run_id(run) { paths::component(run) } else { Err(LedgerError::Name { name: run.to_owned() }) }
}

/// Lock that a run holds while it works in a workspace. Released on drop, and however the process ends.
#[derive(Debug)]
pub struct WorkspaceLock {
    _lock: FileLock,
}

impl WorkspaceLock {
    /// Acquires the lock. Returns `None` if another run holds it.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn take(state: &State, workspace: &Path) -> Result<Option<Self>, LedgerError> {
        let locks = state.open_area(Area::Agents)?.make(LOCKS)?;
        let name = format!("{}.lock", place_name(workspace));
        Ok(lock::of_file_within(&locks, &name, lock::MOMENT)?.map(|lock| Self { _lock: lock }))
    }
}

/// Directory with an agent's input files: copies that only this user can access, outside the state directory and the
/// workspace. Removed on drop; leftovers of a killed run are removed when that run is resumed.
#[derive(Debug)]
pub struct Handed {
    path: PathBuf,
}

impl Handed {
    /// Creates the directory below `temporary`. Anything that others created at its path is not used.
    ///
    /// # Errors
    /// Fails on an I/O error, or if the path is not a directory of this user.
    pub fn make(temporary: &Path, run: &str) -> Result<Self, LedgerError> {
        let path = temporary.join(format!("referee-agent-{}", id(run)?));
        if path.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
            return Err(LedgerError::NotADirectory { path });
        }
        make_anew(&path)?;
        Ok(Self { path })
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Recreates the directory for another turn, whatever the agent did to it in the last one.
    ///
    /// # Errors
    /// Fails on an I/O error, or if the path belongs to another user.
    pub fn renew(&self) -> Result<(), LedgerError> {
        make_anew(&self.path)
    }

    /// Writes a file and returns its path.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
        Directory::open(&self.path)?.replace(paths::component(name)?, bytes)
    }

    /// Copies a file of sealed evidence and returns the path of the copy, or `None` if there is no such file.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn copy(&self, directory: &Path, file: &str, name: &str) -> Result<Option<PathBuf>, LedgerError> {
        match Directory::open(directory)?.read(paths::component(file)?)? {
            Some(bytes) => self.write(name, &bytes).map(Some),
            None => Ok(None),
        }
    }

    /// Removes a file that no turn needs any more.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn discard(&self, name: &str) -> Result<(), LedgerError> {
        Directory::open(&self.path)?.discard(paths::component(name)?)
    }
}

fn make_anew(path: &Path) -> Result<(), LedgerError> {
    if let Ok(found) = path.symlink_metadata() {
        if found.uid() != rustix::process::getuid().as_raw() {
            return Err(LedgerError::NotADirectory { path: path.to_path_buf() });
        }
        // Removes a symbolic link itself, never its target.
        let removed = if found.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        removed.map_err(LedgerError::io("remove", path))?;
    }
    DirBuilder::new().mode(0o700).create(path).map_err(LedgerError::io("make the directory", path))
}

impl Drop for Handed {
    fn drop(&mut self) {
        // Leftovers are removed when the run is resumed, or with other temporary files.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
pub(crate) mod crash_tests;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn state(outside: &Path) -> State {
        State::open(&outside.join("state")).unwrap()
    }

    #[test]
    fn a_run_is_kept_file_by_file_and_found_again() {
        let outside = tempfile::tempdir().unwrap();
        let state = state(outside.path());
        assert_eq!(ids(&state).unwrap(), Vec::<String>::new());
        assert!(RunDirectory::find(&state, "run-1").unwrap().is_none());
        let run = RunDirectory::make(&state, "run-1").unwrap();
        RunDirectory::make(&state, "run-2").unwrap();
        assert!(RunDirectory::make(&state, "run-1").is_err(), "there is one already");
        assert_eq!(ids(&state).unwrap(), ["run-2", "run-1"]);
        assert_eq!(run.read(RunFile::Run).unwrap(), None);
        run.write(RunFile::Run, b"{}").unwrap();
        run.write(RunFile::Agent(10), b"a").unwrap();
        run.write(RunFile::Agent(2), b"b").unwrap();
        run.write_own(OwnFile::Order, b"o").unwrap();
        let found = RunDirectory::find(&state, "run-1").unwrap().unwrap();
        assert_eq!(found.read(RunFile::Agent(2)).unwrap().unwrap(), b"b");
        assert_eq!(found.read_own(OwnFile::Order).unwrap().unwrap(), b"o");
        assert_eq!(found.read_own(OwnFile::Loop).unwrap(), None);
        assert_eq!(found.files().unwrap(), [RunFile::Run, RunFile::Agent(2), RunFile::Agent(10)]);
        for wrong in ["", "run-", "run-../x", "..", "exec-1", "run-1/..", &format!("run-{}", "1".repeat(60))] {
            assert!(RunDirectory::make(&state, wrong).is_err(), "{wrong}");
            assert!(RunDirectory::find(&state, wrong).unwrap().is_none(), "{wrong}");
        }
        symlink(outside.path(), state.path().join("agents/run-3")).unwrap();
        assert!(RunDirectory::find(&state, "run-3").is_err(), "a link is not a directory of a run");
    }

    #[test]
    fn one_run_at_a_time_works_in_a_workspace() {
        let outside = tempfile::tempdir().unwrap();
        let state = state(outside.path());
        let first = WorkspaceLock::take(&state, Path::new("/one")).unwrap().unwrap();
        assert!(WorkspaceLock::take(&state, Path::new("/one")).unwrap().is_none());
        assert!(WorkspaceLock::take(&state, Path::new("/other")).unwrap().is_some());
        drop(first);
        assert!(WorkspaceLock::take(&state, Path::new("/one")).unwrap().is_some());
    }

    #[test]
    fn what_an_agent_is_given_is_private_and_gone_afterwards() {
        let outside = tempfile::tempdir().unwrap();
        let path = outside.path().join("referee-agent-run-1");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("left by a killed run"), "x").unwrap();
        let handed = Handed::make(outside.path(), "run-1").unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o700);
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
        let prompt = handed.write("prompt.txt", b"fix it").unwrap();
        let copy = handed.copy(&path, "prompt.txt", "copy.txt").unwrap().unwrap();
        assert_eq!(fs::read(copy).unwrap(), fs::read(prompt).unwrap());
        assert_eq!(handed.copy(&path, "missing", "copy.txt").unwrap(), None);
        handed.discard("copy.txt").unwrap();
        assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
        for harm in ["gone", "a file", "a link"] {
            fs::remove_dir_all(&path).unwrap();
            match harm {
                "a file" => fs::write(&path, "x").unwrap(),
                "a link" => symlink(outside.path(), &path).unwrap(),
                _ => {}
            }
            handed.renew().unwrap();
            handed.write("prompt.txt", b"again").unwrap();
            assert!(path.symlink_metadata().unwrap().is_dir(), "{harm}");
        }
        drop(handed);
        assert!(!path.exists());
        symlink(outside.path(), &path).unwrap();
        assert!(Handed::make(outside.path(), "run-1").is_err(), "nothing is made where somebody leads elsewhere");
    }
}
