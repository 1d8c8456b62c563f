//! A run that is being written, in a directory that does not count as evidence yet.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use referee_model::event::{Event, EventKind};
use referee_model::evidence_name;
use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::record::{Log, Record, ServiceRecord};
use referee_model::seal::SealedFile;
use referee_model::time::Timestamp;

use crate::attest::Attestation;
use crate::capture::Capture;
use crate::chain_heads;
use crate::contents::{Contents, Finished, Stamp, Written};
use crate::directory::Directory;
use crate::error::LedgerError;
use crate::evidence::Evidence;
use crate::evidence_root::EvidenceRoot;
use crate::fault;
use crate::journal::Journal;
use crate::lock::{self, FileLock};
use crate::log_file::LogFile;
use crate::paths;
use crate::published_run;
use crate::redact::Redactor;

/// Size in bytes from which a file takes long to sync.
const LARGE_FILE_BYTES: u64 = 1024 * 1024;

/// A run that is being written. While this value exists its directory is locked, which shows other processes
/// that the run is live. If it is dropped without being published, the directory stays behind as a run that was
/// never sealed.
#[derive(Debug)]
pub struct Staging {
    pub(crate) site: Arc<EvidenceRoot>,
    pub(crate) task: TaskId,
    pub(crate) execution: ExecutionId,
    pub(crate) directory: Arc<Directory>,
    pub(crate) contents: Contents,
    pub(crate) journal: Journal,
    pub(crate) published: bool,
    pub(crate) trees: Option<(Digest, Digest)>,
    pub(crate) attestation: Option<Attestation>,
    redactor: Redactor,
    /// The lock that marks the run as live, as long as a clone of it exists.
    pub(crate) live: Arc<FileLock<Directory>>,
}

impl Staging {
    /// Creates the run's directory, with an empty journal in it.
    pub(crate) fn begin(
        site: Arc<EvidenceRoot>,
        task: &TaskId,
        execution: &ExecutionId,
        redactor: Redactor,
    ) -> Result<Self, LedgerError> {
        let runs = site.runs(task)?;
        let (directory, live) = {
            // While the task's lock is held, no other process can find the directory before it is marked as
            // live.
            let _lock = lock::of_task(&site.root, task)?;
            let path = runs.path().join(execution.as_str());
            let taken = || LedgerError::io("make the directory", &path)(rustix::io::Errno::EXIST);
            if !runs.make_new(execution.as_str())? {
                return Err(taken());
            }
            let directory = runs.child(execution.as_str())?.ok_or_else(taken)?;
            let live = lock::of_directory(&directory)?;
            (directory, live)
        };
        let journal =
            Journal::new(directory.create(evidence_name::JOURNAL)?, directory.path().join(evidence_name::JOURNAL));
        Ok(Self {
            site,
            task: task.clone(),
            execution: execution.clone(),
            directory: Arc::new(directory),
            live: Arc::new(live),
            contents: Contents::default(),
            journal,
            published: false,
            trees: None,
            attestation: None,
            redactor,
        })
    }

    /// Numbers an event and writes it to the journal. Only then may observers receive the returned event. The
    /// start of the run is first recorded outside the workspace, so that it stays known whatever happens to the
    /// run's directory.
    pub fn append(&mut self, at: Timestamp, happening: EventKind) -> Result<Event, LedgerError> {
        if let EventKind::RunStarted { .. } = happening {
            let _lock = lock::of_task(&self.site.root, &self.task)?;
            chain_heads::began(&self.site, &self.task, &self.execution, at)?;
        }
        self.journal.append(at, happening)
    }

    /// Starts the log of one attempt, under a name that is not taken yet.
    pub fn capture(&mut self, file_name: &str) -> Result<Capture, LedgerError> {
        let name = own_name(file_name)?;
        let file = self.directory.create(name)?;
        Ok(Capture::new(file, self.directory.path().join(name), name, &self.redactor, self.contents.clone()))
    }

    /// Writes one document, under a name that is not taken yet.
    pub fn put(&mut self, file_name: &str, bytes: &[u8]) -> Result<(), LedgerError> {
        let name = own_name(file_name)?;
        let mut file = self.directory.create(name)?;
        self.contents.begin(name);
        let path = self.directory.path().join(name);
        fault::point().and_then(|()| file.write_all(bytes)).map_err(LedgerError::io("write", &path))?;
        let stamp = Stamp::of(&file).map_err(LedgerError::io("look at", &path))?;
        let sha256 = Digest::of(bytes);
        let written = Written { bytes: bytes.len() as u64, sha256 };
        self.contents.finish(name, Finished { written, stamp: Some(stamp) });
        Ok(())
    }

    /// Copies a sealed file of another run, under the same name, which is not taken yet.
    ///
    /// # Errors
    /// Fails if it is not as it was sealed, and on an I/O error.
    pub fn copy(&mut self, evidence: &Evidence, sealed: &SealedFile) -> Result<(), LedgerError> {
        let name = own_name(&sealed.path)?;
        let mut file = self.directory.create(name)?;
        self.contents.begin(name);
        let path = self.directory.path().join(name);
        let mut copied = Ok(());
        evidence.sealed(sealed, &mut |piece| {
            if copied.is_ok() {
                copied = fault::point().and_then(|()| file.write_all(piece));
            }
        })?;
        copied.map_err(LedgerError::io("write", &path))?;
        let stamp = Stamp::of(&file).map_err(LedgerError::io("look at", &path))?;
        let written = Written { bytes: sealed.bytes, sha256: sealed.sha256 };
        self.contents.finish(name, Finished { written, stamp: Some(stamp) });
        Ok(())
    }

    /// Requests that the run is signed when it is sealed. If it cannot be signed then, it is not published.
    pub fn attest(&mut self, attestation: Attestation) {
        self.attestation = Some(attestation);
    }

    /// Waits until the finished large files are on disk. Publishing waits for all files; a caller that holds a
    /// lock during publishing that others wait for calls this first.
    pub fn sync_large_files(&self) -> Result<(), LedgerError> {
        let is_large = |finished: &Option<Finished>| {
            finished.as_ref().is_some_and(|finished| finished.written.bytes >= LARGE_FILE_BYTES)
        };
        for (name, _) in self.contents.list().into_iter().filter(|(_, finished)| is_large(finished)) {
            self.directory.sync_file(&name)?;
        }
        Ok(())
    }

    /// Binds the run to digests of the workspace's inputs: before the first action, and after the last one.
    pub fn bind_trees(&mut self, before: Digest, after: Digest) {
        self.trees = Some((before, after));
    }

    /// Adds a captured secret, which is redacted in everything that is written from here on.
    pub fn learn(&self, name: &str, value: &str) {
        self.redactor.learn(name, value);
    }

    /// Redacts this run's secrets in a text for a document.
    pub fn redact_text(&self, text: &str) -> String {
        self.redactor.text(text)
    }

    /// Redacts this run's secrets in every text of a record, before it is stored or reported.
    pub fn redact_record(&self, record: &Record) -> Result<Record, LedgerError> {
        self.redactor.record(record).map_err(LedgerError::Redaction)
    }

    /// Redacts this run's secrets in every text of a service's record, before it is stored or reported.
    pub fn redact_service(&self, service: &ServiceRecord) -> Result<ServiceRecord, LedgerError> {
        self.redactor.service(service).map_err(LedgerError::Redaction)
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Returns a log of this run whose capture is finished. As long as it exists the run counts as live.
    pub fn log(&self, log: &Log) -> LogFile {
        LogFile::of_live(Arc::clone(&self.directory), Arc::clone(&self.live), log)
    }
}

impl Drop for Staging {
    /// If another directory was put in the place of this run's, that one must never be taken for this run,
    /// neither now nor when dead runs are cleaned up. Errors cannot be reported from here.
    fn drop(&mut self) {
        if !self.published && !published_run::is_staged(&self.site, &self.task, &self.execution, &self.directory) {
            let disown = || {
                let _lock = lock::of_task(&self.site.root, &self.task)?;
                published_run::disown(&self.site, &self.task, &self.execution, &self.directory)
            };
            let _: Result<(), LedgerError> = disown();
        }
    }
}

/// Checks that a name is one path component, and none that the ledger writes itself.
fn own_name(name: &str) -> Result<&str, LedgerError> {
    let reserved = [evidence_name::JOURNAL, evidence_name::SEAL, evidence_name::ATTESTATION, paths::SEAL_BEGUN];
    if reserved.contains(&name) {
        return Err(LedgerError::Name { name: name.to_owned() });
    }
    paths::component(name)
}
