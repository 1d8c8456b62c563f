//! The state of a workspace's inputs: which files there are, and one digest over all of them (design, "Tree digest").
//!
//! [`list()`] finds the inputs: files that git tracks, and untracked ones that it does not ignore, without
//! Referee's own directories and declared outputs. Git is never started, because its configuration can name
//! programs: its index is read here, and untracked files are found by walking. [`Snapshot::read`] reads the
//! content ([`Snapshot::take`] takes it from a [`Cache`] for files with an unchanged stamp), and computes the
//! digest:
//!
//! ```text
//! sha256( for every file, sorted by the bytes of its path:  mode ' ' path '\0' sha256-in-hex '\n' )
//! ```
//!
//! `mode` is `100644` for a file, `100755` if its owner may execute it, and `120000` for a link, whose content
//! is its target. Sockets, pipes and devices have their own mode (`140000`, `010000`, `020000`, `060000`) and
//! no content. `path` is relative to the workspace, in the bytes of the file system.
//!
//! The rules of a repository's `.git/info/exclude`, if there are any, are part of the digest under that path,
//! so that no file can be hidden from the listing without a trace. If an index cannot be read, or is missing
//! although there is a commit, tracked files that are also ignored are unknown: such a state equals no other.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_model::id::Digest;
use referee_model::time::Timestamp;

use crate::error::LedgerError;
use crate::state::State;

pub(crate) mod content;
pub(crate) mod open;

mod exclusions;

mod index;

mod repository;

mod rules;

mod walk;

pub(crate) mod stored;

mod cache;

mod snapshot;

mod changes;

mod generated;

pub use self::cache::Cache;
pub(crate) use self::cache::is_older;
pub use self::changes::{Change, Changes, Rewrite};
pub use self::exclusions::{Exclusions, PatternError};
pub use self::snapshot::Snapshot;

/// The inputs of a workspace, sorted by the bytes of their paths.
#[derive(Debug)]
pub struct Listing {
    root: OwnedFd,
    workspace: PathBuf,
    /// Shared with snapshots, because there may be many.
    entries: Arc<Vec<Entry>>,
    unlisted: Vec<PathBuf>,
    unknown: Vec<(PathBuf, String)>,
    rules: Vec<(Entry, content::Hash)>,
    notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Path relative to the workspace; not necessarily UTF-8.
    pub path: PathBuf,
    pub kind: EntryKind,
    /// Whether the owner may execute the file. Always false for anything but a file.
    pub executable: bool,
    /// Whether git tracks the file. `None`: not in a repository, or the index cannot be read.
    pub tracked: Option<bool>,
    pub(crate) stamp: Stamp,
}

impl Entry {
    fn new(path: &[u8], kind: EntryKind, tracked: Option<bool>, stamp: Stamp) -> Self {
        let executable = kind == EntryKind::File && stamp.mode & 0o100 != 0;
        Self { path: open::path(path).to_path_buf(), kind, executable, tracked, stamp }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    File,
    /// A symbolic link. It is never followed: its content is its target.
    Link,
    Socket,
    Pipe,
    CharacterDevice,
    BlockDevice,
}

/// File system metadata that identifies an unchanged file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Size in bytes.
    pub(crate) size: u64,
    pub(crate) modified: Moment,
    pub(crate) changed: Moment,
    pub(crate) inode: u64,
    pub(crate) mode: u32,
}

/// A file system timestamp.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    pub(crate) seconds: i64,
    pub(crate) nanoseconds: u32,
}

impl Moment {
    /// Returns when a file's content last changed, by the clock of its file system.
    pub(crate) fn of_change(facts: &Metadata) -> Option<Self> {
        Some(Self { seconds: facts.mtime(), nanoseconds: u32::try_from(facts.mtime_nsec()).ok()? })
    }

    fn timestamp(self) -> Timestamp {
        let milliseconds = self.seconds.saturating_mul(1_000).saturating_add(i64::from(self.nanoseconds / 1_000_000));
        Timestamp::from_millisecond(milliseconds)
    }
}

/// A file or link of a workspace, input or not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// Path relative to the workspace, with forward slashes. Invalid UTF-8 is replaced.
    pub path: String,
    /// Whether git ignores the file and does not track it.
    pub ignored: bool,
}

/// Lists the inputs of a workspace.
///
/// # Errors
/// Fails if the workspace cannot be listed, and if it holds more files than the limit
/// ([`referee_model::limit::TREE_FILES`]).
pub fn list(workspace: &Path, exclusions: &Exclusions) -> Result<Listing, LedgerError> {
    let (listing, _) = walked(workspace, walk::Sought { inputs: Some(exclusions), files: None })?;
    Ok(listing)
}

/// Lists all files of a workspace, by path, except those in directories of third-party or generated files and
/// those in `beside`; inputs or not, because files are protected either way.
///
/// # Errors
/// Fails if a directory cannot be listed, and if there are more files than
/// [`referee_model::limit::WORKSPACE_FILES`]: an incomplete list would hide files.
pub fn list_files(workspace: &Path, beside: &[PathBuf]) -> Result<Vec<Listed>, LedgerError> {
    let beside = relative(workspace, beside);
    let (_, files) = walked(workspace, walk::Sought { inputs: None, files: Some(&beside) })?;
    Ok(files)
}

/// Lists the inputs and all files of a workspace in one walk.
///
/// # Errors
/// As [`list()`] and [`list_files`].
pub fn list_both(
    workspace: &Path,
    exclusions: &Exclusions,
    beside: &[PathBuf],
) -> Result<(Listing, Vec<Listed>), LedgerError> {
    let beside = relative(workspace, beside);
    walked(workspace, walk::Sought { inputs: Some(exclusions), files: Some(&beside) })
}

/// Returns the digest over the current inputs, which alone tells whether they are unchanged. Returns `None` if
/// one of them cannot be read, so that they equal no other state.
///
/// The cache stays as the last run left it, because it shows what changed since that run.
///
/// # Errors
/// As [`list()`].
pub fn digest_now(
    workspace: &Path,
    exclusions: &Exclusions,
    state: Option<&State>,
) -> Result<Option<Digest>, LedgerError> {
    let mut cache = Cache::open(state, workspace);
    Ok(known_digest(&Snapshot::read(&list(workspace, exclusions)?, &mut cache)))
}

/// Like [`digest_now`], without reading inputs whose stamp is the one that the last run saw: for callers that ask
/// again and again what may have changed, and base no verdict on it.
///
/// # Errors
/// As [`list()`].
pub fn digest_by_stamps(
    workspace: &Path,
    exclusions: &Exclusions,
    state: Option<&State>,
) -> Result<Option<Digest>, LedgerError> {
    let mut cache = Cache::open(state, workspace);
    Ok(known_digest(&Snapshot::take(&list(workspace, exclusions)?, &mut cache)))
}

fn known_digest(snapshot: &Snapshot) -> Option<Digest> {
    let is_known = snapshot.unread().is_empty() && snapshot.unknown().is_empty();
    is_known.then(|| snapshot.state().digest)
}

fn walked(workspace: &Path, sought: walk::Sought<'_>) -> Result<(Listing, Vec<Listed>), LedgerError> {
    let root = open::root(workspace)?;
    let mut walked = walk::walk(&root, workspace, sought)?;
    let entries = walked.entries();
    let walk::Walked { mut files, mut unlisted, mut unknown, mut rules, mut notes, .. } = walked;
    files.sort_unstable();
    unlisted.sort();
    unknown.sort();
    rules.sort_by(|(one, _), (other, _)| one.path.as_os_str().cmp(other.path.as_os_str()));
    notes.sort();
    let workspace = workspace.to_path_buf();
    Ok((Listing { root, workspace, entries: Arc::new(entries), unlisted, unknown, rules, notes }, files))
}

/// Returns those of the directories that are in the workspace, relative to it.
fn relative(workspace: &Path, directories: &[PathBuf]) -> BTreeSet<Vec<u8>> {
    let inside = directories.iter().filter_map(|directory| exclusions::relative(workspace, directory));
    inside.map(|directory| directory.as_os_str().as_bytes().to_vec()).collect()
}

impl Listing {
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the directories that cannot be listed, and files that cannot be examined: their content is
    /// unknown.
    pub fn unlisted(&self) -> &[PathBuf] {
        &self.unlisted
    }

    /// Returns the files that determine which files are inputs and that cannot be read, with the reason.
    pub fn unknown(&self) -> &[(PathBuf, String)] {
        &self.unknown
    }

    /// Returns the inputs, and the rules files outside the directories of the walk.
    fn with_rules(&self) -> Arc<Vec<Entry>> {
        if self.rules.is_empty() {
            return Arc::clone(&self.entries);
        }
        let mut all: Vec<Entry> = self.entries.iter().cloned().collect();
        all.extend(self.rules.iter().map(|(entry, _)| entry.clone()));
        all.sort_by(|one, other| one.path.as_os_str().cmp(other.path.as_os_str()));
        Arc::new(all)
    }

    /// Returns the hash of a rules file outside the directories of the walk. Returns `None` for any other path.
    fn rule(&self, path: &Path) -> Option<content::Hash> {
        self.rules.iter().find(|(entry, _)| entry.path == path).map(|(_, hash)| *hash)
    }

    /// Returns remarks about how the inputs were found, one sentence each, such as a repository whose index
    /// cannot be read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Reads and hashes one input: the content of a file, the target of a link, nothing for anything else.
    /// Returns `None` if it no longer exists.
    ///
    /// # Errors
    /// Fails if it cannot be read, is no longer of this kind, or is larger than the limit
    /// ([`referee_model::limit::TREE_FILE_BYTES`]).
    pub fn digest(&self, entry: &Entry) -> Result<Option<Digest>, LedgerError> {
        Ok(content::hash(&self.root, entry, &self.workspace, &mut content::Block::default())?.map(Digest::from_bytes))
    }
}

#[cfg(test)]
mod tests;
