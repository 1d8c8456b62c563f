//! A run that is over becomes the task's evidence.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use referee_model::id::Digest;
use referee_model::time::Timestamp;
use referee_wire::evidence_name;
use referee_wire::seal::Seal;
use sha2::{Digest as _, Sha256};

use crate::contents::Written;
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

/// A run that is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The task's folder of evidence, where the run now stands.
    pub folder: PathBuf,
    /// SHA-256 of its `seal.json`.
    pub seal_digest: Digest,
    /// Where the chain of seals has a gap: why the run that was replaced could not be named.
    pub gap: Option<String>,
}

impl Staging {
    /// Seals the run and puts it into the task's place in one step; the run that stood there goes into history.
    /// Everything is on disk before. Fails, and leaves a run that was never sealed, where the journal does not end with
    /// the end of the run or the folder does not hold what this run wrote.
    pub fn publish(self, plan_digest: Digest, sealed_at: Timestamp) -> Result<Published, LedgerError> {
        let files = self.finished_files()?;
        sync(&self.folder, &files)?;
        let _lock = TaskLock::take(&self.root, &self.task)?;
        recovery::settle(&self.root, &self.task)?;
        let (previous_seal, gap) = match place::look(&self.root, &self.task)? {
            Standing::Nothing => (None, None),
            Standing::Run(found) => (found.digest(), gap(&found)),
        };
        let statement =
            Statement { execution: &self.execution, task: &self.task, sealed_at, plan_digest, previous_seal };
        let seal_digest = write_seal(&self.folder, &seal::make(&statement, files))?;
        place::take(&self.root, &self.task, &self.execution)?;
        Ok(Published { folder: self.root.path().join(self.task.as_str()), seal_digest, gap })
    }

    /// Returns the run's files with the hashes that were taken while they were written, after a look at the folder: it
    /// must hold these and no others.
    fn finished_files(&self) -> Result<BTreeMap<String, Written>, LedgerError> {
        let path = || self.folder.path().to_path_buf();
        if !self.journal.is_over() {
            return Err(LedgerError::NotOver {
                path: path(),
                missing: "its journal does not end with its end".to_owned(),
            });
        }
        let mut files = BTreeMap::from([(evidence_name::JOURNAL.to_owned(), self.journal.written())]);
        for (name, written) in self.contents.list() {
            let missing = || format!("`{name}` was not written to its end");
            let written = written.ok_or_else(|| LedgerError::NotOver { path: path(), missing: missing() })?;
            files.insert(name, written);
        }
        let entries: BTreeMap<String, Kind> = self.folder.entries()?.into_iter().collect();
        let meddled = |what| Err(LedgerError::Meddled { path: path(), what });
        if let Some(name) = entries.keys().find(|name| !files.contains_key(*name)) {
            return meddled(format!("`{name}` was added"));
        }
        if let Some(name) = files.keys().find(|name| entries.get(*name) != Some(&Kind::File)) {
            return meddled(format!("`{name}` was removed or replaced"));
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

/// Waits until the content of all files is on disk.
fn sync(folder: &Folder, files: &BTreeMap<String, Written>) -> Result<(), LedgerError> {
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
        return Err(LedgerError::Meddled { path: folder.path().to_path_buf(), what: "a seal was added".to_owned() });
    }
    folder.sync()?;
    Ok(Digest::from_bytes(Sha256::digest(&bytes).into()))
}
