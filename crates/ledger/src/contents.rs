//! The files that a run has written to its directory so far. Each is recorded with the hash of the bytes that
//! were written and a stamp of the finished file, so changes by other processes are found before the run is
//! sealed.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use referee_model::id::Digest;
use rustix::fs::{Dev, Stat};

/// Size and digest of a finished file, as the seal lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Written {
    /// Size in bytes.
    pub(crate) bytes: u64,
    /// SHA-256 of the bytes.
    pub(crate) sha256: Digest,
}

/// Identifies an untouched file without reading it: device and inode, size, and the times of the last content
/// change and the last status change (seconds and nanoseconds).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: Dev,
    inode: u64,
    bytes: i64,
    changed: (i64, i128),
    touched: (i64, i128),
}

impl Stamp {
    pub(crate) fn of(file: impl AsFd) -> io::Result<Self> {
        Ok(Self::new(&rustix::fs::fstat(file)?))
    }

    /// Returns the stamp of the file at a path, without following links.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        Ok(Self::new(&rustix::fs::lstat(path)?))
    }

    fn new(found: &Stat) -> Self {
        Self {
            device: found.st_dev,
            inode: found.st_ino,
            bytes: found.st_size,
            changed: (found.st_mtime, i128::from(found.st_mtime_nsec)),
            touched: (found.st_ctime, i128::from(found.st_ctime_nsec)),
        }
    }
}

/// A finished file, with the stamp that identifies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Finished {
    pub(crate) written: Written,
    /// The stamp of the finished file. None: only the content identifies the file, however large it is.
    pub(crate) stamp: Option<Stamp>,
}

/// The files of one run by name. The value is None while a file is being written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contents(Arc<Mutex<BTreeMap<String, Option<Finished>>>>);

impl Contents {
    /// Records that a file is being written.
    pub(crate) fn begin(&self, name: &str) {
        self.files().insert(name.to_owned(), None);
    }

    /// Records a file that was written to its end.
    pub(crate) fn finish(&self, name: &str, finished: Finished) {
        self.files().insert(name.to_owned(), Some(finished));
    }

    pub(crate) fn list(&self) -> BTreeMap<String, Option<Finished>> {
        self.files().clone()
    }

    /// An insertion has either happened or not, so a thread that panicked while it held the lock left nothing
    /// inconsistent.
    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Option<Finished>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
