//! A run's directory that nobody else changes now.

use std::time::Duration;

use referee_model::id::Digest;
use referee_model::stage::STAGES;
use referee_model::stage::id::StageId;
use referee_model::stage::log::{LOG, StageDeed, StageLogLine};
use referee_model::stage::path::StagePath;
use referee_model::time::Timestamp;

use super::{RunLog, StageRun, attempts, stream, writer};
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::lock::{FileLock, Hold};
use crate::state::State;

/// How long somebody else's deed is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// A run's directory that nobody else changes now. The lock ends with its holder, however that ends.
#[derive(Debug)]
pub struct HeldRun<'run> {
    run: &'run StageRun,
    state: &'run State,
    _lock: FileLock<Directory>,
}

/// Takes a run. None: somebody else has it, and did not let go while it was waited for.
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
    /// Reads the log. Between this and [`HeldRun::append`] nobody else writes to it.
    ///
    /// # Errors
    /// As [`StageRun::log`].
    pub fn log(&self) -> Result<RunLog, LedgerError> {
        self.run.log(Some(self.state))
    }

    /// Adds a line to the log, which is on disk when this returns. Fails where the log is not what was written here.
    ///
    /// # Errors
    /// Fails there, where the log is full, and where the system refuses.
    pub fn append(
        &self,
        at: Timestamp,
        stage: Option<&StageId>,
        attempt: u32,
        by: &str,
        deed: StageDeed,
    ) -> Result<StageLogLine, LedgerError> {
        writer::append(&self.run.directory, self.state, |last| StageLogLine {
            sequence: last.sequence + 1,
            at,
            run_id: last.run_id.clone(),
            stage_id: stage.cloned(),
            attempt,
            by: by.to_owned(),
            deed,
            previous: None,
        })
    }

    /// Writes a file of a stage in one step, its directories with it.
    ///
    /// # Errors
    /// Fails where a link or a directory stands in the way, and where the system refuses.
    pub fn write(&self, stage: &StageId, path: &StagePath, bytes: &[u8]) -> Result<(), LedgerError> {
        self.write_below(&of_stage(stage, path), bytes)
    }

    /// Writes a file of the run that is no stage's. The log is none of them.
    ///
    /// # Errors
    /// As [`HeldRun::write`].
    pub fn write_own(&self, path: &StagePath, bytes: &[u8]) -> Result<(), LedgerError> {
        if path.as_str() == LOG {
            let reason = "a log only grows, line by line".to_owned();
            return Err(LedgerError::Unusable { path: self.run.path().join(LOG), reason });
        }
        self.write_below(&path.parts().collect::<Vec<_>>(), bytes)
    }

    /// Copies a file from one stage to another, however large it is, in one step. Returns the digest of what was written. None:
    /// there is no regular file, and nothing was written.
    ///
    /// # Errors
    /// As [`HeldRun::write`].
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

    /// Keeps what an attempt left, below `attempts/NNN`: some files are moved there, others copied. What is not there is passed over.
    /// All of it is kept before the first file that is moved is gone. Where an attempt was kept already, by somebody who died
    /// before the attempt after it began, what is there now takes the place of what was kept.
    ///
    /// # Errors
    /// As [`HeldRun::write`].
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
            // What is not looked at was never judged, and a file of holes would fill the disk.
            if !stream::is_too_large(&file, &self.run.stage_path(stage).join(path.as_str()))? {
                found.push((path, file));
            }
        }
        attempts::keep(&directory, attempt, found)?;
        moved.iter().try_for_each(|path| self.discard(stage, path))
    }

    /// Removes a file of a stage, where it is there.
    ///
    /// # Errors
    /// Fails where a directory has its name, and where the system refuses.
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

    /// Takes on a run that came from another place or machine: its log is believed as it is from now on.
    ///
    /// # Errors
    /// Fails where the log is missing or not sound, where one is known for this place, and where the system refuses.
    pub fn adopt(&self, at: Timestamp, by: &str) -> Result<StageLogLine, LedgerError> {
        writer::adopt(&self.run.directory, self.state, at, by)
    }

    fn write_below(&self, parts: &[&str], bytes: &[u8]) -> Result<(), LedgerError> {
        let (directory, name) = self.made(parts)?;
        directory.replace(name, bytes).map(drop)
    }

    /// Returns the directory that a file goes into, made where it is missing, and the file's name, under which no
    /// directory stands.
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
