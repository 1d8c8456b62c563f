//! Caches the hashes of a workspace's inputs, so that only changed files are read again.
//!
//! A file is unchanged if its size, times, inode and mode are, and if it was last changed before its content
//! was read by more than the resolution of the file system (git's rule for racy entries). The cache is kept in
//! the user's state directory. One that is invalid, truncated or of another workspace is ignored.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest as _, Sha256};

use super::content::{self, Hash};
use super::snapshot::Snapshot;
use super::stored::Stored;
use super::{Entry, Moment, Stamp, open};
use crate::error::LedgerError;
use crate::state::{Area, State};

/// Resolution of file systems with timestamps of one or two seconds, in seconds.
const COARSE_SECONDS: i64 = 2;

/// The cached hashes of a workspace's inputs.
#[derive(Debug)]
pub struct Cache {
    /// Path of the cache. None: it is not saved, so it is lost with this value.
    file: Option<PathBuf>,
    /// The stored records, with the time of the file system's clock at which reading began. A file that was
    /// changed since may have been changed again without a trace.
    stored: Stored,
    changed: bool,
}

/// Cached hashes of some inputs.
#[derive(Debug)]
pub(super) struct Known {
    /// The hash of each input's content, in their order. None: not known.
    pub(super) hashes: Vec<Option<Hash>>,
    /// The digest over all of them. None: they are not exactly the cached files, each unchanged.
    pub(super) digest: Option<Hash>,
}

/// Distinguishes files that one process writes at the same time.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

impl Cache {
    /// Opens the cache of a workspace; it is empty if there is no valid one.
    pub fn open(state: Option<&State>, workspace: &Path) -> Self {
        let area = state.and_then(|state| state.area(Area::Trees).ok());
        let file = area.map(|area| {
            let name = content::hex(&Sha256::digest(workspace.as_os_str().as_bytes()).into());
            area.join(open::path(&name))
        });
        let stored = file.as_deref().and_then(Stored::load).unwrap_or_default();
        Self { file, stored, changed: false }
    }

    /// Returns the snapshot that the cache was last saved for, with the hash of each file. None: there is none.
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

    /// Saves the cache if it has changed. A concurrent reader sees the old one or the new one.
    ///
    /// # Errors
    /// Fails if the cache cannot be written; only time is lost then.
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

    /// Returns the cached hashes of these inputs.
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

    /// Reads the file system's clock, before files are read. None: it cannot be read.
    pub(super) fn begin(&self) -> Option<Moment> {
        let (unfinished, file) = create_beside(self.file.as_deref()?).ok()?;
        let facts = file.metadata().ok();
        let _ = std::fs::remove_file(unfinished);
        Moment::of_change(&facts?)
    }

    /// Replaces the cache with a snapshot whose files were read after `began`. Files that were cached stay
    /// valid: they were older than an earlier moment.
    pub(super) fn keep(&mut self, snapshot: &Snapshot, began: Option<Moment>) {
        let began = began.or_else(|| self.stored.began()).unwrap_or_default();
        // A digest over files that cannot be read identifies nothing.
        let digest = snapshot.files().all(|(_, hash)| hash.is_some()).then(|| snapshot.digest());
        self.stored = Stored::of(began, digest, snapshot.files());
        self.changed = true;
    }
}

/// Returns whether a file was last changed so long before the reading began that no later change can have the
/// same stamp.
pub(crate) fn is_older(stamp: Stamp, began: Moment) -> bool {
    let latest = stamp.modified.max(stamp.changed);
    if stamp.changed.nanoseconds == 0 {
        return latest.seconds.saturating_add(COARSE_SECONDS) < began.seconds;
    }
    latest < began
}

/// Creates a temporary file beside the cache, private to this user.
fn create_beside(path: &Path) -> Result<(PathBuf, File), LedgerError> {
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let process = rustix::process::getpid().as_raw_nonzero();
    let unfinished = path.with_extension(format!("{process}-{number}"));
    let _ = std::fs::remove_file(&unfinished);
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished);
    let file = made.map_err(LedgerError::io("create", &unfinished))?;
    Ok((unfinished, file))
}
