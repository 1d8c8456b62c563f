//! What a run has put into its folder so far: every file is remembered as it is written, with the hash of the bytes
//! that were written, so a file that somebody else changes no longer fits its seal.

use std::collections::BTreeMap;
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

/// The files of one run by name; none where a file is still being written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contents(Arc<Mutex<BTreeMap<String, Option<Written>>>>);

impl Contents {
    /// Remembers that a file is being written.
    pub(crate) fn begin(&self, name: &str) {
        self.files().insert(name.to_owned(), None);
    }

    /// Remembers how a file was written to its end.
    pub(crate) fn finish(&self, name: &str, written: Written) {
        self.files().insert(name.to_owned(), Some(written));
    }

    /// Returns all files as they stand.
    pub(crate) fn list(&self) -> BTreeMap<String, Option<Written>> {
        self.files().clone()
    }

    /// An insertion is whole or has not happened, so a thread that died meanwhile left nothing half done.
    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Option<Written>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
