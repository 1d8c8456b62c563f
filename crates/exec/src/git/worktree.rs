//! Linked worktrees of git: other directories of the same project (gitrepository-layout(5), "worktrees").

use std::io::Read;
use std::path::{Path, PathBuf};

/// Most that is read of one of git's own small files, in bytes.
const FILE_BYTES: u64 = 16 * 1024;

/// A linked worktree, and the main one of its repository.
pub struct Worktree {
    /// The linked worktree's directory.
    pub root: PathBuf,
    /// The main worktree's directory.
    pub main: PathBuf,
}

impl Worktree {
    /// Finds the linked worktree that a directory lies in, by the files that git keeps; no process is started. None: it
    /// lies in none, or the repository does not know the worktree, whatever the worktree claims.
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

    /// Returns the directory of the main worktree that a directory of this one is the counterpart of.
    pub fn in_main(&self, directory: &Path) -> Option<PathBuf> {
        moved(directory, &self.root, &self.main)
    }

    /// Returns the directory of this worktree that one of the main worktree is the counterpart of.
    pub fn in_linked(&self, directory: &Path) -> Option<PathBuf> {
        moved(directory, &self.main, &self.root)
    }

    /// Returns the directory of the main worktree that a directory of a linked one is the counterpart of. None: it lies
    /// in no linked one.
    pub fn counterpart(directory: &Path) -> Option<PathBuf> {
        let directory = std::fs::canonicalize(directory).ok()?;
        Self::of(&directory)?.in_main(&directory)
    }
}

/// Whether a directory is the root of a repository, or of a worktree.
pub fn is_root(directory: &Path) -> bool {
    directory.join(".git").symlink_metadata().is_ok()
}

/// Returns a path below one directory as it is below another.
fn moved(path: &Path, from: &Path, to: &Path) -> Option<PathBuf> {
    let below = path.strip_prefix(from).ok()?;
    Some(if below.as_os_str().is_empty() { to.to_path_buf() } else { to.join(below) })
}

/// Reads the first line of a small file. None: it is no such file.
fn line(path: &Path) -> Option<String> {
    if !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(FILE_BYTES).read_to_string(&mut text).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}
