//! A workflow run's directory, locked for changes.

use std::time::Duration;

use referee_model::id::Digest;
use referee_model::stage::STAGES;
use referee_model::stage::id::StageId;
use referee_model::stage::log::{LOG, StageChange, StageLogLine};
use referee_model::stage::path::StagePath;
use referee_model::time::Timestamp;

use super::{RunLog, StageRun, attempts, stream, writer};
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::lock::{FileLock, Hold};
use crate::state::State;

/// How long to wait for another holder of the lock.
const PATIENCE: Duration = Duration::from_secs(5);

/// A workflow run's directory, locked for changes. The lock ends with the process that holds it, however that ends.
#[derive(Debug)]
pub struct HeldRun<'run> {
    run: &'run StageRun,
    state: &'run State,
    _lock: FileLock<Directory>,
}

/// Locks a run. Returns `None` if another process did not release it in time.
pub(super) fn hold<'run>(run: &'run StageRun, state: &'run State) -> Result<Option<HeldRun<'run>>, LedgerError> {
    let taken = FileLock::take(run.directory.again()?, Hold::Exclusive, PATIENCE);
    let Some(lock) = taken.map_err(LedgerError::io("lock", run.path()))? else { return Ok(None) };
    if !lock.stands_at_its_path() {
        let what = "another directory stands in its place, or none".to_owned();
        return Err(LedgerError::Meddled { path: run.path().to_path_buf(), what });
    }
    Ok(Some(HeldRun { run, state, _lock: lock }))
}

impl HeldRun<'_> {
    /// Reads the log. No other process writes to it before [`HeldRun::append`].
    ///
    /// # Errors
    /// Same as [`StageRun::log`].
    pub fn log(&self) -> Result<RunLog, LedgerError> {
        self.run.log(Some(self.state))
    }

    /// Appends a line to the log. It is on disk when this returns. Fails if the log was changed from outside.
    ///
    /// # Errors
    /// Fails in that case, if the log is full, and on an I/O error.
    pub fn append(
        &self,
        at: Timestamp,
        stage: Option<&StageId>,
        attempt: u32,
        by: &str,
        operation: StageChange,
    ) -> Result<StageLogLine, LedgerError> {
        writer::append(&self.run.directory, self.state, |last| StageLogLine {
            sequence: last.sequence + 1,
            at,
            run_id: last.run_id.clone(),
            stage_id: stage.cloned(),
            attempt,
            by: by.to_owned(),
            operation,
            previous: None,
        })
    }

    /// Writes a file of a stage atomically, and creates its parent directories.
    ///
    /// # Errors
    /// Fails if a link or a directory is in the way, and on an I/O error.
    pub fn write(&self, stage: &StageId, path: &StagePath, bytes: &[u8]) -> Result<(), LedgerError> {
        self.write_below(&of_stage(stage, path), bytes)
    }

    /// Writes a file of the run that belongs to no stage. The log cannot be written this way.
    ///
    /// # Errors
    /// Same as [`HeldRun::write`].
    pub fn write_own(&self, path: &StagePath, bytes: &[u8]) -> Result<(), LedgerError> {
        if path.as_str() == LOG {
            let reason = "a log only grows, line by line".to_owned();
            return Err(LedgerError::Unusable { path: self.run.path().join(LOG), reason });
        }
        self.write_below(&path.parts().collect::<Vec<_>>(), bytes)
    }

    /// Copies a file of any size from one stage to another, atomically. Returns the digest of the written content, or
    /// `None` if the source is not a regular file, in which case nothing is written.
    ///
    /// # Errors
    /// Same as [`HeldRun::write`].
    pub fn copy(
        &self,
        (from, source): (&StageId, &StagePath),
        (to, target): (&StageId, &StagePath),
    ) -> Result<Option<Digest>, LedgerError> {
        let Some(source) = self.run.open_file(&of_stage(from, source))? else { return Ok(None) };
        let parts = of_stage(to, target);
        let (directory, name) = self.made(&parts)?;
        stream::copy(source, &directory, name).map(Some)
    }

    /// Stores the files of an attempt below `attempts/NNN`: some are moved there, others copied; missing files
    /// are skipped. Everything is stored before the first moved file is removed. If the attempt was stored
    /// before, by a process that died before the next attempt began, the current files replace the stored ones.
    ///
    /// # Errors
    /// Same as [`HeldRun::write`].
    pub fn keep_attempt(
        &self,
        stage: &StageId,
        attempt: u32,
        moved: &[StagePath],
        copied: &[StagePath],
    ) -> Result<(), LedgerError> {
        let directory = self.run.directory.make_below(&[STAGES, stage.as_str(), attempts::ATTEMPTS])?;
        let mut found = Vec::new();
        for path in moved.iter().chain(copied) {
            let Some(file) = self.run.open_file(&of_stage(stage, path))? else { continue };
            // A file that is too large to read was never judged, and a sparse file would fill the disk.
            if !stream::is_too_large(&file, &self.run.stage_path(stage).join(path.as_str()))? {
                found.push((path, file));
            }
        }
        attempts::keep(&directory, attempt, found)?;
        moved.iter().try_for_each(|path| self.discard(stage, path))
    }

    /// Removes a file of a stage, if it exists.
    ///
    /// # Errors
    /// Fails if a directory has its name, and on an I/O error.
    pub fn discard(&self, stage: &StageId, path: &StagePath) -> Result<(), LedgerError> {
        let parts = of_stage(stage, path);
        let Some((name, directories)) = parts.split_last() else { return Ok(()) };
        let Some(directory) = self.run.directory.descend(directories)? else { return Ok(()) };
        match directory.kind(name)? {
            None => Ok(()),
            Some(Kind::Directory) => Err(LedgerError::NotAFile { path: directory.path().join(name) }),
            Some(Kind::File | Kind::Other) => directory.discard(name).and_then(|()| directory.sync()),
        }
    }

    /// Adopts a run from another path or machine: its log is trusted as it is from now on.
    ///
    /// # Errors
    /// Fails if the log is missing or broken, if a log is recorded for this path already, and on an I/O error.
    pub fn adopt(&self, at: Timestamp, by: &str) -> Result<StageLogLine, LedgerError> {
        writer::adopt(&self.run.directory, self.state, at, by)
    }

    fn write_below(&self, parts: &[&str], bytes: &[u8]) -> Result<(), LedgerError> {
        let (directory, name) = self.made(parts)?;
        directory.replace(name, bytes).map(drop)
    }

    /// Returns the parent directory of a file, created if missing, and the file's name, after checking that no
    /// directory has that name.
    fn made<'name>(&self, parts: &[&'name str]) -> Result<(Directory, &'name str), LedgerError> {
        let (name, directories) = parts.split_last().unwrap_or((&"", &[]));
        let directory = self.run.directory.make_below(directories)?;
        if directory.kind(name)? == Some(Kind::Directory) {
            return Err(LedgerError::NotAFile { path: directory.path().join(name) });
        }
        Ok((directory, name))
    }
}

pub(super) fn of_stage<'name>(stage: &'name StageId, path: &'name StagePath) -> Vec<&'name str> {
    [STAGES, stage.as_str()].into_iter().chain(path.parts()).collect()
}
