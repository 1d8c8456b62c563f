//! A folder of evidence for all tasks of a project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_model::id::{ExecutionId, TaskId};
use referee_wire::evidence_name;
use rustix::fs::{Access, AtFlags};

use crate::chain::{self, SealedRun};
use crate::error::LedgerError;
use crate::folder::{Folder, Kind};
use crate::lock::TaskLock;
use crate::paths;
use crate::recovery::{self, Unfinished};
use crate::redact::Redactor;
use crate::register::Registers;
use crate::staging::Staging;

/// An evidence root.
#[derive(Debug)]
pub struct Store {
    root: Arc<Folder>,
}

impl Store {
    /// Opens an evidence root to write in, making it where it is missing. A root that is a link is refused.
    pub fn open(root: &Path) -> Result<Self, LedgerError> {
        std::fs::create_dir_all(root)
            .or_else(|error| {
                // A link to nowhere, or a file, is told of by the open that follows, in better words.
                if root.symlink_metadata().is_ok() { Ok(()) } else { Err(error) }
            })
            .map_err(LedgerError::io("make the evidence folder", root))?;
        let folder = Folder::open(root)?;
        rustix::fs::accessat(&folder, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty())
            .map_err(LedgerError::io("write to the evidence folder", root))?;
        Ok(Self { root: Arc::new(folder) })
    }

    /// Finds the root that a folder of evidence belongs to, without asking to write there: the folder above, where this
    /// one stands in the task's place. None: it is a copy, or a run from history.
    pub fn around(folder: &Path, task: &TaskId) -> Result<Option<Self>, LedgerError> {
        let whole = std::fs::canonicalize(folder).map_err(LedgerError::io("find", folder))?;
        match (whole.file_name(), whole.parent()) {
            (Some(name), Some(root)) if name == task.as_str() => Ok(Some(Self { root: Arc::new(Folder::open(root)?) })),
            _ => Ok(None),
        }
    }

    /// Begins a run: makes its folder and marks it as live.
    pub fn begin(&self, task: &TaskId, execution: &ExecutionId, redactor: Redactor) -> Result<Staging, LedgerError> {
        Staging::begin(Arc::clone(&self.root), task, execution, redactor)
    }

    /// Lists the runs of a task that were started and are not sealed, dead or alive. Changes nothing.
    pub fn unfinished(&self, task: &TaskId) -> Result<Vec<Unfinished>, LedgerError> {
        let _lock = TaskLock::take_to_read(&self.root, task)?;
        recovery::unfinished(&self.root, task)
    }

    /// Cleans up after runs that died: a publication that was cut off after its seal is completed; what died before its
    /// seal moves into history as it is, never deleted, and is returned. Runs that go on are left alone.
    pub fn recover(&self, task: &TaskId) -> Result<Vec<Unfinished>, LedgerError> {
        let _lock = TaskLock::take(&self.root, task)?;
        recovery::settle(&self.root, task, None)?;
        recovery::bury(&self.root, task)
    }

    /// Writes a document that speaks of several tasks into the root itself, in one step: whoever reads it finds the old
    /// one or the new one, whole. Returns where it lies.
    pub fn put(&self, file_name: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
        self.root.replace(paths::component(file_name)?, bytes)
    }

    /// Removes a document from the root itself, where it is there.
    pub fn discard(&self, file_name: &str) -> Result<(), LedgerError> {
        self.root.discard(paths::component(file_name)?)
    }

    /// Waits for the registers, and holds them alone until they are dropped.
    pub fn registers(&self) -> Result<Registers, LedgerError> {
        Registers::open(&self.root)
    }

    /// Returns the tasks that have a folder of evidence, by name.
    pub fn tasks(&self) -> Result<Vec<TaskId>, LedgerError> {
        let entries = self.root.entries()?;
        let folders = entries.into_iter().filter(|(_, kind)| *kind == Kind::Folder);
        Ok(folders.filter_map(|(name, _)| TaskId::parse(name).ok()).collect())
    }

    /// Returns the sealed runs of a task, oldest first: the one in its place, and those before it as their seals name
    /// one another. Runs that were superseded are none of them.
    pub fn chain(&self, task: &TaskId) -> Result<Vec<SealedRun>, LedgerError> {
        let _lock = TaskLock::take_to_read(&self.root, task)?;
        chain::follow(&self.root, task)
    }

    /// Returns the folder of the task's latest sealed run. None: there is none, or what stands there carries no seal.
    pub fn sealed(&self, task: &TaskId) -> Option<PathBuf> {
        let folder = self.root.child(task.as_str()).ok().flatten()?;
        let sealed = folder.kind(evidence_name::SEAL).ok().flatten() == Some(Kind::File);
        sealed.then(|| folder.path().to_path_buf())
    }
}

#[cfg(test)]
mod tests;
