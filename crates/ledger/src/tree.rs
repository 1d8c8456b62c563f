//! The state of a workspace's inputs: which files there are, and one digest over all of them (design, "Tree digest").
//!
//! [`list()`] names the inputs: files that git tracks, and untracked ones that it does not ignore, minus our own folders
//! and declared outputs. Git is never started, because its configuration can name programs: the index is read here, and
//! untracked files are found by walking. [`Snapshot::take`] reads what they hold, or takes from a [`Cache`] what is known
//! to be the same, and makes the digest:
//!
//! ```text
//! sha256( for every file, sorted by the bytes of its path:  mode ' ' path '\0' sha256-in-hex '\n' )
//! ```
//!
//! `mode` is `100644` or `100755` for a file, as its owner may execute it, and `120000` for a link, whose content is its
//! target. Sockets, pipes and devices have their own mode (`140000`, `010000`, `020000`, `060000`) and no content. `path` is
//! relative to the workspace, in the bytes that the file system holds.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use referee_model::id::Digest;
use referee_model::time::Timestamp;

use crate::error::LedgerError;

pub(crate) mod content;
mod place;

mod exclusions;

mod index;

mod repository;

mod rules;

mod walk;

mod cache;

mod snapshot;

mod changes;

pub use self::cache::Cache;
pub use self::changes::{Change, Changes};
pub use self::exclusions::{Exclusions, PatternError};
pub use self::snapshot::Snapshot;

/// The inputs of a workspace, sorted by the bytes of their paths.
#[derive(Debug)]
pub struct Listing {
    root: OwnedFd,
    workspace: PathBuf,
    entries: Vec<Entry>,
    unlisted: Vec<PathBuf>,
    notes: Vec<String>,
}

/// One input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it lies, relative to the workspace; need not be text.
    pub path: PathBuf,
    /// What it is.
    pub kind: EntryKind,
    /// Whether its owner may execute it; never so for what is no file.
    pub executable: bool,
    /// Whether git tracks it. None: it lies in no repository, or the index cannot be read.
    pub tracked: Option<bool>,
    pub(crate) stamp: Stamp,
}

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A link. It is never followed: its content is its target.
    Link,
    /// A socket.
    Socket,
    /// A named pipe.
    Pipe,
    /// A device for characters.
    CharacterDevice,
    /// A device for blocks.
    BlockDevice,
}

/// By what the file system tells that a file is still the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// In bytes.
    pub(crate) size: u64,
    pub(crate) modified: Moment,
    pub(crate) changed: Moment,
    pub(crate) inode: u64,
    pub(crate) mode: u32,
}

/// A moment as the file system counts it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    pub(crate) seconds: i64,
    pub(crate) nanoseconds: u32,
}

impl Moment {
    fn timestamp(self) -> Timestamp {
        let milliseconds = self.seconds.saturating_mul(1_000).saturating_add(i64::from(self.nanoseconds / 1_000_000));
        Timestamp::from_millisecond(milliseconds)
    }
}

/// Lists the inputs of a workspace.
///
/// # Errors
/// Fails where the workspace cannot be listed, and where it holds more files than can be kept track of
/// ([`referee_model::limit::TREE_FILES`]).
pub fn list(workspace: &Path, exclusions: &Exclusions) -> Result<Listing, LedgerError> {
    let root = place::root(workspace)?;
    let walked = walk::walk(&root, workspace, exclusions)?;
    let walk::Walked { mut entries, mut unlisted, mut notes } = walked;
    entries.sort_unstable_by(|one, other| one.path.as_os_str().cmp(other.path.as_os_str()));
    unlisted.sort();
    notes.sort();
    Ok(Listing { root, workspace: workspace.to_path_buf(), entries, unlisted, notes })
}

impl Listing {
    /// The inputs.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Folders that cannot be listed, and files that cannot be looked at: what they hold is not known.
    pub fn unlisted(&self) -> &[PathBuf] {
        &self.unlisted
    }

    /// What is to be known of how the inputs were found, a sentence each: a repository whose index cannot be read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The workspace.
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Reads what one input holds and hashes it: the content of a file, the target of a link, nothing for anything else.
    /// None: it is gone.
    ///
    /// # Errors
    /// Fails where it cannot be read, is something else by now, or is larger than is read
    /// ([`referee_model::limit::TREE_FILE_BYTES`]).
    pub fn digest(&self, entry: &Entry) -> Result<Option<Digest>, LedgerError> {
        Ok(content::hash(&self.root, entry, &self.workspace)?.map(Digest::from_bytes))
    }
}

#[cfg(test)]
mod tests;
