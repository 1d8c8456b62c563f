//! The inputs at one moment, with the hashes of their content.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_model::id::Digest;
use referee_model::run_context::tree::TreeState;
use sha2::{Digest as _, Sha256};

use super::cache::{Cache, Known};
use super::content::{self, Block, Hash};
use super::{Entry, EntryKind, Listing};
use crate::error::LedgerError;
use crate::parallel;

/// Number of files that one thread hashes before further threads are started.
const HASHED_ALONE: usize = 64;

/// The inputs at one moment, with the hashes of their content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Entries sorted by the bytes of their paths; shared with the listing.
    entries: Arc<Vec<Entry>>,
    /// Hash of each entry's content. None: it cannot be read.
    hashes: Vec<Option<Hash>>,
    digest: Hash,
    /// Inputs whose content is unknown, with the reason, by path.
    unread: Vec<(PathBuf, String)>,
    /// Files that determine which files are inputs and that cannot be read, with the reason.
    unknown: Vec<(PathBuf, String)>,
}

/// Returns the kind and executable bit of an entry, in the form that the digest covers.
fn mode(entry: &Entry) -> &'static [u8] {
    match entry.kind {
        EntryKind::File if entry.executable => b"100755 ",
        EntryKind::File => b"100644 ",
        EntryKind::Link => b"120000 ",
        EntryKind::Socket => b"140000 ",
        EntryKind::Pipe => b"010000 ",
        EntryKind::CharacterDevice => b"020000 ",
        EntryKind::BlockDevice => b"060000 ",
    }
}

impl Snapshot {
    /// Reads the content of all inputs, whatever their stamps: a write through a memory mapping leaves the
    /// stamp unchanged if the page was written before. Afterwards the cache holds all of it.
    ///
    /// Inputs that cannot be read are included as unread, see [`Snapshot::unread`]; those that disappeared
    /// meanwhile are left out.
    pub fn read(listing: &Listing, cache: &mut Cache) -> Self {
        let entries = listing.with_rules();
        let nothing = Known { hashes: vec![None; entries.len()], digest: None };
        Self::complete(listing, entries, nothing, cache)
    }

    /// Like [`Snapshot::read`], without reading inputs whose stamp is the one in the cache: for callers that
    /// ask what may have changed, and base no verdict on it.
    pub fn take(listing: &Listing, cache: &mut Cache) -> Self {
        let entries = listing.with_rules();
        let known = cache.known(&entries);
        Self::complete(listing, entries, known, cache)
    }

    /// Reads the inputs whose hash is not known.
    fn complete(listing: &Listing, entries: Arc<Vec<Entry>>, known: Known, cache: &mut Cache) -> Self {
        let Known { mut hashes, digest } = known;
        let mut unread: Vec<(PathBuf, String)> = Vec::new();
        let unknown = listing.unknown().to_vec();
        for path in listing.unlisted() {
            unread.push((path.clone(), "it cannot be looked at".to_owned()));
        }
        if let Some(digest) = digest {
            return Self { entries, hashes, digest, unread, unknown };
        }
        if !listing.rules.is_empty() {
            for (entry, hash) in entries.iter().zip(&mut hashes) {
                *hash = hash.or_else(|| listing.rule(&entry.path));
            }
        }
        let wanted: Vec<usize> =
            hashes.iter().enumerate().filter(|(_, hash)| hash.is_none()).map(|(index, _)| index).collect();
        let began = if wanted.is_empty() { None } else { cache.begin() };
        let mut gone = BTreeSet::new();
        for (index, read) in read_all(listing, &entries, &wanted) {
            match (read, entries.get(index), hashes.get_mut(index)) {
                (Ok(Some(hash)), _, Some(place)) => *place = Some(hash),
                (Ok(None), ..) => {
                    gone.insert(index);
                }
                (Err(error), Some(entry), _) => unread.push((entry.path.clone(), error.to_string())),
                // No such entry was requested.
                (_, None, _) | (_, _, None) => {}
            }
        }
        unread.sort();
        let snapshot = Self { unknown, ..Self::of(without(&entries, &gone), without_hashes(hashes, &gone), unread) };
        cache.keep(&snapshot, began);
        snapshot
    }

    pub(super) fn of(entries: Arc<Vec<Entry>>, hashes: Vec<Option<Hash>>, unread: Vec<(PathBuf, String)>) -> Self {
        let digest = digest(entries.iter().zip(hashes.iter().copied()));
        Self { entries, hashes, digest, unread, unknown: Vec::new() }
    }

    /// Returns the digest over all inputs, and their number.
    pub fn state(&self) -> TreeState {
        TreeState { digest: Digest::from_bytes(self.digest), files: self.entries.len() as u64 }
    }

    /// Returns the digest over all inputs, as bytes.
    pub(super) fn digest(&self) -> Hash {
        self.digest
    }

    /// Returns the inputs whose content is unknown, with the reason. A snapshot with such inputs is equal to no
    /// other.
    pub fn unread(&self) -> &[(PathBuf, String)] {
        &self.unread
    }

    /// Returns the files that determine which files are inputs and that cannot be read, with the reason. A
    /// snapshot with such files is equal to no other either: further inputs may be missing from it.
    pub fn unknown(&self) -> &[(PathBuf, String)] {
        &self.unknown
    }

    /// Returns the digest of one input. None: there is no such input, or it cannot be read.
    pub fn digest_of(&self, path: &Path) -> Option<Digest> {
        let found = self.entries.binary_search_by(|entry| entry.path.as_os_str().cmp(path.as_os_str())).ok()?;
        self.hashes.get(found)?.map(Digest::from_bytes)
    }

    /// Returns the paths of the links among the inputs. A link is an input by its target path alone: the file
    /// that it leads to need not be one.
    pub fn links(&self) -> impl Iterator<Item = &Path> {
        self.entries.iter().filter(|entry| entry.kind == EntryKind::Link).map(|entry| entry.path.as_path())
    }

    /// Returns whether an input is below a directory.
    pub fn holds_below(&self, directory: &Path) -> bool {
        self.entries.iter().any(|entry| entry.path.starts_with(directory))
    }

    /// Returns the inputs, each with the hash of its content.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Entry, Option<Hash>)> {
        self.entries.iter().zip(self.hashes.iter().copied())
    }
}

/// Returns the digest over inputs and the hashes of their content.
fn digest<'files>(files: impl Iterator<Item = (&'files Entry, Option<Hash>)>) -> Hash {
    let mut hasher = Sha256::new();
    let mut line = Vec::with_capacity(256);
    for (entry, hash) in files {
        line.clear();
        line.extend_from_slice(mode(entry));
        line.extend_from_slice(entry.path.as_os_str().as_bytes());
        line.push(0);
        match &hash {
            Some(hash) => line.extend_from_slice(&content::hex(hash)),
            None => line.extend_from_slice(b"unread"),
        }
        line.push(b'\n');
        hasher.update(&line);
    }
    hasher.finalize().into()
}

fn without(entries: &Arc<Vec<Entry>>, gone: &BTreeSet<usize>) -> Arc<Vec<Entry>> {
    if gone.is_empty() {
        return Arc::clone(entries);
    }
    let kept = entries.iter().enumerate().filter(|(index, _)| !gone.contains(index));
    Arc::new(kept.map(|(_, entry)| entry.clone()).collect())
}

fn without_hashes(hashes: Vec<Option<Hash>>, gone: &BTreeSet<usize>) -> Vec<Option<Hash>> {
    let kept = hashes.into_iter().enumerate().filter(|(index, _)| !gone.contains(index));
    kept.map(|(_, hash)| hash).collect()
}

type Read = Result<Option<Hash>, LedgerError>;

/// Hashes these inputs, on all processors if there are many. Returns the results by index, in no particular
/// order.
fn read_all(listing: &Listing, entries: &[Entry], wanted: &[usize]) -> Vec<(usize, Read)> {
    let read = |index: &usize, block: &mut Block| {
        let entry = entries.get(*index)?;
        Some((*index, content::hash(&listing.root, entry, &listing.workspace, block)))
    };
    if wanted.len() <= HASHED_ALONE {
        let mut block = Block::default();
        return wanted.iter().filter_map(|index| read(index, &mut block)).collect();
    }
    parallel::map(wanted, Block::default, read)
}
