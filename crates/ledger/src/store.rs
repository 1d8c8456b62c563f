//! The evidence directory for all tasks of a project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_model::evidence_list::StoredRun;
use referee_model::evidence_name;
use referee_model::id::{ExecutionId, TaskId};
use rustix::fs::{Access, AtFlags};

use crate::catalogue::{self, Entry, OpenRun};
use crate::chain::{self, SealedRun};
use crate::chain_status::{self, ChainStatus};
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;
use crate::lock;
use crate::paths;
use crate::recovery::{self, Unfinished};
use crate::redact::Redactor;
use crate::register::Registers;
use crate::retention::{self, Prune, PrunedRun};
use crate::staging::Staging;
use crate::state::State;

#[derive(Debug)]
pub struct Store {
    pub(crate) site: Arc<EvidenceRoot>,
}

impl Store {
    /// Opens an evidence root for writing, creating it if it is missing. A root that is a link is refused.
    /// Nothing is kept outside the workspace.
    pub fn open(root: &Path) -> Result<Self, LedgerError> {
        Self::open_with(root, None)
    }

    /// Opens an evidence root for writing, creating it if it is missing, with the user's state directory for
    /// data that must be out of the workspace's reach. A root that is a link is refused.
    pub fn open_with(root: &Path, state: Option<&State>) -> Result<Self, LedgerError> {
        let is_new = make_root(root).map_err(LedgerError::io("make the evidence directory", root))?;
        let directory = Directory::open(root)?;
        rustix::fs::accessat(&directory, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty())
            .map_err(LedgerError::io("write to the evidence directory", root))?;
        if is_new && directory.kind(paths::IGNORE_FILE)?.is_none() {
            directory.replace(paths::IGNORE_FILE, b"*\n")?;
        }
        Ok(Self { site: Arc::new(EvidenceRoot::to_write(directory, state)?) })
    }

    /// Opens an evidence root for reading, without creating anything. None: it does not exist.
    pub fn look(root: &Path, state: Option<&State>) -> Result<Option<Self>, LedgerError> {
        let Some(root) = Directory::find(root)? else { return Ok(None) };
        Ok(Some(Self { site: Arc::new(EvidenceRoot::to_read(root, state)?) }))
    }

    /// Opens, for reading, the root that an evidence directory belongs to: its parent directory, if this is the
    /// task's latest run. None: it is a copy, or a run in the history.
    pub fn around(directory: &Path, task: &TaskId, state: Option<&State>) -> Result<Option<Self>, LedgerError> {
        let whole = std::fs::canonicalize(directory).map_err(LedgerError::io("find", directory))?;
        match (whole.file_name(), whole.parent()) {
            (Some(name), Some(root)) if name == task.as_str() => Self::look(root, state),
            _ => Ok(None),
        }
    }

    /// Determines where an evidence directory stands in the chain of its task, as the latest run or in the
    /// history. None: it is a copy, for which the chain is unknown. Nothing is written.
    pub fn survey(directory: &Path, task: &TaskId, state: Option<&State>) -> Result<Option<ChainStatus>, LedgerError> {
        chain_status::survey(directory, task, state)
    }

    /// Begins a run: creates its directory and marks it as live.
    pub fn begin(&self, task: &TaskId, execution: &ExecutionId, redactor: Redactor) -> Result<Staging, LedgerError> {
        Staging::begin(Arc::clone(&self.site), task, execution, redactor)
    }

    /// Lists the runs of a task that were started and are not sealed, dead or alive. Changes nothing.
    pub fn unfinished(&self, task: &TaskId) -> Result<Vec<Unfinished>, LedgerError> {
        let _lock = lock::of_task_to_read(&self.site.root, task)?;
        recovery::unfinished(&self.site, task)
    }

    /// Cleans up after runs that died: a publication that was interrupted after its seal is completed; a run
    /// that died before it was sealed moves to the history as it is, never deleted, and is returned, as is a
    /// run of which only its start mark is left. Live runs are left alone.
    pub fn recover(&self, task: &TaskId) -> Result<Vec<Unfinished>, LedgerError> {
        let _lock = lock::of_task(&self.site.root, task)?;
        recovery::settle(&self.site, task, None)?;
        recovery::bury(&self.site, task)
    }

    /// Writes a document about several tasks to the root itself, atomically: a reader sees the old one or the
    /// new one. Returns its path.
    pub fn put(&self, file_name: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
        self.site.root.replace(paths::component(file_name)?, bytes)
    }

    /// Removes a document from the root itself, if it exists.
    pub fn discard(&self, file_name: &str) -> Result<(), LedgerError> {
        self.site.root.discard(paths::component(file_name)?)
    }

    /// Waits for the registers, and locks them exclusively until they are dropped.
    pub fn registers(&self) -> Result<Registers, LedgerError> {
        Registers::open(&self.site.root)
    }

    /// Returns the tasks that have an evidence directory, by name.
    pub fn tasks(&self) -> Result<Vec<TaskId>, LedgerError> {
        let names = self.site.root.names_of(Kind::Directory)?;
        Ok(names.into_iter().filter_map(|name| TaskId::parse(name).ok()).collect())
    }

    /// Returns the sealed runs of a task, oldest first: the latest one, and the earlier ones that the seals
    /// name. Superseded runs are not included.
    pub fn chain(&self, task: &TaskId) -> Result<Vec<SealedRun>, LedgerError> {
        let _lock = lock::of_task_to_read(&self.site.root, task)?;
        chain::follow(&self.site.root, task)
    }

    /// Lists the stored runs of a task, whatever their outcome, latest first. Changes nothing.
    pub fn kept(&self, task: &TaskId) -> Result<Vec<StoredRun>, LedgerError> {
        let _lock = lock::of_task_to_read(&self.site.root, task)?;
        retention::kept(&self.site, task)
    }

    /// Returns the tasks that have an evidence directory or runs in the history, by name.
    pub fn known_tasks(&self) -> Result<Vec<TaskId>, LedgerError> {
        let mut tasks = self.tasks()?;
        let history = self.site.root.child(paths::HISTORY)?;
        let entries = history.map(|history| history.entries()).transpose()?.unwrap_or_default();
        tasks.extend(entries.into_iter().filter_map(|(name, _)| TaskId::parse(name).ok()));
        tasks.sort();
        tasks.dedup();
        Ok(tasks)
    }

    /// Lists the runs of a task by their location, without reading their content. Changes nothing.
    pub fn catalogue(&self, task: &TaskId) -> Result<Vec<Entry>, LedgerError> {
        let _lock = lock::of_task_to_read(&self.site.root, task)?;
        catalogue::entries(&self.site, task)
    }

    /// Opens the directory of the named run of a task, or of the latest. None: there is no such run, or it has
    /// no directory. The directory stays open while another run is published.
    pub fn open_run(&self, task: &TaskId, run: Option<&ExecutionId>) -> Result<Option<OpenRun>, LedgerError> {
        let _lock = lock::of_task_to_read(&self.site.root, task)?;
        catalogue::open(&self.site, task, run)
    }

    /// Removes the files of old runs in a task's history, leaving the seal and a tombstone of each. A run that
    /// changed since it was sealed is left alone. Returns the result for each run, oldest first.
    pub fn prune(&self, task: &TaskId, prune: &Prune<'_>) -> Result<Vec<PrunedRun>, LedgerError> {
        let _lock = lock::of_task(&self.site.root, task)?;
        retention::prune(&self.site, task, prune)
    }

    /// Returns the directory of the task's latest sealed run. None: there is none, or the directory has no
    /// seal.
    pub fn sealed(&self, task: &TaskId) -> Option<PathBuf> {
        let directory = self.site.root.child(task.as_str()).ok().flatten()?;
        let sealed = directory.kind(evidence_name::SEAL).ok().flatten() == Some(Kind::File);
        sealed.then(|| directory.path().to_path_buf())
    }
}

/// Creates an evidence root if it is missing; returns whether it was created.
fn make_root(root: &Path) -> std::io::Result<bool> {
    if let Some(above) = root.parent() {
        std::fs::create_dir_all(above)?;
    }
    match std::fs::create_dir(root) {
        Ok(()) => Ok(true),
        // For a dangling link or a file, the open that follows gives a better error message.
        Err(_) if root.symlink_metadata().is_ok() => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
pub(crate) mod crash_tests;
#[cfg(test)]
mod tests;
