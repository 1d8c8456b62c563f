//! A directory of evidence for all tasks of a project.

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
    site: Arc<EvidenceRoot>,
}

impl Store {
    /// Opens an evidence root to write in, making it where it is missing. A root that is a link is refused. Nothing is kept
    /// out of the workspace's reach.
    pub fn open(root: &Path) -> Result<Self, LedgerError> {
        Self::open_with(root, None)
    }

    /// Opens an evidence root to write in, making it where it is missing, with the user's state directory for what must
    /// lie out of the workspace's reach. A root that is a link is refused.
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

    /// Opens an evidence root to look at. Nothing is made. None: there is none.
    pub fn look(root: &Path, state: Option<&State>) -> Result<Option<Self>, LedgerError> {
        let Some(root) = Directory::find(root)? else { return Ok(None) };
        Ok(Some(Self { site: Arc::new(EvidenceRoot::to_read(root, state)?) }))
    }

    /// Finds the root that a directory of evidence belongs to, without asking to write there: the directory above,
    /// where this one stands in the task's place. None: it is a copy, or a run from history.
    pub fn around(directory: &Path, task: &TaskId, state: Option<&State>) -> Result<Option<Self>, LedgerError> {
        let whole = std::fs::canonicalize(directory).map_err(LedgerError::io("find", directory))?;
        match (whole.file_name(), whole.parent()) {
            (Some(name), Some(root)) if name == task.as_str() => Self::look(root, state),
            _ => Ok(None),
        }
    }

    /// Says where a directory of evidence stands in the chain of its task, in the task's place or in its history. None:
    /// it is a copy, of which nothing can be said. Nothing is written.
    pub fn survey(directory: &Path, task: &TaskId, state: Option<&State>) -> Result<Option<ChainStatus>, LedgerError> {
        chain_status::survey(directory, task, state)
    }

    /// Begins a run: makes its directory and marks it as live.
    pub fn begin(&self, task: &TaskId, execution: &ExecutionId, redactor: Redactor) -> Result<Staging, LedgerError> {
        Staging::begin(Arc::clone(&self.site), task, execution, redactor)
    }

    /// Lists the runs of a task that were started and are not sealed, dead or alive. Changes nothing.
    pub fn unfinished(&self, task: &TaskId) -> Result<Vec<Unfinished>, LedgerError> {
        let _lock = lock::of_task_to_read(&self.site.root, task)?;
        recovery::unfinished(&self.site, task)
    }

    /// Cleans up after runs that died: a publication that was cut off after its seal is completed; what died before its
    /// seal moves into history as it is, never deleted, and is returned, as is a run of which nothing but its mark is left. Runs that go on are left alone.
    pub fn recover(&self, task: &TaskId) -> Result<Vec<Unfinished>, LedgerError> {
        let _lock = lock::of_task(&self.site.root, task)?;
        recovery::settle(&self.site, task, None)?;
        recovery::bury(&self.site, task)
    }

    /// Writes a document that speaks of several tasks into the root itself, in one step: whoever reads it finds the old
    /// one or the new one, whole. Returns where it lies.
    pub fn put(&self, file_name: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
        self.site.root.replace(paths::component(file_name)?, bytes)
    }

    /// Removes a document from the root itself, where it is there.
    pub fn discard(&self, file_name: &str) -> Result<(), LedgerError> {
        self.site.root.discard(paths::component(file_name)?)
    }

    /// Waits for the registers, and holds them alone until they are dropped.
    pub fn registers(&self) -> Result<Registers, LedgerError> {
        Registers::open(&self.site.root)
    }

    /// Returns the tasks that have a directory of evidence, by name.
    pub fn tasks(&self) -> Result<Vec<TaskId>, LedgerError> {
        let names = self.site.root.names_of(Kind::Directory)?;
        Ok(names.into_iter().filter_map(|name| TaskId::parse(name).ok()).collect())
    }

    /// Returns the sealed runs of a task, oldest first: the one in its place, and those before it as their seals name
    /// one another. Runs that were superseded are none of them.
    pub fn chain(&self, task: &TaskId) -> Result<Vec<SealedRun>, LedgerError> {
        let _lock = lock::of_task_to_read(&self.site.root, task)?;
        chain::follow(&self.site.root, task)
    }

    /// Lists the runs of a task that are kept, whatever became of them, the latest first. Changes nothing.
    pub fn kept(&self, task: &TaskId) -> Result<Vec<StoredRun>, LedgerError> {
        let _lock = lock::of_task_to_read(&self.site.root, task)?;
        retention::kept(&self.site, task)
    }

    /// Returns the tasks of which anything is kept: a directory of evidence, or runs in the history; by name.
    pub fn known_tasks(&self) -> Result<Vec<TaskId>, LedgerError> {
        let mut tasks = self.tasks()?;
        let history = self.site.root.child(paths::HISTORY)?;
        let entries = history.map(|history| history.entries()).transpose()?.unwrap_or_default();
        tasks.extend(entries.into_iter().filter_map(|(name, _)| TaskId::parse(name).ok()));
        tasks.sort();
        tasks.dedup();
        Ok(tasks)
    }

    /// Lists the runs of a task by where they lie, without reading what they left. Changes nothing.
    pub fn catalogue(&self, task: &TaskId) -> Result<Vec<Entry>, LedgerError> {
        let _lock = lock::of_task_to_read(&self.site.root, task)?;
        catalogue::entries(&self.site, task)
    }

    /// Opens the directory of a run of a task: of the one that is named, or of the latest. None: there is no such run,
    /// or none with a directory. The directory stays open while another run takes its place.
    pub fn open_run(&self, task: &TaskId, run: Option<&ExecutionId>) -> Result<Option<OpenRun>, LedgerError> {
        let _lock = lock::of_task_to_read(&self.site.root, task)?;
        catalogue::open(&self.site, task, run)
    }

    /// Removes the files of old runs in a task's history, and leaves their seals and a tombstone each. Whatever is not as it
    /// was sealed is left alone. Returns what was done, the oldest run first.
    pub fn prune(&self, task: &TaskId, prune: &Prune<'_>) -> Result<Vec<PrunedRun>, LedgerError> {
        let _lock = lock::of_task(&self.site.root, task)?;
        retention::prune(&self.site, task, prune)
    }

    /// Returns the directory of the task's latest sealed run. None: there is none, or what stands there carries no
    /// seal.
    pub fn sealed(&self, task: &TaskId) -> Option<PathBuf> {
        let directory = self.site.root.child(task.as_str()).ok().flatten()?;
        let sealed = directory.kind(evidence_name::SEAL).ok().flatten() == Some(Kind::File);
        sealed.then(|| directory.path().to_path_buf())
    }
}

/// Makes an evidence root where it is missing; whether it was made.
fn make_root(root: &Path) -> std::io::Result<bool> {
    if let Some(above) = root.parent() {
        std::fs::create_dir_all(above)?;
    }
    match std::fs::create_dir(root) {
        Ok(()) => Ok(true),
        // A link to nowhere, or a file, is told of by the open that follows, in better words.
        Err(_) if root.symlink_metadata().is_ok() => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
pub(crate) mod crash_tests;
#[cfg(test)]
mod tests;
