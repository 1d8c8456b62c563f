//! What is known of the inputs of a workspace, so that only what changed is read again.
//!
//! A file is the same where size, times, inode and mode are, and it was last changed before its content was read by more
//! than the file system can tell apart (git's rule for racy entries). The cache lies in the user's state directory. One
//! that is junk, cut short or of another workspace is no cache.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest as _, Sha256};

use super::content::{self, Hash};
use super::snapshot::Snapshot;
use super::stored::Stored;
use super::{Entry, Moment, Stamp, open};
use crate::error::LedgerError;
use crate::state::{Area, State};

/// What a file system with whole seconds may hide, and one with even ones.
const COARSE_SECONDS: i64 = 2;

/// What is known of the inputs of a workspace.
#[derive(Debug)]
pub struct Cache {
    /// Where it is kept. None: nowhere, so that nothing is known beyond a moment.
    file: Option<PathBuf>,
    /// It says when the reading of its files began, by the clock of the file system. Whatever was changed since may have
    /// been changed again without a trace.
    stored: Stored,
    changed: bool,
}

/// What is known of some inputs.
#[derive(Debug)]
pub(super) struct Known {
    /// What each holds, in their order.
    pub(super) hashes: Vec<Option<Hash>>,
    /// The digest over all of them. None: they are not the files of the cache, each as it was.
    pub(super) digest: Option<Hash>,
}

/// Tells files of one process that are written at once apart.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

impl Cache {
    /// Opens the cache of a workspace; an empty one where there is none that can be believed.
    pub fn open(state: Option<&State>, workspace: &Path) -> Self {
        let area = state.and_then(|state| state.area(Area::Trees).ok());
        let file = area.map(|area| {
            let name = content::hex(&Sha256::digest(workspace.as_os_str().as_bytes()).into());
            area.join(open::path(&name))
        });
        let stored = file.as_deref().and_then(Stored::load).unwrap_or_default();
        Self { file, stored, changed: false }
    }

    /// The state that the cache was last kept for, with what each of its files held. None: there is none.
    pub fn last(&self) -> Option<Snapshot> {
        let (mut entries, mut hashes): (Vec<Entry>, Vec<Option<Hash>>) = Default::default();
        let mut records = self.stored.records();
        for record in &mut records {
            let entry = record.entry()?;
            let in_order = entries.last().is_none_or(|last| last.path.as_os_str() < entry.path.as_os_str());
            in_order.then(|| entries.push(entry))?;
            hashes.push(Some(record.hash));
        }
        (records.is_at_end() && !entries.is_empty()).then(|| Snapshot::of(entries.into(), hashes, Vec::new()))
    }

    /// Writes it down, where something is new. Whoever reads it meanwhile finds the old one or the new one.
    ///
    /// # Errors
    /// Fails where it cannot be written; then only time is lost.
    pub fn save(&mut self) -> Result<(), LedgerError> {
        let Some(path) = self.file.as_deref().filter(|_| self.changed) else { return Ok(()) };
        let (unfinished, mut file) = create_beside(path)?;
        let written = file.write_all(self.stored.bytes()).and_then(|()| std::fs::rename(&unfinished, path));
        self.changed = false;
        written.map_err(|error| {
            let _ = std::fs::remove_file(&unfinished);
            LedgerError::io("write", path)(error)
        })
    }

    /// What is known of these inputs.
    pub(super) fn known(&self, entries: &[Entry]) -> Known {
        let began = self.stored.began();
        let mut records = self.stored.records();
        let mut record = records.next();
        let (mut hashes, mut all_same) = (Vec::with_capacity(entries.len()), true);
        for entry in entries {
            let path = entry.path.as_os_str().as_bytes();
            let same = loop {
                match record.map(|record| record.path.cmp(path)) {
                    Some(std::cmp::Ordering::Less) => {
                        all_same = false;
                        record = records.next();
                    }
                    Some(std::cmp::Ordering::Equal) => break std::mem::replace(&mut record, records.next()),
                    _ => break None,
                }
            };
            let is_same = |stamp: Stamp| stamp == entry.stamp && began.is_some_and(|began| is_older(stamp, began));
            let hash = same.filter(|record| is_same(record.stamp)).map(|record| record.hash);
            all_same &= hash.is_some();
            hashes.push(hash);
        }
        all_same &= record.is_none() && records.is_at_end();
        let digest = if all_same { self.stored.digest() } else { None };
        Known { hashes, digest }
    }

    /// Asks the file system for the time, before files are read. None: it cannot be asked.
    pub(super) fn begin(&self) -> Option<Moment> {
        let (unfinished, file) = create_beside(self.file.as_deref()?).ok()?;
        let facts = file.metadata().ok();
        let _ = std::fs::remove_file(unfinished);
        let facts = facts?;
        Some(Moment { seconds: facts.mtime(), nanoseconds: u32::try_from(facts.mtime_nsec()).ok()? })
    }

    /// Takes a state whose files were read after a moment. Those that were known stay known: they were older
    /// than an earlier one.
    pub(super) fn keep(&mut self, snapshot: &Snapshot, began: Option<Moment>) {
        let began = began.or_else(|| self.stored.began()).unwrap_or_default();
        // A digest over files that cannot be read says nothing of any.
        let digest = snapshot.files().all(|(_, hash)| hash.is_some()).then(|| snapshot.digest());
        self.stored = Stored::of(began, digest, snapshot.files());
        self.changed = true;
    }
}

/// Whether a file was last changed so long before the reading began that no later change can look the same.
fn is_older(stamp: Stamp, began: Moment) -> bool {
    let latest = stamp.modified.max(stamp.changed);
    if stamp.changed.nanoseconds == 0 {
        return latest.seconds.saturating_add(COARSE_SECONDS) < began.seconds;
    }
    latest < began
}

/// Makes a file of its own beside the cache, for this user alone.
fn create_beside(path: &Path) -> Result<(PathBuf, File), LedgerError> {
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let process = rustix::process::getpid().as_raw_nonzero();
    let unfinished = path.with_extension(format!("{process}-{number}"));
    let _ = std::fs::remove_file(&unfinished);
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished);
    let file = made.map_err(LedgerError::io("create", &unfinished))?;
    Ok((unfinished, file))
}
