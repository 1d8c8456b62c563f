//! A copy of a workspace's inputs, by which they are put back as they were when something was tried in place (`referee init`).

mod directories;

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use referee_model::run_context::tree::TreeChangeKind;

use self::directories::Directories;
use crate::error::LedgerError;
use crate::state::State;
use crate::tree::{self, Cache, Change, Changes, EntryKind, Exclusions, Listing, Snapshot};

/// Most files that are copied.
const FILES: usize = 50_000;
/// Most bytes that are copied.
const BYTES: u64 = 1024 * 1024 * 1024;

/// How often what changed is looked for again: a file that says what git ignores may hide others until it is as it was.
const LOOKS: usize = 3;

/// Why no copy was made.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// There is more than is copied.
    #[error("it has {files} files ({mebibytes} MiB): at most {FILES} files and {} MiB are copied", BYTES >> 20)]
    TooMuch { files: usize, mebibytes: u64 },
    /// What is there cannot be told.
    #[error("`{}`: {why}", path.display())]
    Unknown { path: PathBuf, why: String },
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// A copy of a workspace's inputs.
#[derive(Debug)]
pub struct TreeCopy {
    workspace: PathBuf,
    /// Where the copies lie, by the same paths.
    directory: PathBuf,
    exclusions: Exclusions,
    cache: Cache,
    original: Snapshot,
    /// As they were at the last look.
    last: Snapshot,
    directories: Directories,
    /// A directory that was put into the workspace, and is taken out again.
    added: Option<PathBuf>,
}

impl TreeCopy {
    /// Copies the inputs of a workspace into a private directory.
    ///
    /// # Errors
    /// Fails where they are too many or too large, and where one of them cannot be read.
    pub fn take(
        workspace: &Path,
        exclusions: Exclusions,
        directory: PathBuf,
        state: &State,
    ) -> Result<Self, CopyError> {
        let listing = tree::list(workspace, &exclusions)?;
        let files = || listing.entries().iter().filter(|entry| entry.kind == EntryKind::File);
        let bytes = files().fold(0_u64, |sum, entry| sum.saturating_add(entry.stamp.size));
        if listing.entries().len() > FILES || bytes > BYTES {
            return Err(CopyError::TooMuch { files: listing.entries().len(), mebibytes: bytes >> 20 });
        }
        let mut cache = Cache::open(Some(state), workspace);
        let original = Snapshot::take(&listing, &mut cache);
        if let Some((path, why)) = original.unread().iter().chain(original.unknown()).next() {
            return Err(CopyError::Unknown { path: path.clone(), why: why.clone() });
        }
        for entry in listing.entries() {
            copy(&workspace.join(&entry.path), &directory.join(&entry.path))?;
        }
        let directories = Directories::look(workspace, &listing)?;
        let last = original.clone();
        Ok(Self {
            workspace: workspace.to_path_buf(),
            directory,
            exclusions,
            cache,
            original,
            last,
            directories,
            added: None,
        })
    }

    /// Says what changed since the last look.
    ///
    /// # Errors
    /// Fails where the inputs cannot be listed.
    pub fn changes(&mut self) -> Result<Vec<Change>, LedgerError> {
        let (listing, now) = self.look()?;
        let changes = Changes::between(&self.last, &now, &listing).files;
        self.last = now;
        Ok(changes)
    }

    /// Returns the outermost directory that was not there, in which a new file lies; else the file itself.
    pub fn outermost_new<'path>(&self, path: &'path Path) -> &'path Path {
        self.directories.outermost_new(path)
    }

    /// Whether a file is there that is no input: git ignores it, or it was made since.
    pub fn is_product(&self, path: &Path) -> bool {
        self.workspace.join(path).is_file() && self.directory.join(path).symlink_metadata().is_err()
    }

    /// Puts these files back as they were. One that was not there stays.
    ///
    /// # Errors
    /// Fails where the system refuses.
    pub fn put_back<'path>(&mut self, paths: impl IntoIterator<Item = &'path Path>) -> Result<(), LedgerError> {
        for path in paths {
            self.put_back_one(path)?;
        }
        self.changes().map(drop)
    }

    /// Puts a copy of a directory into the workspace, under a name that is free; false: the name is taken.
    ///
    /// # Errors
    /// Fails where the system refuses.
    pub fn add_directory(&mut self, from: &Path, name: &str) -> Result<bool, LedgerError> {
        let to = self.workspace.join(name);
        if to.symlink_metadata().is_ok() {
            return Ok(false);
        }
        self.added = Some(to.clone());
        copy_directory(from, &to)?;
        Ok(true)
    }

    /// Makes the workspace what it was: what was changed or removed is put back, what is new is removed. What is no input
    /// stays as it is. Returns what could not be made as it was.
    ///
    /// # Errors
    /// Fails where the system refuses.
    pub fn restore(&mut self) -> Result<Vec<PathBuf>, LedgerError> {
        if let Some(added) = self.added.take() {
            fs::remove_dir_all(&added).map_err(LedgerError::io("remove", &added))?;
        }
        for _ in 0..LOOKS {
            let (listing, now) = self.look()?;
            let changes = Changes::between(&self.original, &now, &listing).files;
            if changes.is_empty() {
                break;
            }
            let is_new = |change: &&Change| change.kind == TreeChangeKind::Added;
            for change in changes.iter().filter(is_new) {
                let path = self.workspace.join(&change.path);
                fs::remove_file(&path).map_err(LedgerError::io("remove", &path))?;
            }
            for change in changes.iter().filter(|change| !is_new(change)) {
                self.put_back_one(&change.path)?;
            }
        }
        self.directories.remove_new_empty(&self.workspace);
        let (listing, now) = self.look()?;
        Ok(Changes::between(&self.original, &now, &listing).files.into_iter().map(|change| change.path).collect())
    }

    fn look(&mut self) -> Result<(Listing, Snapshot), LedgerError> {
        let listing = tree::list(&self.workspace, &self.exclusions)?;
        let snapshot = Snapshot::take(&listing, &mut self.cache);
        Ok((listing, snapshot))
    }

    /// In one step, so that nobody finds half a file.
    fn put_back_one(&self, path: &Path) -> Result<(), LedgerError> {
        let (from, to) = (self.directory.join(path), self.workspace.join(path));
        // Of what is no file, and of rules beside the tree, there is no copy.
        let Ok(facts) = from.symlink_metadata() else { return Ok(()) };
        if facts.is_dir() {
            return Ok(());
        }
        let beside = to.with_file_name(format!(".referee-{}", rustix::process::getpid().as_raw_nonzero()));
        copy(&from, &beside)?;
        fs::rename(&beside, &to).map_err(LedgerError::io("put back", &to))
    }
}

/// Copies a file with its mode and time, or a link as a link. What is neither is passed over.
fn copy(from: &Path, to: &Path) -> Result<(), LedgerError> {
    let facts = from.symlink_metadata().map_err(LedgerError::io("look at", from))?;
    if let Some(above) = to.parent() {
        fs::create_dir_all(above).map_err(LedgerError::io("make the directory", above))?;
    }
    if facts.is_symlink() {
        let target = fs::read_link(from).map_err(LedgerError::io("read", from))?;
        return symlink(target, to).map_err(LedgerError::io("copy to", to));
    }
    if !facts.is_file() {
        return Ok(());
    }
    fs::copy(from, to).map_err(LedgerError::io("copy", from))?;
    let modified = facts.modified().and_then(|at| File::open(to)?.set_modified(at));
    modified.map_err(LedgerError::io("copy to", to))
}

fn copy_directory(from: &Path, to: &Path) -> Result<(), LedgerError> {
    fs::create_dir_all(to).map_err(LedgerError::io("make the directory", to))?;
    for entry in fs::read_dir(from).map_err(LedgerError::io("list", from))? {
        let entry = entry.map_err(LedgerError::io("list", from))?;
        let kind = entry.file_type().map_err(LedgerError::io("look at", from))?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if kind.is_dir() { copy_directory(&from, &to)? } else { copy(&from, &to)? }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
