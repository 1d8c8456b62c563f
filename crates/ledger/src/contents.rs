//! What a run has put into its directory so far: every file is remembered as it is written, with the hash of the bytes
//! that were written and a stamp of the finished file, so what somebody else changes is found before the run is sealed.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use referee_model::id::Digest;

/// A finished file, as the seal will name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Written {
    /// Size in bytes.
    pub(crate) bytes: u64,
    /// SHA-256 of the bytes.
    pub(crate) sha256: Digest,
}

/// By what an untouched file is known without reading it: the file itself, its size, and when its content and its
/// state were last changed (seconds and nanoseconds).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
    touched: (i64, i64),
}

impl Stamp {
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        file.metadata().map(|facts| Self::new(&facts))
    }

    /// Looks at what stands at a path, links not followed.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        path.symlink_metadata().map(|facts| Self::new(&facts))
    }

    fn new(facts: &Metadata) -> Self {
        Self {
            device: facts.dev(),
            inode: facts.ino(),
            bytes: facts.size(),
            changed: (facts.mtime(), facts.mtime_nsec()),
            touched: (facts.ctime(), facts.ctime_nsec()),
        }
    }
}

/// A finished file, and by what it is known again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Finished {
    pub(crate) written: Written,
    /// The stamp of the finished file. None: it is known by its content alone, however large it is.
    pub(crate) stamp: Option<Stamp>,
}

/// The files of one run by name; none where a file is still being written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contents(Arc<Mutex<BTreeMap<String, Option<Finished>>>>);

impl Contents {
    /// Remembers that a file is being written.
    pub(crate) fn begin(&self, name: &str) {
        self.files().insert(name.to_owned(), None);
    }

    /// Remembers how a file was written to its end.
    pub(crate) fn finish(&self, name: &str, finished: Finished) {
        self.files().insert(name.to_owned(), Some(finished));
    }

    /// Returns all files as they stand.
    pub(crate) fn list(&self) -> BTreeMap<String, Option<Finished>> {
        self.files().clone()
    }

    /// An insertion is whole or has not happened, so a thread that died meanwhile left nothing half done.
    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Option<Finished>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
