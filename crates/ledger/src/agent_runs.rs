//! Runs of agents, turn by turn (seed 2, 1.4), in the user's state directory: what an agent must not write to.
//!
//! ```text
//! <state>/agents/<run>/run.json             where it is; written before and after everything that happens
//! <state>/agents/<run>/order.json           what was ordered
//! <state>/agents/<run>/loop.json            what a turn leaves for the next one
//! <state>/agents/<run>/agent-N.json         what the agent left in turn N
//! <state>/agents/<run>/verification-N.json  what checked its work
//! <state>/agents/<run>/iteration-N.json     the turn in short
//! <state>/agents/.locks/<workspace>.lock    held while a run works in that workspace
//! ```
//!
//! What the agent is given to read lies elsewhere, in a directory of its own that is gone when the run is ([`Handed`]).

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use referee_model::run_file::RunFile;

use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::lock::{self, FileLock};
use crate::paths;
use crate::state::{Area, State, place_name};

/// What was ordered.
const ORDER: &str = "order.json";
/// What a turn leaves for the next one.
const LOOP: &str = "loop.json";
/// The directory of the locks.
const LOCKS: &str = ".locks";
/// How the ids of runs begin.
const PREFIX: &str = "run-";
const ID_BYTES: usize = 48;

#[derive(Debug)]
pub struct RunDirectory {
    directory: Directory,
}

/// A document of a run beside those that the seed names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnFile {
    /// What was ordered.
    Order,
    /// What a turn leaves for the next one.
    Loop,
}

impl OwnFile {
    fn name(self) -> &'static str {
        match self {
            Self::Order => ORDER,
            Self::Loop => LOOP,
        }
    }
}

/// Whether a text can be the id of a run.
pub fn is_run_id(text: &str) -> bool {
    let rest = text.strip_prefix(PREFIX).filter(|rest| !rest.is_empty() && text.len() <= ID_BYTES);
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
}

impl RunDirectory {
    /// Makes the directory of a new run.
    ///
    /// # Errors
    /// Fails where the system refuses, and where there is such a run already.
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

    /// Finds the directory of a run. None: there is no such run.
    ///
    /// # Errors
    /// Fails where something else stands in its place.
    pub fn find(state: &State, run: &str) -> Result<Option<Self>, LedgerError> {
        if !is_run_id(run) {
            return Ok(None);
        }
        let Some(area) = state.look_into(Area::Agents)? else { return Ok(None) };
        Ok(area.child(run)?.map(|directory| Self { directory }))
    }

    /// Reads a document. None: it was never written.
    ///
    /// # Errors
    /// Fails where it cannot be read: that must not look like nothing.
    pub fn read(&self, file: RunFile) -> Result<Option<Vec<u8>>, LedgerError> {
        self.directory.read(&file.to_string())
    }

    /// Writes a document whole and in one step, on disk when this returns.
    ///
    /// # Errors
    /// Fails where the system refuses.
    pub fn write(&self, file: RunFile, bytes: &[u8]) -> Result<(), LedgerError> {
        self.directory.replace(&file.to_string(), bytes).map(drop)
    }

    /// Removes a document that is not so any more, where it is there.
    ///
    /// # Errors
    /// Fails where the system refuses.
    pub fn discard(&self, file: RunFile) -> Result<(), LedgerError> {
        self.directory.discard(&file.to_string())
    }

    /// As [`RunDirectory::read`], for a document of ours.
    ///
    /// # Errors
    /// As [`RunDirectory::read`].
    pub fn read_own(&self, file: OwnFile) -> Result<Option<Vec<u8>>, LedgerError> {
        self.directory.read(file.name())
    }

    /// As [`RunDirectory::write`], for a document of ours.
    ///
    /// # Errors
    /// As [`RunDirectory::write`].
    pub fn write_own(&self, file: OwnFile, bytes: &[u8]) -> Result<(), LedgerError> {
        self.directory.replace(file.name(), bytes).map(drop)
    }

    /// Lists the documents that there are, as [`RunFile::listed`]; files of others are passed over.
    ///
    /// # Errors
    /// Fails where the directory cannot be listed.
    pub fn files(&self) -> Result<Vec<RunFile>, LedgerError> {
        Ok(RunFile::listed(self.directory.names_of(Kind::File)?.iter().map(String::as_str)))
    }

    /// Says that a document is not what is written here.
    pub fn unreadable(&self, name: &str, reason: &dyn std::fmt::Display) -> LedgerError {
        LedgerError::Unreadable { path: self.directory.path().join(name), reason: reason.to_string() }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Lists the ids of all runs, the latest first: ids begin with the time.
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

/// Held while a run works in a workspace; given back when it is dropped, however the process ends.
#[derive(Debug)]
pub struct WorkspaceLock {
    _lock: FileLock,
}

impl WorkspaceLock {
    /// Takes it. None: another run holds it.
    ///
    /// # Errors
    /// Fails where the system refuses.
    pub fn take(state: &State, workspace: &Path) -> Result<Option<Self>, LedgerError> {
        let locks = state.open_area(Area::Agents)?.make(LOCKS)?;
        let name = format!("{}.lock", place_name(workspace));
        Ok(lock::of_file_within(&locks, &name, lock::MOMENT)?.map(|lock| Self { _lock: lock }))
    }
}

/// What an agent is given to read: copies, in a directory that only this user may enter, away from the state directory
/// and from the workspace. Removed when this is dropped; what a killed run left is removed by the run that goes on.
#[derive(Debug)]
pub struct Handed {
    path: PathBuf,
}

impl Handed {
    /// Makes the directory in the directory of temporary files. Nothing that others put in its place is used.
    ///
    /// # Errors
    /// Fails where the system refuses, or where something of somebody else stands there.
    pub fn make(temporary: &Path, run: &str) -> Result<Self, LedgerError> {
        let path = temporary.join(format!("referee-agent-{}", id(run)?));
        if path.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
            return Err(LedgerError::NotADirectory { path });
        }
        make_anew(&path)?;
        Ok(Self { path })
    }

    /// Makes the directory anew for another turn, whatever the agent made of it in the last one.
    ///
    /// # Errors
    /// Fails where the system refuses, or where something of somebody else stands there.
    pub fn renew(&self) -> Result<(), LedgerError> {
        make_anew(&self.path)
    }

    /// Writes a file, and returns where it lies.
    ///
    /// # Errors
    /// Fails where the system refuses.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
        Directory::open(&self.path)?.replace(paths::component(name)?, bytes)
    }

    /// Copies a file of sealed evidence, and returns where the copy lies. None: there is no such file.
    ///
    /// # Errors
    /// Fails where the system refuses.
    pub fn copy(&self, directory: &Path, file: &str, name: &str) -> Result<Option<PathBuf>, LedgerError> {
        match Directory::open(directory)?.read(paths::component(file)?)? {
            Some(bytes) => self.write(name, &bytes).map(Some),
            None => Ok(None),
        }
    }

    /// Removes a file that is of no turn any more.
    ///
    /// # Errors
    /// Fails where the system refuses.
    pub fn discard(&self, name: &str) -> Result<(), LedgerError> {
        Directory::open(&self.path)?.discard(paths::component(name)?)
    }
}

fn make_anew(path: &Path) -> Result<(), LedgerError> {
    if let Ok(found) = path.symlink_metadata() {
        if found.uid() != rustix::process::getuid().as_raw() {
            return Err(LedgerError::NotADirectory { path: path.to_path_buf() });
        }
        // A link is removed, and never what it leads to.
        let removed = if found.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        removed.map_err(LedgerError::io("remove", path))?;
    }
    DirBuilder::new().mode(0o700).create(path).map_err(LedgerError::io("make the directory", path))
}

impl Drop for Handed {
    fn drop(&mut self) {
        // What stays is removed where the run goes on, or with other temporary files.
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
