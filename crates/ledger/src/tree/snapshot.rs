//! The inputs at one moment, with what they hold.

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

/// Files that are hashed before further threads are started.
const HASHED_ALONE: usize = 64;

/// The inputs at one moment, with what they hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Sorted by the bytes of their paths; shared with the listing.
    entries: Arc<Vec<Entry>>,
    /// What each of them holds. None: it cannot be read.
    hashes: Vec<Option<Hash>>,
    digest: Hash,
    /// Why what some of them hold is not known, by path.
    unread: Vec<(PathBuf, String)>,
    /// By what inputs are told from others, and that cannot be read.
    unknown: Vec<(PathBuf, String)>,
}

/// Kind and right to execute, as they go into the digest.
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
    /// Reads what all inputs hold, whatever stamps say: a write through mapped memory leaves none where the page was written
    /// before. The cache knows all of it afterwards.
    ///
    /// What cannot be read is kept as unread, see [`Snapshot::unread`]; what is gone meanwhile is left out.
    pub fn read(listing: &Listing, cache: &mut Cache) -> Self {
        let entries = listing.with_rules();
        let nothing = Known { hashes: vec![None; entries.len()], digest: None };
        Self::complete(listing, entries, nothing, cache)
    }

    /// As [`Snapshot::read`], but for what the cache knows to be the same by its stamp: for who asks what may have changed, and
    /// rests no verdict on it.
    pub fn take(listing: &Listing, cache: &mut Cache) -> Self {
        let entries = listing.with_rules();
        let known = cache.known(&entries);
        Self::complete(listing, entries, known, cache)
    }

    /// Reads what is not known.
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
                // No such entry was asked for.
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

    /// The digest over all of them, and how many there are.
    pub fn state(&self) -> TreeState {
        TreeState { digest: Digest::from_bytes(self.digest), files: self.entries.len() as u64 }
    }

    /// The digest over all of them, as bytes.
    pub(super) fn digest(&self) -> Hash {
        self.digest
    }

    /// Inputs of which it is not known what they hold, and why. A state with such is no state: nothing can be said to equal
    /// it.
    pub fn unread(&self) -> &[(PathBuf, String)] {
        &self.unread
    }

    /// Files by which inputs are told from others, and that cannot be read, and why. A state with such is none either: what
    /// else belongs to it is not known.
    pub fn unknown(&self) -> &[(PathBuf, String)] {
        &self.unknown
    }

    /// What one input holds. None: there is no such input, or it cannot be read.
    pub fn digest_of(&self, path: &Path) -> Option<Digest> {
        let found = self.entries.binary_search_by(|entry| entry.path.as_os_str().cmp(path.as_os_str())).ok()?;
        self.hashes.get(found)?.map(Digest::from_bytes)
    }

    /// The links among them, by path. They are inputs by their own target alone: what lies there need be none.
    pub fn links(&self) -> impl Iterator<Item = &Path> {
        self.entries.iter().filter(|entry| entry.kind == EntryKind::Link).map(|entry| entry.path.as_path())
    }

    /// Whether an input lies below a directory.
    pub fn holds_below(&self, directory: &Path) -> bool {
        self.entries.iter().any(|entry| entry.path.starts_with(directory))
    }

    /// Its inputs, each with what it holds.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Entry, Option<Hash>)> {
        self.entries.iter().zip(self.hashes.iter().copied())
    }
}

/// The digest over inputs with what they hold.
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

/// Hashes these inputs, on all processors where they are many. By index, in no order.
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
