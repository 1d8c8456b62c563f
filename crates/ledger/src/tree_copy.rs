//! A copy of a workspace's inputs, used to restore them after something was tried in place (`referee init`).

mod directories;

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use referee_model::run_context::tree::TreeChangeKind;

use self::directories::Directories;
use crate::error::LedgerError;
use crate::state::State;
use crate::tree::{self, Cache, Change, Changes, EntryKind, Exclusions, Listing, Snapshot};

/// Maximum number of files to copy.
const FILES: usize = 50_000;
/// Maximum total size to copy, in bytes.
const BYTES: u64 = 1024 * 1024 * 1024;

/// Number of passes that restore changes: a changed ignore file may hide other changes until it is restored.
const LOOKS: usize = 3;

/// Reason why no copy was made.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// There are more files or bytes than the limits allow.
    #[error("it has {files} files ({mebibytes} MiB): at most {FILES} files and {} MiB are copied", BYTES >> 20)]
    TooMuch { files: usize, mebibytes: u64 },
    /// The content of a path could not be determined.
    #[error("`{}`: {why}", path.display())]
    Unknown { path: PathBuf, why: String },
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// A copy of a workspace's inputs.
#[derive(Debug)]
pub struct TreeCopy {
    workspace: PathBuf,
    /// Directory that contains the copies, under the same relative paths.
    directory: PathBuf,
    exclusions: Exclusions,
    cache: Cache,
    original: Snapshot,
    /// Inputs as of the last call of [`TreeCopy::changes`].
    last: Snapshot,
    directories: Directories,
    /// Directory that was added to the workspace and is to be removed on restore.
    added: Option<PathBuf>,
}

impl TreeCopy {
    /// Copies the inputs of a workspace into a private directory.
    ///
    /// # Errors
    /// Fails if the inputs are too many or too large, and if one of them cannot be read.
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

    /// Returns the changes since the last call.
    ///
    /// # Errors
    /// Fails if the inputs cannot be listed.
    pub fn changes(&mut self) -> Result<Vec<Change>, LedgerError> {
        let (listing, now) = self.look()?;
        let changes = Changes::between(&self.last, &now, &listing).files;
        self.last = now;
        Ok(changes)
    }

    /// Returns the outermost new directory that contains a new file, or the file itself if there is none.
    pub fn outermost_new<'path>(&self, path: &'path Path) -> &'path Path {
        self.directories.outermost_new(path)
    }

    /// Returns whether a file exists that is not in the copy: git ignores it, or it was created since.
    pub fn is_product(&self, path: &Path) -> bool {
        self.workspace.join(path).is_file() && self.directory.join(path).symlink_metadata().is_err()
    }

    /// Restores these files. A file that was not in the copy is left as it is.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn put_back<'path>(&mut self, paths: impl IntoIterator<Item = &'path Path>) -> Result<(), LedgerError> {
        for path in paths {
            self.put_back_one(path)?;
        }
        self.changes().map(drop)
    }

    /// Copies a directory into the workspace under `name`. Returns `false` if the name is taken.
    ///
    /// # Errors
    /// Fails on an I/O error.
    pub fn add_directory(&mut self, from: &Path, name: &str) -> Result<bool, LedgerError> {
        let to = self.workspace.join(name);
        if to.symlink_metadata().is_ok() {
            return Ok(false);
        }
        self.added = Some(to.clone());
        copy_directory(from, &to)?;
        Ok(true)
    }

    /// Restores the workspace: changed or removed inputs are put back, new ones are removed. Files that are not inputs
    /// stay as they are. Returns the paths that could not be restored.
    ///
    /// # Errors
    /// Fails on an I/O error.
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

    /// Restores a file atomically, so that readers never see a partial file.
    fn put_back_one(&self, path: &Path) -> Result<(), LedgerError> {
        let (from, to) = (self.directory.join(path), self.workspace.join(path));
        // Non-files, and ignore rules outside the tree, have no copy.
        let Ok(facts) = from.symlink_metadata() else { return Ok(()) };
        if facts.is_dir() {
            return Ok(());
        }
        let beside = to.with_file_name(format!(".referee-{}", rustix::process::getpid().as_raw_nonzero()));
        copy(&from, &beside)?;
        fs::rename(&beside, &to).map_err(LedgerError::io("put back", &to))
    }
}

/// Copies a file with its mode and modification time, or a symbolic link as a link. Anything else is skipped.
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
