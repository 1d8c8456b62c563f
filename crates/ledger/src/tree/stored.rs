//! The file format of the cache: one block of bytes, which is parsed only on access.
//!
//! ```text
//! magic · when the reading began (12 bytes) · whether the digest is known (1) · digest (32) · records · sum (8)
//! record: size (8) · modified (12) · changed (12) · inode (8) · mode (4) · hash (32) · length of the path (4) · path
//! ```
//!
//! Numbers are little-endian; a moment is seconds (8) and nanoseconds (4). Records are sorted by path. The
//! checksum detects damage only: anyone who can write to the state directory can compute one.

use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::RawMode;

use super::content::Hash;
use super::{Entry, Moment, Stamp, open};

const MAGIC: &[u8] = b"referee tree cache 2\n";

const HEAD: usize = MAGIC.len() + 12 + 1 + 32;

const SUM: usize = 8;

/// Length of a record without its path, in bytes.
const RECORD: usize = 8 + 12 + 12 + 8 + 4 + 32 + 4;

/// Largest cache that is read, in bytes.
const CACHE_BYTES: u64 = 1024 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct Stored(Vec<u8>);

/// The cached facts about one file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'stored> {
    pub(super) path: &'stored [u8],
    pub(super) stamp: Stamp,
    pub(super) hash: Hash,
}

impl Stored {
    /// Reads a cache. None: there is no valid one.
    pub(super) fn load(path: &Path) -> Option<Self> {
        let facts = path.symlink_metadata().ok()?;
        if !facts.is_file() {
            return None;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(facts.len().min(CACHE_BYTES)).ok()?);
        File::open(path).ok()?.take(CACHE_BYTES).read_to_end(&mut bytes).ok()?;
        let (body, sum) = bytes.split_last_chunk::<SUM>()?;
        let is_whole = body.len() >= HEAD && body.starts_with(MAGIC) && sum_of(body) == u64::from_le_bytes(*sum);
        is_whole.then_some(Self(bytes))
    }

    /// Serializes the files whose hash is known; `digest` is the digest over all inputs, if it is known.
    pub(super) fn of<'files>(
        began: Moment,
        digest: Option<Hash>,
        files: impl Iterator<Item = (&'files Entry, Option<Hash>)>,
    ) -> Self {
        let (count, _) = files.size_hint();
        let mut bytes = Vec::with_capacity(HEAD + SUM + count.saturating_mul(RECORD + 48));
        bytes.extend_from_slice(MAGIC);
        put_moment(began, &mut bytes);
        bytes.push(u8::from(digest.is_some()));
        bytes.extend_from_slice(&digest.unwrap_or_default());
        for (entry, hash) in files {
            let path = entry.path.as_os_str().as_bytes();
            let (Some(hash), Ok(length)) = (hash, u32::try_from(path.len())) else { continue };
            put_stamp(entry.stamp, &mut bytes);
            bytes.extend_from_slice(&hash);
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend_from_slice(path);
        }
        let sum = sum_of(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        Self(bytes)
    }

    /// Returns the serialized bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns when the reading of the files began. None: unknown, so that none of them can count as old.
    pub(super) fn began(&self) -> Option<Moment> {
        let began = take_moment(&mut self.0.get(MAGIC.len()..)?)?;
        (began != Moment::default()).then_some(began)
    }

    /// Returns the digest over all files, if it is known.
    pub(super) fn digest(&self) -> Option<Hash> {
        let mut rest = self.0.get(MAGIC.len() + 12..)?;
        let [is_known] = take(&mut rest)?;
        let digest = take(&mut rest)?;
        (is_known == 1).then_some(digest)
    }

    /// Returns the records, in the order of their paths. The iteration ends at an invalid record.
    pub(super) fn records(&self) -> Records<'_> {
        let end = self.0.len().saturating_sub(SUM);
        Records { rest: self.0.get(HEAD..end).unwrap_or_default() }
    }
}

/// Iterator over the records of a cache.
#[derive(Debug, Clone)]
pub(super) struct Records<'stored> {
    rest: &'stored [u8],
}

impl Records<'_> {
    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }
}

impl<'stored> Iterator for Records<'stored> {
    type Item = Record<'stored>;

    fn next(&mut self) -> Option<Record<'stored>> {
        let (record, after) = self.rest.split_first_chunk::<RECORD>()?;
        let mut fields = record.as_slice();
        let stamp = take_stamp(&mut fields)?;
        let hash = take(&mut fields)?;
        let length = u32::from_le_bytes(take(&mut fields)?) as usize;
        let (path, rest) = after.split_at_checked(length)?;
        self.rest = rest;
        Some(Record { path, stamp, hash })
    }
}

impl Record<'_> {
    /// Returns the record as an input. None: no input has such a mode.
    pub(super) fn entry(&self) -> Option<Entry> {
        let kind = open::kind_of(self.stamp.mode as RawMode)?;
        Some(Entry::new(self.path, kind, None, self.stamp))
    }
}

/// Returns a checksum that changes with any byte and with the length.
pub(crate) fn sum_of(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(bytes.len() as u64, |sum, word| step(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| step(sum, u64::from(*byte)))
}

pub(crate) fn put_stamp(stamp: Stamp, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&stamp.size.to_le_bytes());
    put_moment(stamp.modified, bytes);
    put_moment(stamp.changed, bytes);
    bytes.extend_from_slice(&stamp.inode.to_le_bytes());
    bytes.extend_from_slice(&stamp.mode.to_le_bytes());
}

pub(crate) fn take_stamp(rest: &mut &[u8]) -> Option<Stamp> {
    Some(Stamp {
        size: u64::from_le_bytes(take(rest)?),
        modified: take_moment(rest)?,
        changed: take_moment(rest)?,
        inode: u64::from_le_bytes(take(rest)?),
        mode: u32::from_le_bytes(take(rest)?),
    })
}

fn put_moment(moment: Moment, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&moment.seconds.to_le_bytes());
    bytes.extend_from_slice(&moment.nanoseconds.to_le_bytes());
}

fn take_moment(rest: &mut &[u8]) -> Option<Moment> {
    let seconds = i64::from_le_bytes(take(rest)?);
    Some(Moment { seconds, nanoseconds: u32::from_le_bytes(take(rest)?) })
}

pub(crate) fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk::<N>()?;
    *rest = after;
    Some(*taken)
}
