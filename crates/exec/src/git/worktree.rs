//! Linked worktrees of git: further working directories of the same repository (gitrepository-layout(5),
//! "worktrees").

use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum number of bytes that are read of git's own small files.
const FILE_BYTES: u64 = 16 * 1024;

/// A linked worktree, and the main worktree of its repository.
pub struct Worktree {
    /// The linked worktree's directory.
    pub root: PathBuf,
    /// The main worktree's directory.
    pub main: PathBuf,
}

impl Worktree {
    /// Finds the linked worktree that contains a directory, from the files that git keeps; no process is
    /// started. None: the directory is in no linked worktree, or the repository does not list the worktree,
    /// whatever the worktree claims.
    pub fn of(directory: &Path) -> Option<Self> {
        let root = directory.ancestors().find(|directory| directory.join(".git").symlink_metadata().is_ok())?;
        let link = root.join(".git");
        let own = line(&link)?.strip_prefix("gitdir:")?.trim().to_owned();
        let own = std::fs::canonicalize(root.join(own)).ok()?;
        let common = std::fs::canonicalize(own.join(line(&own.join("commondir"))?)).ok()?;
        let known_as = std::fs::canonicalize(own.join(line(&own.join("gitdir"))?)).ok()?;
        let is_known = own.parent()? == common.join("worktrees") && known_as == std::fs::canonicalize(&link).ok()?;
        let main = common.parent().filter(|_| common.file_name().is_some_and(|name| name == ".git"))?;
        is_known.then(|| Self { root: root.to_path_buf(), main: main.to_path_buf() })
    }

    /// Returns the directory of the main worktree that corresponds to a directory of this one.
    pub fn in_main(&self, directory: &Path) -> Option<PathBuf> {
        moved(directory, &self.root, &self.main)
    }

    /// Returns the directory of this worktree that corresponds to a directory of the main one.
    pub fn in_linked(&self, directory: &Path) -> Option<PathBuf> {
        moved(directory, &self.main, &self.root)
    }

    /// Returns the directory of the main worktree that corresponds to a directory of a linked one. None: the
    /// directory is in no linked worktree.
    pub fn counterpart(directory: &Path) -> Option<PathBuf> {
        let directory = std::fs::canonicalize(directory).ok()?;
        Self::of(&directory)?.in_main(&directory)
    }
}

/// Returns whether a directory is the root of a repository or of a worktree.
pub fn is_root(directory: &Path) -> bool {
    directory.join(".git").symlink_metadata().is_ok()
}

/// Moves a path from below one directory to below another.
fn moved(path: &Path, from: &Path, to: &Path) -> Option<PathBuf> {
    let below = path.strip_prefix(from).ok()?;
    Some(if below.as_os_str().is_empty() { to.to_path_buf() } else { to.join(below) })
}

/// Reads the first line of a small file. None: it is not a readable regular file.
fn line(path: &Path) -> Option<String> {
    if !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(FILE_BYTES).read_to_string(&mut text).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}
