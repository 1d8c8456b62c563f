//! Locates and reads a git repository's own files without starting git.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};

use super::index::{self, Index};
use super::{Stamp, open};

/// Largest index that is read, in bytes: about five million files.
const INDEX_BYTES: u64 = 1024 * 1024 * 1024;

/// Largest of the small files, in bytes.
const SMALL_BYTES: u64 = 64 * 1024;

/// Largest list of packed references, in bytes.
const PACKED_BYTES: u64 = 64 * 1024 * 1024;

/// A repository's data about a work tree.
#[derive(Debug)]
pub(super) struct Repository {
    /// The tracked files, or the reason why they are unknown.
    pub(super) index: Result<Index, String>,
    /// The text of `info/exclude`.
    pub(super) exclude: Vec<u8>,
    /// Stamp of `info/exclude`, by which an unchanged file is recognized.
    pub(super) exclude_stamp: Stamp,
}

/// Opens the repository whose work tree is this directory. None: the directory is not a work tree.
pub(super) fn open(work_tree: &Path) -> Option<Repository> {
    let git = git_directory(work_tree)?;
    let shared = shared_directory(&git);
    let index = match read(&git.join("index"), INDEX_BYTES) {
        Ok(bytes) => index::read(&bytes).map_err(|unread| unread.to_string()),
        Err(error) if error.kind() == ErrorKind::NotFound && has_commit(&git, &shared) => {
            Err("it is gone, and there is a commit".to_owned())
        }
        // No file was ever added.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Index::default()),
        Err(error) => Err(error.to_string()),
    };
    let (exclude, exclude_stamp) = read_stamped(&shared.join("info/exclude"), SMALL_BYTES).unwrap_or_default();
    Some(Repository { index, exclude, exclude_stamp })
}

/// Returns whether the repository has a commit, as far as that can be determined without git: then files are
/// tracked. If the files cannot be read, returns true.
fn has_commit(git: &Path, shared: &Path) -> bool {
    let Ok(head) = read(&git.join("HEAD"), SMALL_BYTES) else { return true };
    let Some(name) = head.strip_prefix(b"ref:").map(<[u8]>::trim_ascii) else { return true };
    let is_there = |path: PathBuf| path.symlink_metadata().is_ok();
    // References in a reftable are not read.
    if is_there(shared.join("reftable")) || is_there(shared.join(open::path(name))) {
        return true;
    }
    match read(&shared.join("packed-refs"), PACKED_BYTES) {
        Ok(packed) => packed.split(|byte| *byte == b'\n').any(|line| line.trim_ascii_end().ends_with(name)),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

/// Returns the nearest work tree: this directory or an ancestor.
pub(super) fn work_tree(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|above| git_directory(above).is_some())
}

/// Returns the git directory of a work tree: `.git`, or the directory that a file of that name points to, as in
/// linked work trees and submodules.
fn git_directory(work_tree: &Path) -> Option<PathBuf> {
    let git = work_tree.join(".git");
    let facts = git.symlink_metadata().ok()?;
    let directory = if facts.is_file() {
        let text = read(&git, SMALL_BYTES).ok()?;
        work_tree.join(open::path(text.strip_prefix(b"gitdir:")?.trim_ascii()))
    } else {
        git
    };
    // As in git: a directory without a `HEAD` is not a repository.
    directory.join("HEAD").symlink_metadata().is_ok().then_some(directory)
}

/// Returns the directory that the work trees of a repository share.
fn shared_directory(git: &Path) -> PathBuf {
    match read(&git.join("commondir"), SMALL_BYTES) {
        Ok(text) if !text.trim_ascii().is_empty() => git.join(open::path(text.trim_ascii())),
        _ => git.to_path_buf(),
    }
}

/// Reads a regular file of at most `limit_bytes` bytes.
fn read(path: &Path, limit_bytes: u64) -> std::io::Result<Vec<u8>> {
    read_stamped(path, limit_bytes).map(|(bytes, _)| bytes)
}

/// Like [`read`], also returning the stamp of the file.
fn read_stamped(path: &Path, limit_bytes: u64) -> std::io::Result<(Vec<u8>, Stamp)> {
    // Without `NONBLOCK`, opening a pipe in its place would block forever.
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
