//! A run that comes from elsewhere, such as a depot. It is written to a directory of its own, which counts as no run, and
//! becomes the task's latest run only if it follows the runs that this machine knows.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_model::evidence_name;
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::seal::Seal;
use referee_model::time::Timestamp;

use crate::chain;
use crate::chain_head::Link;
use crate::chain_heads;
use crate::content_check::meddled;
use crate::directory::{self, Directory, Kind};
use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;
use crate::journal_check;
use crate::lock::{self, FileLock};
use crate::paths;
use crate::publish::{self, Destination};
use crate::published_run;
use crate::recovery;
use crate::seal::{self, SealState};
use crate::store::Store;
use crate::tombstone::{self, Tombstone};
use crate::verify;

/// Prefix of the directories that runs are written to. No run has such a name.
const PREFIX: &str = ".incoming-";

/// Directory of the run itself.
const RUN: &str = "run";

/// Directory of the earlier runs of its chain, of which there is at least the seal.
const EARLIER: &str = "earlier";

/// A run that comes from elsewhere. Its directory is removed when this is dropped.
#[derive(Debug)]
pub struct IncomingRun {
    site: Arc<EvidenceRoot>,
    task: TaskId,
    runs: Directory,
    directory: Directory,
    /// Tells the directory from that of a process that died.
    _live: FileLock<Directory>,
}

/// What became of a run that came from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IncomingOutcome {
    /// It is the task's latest run.
    Published { directory: PathBuf },
    /// It was the task's latest run already.
    Present { directory: PathBuf },
    /// This machine has a later run of the same chain.
    Behind { head: Link },
    /// This machine has runs of another chain.
    Diverged { head: Link },
}

/// Files of a run that is being fetched.
#[derive(Debug)]
pub struct IncomingFiles {
    directory: Directory,
}

impl IncomingFiles {
    /// Creates the directory for the run itself, in the directory of an incoming run.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn of_run(incoming: &Path) -> Result<Self, LedgerError> {
        Ok(Self { directory: Directory::open(incoming)?.make_unsynced(RUN)? })
    }

    /// Creates the directory for an earlier run of its chain.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn of_earlier(incoming: &Path, execution: &ExecutionId) -> Result<Self, LedgerError> {
        let earlier = Directory::open(incoming)?.make_unsynced(EARLIER)?;
        Ok(Self { directory: earlier.make_unsynced(execution.as_str())? })
    }

    /// Creates a file, which must not exist yet.
    ///
    /// # Errors
    /// Fails for a name that is no single component, and on an I/O error.
    pub fn create(&self, name: &str) -> Result<File, LedgerError> {
        self.directory.create(paths::component(name)?)
    }
}

impl Store {
    /// Makes a directory for a run of a task that comes from elsewhere. `name` tells it from others. Directories of
    /// processes that died are removed.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn receive(&self, task: &TaskId, name: &ExecutionId) -> Result<IncomingRun, LedgerError> {
        let site = Arc::clone(&self.site);
        let _lock = lock::of_task(&site.root, task)?;
        let runs = site.runs(task)?;
        sweep(&runs)?;
        let name = format!("{PREFIX}{name}");
        let path = runs.path().join(&name);
        let taken = || LedgerError::io("make the directory", &path)(rustix::io::Errno::EXIST);
        if !runs.make_new(&name)? {
            return Err(taken());
        }
        let directory = runs.child(&name)?.ok_or_else(taken)?;
        let live = lock::of_directory(&directory)?;
        Ok(IncomingRun { site, task: task.clone(), runs, directory, _live: live })
    }

    /// Returns the seal of the newest run of a task that this machine knows. None: it knows none.
    ///
    /// # Errors
    /// Fails if the head of the chain or the task's directory cannot be read.
    pub fn newest_seal(&self, task: &TaskId) -> Result<Option<Digest>, LedgerError> {
        let _lock = lock::of_task_to_read(&self.site.root, task)?;
        let head = chain_heads::read(&self.site, task)?.and_then(|head| head.head);
        match head {
            Some(head) => Ok(Some(head.seal_digest)),
            None => Ok(published_run::look(&self.site.root, task)?.digest()),
        }
    }
}

fn sweep(runs: &Directory) -> Result<(), LedgerError> {
    for name in runs.names_of(Kind::Directory)?.iter().filter(|name| name.starts_with(PREFIX)) {
        if let Some(left) = runs.child(name)?
            && !lock::is_live(&left)?
        {
            match directory::remove_tree(left.path()) {
                // The program that fetched for a process that was killed still writes to it: the next call removes it.
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
                removed => removed.map_err(LedgerError::io("remove", left.path()))?,
            }
        }
    }
    Ok(())
}

impl IncomingRun {
    /// Returns the directory in which [`IncomingFiles`] are created.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the directory of the run itself.
    pub fn run(&self) -> PathBuf {
        self.directory.path().join(RUN)
    }

    /// Publishes the run as the task's latest if it is unchanged since it was sealed and follows the runs that this
    /// machine knows; otherwise changes nothing. Earlier runs that this machine does not have go to the history, each
    /// with a tombstone that says why its files are missing.
    ///
    /// # Errors
    /// Fails if the run, or an earlier one, is not as it was sealed, and on an I/O error.
    pub fn publish(self, now: Timestamp, source: &str) -> Result<IncomingOutcome, LedgerError> {
        let _lock = lock::of_task(&self.site.root, &self.task)?;
        recovery::settle(&self.site, &self.task, None)?;
        let run =
            self.directory.child(RUN)?.ok_or_else(|| meddled(&self.directory, "the run is missing".to_owned()))?;
        let (seal, digest) = self.sealed(&run)?;
        let link = recovery::link(&seal, digest, journal_check::beginning(&run).started);
        let earlier = self.earlier(&seal)?;
        let standing = published_run::look(&self.site.root, &self.task)?;
        let place = self.site.root.path().join(self.task.as_str());
        let head = chain_heads::read(&self.site, &self.task)?.and_then(|head| head.head);
        let tip = head.as_ref().map(|head| head.seal_digest).or_else(|| standing.digest());
        if let Some(tip) = tip {
            if tip == digest && standing.digest() == Some(tip) {
                return Ok(IncomingOutcome::Present { directory: place });
            }
            let is_next =
                tip == digest || earlier.iter().any(|(known, _)| *known == tip) || seal.previous_seal == Some(tip);
            if !is_next {
                let head = head.unwrap_or_else(|| link_of(&standing, tip, &link));
                return Ok(if self.is_known(digest, tip)? {
                    IncomingOutcome::Behind { head }
                } else {
                    IncomingOutcome::Diverged { head }
                });
            }
        }
        for (digest, directory) in earlier.iter().rev() {
            if standing.digest() != Some(*digest) && !chain::is_in_history(&self.site.root, &self.task, *digest)? {
                self.file_earlier(directory, *digest, now, source)?;
            }
        }
        let execution = seal.execution_id.as_str();
        if !self.directory.move_to(RUN, &self.runs, execution)? {
            return Err(meddled(&self.runs, format!("`{execution}` is being written by another process")));
        }
        let held =
            self.runs.child(execution)?.ok_or_else(|| meddled(&self.runs, format!("`{execution}` was removed")))?;
        let directory = publish::arrive(&self.site, &self.task, (&self.runs, &held), &link, Destination::Place)?;
        Ok(IncomingOutcome::Published { directory })
    }

    /// Returns the run's seal, after checking every file against it.
    fn sealed(&self, run: &Directory) -> Result<(Seal, Digest), LedgerError> {
        let integrity = verify::check(run)?;
        if let Some(finding) = integrity.findings.first() {
            return Err(meddled(run, finding.to_string()));
        }
        match seal::find(run)? {
            SealState::Sealed { seal, digest } if seal.task_id == self.task => Ok((*seal, digest)),
            SealState::Sealed { seal, .. } => Err(meddled(run, format!("it is a run of {}", seal.task_id))),
            SealState::Missing | SealState::Unreadable { .. } => Err(meddled(run, "its seal is missing".to_owned())),
        }
    }

    /// Returns the earlier runs of a run's chain, newest first, as far as there are seals of them. What no seal names
    /// is left out.
    fn earlier(&self, seal: &Seal) -> Result<Vec<(Digest, Directory)>, LedgerError> {
        let Some(earlier) = self.directory.child(EARLIER)? else { return Ok(Vec::new()) };
        let mut sealed = BTreeMap::new();
        for name in earlier.names_of(Kind::Directory)? {
            if let Some(directory) = earlier.child(&name)?
                && let SealState::Sealed { seal, digest } = seal::find(&directory)?
                && seal.task_id == self.task
                && seal.execution_id.as_str() == name
            {
                sealed.insert(digest, (seal, directory));
            }
        }
        let mut chain = Vec::new();
        let mut next = seal.previous_seal;
        // Each run is removed when it is visited, so a forged cycle of seals ends.
        while let Some((digest, (seal, directory))) = next.and_then(|digest| sealed.remove_entry(&digest)) {
            next = seal.previous_seal;
            chain.push((digest, directory));
        }
        Ok(chain)
    }

    /// Returns whether a run is in the local chain before its newest run.
    fn is_known(&self, digest: Digest, tip: Digest) -> Result<bool, LedgerError> {
        Ok(digest == tip || chain::is_in_history(&self.site.root, &self.task, digest)?)
    }

    /// Moves the seal of an earlier run to the history, with a tombstone.
    fn file_earlier(&self, run: &Directory, digest: Digest, now: Timestamp, source: &str) -> Result<(), LedgerError> {
        let SealState::Sealed { seal, .. } = seal::find(run)? else {
            return Err(meddled(run, "its seal was removed".to_owned()));
        };
        if run.kind(evidence_name::TOMBSTONE)?.is_none() {
            let files = seal.files.iter().map(|file| (file.path.clone(), file.clone())).collect();
            let why = (now, format!("not fetched: its files are in {source}"));
            let about = (seal.task_id.clone(), seal.execution_id.clone());
            let tombstone = Tombstone::new(about, why, Some(digest), files);
            let path = run.path().join(evidence_name::TOMBSTONE);
            let bytes = tombstone::KIND.encode(&tombstone).map_err(LedgerError::io("write", &path))?;
            run.write_new(evidence_name::TOMBSTONE, &bytes)?;
        }
        if let Some(finding) = verify::check(run)?.unexplained().first() {
            return Err(meddled(run, finding.to_string()));
        }
        let earlier = self.directory.child(EARLIER)?;
        let earlier = earlier.ok_or_else(|| meddled(&self.directory, "earlier runs were removed".to_owned()))?;
        let history = published_run::history(&self.site.root, &self.task)?;
        published_run::bury(&earlier, seal.execution_id.as_str(), &history, seal.execution_id.as_str()).map(drop)
    }
}

/// Describes the run in the task's place where no head is kept.
fn link_of(standing: &published_run::PublishedRun, seal_digest: Digest, like: &Link) -> Link {
    let execution_id = standing.execution().cloned().unwrap_or_else(|| like.execution_id.clone());
    Link { seal_digest, execution_id, sequence: 1, started_at: None, sealed_at: like.sealed_at }
}

impl Drop for IncomingRun {
    /// What cannot be removed is removed when the next run comes.
    fn drop(&mut self) {
        let _ = directory::remove_tree(self.directory.path());
    }
}

#[cfg(test)]
mod tests;
