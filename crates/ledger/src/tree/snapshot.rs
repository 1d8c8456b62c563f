//! The inputs at one moment, with what they hold.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use referee_model::circumstances::tree::TreeState;
use referee_model::id::Digest;
use referee_model::limit;
use sha2::{Digest as _, Sha256};

use super::cache::Cache;
use super::content::{self, Hash};
use super::{Entry, EntryKind, Listing, Stamp};
use crate::error::LedgerError;

/// Files that are hashed before further threads are started.
const HASHED_ALONE: usize = 64;

/// The inputs at one moment, with what they hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Sorted by the bytes of their paths.
    pub(super) files: Vec<Held>,
    /// Why what some of them hold is not known, by path.
    unread: Vec<(PathBuf, String)>,
}

/// One input with what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) path: PathBuf,
    pub(super) mode: Mode,
    pub(super) stamp: Stamp,
    /// None: it cannot be read.
    pub(super) hash: Option<Hash>,
}

/// Kind and right to execute, as they go into the digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mode(pub(super) u32);

impl Mode {
    pub(super) const EXECUTABLE: Self = Self(0o100_755);

    pub(super) fn of(entry: &Entry) -> Self {
        Self(match entry.kind {
            EntryKind::File if entry.executable => return Self::EXECUTABLE,
            EntryKind::File => 0o100_644,
            EntryKind::Link => 0o120_000,
            EntryKind::Socket => 0o140_000,
            EntryKind::Pipe => 0o010_000,
            EntryKind::CharacterDevice => 0o020_000,
            EntryKind::BlockDevice => 0o060_000,
        })
    }
}

impl Snapshot {
    /// Reads what the inputs hold, but for what the cache knows to be the same. The cache knows all of it afterwards.
    ///
    /// What cannot be read is kept as unread, see [`Snapshot::unread`]; what is gone meanwhile is left out.
    pub fn take(listing: &Listing, cache: &mut Cache) -> Self {
        let known = cache.known(listing.entries());
        let unknown = known.iter().filter(|known| known.is_none()).count();
        let began = (unknown > 0).then(|| cache.begin()).flatten();
        let read = read_all(listing, &known, unknown);
        let mut files = Vec::with_capacity(listing.entries().len());
        let mut unread: Vec<(PathBuf, String)> = Vec::new();
        for path in listing.unlisted() {
            unread.push((path.clone(), "it cannot be looked at".to_owned()));
        }
        let mut read = read.into_iter().peekable();
        for (number, (entry, known)) in listing.entries().iter().zip(known).enumerate() {
            let hash = match (known, read.next_if(|(index, _)| *index == number)) {
                (Some(hash), _) | (None, Some((_, Ok(Some(hash))))) => Some(hash),
                (None, Some((_, Err(error)))) => {
                    unread.push((entry.path.clone(), error.to_string()));
                    None
                }
                (None, Some((_, Ok(None)))) => continue,
                (None, None) => {
                    unread.push((entry.path.clone(), "it was not read".to_owned()));
                    None
                }
            };
            files.push(Held { path: entry.path.clone(), mode: Mode::of(entry), stamp: entry.stamp, hash });
        }
        unread.sort();
        let snapshot = Self { files, unread };
        if unknown > 0 || cache.holds_more_than(&snapshot) {
            cache.keep(&snapshot, began);
        }
        snapshot
    }

    pub(super) fn of_files(files: Vec<Held>) -> Self {
        Self { files, unread: Vec::new() }
    }

    /// The digest over all of them, and how many there are.
    pub fn state(&self) -> TreeState {
        let mut hasher = Sha256::new();
        let mut line = Vec::with_capacity(256);
        for file in &self.files {
            line.clear();
            line.extend_from_slice(format!("{:06o} ", file.mode.0).as_bytes());
            line.extend_from_slice(file.path.as_os_str().as_bytes());
            line.push(0);
            match &file.hash {
                Some(hash) => content::push_hex(hash, &mut line),
                None => line.extend_from_slice(b"unread"),
            }
            line.push(b'\n');
            hasher.update(&line);
        }
        TreeState { digest: Digest::from_bytes(hasher.finalize().into()), files: self.files.len() as u64 }
    }

    /// Inputs of which it is not known what they hold, and why. A state with such is no state: nothing can be said to equal
    /// it.
    pub fn unread(&self) -> &[(PathBuf, String)] {
        &self.unread
    }

    /// What one input holds. None: there is no such input, or it cannot be read.
    pub fn digest_of(&self, path: &Path) -> Option<Digest> {
        let found = self.files.binary_search_by(|file| file.path.as_os_str().cmp(path.as_os_str())).ok()?;
        self.files.get(found)?.hash.map(Digest::from_bytes)
    }
}

type Read = Result<Option<Hash>, LedgerError>;

/// Hashes what is not known, on all processors where it is much. By index, in order.
fn read_all(listing: &Listing, known: &[Option<Hash>], unknown: usize) -> Vec<(usize, Read)> {
    let wanted: Vec<usize> =
        known.iter().enumerate().filter(|(_, known)| known.is_none()).map(|(index, _)| index).collect();
    let read = |index: usize| {
        let entry = listing.entries().get(index)?;
        Some((index, content::hash(&listing.root, entry, &listing.workspace)))
    };
    if unknown <= HASHED_ALONE {
        return wanted.into_iter().filter_map(read).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(index) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.extend(read(*index));
        }
        done
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(limit::TREE_THREADS);
    let mut all = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        all.extend(others.into_iter().filter_map(|thread| thread.join().ok()).flatten());
        all
    });
    all.sort_unstable_by_key(|(index, _)| *index);
    all
}
