//! Opens files below the workspace without following links on the way.

use std::ffi::OsStr;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawMode, Stat};
use rustix::io::Errno;

use super::{EntryKind, Moment, Stamp};
use crate::error::LedgerError;
use crate::open_below::open_below;

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Without `NONBLOCK`, opening a pipe in place of a file would block forever.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// Opens the workspace itself, which the caller may name by a link.
pub(super) fn root(workspace: &Path) -> Result<OwnedFd, LedgerError> {
    rustix::fs::openat(CWD, workspace, DIRECTORY.difference(OFlags::NOFOLLOW), Mode::empty())
        .map_err(LedgerError::io("open the directory", workspace))
}

/// Opens a directory below the root; an empty path is the root itself.
pub(super) fn directory(root: BorrowedFd<'_>, path: &[u8]) -> Result<OwnedFd, Errno> {
    open_below(root, if path.is_empty() { b"." } else { path }, DIRECTORY)
}

/// Opens a file below the root for reading.
pub(crate) fn file(root: BorrowedFd<'_>, path: &[u8]) -> Result<OwnedFd, Errno> {
    open_below(root, path, FILE)
}

/// Returns the metadata of the entry at a path, without following links.
pub(super) fn look(at: BorrowedFd<'_>, path: &[u8]) -> Result<Stat, Errno> {
    rustix::fs::statat(at, path, AtFlags::SYMLINK_NOFOLLOW)
}

/// Returns the stamp of a file from its metadata.
pub(crate) fn stamp(stat: &Stat) -> Stamp {
    let moment = |seconds, nanoseconds| Moment { seconds, nanoseconds };
    Stamp {
        size: u64::try_from(stat.st_size).unwrap_or(0),
        modified: moment(stat.st_mtime, u32::try_from(stat.st_mtime_nsec).unwrap_or(0)),
        changed: moment(stat.st_ctime, u32::try_from(stat.st_ctime_nsec).unwrap_or(0)),
        inode: stat.st_ino,
        mode: u32::try_from(u64::from(stat.st_mode)).unwrap_or(0),
    }
}

/// Returns the kind of an entry. None: a directory.
pub(super) fn kind(stat: &Stat) -> Option<EntryKind> {
    kind_of(stat.st_mode)
}

/// Returns the kind that a file's mode encodes. None: a directory.
pub(super) fn kind_of(mode: RawMode) -> Option<EntryKind> {
    match FileType::from_raw_mode(mode) {
        FileType::Directory => None,
        FileType::RegularFile | FileType::Unknown => Some(EntryKind::File),
        FileType::Symlink => Some(EntryKind::Link),
        FileType::Socket => Some(EntryKind::Socket),
        FileType::Fifo => Some(EntryKind::Pipe),
        FileType::CharacterDevice => Some(EntryKind::CharacterDevice),
        FileType::BlockDevice => Some(EntryKind::BlockDevice),
    }
}

/// Returns bytes as a path.
pub(super) fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}
