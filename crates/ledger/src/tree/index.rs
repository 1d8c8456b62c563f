//! Reads from git's index which files are tracked (gitformat-index(5); versions 2, 3 and 4).

/// The files that git's index tracks.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// All paths, concatenated.
    names: Vec<u8>,
    /// Entries sorted by path.
    tracked: Vec<Tracked>,
}

#[derive(Debug, Clone, Copy)]
struct Tracked {
    start: usize,
    end: usize,
    /// Whether the entry is another repository, such as a submodule.
    repository: bool,
}

/// Why an index cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unread {
    #[error("it is a split index")]
    Split,
    #[error("it is a sparse index: it lists directories instead of files")]
    Sparse,
    #[error("its version {0} is not supported")]
    Version(u32),
    #[error("it has a required extension that is not supported")]
    Extension,
    #[error("it is damaged")]
    Damaged,
}

const HEADER: usize = 12;
/// Size of times, device, inode, mode, owner, group and file size, before the object id, in bytes.
const FACTS: usize = 40;
const MODE_AT: usize = 24;
const IS_EXTENDED: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;
const REPOSITORY: u32 = 0o160_000;
const DIRECTORY: u32 = 0o040_000;
/// Lengths of object ids in bytes: SHA-1, or SHA-256 in repositories that use it. The index itself does not say
/// which, but only one length fits.
const IDS: [usize; 2] = [20, 32];

/// Parses an index. Its checksum is not verified: git lets it be left out, and anyone who can forge the rest
/// can forge it.
pub(super) fn read(bytes: &[u8]) -> Result<Index, Unread> {
    let [sha1, sha256] = IDS;
    match parse(bytes, sha1) {
        Ok(index) => Ok(index),
        Err(reason) => parse(bytes, sha256).map_err(|other| if reason == Unread::Damaged { other } else { reason }),
    }
}

fn parse(bytes: &[u8], id: usize) -> Result<Index, Unread> {
    if bytes.get(..4) != Some(b"DIRC".as_slice()) {
        return Err(Unread::Damaged);
    }
    let version = number(bytes, 4)?;
    if !(2..=4).contains(&version) {
        return Err(Unread::Version(version));
    }
    let count = number(bytes, 8)? as usize;
    let end = bytes.len().checked_sub(id).ok_or(Unread::Damaged)?;
    let body = bytes.get(..end).ok_or(Unread::Damaged)?;
    // No entry is shorter than its fixed fields, so a forged count cannot reserve too much memory.
    let mut index = Index { names: Vec::new(), tracked: Vec::with_capacity(count.min(body.len() / FACTS)) };
    let mut at = HEADER;
    for _ in 0..count {
        at = index.take(body, at, (version, id))?;
    }
    extensions(body, at)?;
    Ok(index)
}

impl Index {
    /// Parses the entry at an offset; returns the offset of the next one.
    fn take(&mut self, body: &[u8], start: usize, (version, id): (u32, usize)) -> Result<usize, Unread> {
        let mode = number(body, start + MODE_AT)?;
        let mut at = start + FACTS + id;
        let flags = short(body, at)?;
        at += 2;
        if flags & IS_EXTENDED != 0 {
            short(body, at)?;
            at += 2;
        }
        let begin = self.names.len();
        if version == 4 {
            let (dropped, next) = varint(body, at)?;
            let last = self.tracked.last().map_or(0..0, |last| last.start..last.end);
            let kept = last.len().checked_sub(dropped).ok_or(Unread::Damaged)?;
            self.names.extend_from_within(last.start..last.start + kept);
            let rest = until_nul(body, next)?;
            self.names.extend_from_slice(rest);
            at = next + rest.len() + 1;
        } else {
            let name = until_nul(body, at)?;
            let is_short = flags & NAME_LENGTH != NAME_LENGTH;
            if is_short && name.len() != usize::from(flags & NAME_LENGTH) {
                return Err(Unread::Damaged);
            }
            self.names.extend_from_slice(name);
            // Padded with one to eight NULs, so that the length of an entry is a multiple of eight bytes.
            at = start + ((at + name.len() - start) / 8 + 1) * 8;
        }
        let kind = mode & 0o170_000;
        if kind == DIRECTORY {
            return Err(Unread::Sparse);
        }
        let tracked = Tracked { start: begin, end: self.names.len(), repository: kind == REPOSITORY };
        self.push(tracked)?;
        Ok(at)
    }

    /// Adds an entry. The sides of a merge conflict have the same path, which is added once.
    fn push(&mut self, tracked: Tracked) -> Result<(), Unread> {
        let name = self.name(tracked);
        if name.is_empty() {
            // The entry refers to an entry of the shared index.
            return Err(Unread::Split);
        }
        let is_plain = |part: &[u8]| !matches!(part, b"" | b"." | b"..");
        if !name.split(|byte| *byte == b'/').all(is_plain) {
            return Err(Unread::Damaged);
        }
        match self.tracked.last().map(|last| self.name(*last).cmp(name)) {
            Some(std::cmp::Ordering::Greater) => Err(Unread::Damaged),
            Some(std::cmp::Ordering::Equal) => Ok(()),
            _ => {
                self.tracked.push(tracked);
                Ok(())
            }
        }
    }

    fn name(&self, tracked: Tracked) -> &[u8] {
        self.names.get(tracked.start..tracked.end).unwrap_or_default()
    }

    pub(super) fn all(&self) -> std::ops::Range<usize> {
        0..self.tracked.len()
    }

    /// Returns the entries of a range that are below a directory, given with a trailing slash.
    pub(super) fn below(&self, range: std::ops::Range<usize>, directory: &[u8]) -> std::ops::Range<usize> {
        let within = self.tracked.get(range.clone()).unwrap_or_default();
        let from = within.partition_point(|tracked| self.name(*tracked) < directory);
        let rest = within.get(from..).unwrap_or_default();
        let count = rest.partition_point(|tracked| self.name(*tracked).starts_with(directory));
        range.start + from..range.start + from + count
    }

    /// Returns how a path is tracked: as a file or as a repository of its own. None: it is not tracked.
    pub(super) fn tracks(&self, range: std::ops::Range<usize>, path: &[u8]) -> Option<Tracking> {
        let within = self.tracked.get(range).unwrap_or_default();
        let found = within.binary_search_by(|tracked| self.name(*tracked).cmp(path)).ok()?;
        let repository = within.get(found)?.repository;
        Some(if repository { Tracking::Repository } else { Tracking::File })
    }

    /// Like [`Self::tracks`], for paths that are queried in sorted order: the range is reduced to the entries
    /// that later queries can match.
    pub(super) fn tracks_next(&self, range: &mut std::ops::Range<usize>, path: &[u8]) -> Option<Tracking> {
        let mut next = *self.tracked.get(range.clone())?.first()?;
        if self.name(next) < path {
            let within = self.tracked.get(range.clone()).unwrap_or_default();
            range.start += within.partition_point(|tracked| self.name(*tracked) < path);
            next = *self.tracked.get(range.clone())?.first()?;
        }
        if self.name(next) != path {
            return None;
        }
        range.start += 1;
        Some(if next.repository { Tracking::Repository } else { Tracking::File })
    }
}

/// How a path is tracked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tracking {
    File,
    Repository,
}

/// Walks the extensions, which must end where the checksum begins. Extensions with a lower-case signature
/// change the meaning of the entries.
fn extensions(body: &[u8], mut at: usize) -> Result<(), Unread> {
    while at < body.len() {
        let signature = body.get(at..at + 4).ok_or(Unread::Damaged)?;
        let length = number(body, at + 4)? as usize;
        match signature {
            b"link" => return Err(Unread::Split),
            b"sdir" => return Err(Unread::Sparse),
            [b'A'..=b'Z', ..] => {}
            _ => return Err(Unread::Extension),
        }
        at = at.checked_add(8).and_then(|at| at.checked_add(length)).ok_or(Unread::Damaged)?;
    }
    if at == body.len() { Ok(()) } else { Err(Unread::Damaged) }
}

fn number(bytes: &[u8], at: usize) -> Result<u32, Unread> {
    let found = bytes.get(at..).and_then(|bytes| bytes.first_chunk::<4>()).ok_or(Unread::Damaged)?;
    Ok(u32::from_be_bytes(*found))
}

fn short(bytes: &[u8], at: usize) -> Result<u16, Unread> {
    let found = bytes.get(at..).and_then(|bytes| bytes.first_chunk::<2>()).ok_or(Unread::Damaged)?;
    Ok(u16::from_be_bytes(*found))
}

fn until_nul(bytes: &[u8], at: usize) -> Result<&[u8], Unread> {
    let rest = bytes.get(at..).ok_or(Unread::Damaged)?;
    let end = memchr::memchr(0, rest).ok_or(Unread::Damaged)?;
    rest.get(..end).ok_or(Unread::Damaged)
}

/// Parses a variable-length number as in pack offsets: seven bits per byte, and one is added for each further
/// byte.
fn varint(bytes: &[u8], mut at: usize) -> Result<(usize, usize), Unread> {
    let mut byte = *bytes.get(at).ok_or(Unread::Damaged)?;
    let mut value = usize::from(byte & 0x7f);
    at += 1;
    while byte & 0x80 != 0 {
        byte = *bytes.get(at).ok_or(Unread::Damaged)?;
        at += 1;
        let more = value.checked_add(1).and_then(|value| value.checked_mul(128)).ok_or(Unread::Damaged)?;
        value = more + usize::from(byte & 0x7f);
    }
    Ok((value, at))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_and_what_is_read_is_sorted(version in 0u32..6, count in 0u32..4, bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let mut index = b"DIRC".to_vec();
            index.extend(version.to_be_bytes());
            index.extend(count.to_be_bytes());
            index.extend(bytes);
            if let Ok(index) = read(&index) {
                let names: Vec<_> = index.tracked.iter().map(|tracked| index.name(*tracked)).collect();
                prop_assert!(names.is_sorted());
            }
        }
    }

    #[test]
    fn numbers_of_variable_length_are_read_as_git_writes_them() {
        for (bytes, value) in [(&[0x05][..], 5), (&[0x80, 0x00], 128), (&[0x81, 0x7f], 383)] {
            assert_eq!(varint(bytes, 0), Ok((value, bytes.len())));
        }
        assert_eq!(varint(&[0x80], 0), Err(Unread::Damaged));
        assert_eq!(varint(&[0xff; 32], 0), Err(Unread::Damaged));
    }
}
