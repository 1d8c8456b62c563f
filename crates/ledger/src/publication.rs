//! Seals a finished run and publishes it as the task's evidence.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::chain_head::Link;
use referee_model::evidence_name;
use referee_model::id::{Digest, ExecutionId};
use referee_model::seal::Seal;
use referee_model::time::Timestamp;

use crate::attest::Attestation;
use crate::chain;
use crate::chain_heads;
use crate::content_check::{self, Buffer, gone_or, meddled};
use crate::contents::{Finished, Stamp};
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::lock;
use crate::parallel;
use crate::paths;
use crate::publish::{self, Destination};
use crate::published_run::{self, PublishedRun};
use crate::recovery;
use crate::seal::{self, Statement};
use crate::staging::Staging;

/// Size in bytes up to which a file is hashed again before it is sealed. A larger file is checked by its stamp.
const HASHED_AGAIN_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Directory of the run now: the task's evidence directory, or a directory in the history if the run was
    /// superseded.
    pub directory: PathBuf,
    /// SHA-256 of the run's `seal.json`.
    pub seal_digest: Digest,
    /// Why the chain of seals has a gap before this run: the previous run could not be named, or no longer
    /// exists.
    pub gap: Option<String>,
    /// The run that started later than this one, was published before it, and stays the task's latest run.
    pub superseded_by: Option<ExecutionId>,
}

impl Staging {
    /// Seals the run and publishes it as the task's latest run in one step; the previous latest run moves to
    /// the history. If that run started later than this one, it stays and this one goes into the history. In
    /// both cases the seal names the chain head, or the task's latest run if no head is kept; so a superseded
    /// run is a branch of the chain that no later seal names.
    ///
    /// Everything is on disk before the run is published. Fails, and leaves a run that was never sealed, if the
    /// journal does not finish with the end of the run, if the directory does not hold what this run wrote, or
    /// if another directory is in its place.
    pub fn publish(mut self, plan_digest: Digest, sealed_at: Timestamp) -> Result<Published, LedgerError> {
        let files = self.finished_files()?;
        self.sync_large_files()?;
        look_again(&self.directory, &files)?;
        let _lock = lock::of_task(&self.site.root, &self.task)?;
        self.still_stands()?;
        recovery::settle(&self.site, &self.task, Some(&self.execution))?;
        let standing = published_run::look(&self.site.root, &self.task)?;
        let head = chain_heads::read(&self.site, &self.task)?.and_then(|head| head.head);
        let superseded_by = self.superseded_by(&standing, head.as_ref(), sealed_at);
        let previous = chain::previous(&self.site.root, &self.task, &standing, head.as_ref())?;
        let statement = Statement {
            execution: &self.execution,
            task: &self.task,
            sealed_at,
            plan_digest,
            previous_seal: previous.seal,
            sequence: superseded_by.is_none().then_some(previous.next_sequence),
            previous_gone: previous.gone,
            trees: self.trees,
        };
        let seal = seal::make(&statement, files);
        let seal_digest = write_seal(&self.directory, &seal, self.attestation.as_ref())?;
        let destination = if superseded_by.is_some() { Destination::History } else { Destination::Place };
        let link = recovery::link(&seal, seal_digest, self.journal.started());
        let runs = self.site.runs(&self.task)?;
        let directory = publish::arrive(&self.site, &self.task, (&runs, &self.directory), &link, destination)?;
        self.published = true;
        Ok(Published { directory, seal_digest, gap: previous.gap, superseded_by })
    }

    /// Returns the run that started later than this one and was published before it: it is the task's latest
    /// run, or was until its directory was removed.
    fn superseded_by(&self, standing: &PublishedRun, head: Option<&Link>, sealed_at: Timestamp) -> Option<ExecutionId> {
        let started = self.journal.started();
        if let Some(later) = standing.later_than(started, sealed_at) {
            return Some(later.clone());
        }
        let head = head.filter(|head| standing.digest() != Some(head.seal_digest))?;
        published_run::is_later(head.started_at?, started?, sealed_at).then(|| head.execution_id.clone())
    }

    /// Checks that the evidence root and the run's directory are still the ones that this value holds open.
    fn still_stands(&self) -> Result<(), LedgerError> {
        if !self.site.root.stands_at_its_path() {
            return Err(published_run::swapped(&self.site.root));
        }
        if published_run::is_staged(&self.site, &self.task, &self.execution, &self.directory) {
            Ok(())
        } else {
            Err(published_run::swapped(&self.directory))
        }
    }

    /// Returns the run's files with the hashes that were taken while they were written, after checking that the
    /// directory holds exactly these files.
    fn finished_files(&self) -> Result<BTreeMap<String, Finished>, LedgerError> {
        let path = || self.directory.path().to_path_buf();
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
        let entries: BTreeMap<String, Kind> = self.directory.entries()?.into_iter().collect();
        if let Some(name) = entries.keys().find(|name| !files.contains_key(*name)) {
            return Err(meddled(&self.directory, format!("`{name}` was added")));
        }
        if let Some(name) = files.keys().find(|name| entries.get(*name) != Some(&Kind::File)) {
            return Err(meddled(&self.directory, format!("`{name}` was removed or replaced")));
        }
        Ok(files)
    }
}

/// Checks that every file is still as it was written: small files and the journal by their content, the others
/// by their stamp, so that gigabytes of output are not read once more.
fn look_again(directory: &Directory, files: &BTreeMap<String, Finished>) -> Result<(), LedgerError> {
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by_key(|(_, finished)| std::cmp::Reverse(finished.written.bytes));
    let errors = parallel::map(&files, Buffer::new, |(name, finished), buffer| {
        let looked = match finished.stamp {
            Some(stamp) if finished.written.bytes > HASHED_AGAIN_BYTES => untouched(directory, name, stamp),
            _ => content_check::unchanged(directory, name, finished.written, buffer, &mut |_| {}),
        };
        looked.err()
    });
    errors.into_iter().next().map_or(Ok(()), Err)
}

/// Checks by its stamp that a file was not touched since it was finished.
fn untouched(directory: &Directory, name: &str, stamp: Stamp) -> Result<(), LedgerError> {
    let file = directory.open_file(name).map_err(|error| gone_or(error, directory, name))?;
    let found = Stamp::of(&file).map_err(LedgerError::io("look at", &directory.path().join(name)))?;
    if found == stamp { Ok(()) } else { Err(meddled(directory, format!("`{name}` was touched after it was written"))) }
}

/// Writes the seal under a temporary name and renames it, so that a killed process leaves no partial seal; one
/// that is incomplete after a power loss does not count as a seal. The attestation is on disk before the seal:
/// if a run is sealed and was to be signed, it is signed.
fn write_seal(directory: &Directory, seal: &Seal, attestation: Option<&Attestation>) -> Result<Digest, LedgerError> {
    let path = directory.path().join(evidence_name::SEAL);
    let bytes = referee_model::document::to_bytes(seal).map_err(LedgerError::io("write", &path))?;
    let digest = Digest::of(&bytes);
    if let Some(attestation) = attestation {
        directory.write_new(evidence_name::ATTESTATION, &attestation.lines(digest)?)?;
        directory.sync()?;
    }
    directory.write_unsynced(paths::SEAL_BEGUN, &bytes)?;
    if !directory.move_to(paths::SEAL_BEGUN, directory, evidence_name::SEAL)? {
        return Err(meddled(directory, "a seal was added".to_owned()));
    }
    Ok(digest)
}
