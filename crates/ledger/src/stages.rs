//! The directories of workflow runs: created atomically, read without following links, changed by one process at a
//! time, with an append-only log (seed 5; what it lacks).
//!
//! [`composition`] creates one, [`StageRun`] reads one, and [`HeldRun`] changes one. The log's end is kept in the
//! state directory, so that a changed, truncated or replaced log is detected.

use std::fs::File;
use std::path::{Path, PathBuf};

use referee_model::id::Digest;
use referee_model::limit;
use referee_model::stage::STAGES;
use referee_model::stage::id::StageId;
use referee_model::stage::log::StageLogLine;
use referee_model::stage::path::StagePath;
use referee_model::time::Timestamp;
use rustix::io::Errno;

use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::state::State;

mod attempts;
pub mod composition;
mod head;
mod held_run;
mod lines;
mod stream;
mod writer;

pub use composition::{ComposedRun, Composition};
pub use head::LogTrust;
pub use held_run::HeldRun;

/// The directory of a workflow run, opened for reading.
#[derive(Debug)]
pub struct StageRun {
    directory: Directory,
    /// Paths that lead to the directory through links.
    named: Vec<PathBuf>,
}

/// Content found under a file name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    Absent,
    /// Not a regular file, or a link is on the path. It was not opened.
    NotAFile,
    /// The file exceeds the size limit.
    TooLarge,
    /// Content of the file.
    Bytes(Vec<u8>),
}

/// Facts about a file whose content is not kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub bytes: u64,
    /// SHA-256 of the content.
    pub digest: Digest,
    /// Modification time, according to the file system.
    pub modified: Timestamp,
}

#[derive(Debug, Clone)]
pub struct RunLog {
    /// The trusted lines: those before the first broken one.
    pub lines: Vec<StageLogLine>,
    pub trust: LogTrust,
}

impl StageRun {
    /// Opens a run's directory. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// Fails if it is not a directory, and on an I/O error.
    pub fn open(path: &Path) -> Result<Option<Self>, LedgerError> {
        match std::fs::canonicalize(path) {
            Ok(found) => Ok(Some(Self { directory: Directory::open(&found)?, named: linked(path, &found) })),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LedgerError::io("find", path)(error)),
        }
    }

    /// Returns the absolute path of the directory, without links.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the path of a stage's directory.
    pub fn stage_path(&self, stage: &StageId) -> PathBuf {
        self.path().join(STAGES).join(stage.as_str())
    }

    /// Returns whether this stage has a directory.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn has(&self, stage: &StageId) -> Result<bool, LedgerError> {
        match self.directory.child(STAGES) {
            Ok(Some(stages)) => Ok(stages.kind(stage.as_str())? == Some(Kind::Directory)),
            Ok(None) | Err(LedgerError::NotADirectory { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Reads a file of a stage. Links are not followed.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn read(&self, stage: &StageId, path: &StagePath) -> Result<FileContent, LedgerError> {
        self.found([STAGES, stage.as_str()].into_iter().chain(path.parts()))
    }

    /// Reads a file of the run that belongs to no stage.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn read_own(&self, path: &StagePath) -> Result<FileContent, LedgerError> {
        self.found(path.parts())
    }

    /// Hashes a file of a stage in pieces. Returns `None` if it is not a regular file, or exceeds the size limit.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn look(&self, stage: &StageId, path: &StagePath) -> Result<Option<Seen>, LedgerError> {
        let file = self.open_file(&held_run::of_stage(stage, path))?;
        match file {
            Some(file) => stream::seen(file, &self.stage_path(stage).join(path.as_str())),
            None => Ok(None),
        }
    }

    /// Returns the sorted names of the files in a directory of a stage. Empty if the directory does not exist.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn names(&self, stage: &StageId, directory: &StagePath) -> Result<Vec<String>, LedgerError> {
        let parts: Vec<&str> = [STAGES, stage.as_str()].into_iter().chain(directory.parts()).collect();
        match self.directory.descend(&parts) {
            Ok(Some(directory)) => directory.names_of(Kind::File),
            Ok(None) | Err(LedgerError::NotADirectory { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Returns the files at any depth below a directory of a stage, sorted, as paths relative to that directory. Links
    /// and devices are listed too, but never opened.
    ///
    /// # Errors
    /// Fails if there are more files than the limit, and on an I/O error.
    pub fn files_below(&self, stage: &StageId, directory: &StagePath) -> Result<Vec<String>, LedgerError> {
        let mut files = Vec::new();
        match self.directory.descend(&held_run::of_stage(stage, directory)) {
            Ok(Some(found)) => gather(&found, "", &mut files)?,
            Ok(None) | Err(LedgerError::NotADirectory { .. }) => {}
            Err(error) => return Err(error),
        }
        files.sort();
        Ok(files)
    }

    /// Returns the stages that have a directory, sorted by name. Directories whose names are not stage ids are ignored.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn stages(&self) -> Result<Vec<StageId>, LedgerError> {
        let names = match self.directory.child(STAGES) {
            Ok(Some(stages)) => stages.names_of(Kind::Directory)?,
            Ok(None) | Err(LedgerError::NotADirectory { .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        Ok(names.iter().filter_map(|name| StageId::parse(name).ok()).collect())
    }

    /// Reads the log and its integrity status.
    ///
    /// # Errors
    /// Fails on an I/O error, and if the record in the state directory cannot be read.
    pub fn log(&self, state: Option<&State>) -> Result<RunLog, LedgerError> {
        if let Some(state) = state {
            for named in &self.named {
                if !head::may_be(named, &self.directory, state)? {
                    let (here, there) = (named.display(), self.path().display());
                    let reason = format!(
                        "a run was composed at {here}, and a link leads from there to {there}, which is another one"
                    );
                    return Ok(RunLog { lines: Vec::new(), trust: LogTrust::Differs(reason) });
                }
            }
        }
        Ok(head::judged(&self.directory, state)?.log)
    }

    /// Locks the run for changes. Waits a few seconds for another holder; returns `None` if the run stays locked.
    ///
    /// # Errors
    /// Fails if another directory has replaced the run's, and on an I/O error.
    pub fn hold<'run>(&'run self, state: &'run State) -> Result<Option<HeldRun<'run>>, LedgerError> {
        held_run::hold(self, state)
    }

    /// Opens a regular file. Returns `None` if there is none, or a link is on the path.
    fn open_file(&self, parts: &[&str]) -> Result<Option<File>, LedgerError> {
        let Some((name, directories)) = parts.split_last() else { return Ok(None) };
        let opened = self
            .directory
            .descend(directories)
            .and_then(|directory| directory.map(|directory| directory.open_file(name)).transpose());
        match opened {
            Err(LedgerError::NotADirectory { .. } | LedgerError::NotAFile { .. }) => Ok(None),
            Err(error) if is_nothing(&error) => Ok(None),
            opened => opened,
        }
    }

    fn found<'name>(&self, parts: impl Iterator<Item = &'name str>) -> Result<FileContent, LedgerError> {
        let parts: Vec<&str> = parts.collect();
        let Some((name, directories)) = parts.split_last() else { return Ok(FileContent::Absent) };
        let directory = match self.directory.descend(directories) {
            Ok(Some(directory)) => directory,
            Ok(None) => return Ok(FileContent::Absent),
            Err(LedgerError::NotADirectory { .. }) => return Ok(FileContent::NotAFile),
            Err(error) if is_nothing(&error) => return Ok(FileContent::Absent),
            Err(error) => return Err(error),
        };
        match directory.read_at_most(name, limit::STAGE_FILE_BYTES) {
            Ok(Some(bytes)) => Ok(FileContent::Bytes(bytes)),
            Ok(None) => Ok(FileContent::Absent),
            Err(LedgerError::NotAFile { .. }) => Ok(FileContent::NotAFile),
            Err(LedgerError::TooLarge { .. }) => Ok(FileContent::TooLarge),
            Err(error) if is_nothing(&error) => Ok(FileContent::Absent),
            Err(error) => Err(error),
        }
    }
}

/// Returns the paths through which links lead from the given path to the directory, without that directory: a
/// link in a run's place would pass off another run as it.
fn linked(path: &Path, found: &Path) -> Vec<PathBuf> {
    let Ok(path) = std::path::absolute(path) else { return Vec::new() };
    let mut places = Vec::new();
    for above in path.ancestors() {
        let Ok(below) = path.strip_prefix(above) else { continue };
        let Ok(real) = std::fs::canonicalize(above) else { continue };
        let place = if below.as_os_str().is_empty() { real } else { real.join(below) };
        if place != found && !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Returns whether the error means that the file does not exist. A name too long for the system counts as such.
fn is_nothing(error: &LedgerError) -> bool {
    let is_too_long = |source: &std::io::Error| source.raw_os_error() == Some(Errno::NAMETOOLONG.raw_os_error());
    error.is_absence() || matches!(error, LedgerError::Io { source, .. } if is_too_long(source))
}

fn gather(directory: &Directory, above: &str, files: &mut Vec<String>) -> Result<(), LedgerError> {
    for (name, kind) in directory.entries()? {
        let path = if above.is_empty() { name.clone() } else { format!("{above}/{name}") };
        if files.len() >= limit::STAGE_DIRECTORY_FILES || path.len() > limit::STAGE_PATH_CHARACTERS {
            let reason = format!("more is in it than the {} files that are looked at", limit::STAGE_DIRECTORY_FILES);
            return Err(LedgerError::Unusable { path: directory.path().to_path_buf(), reason });
        }
        match kind {
            Kind::File | Kind::Other => files.push(path),
            Kind::Directory => {
                if let Some(child) = directory.child(&name)? {
                    gather(&child, &path, files)?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod crash_tests;
#[cfg(test)]
mod tests;
