//! A run that is over becomes the task's evidence.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use referee_model::id::{Digest, ExecutionId};
use referee_model::time::Timestamp;
use referee_wire::evidence_name;
use referee_wire::seal::Seal;
use sha2::{Digest as _, Sha256};

use crate::content_check::{self, gone_or, meddled};
use crate::contents::{Finished, Stamp};
use crate::error::LedgerError;
use crate::fault;
use crate::folder::{Folder, Kind};
use crate::lock::TaskLock;
use crate::paths;
use crate::place::{self, Standing};
use crate::recovery;
use crate::seal::{self, Found, Statement};
use crate::staging::Staging;

/// Up to this many files are synced one by one; for more, one sync of the whole file system is cheaper.
const FILES_SYNCED_ALONE: usize = 32;

/// Up to this size in bytes a file is hashed again before it is sealed. A larger one is known by its stamp.
const HASHED_AGAIN_BYTES: u64 = 4 * 1024 * 1024;

/// A run that is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Where the run now lies: the task's folder of evidence, or its folder in history where it was superseded.
    pub folder: PathBuf,
    /// SHA-256 of its `seal.json`.
    pub seal_digest: Digest,
    /// Where the chain of seals has a gap: why the run that was replaced could not be named.
    pub gap: Option<String>,
    /// The run that started later than this one, was published before it, and stays in the task's place.
    pub superseded_by: Option<ExecutionId>,
}

impl Staging {
    /// Seals the run and puts it into the task's place in one step; the run that stood there goes into history. Where
    /// that run started later than this one, it stays, and this one goes into history. Its seal names the run that
    /// stands in the task's place either way, so a superseded run is a branch of the chain that no later seal names.
    ///
    /// Everything is on disk before. Fails, and leaves a run that was never sealed, where the journal does not end with
    /// the end of the run, the folder does not hold what this run wrote, or another folder stands in its place.
    pub fn publish(mut self, plan_digest: Digest, sealed_at: Timestamp) -> Result<Published, LedgerError> {
        let files = self.finished_files()?;
        sync(&self.folder, &files)?;
        look_again(&self.folder, &files)?;
        let _lock = TaskLock::take(&self.root, &self.task)?;
        self.still_stands()?;
        recovery::settle(&self.root, &self.task, Some(&self.execution))?;
        let standing = place::look(&self.root, &self.task)?;
        let superseded_by = standing.later_than(self.journal.started(), sealed_at).cloned();
        let (previous_seal, gap) = match &standing {
            Standing::Nothing => (None, None),
            Standing::Run { found, .. } => (found.digest(), gap(found)),
        };
        let statement =
            Statement { execution: &self.execution, task: &self.task, sealed_at, plan_digest, previous_seal };
        let seal_digest = write_seal(&self.folder, &seal::make(&statement, files))?;
        let folder = if superseded_by.is_some() {
            let name = place::file_away(&self.root, &self.task, &self.execution, &self.folder)?;
            place::history(&self.root, &self.task)?.path().join(name)
        } else {
            place::take(&self.root, &self.task, &self.execution, &self.folder)?;
            self.root.path().join(self.task.as_str())
        };
        if !self.root.stands_at_its_path() {
            return Err(place::swapped(&self.root));
        }
        self.published = true;
        Ok(Published { folder, seal_digest, gap, superseded_by })
    }

    /// Makes sure that the evidence root and the run's folder in it are the ones that are held.
    fn still_stands(&self) -> Result<(), LedgerError> {
        if !self.root.stands_at_its_path() {
            return Err(place::swapped(&self.root));
        }
        if place::is_staged(&self.root, &self.task, &self.execution, &self.folder) {
            Ok(())
        } else {
            Err(place::swapped(&self.folder))
        }
    }

    /// Returns the run's files with the hashes that were taken while they were written, after a look at the folder: it
    /// must hold these and no others.
    fn finished_files(&self) -> Result<BTreeMap<String, Finished>, LedgerError> {
        let path = || self.folder.path().to_path_buf();
        if !self.journal.is_over() {
            return Err(LedgerError::NotOver {
                path: path(),
                missing: "its journal does not end with its end".to_owned(),
            });
        }
        let mut files = BTreeMap::from([(evidence_name::JOURNAL.to_owned(), self.journal.finished())]);
        for (name, finished) in self.contents.list() {
            let missing = || format!("`{name}` was not written to its end");
            let finished = finished.ok_or_else(|| LedgerError::NotOver { path: path(), missing: missing() })?;
            files.insert(name, finished);
        }
        let entries: BTreeMap<String, Kind> = self.folder.entries()?.into_iter().collect();
        if let Some(name) = entries.keys().find(|name| !files.contains_key(*name)) {
            return Err(meddled(&self.folder, format!("`{name}` was added")));
        }
        if let Some(name) = files.keys().find(|name| entries.get(*name) != Some(&Kind::File)) {
            return Err(meddled(&self.folder, format!("`{name}` was removed or replaced")));
        }
        Ok(files)
    }
}

fn gap(found: &Found) -> Option<String> {
    match found {
        Found::Sealed { .. } => None,
        Found::Missing => Some("the run that was replaced had no seal".to_owned()),
        Found::Unreadable { reason } => Some(format!("the seal of the run that was replaced cannot be read: {reason}")),
    }
}

/// Makes sure that every file still is as it was written: the small ones and the journal by their content, the others by
/// their stamp, so that gigabytes of output are not read once more.
fn look_again(folder: &Folder, files: &BTreeMap<String, Finished>) -> Result<(), LedgerError> {
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by_key(|(_, finished)| std::cmp::Reverse(finished.written.bytes));
    let errors = content_check::on_all_processors(&files, |(name, finished), buffer| {
        let looked = match finished.stamp {
            Some(stamp) if finished.written.bytes > HASHED_AGAIN_BYTES => untouched(folder, name, stamp),
            _ => content_check::unchanged(folder, name, finished.written, buffer),
        };
        looked.err()
    });
    errors.into_iter().next().map_or(Ok(()), Err)
}

/// Makes sure that nobody touched a file since it was finished.
fn untouched(folder: &Folder, name: &str, stamp: Stamp) -> Result<(), LedgerError> {
    let file = folder.open_file(name).map_err(|error| gone_or(error, folder, name))?;
    let found = Stamp::of(&file).map_err(LedgerError::io("look at", &folder.path().join(name)))?;
    if found == stamp { Ok(()) } else { Err(meddled(folder, format!("`{name}` was touched after it was written"))) }
}

/// Waits until the content of all files is on disk.
fn sync(folder: &Folder, files: &BTreeMap<String, Finished>) -> Result<(), LedgerError> {
    fault::point().map_err(LedgerError::io("sync", folder.path()))?;
    #[cfg(target_os = "linux")]
    if files.len() > FILES_SYNCED_ALONE {
        return rustix::fs::syncfs(folder).map_err(LedgerError::io("sync", folder.path()));
    }
    for name in files.keys() {
        folder.open_file(name)?.sync_data().map_err(LedgerError::io("sync", &folder.path().join(name)))?;
    }
    Ok(())
}

/// Writes the seal beside its place and moves it there once it is on disk, so that there is never half a seal.
fn write_seal(folder: &Folder, seal: &Seal) -> Result<Digest, LedgerError> {
    let path = folder.path().join(evidence_name::SEAL);
    let bytes = referee_wire::to_bytes(seal).map_err(LedgerError::io("write", &path))?;
    let mut file = folder.create(paths::SEAL_BEGUN)?;
    fault::point()
        .and_then(|()| file.write_all(&bytes))
        .and_then(|()| fault::point())
        .and_then(|()| file.sync_all())
        .map_err(LedgerError::io("write", &path))?;
    if !folder.move_to(paths::SEAL_BEGUN, folder, evidence_name::SEAL)? {
        return Err(meddled(folder, "a seal was added".to_owned()));
    }
    folder.sync()?;
    Ok(Digest::from_bytes(Sha256::digest(&bytes).into()))
}
