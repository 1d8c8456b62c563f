//! Where a git repository keeps what it knows, found without starting git.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};

use super::index::{self, Index};
use super::{Stamp, open};

/// Largest index that is read, in bytes: some five million files.
const INDEX_BYTES: u64 = 1024 * 1024 * 1024;

/// Largest of the small files.
const SMALL_BYTES: u64 = 64 * 1024;

/// Largest list of packed references.
const PACKED_BYTES: u64 = 64 * 1024 * 1024;

/// What a repository says of a work tree.
#[derive(Debug)]
pub(super) struct Repository {
    /// The tracked files. None: they cannot be told, for this reason.
    pub(super) index: Result<Index, String>,
    /// The rules of `info/exclude`, as text.
    pub(super) exclude: Vec<u8>,
    /// By what the file system tells that they are the same.
    pub(super) exclude_stamp: Stamp,
}

/// Opens the repository whose work tree is this directory. None: it is none.
pub(super) fn open(work_tree: &Path) -> Option<Repository> {
    let git = git_directory(work_tree)?;
    let shared = shared_directory(&git);
    let index = match read(&git.join("index"), INDEX_BYTES) {
        Ok(bytes) => index::read(&bytes).map_err(|unread| unread.to_string()),
        Err(error) if error.kind() == ErrorKind::NotFound && has_commit(&git, &shared) => {
            Err("it is gone, and there is a commit".to_owned())
        }
        // Nothing was ever added.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Index::default()),
        Err(error) => Err(error.to_string()),
    };
    let (exclude, exclude_stamp) = read_stamped(&shared.join("info/exclude"), SMALL_BYTES).unwrap_or_default();
    Some(Repository { index, exclude, exclude_stamp })
}

/// Whether something was ever committed, as far as that is told without git: then files are tracked. What cannot be read
/// counts as yes.
fn has_commit(git: &Path, shared: &Path) -> bool {
    let Ok(head) = read(&git.join("HEAD"), SMALL_BYTES) else { return true };
    let Some(name) = head.strip_prefix(b"ref:").map(<[u8]>::trim_ascii) else { return true };
    let is_there = |path: PathBuf| path.symlink_metadata().is_ok();
    // References in a table are not read.
    if is_there(shared.join("reftable")) || is_there(shared.join(open::path(name))) {
        return true;
    }
    match read(&shared.join("packed-refs"), PACKED_BYTES) {
        Ok(packed) => packed.split(|byte| *byte == b'\n').any(|line| line.trim_ascii_end().ends_with(name)),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

/// Finds the nearest directory, this one or above it, that is a work tree.
pub(super) fn work_tree(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|above| git_directory(above).is_some())
}

/// The directory of a work tree's own files: `.git`, or where a file of that name points, as in other work trees and
/// submodules.
fn git_directory(work_tree: &Path) -> Option<PathBuf> {
    let git = work_tree.join(".git");
    let facts = git.symlink_metadata().ok()?;
    let directory = if facts.is_file() {
        let text = read(&git, SMALL_BYTES).ok()?;
        work_tree.join(open::path(text.strip_prefix(b"gitdir:")?.trim_ascii()))
    } else {
        git
    };
    // As git does: a directory without a head is no repository.
    directory.join("HEAD").symlink_metadata().is_ok().then_some(directory)
}

/// The directory that several work trees of one repository share.
fn shared_directory(git: &Path) -> PathBuf {
    match read(&git.join("commondir"), SMALL_BYTES) {
        Ok(text) if !text.trim_ascii().is_empty() => git.join(open::path(text.trim_ascii())),
        _ => git.to_path_buf(),
    }
}

/// Reads a file that must be a regular one, up to a limit.
fn read(path: &Path, limit_bytes: u64) -> std::io::Result<Vec<u8>> {
    read_stamped(path, limit_bytes).map(|(bytes, _)| bytes)
}

/// As [`read`], with the stamp of the file.
fn read_stamped(path: &Path, limit_bytes: u64) -> std::io::Result<(Vec<u8>, Stamp)> {
    // A pipe in its place would make a plain open wait for ever.
    let flags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
    let file = File::from(rustix::fs::openat(CWD, path.as_os_str().as_bytes(), flags, Mode::empty())?);
    let facts = file.metadata()?;
    let stamp = open::stamp(&rustix::fs::fstat(&file)?);
    if !facts.is_file() {
        return Err(std::io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(facts.len().min(limit_bytes)).unwrap_or(0));
    file.take(limit_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit_bytes {
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, "it is too large"));
    }
    Ok((bytes, stamp))
}
