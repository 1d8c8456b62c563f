//! Reads the files of a workspace that are compared with their earlier state.
//!
//! Links are never followed. Third-party code and generated files (dependencies, caches, version control,
//! evidence) are skipped. [`list()`] finds the files with the same walk that finds the inputs, see
//! [`crate::tree`].

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use referee_model::id::Digest;
use referee_model::limit;
use rustix::fs::{CWD, OFlags};

use crate::content_check::{self, Buffer};
use crate::contents::Written;
use crate::directory;
use crate::error::LedgerError;
use crate::excluded_dirs::{self, Sign};

pub use crate::tree::{Listed, list_files as list};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Looked {
    Missing,
    File(WorkspaceFile),
    /// A link, with its target as content.
    Link(WorkspaceFile),
    /// An entry that cannot be read, with the reason.
    Unreadable(String),
}

/// Content of a file or link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceFile {
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of the content.
    pub sha256: Digest,
    /// The content; None if it is larger than [`limit::PROTECTED_CONTENT_BYTES`].
    pub content: Option<Vec<u8>>,
}

impl WorkspaceFile {
    pub fn of(content: Vec<u8>) -> Self {
        let sha256 = Digest::of(&content);
        let bytes = content.len() as u64;
        Self { bytes, sha256, content: (bytes <= limit::PROTECTED_CONTENT_BYTES).then_some(content) }
    }
}

/// Returns whether a path is in a directory that is skipped, recognized by its name or by a file next to it.
/// `is_there` returns whether a file exists.
pub fn is_passed_over(path: &str, is_there: impl Fn(&str) -> bool) -> bool {
    let mut directories = path.match_indices('/').map(|(at, _)| &path[..at]);
    directories.any(|directory| {
        let (above, name) = directory.rsplit_once('/').map_or(("", directory), |(above, name)| (above, name));
        excluded_dirs::is_unprotected(name.as_bytes(), |sign| match sign {
            Sign::Name => true,
            Sign::Beside(file) if above.is_empty() => is_there(file),
            Sign::Beside(file) => is_there(&format!("{above}/{file}")),
            Sign::Inside(_) => false,
        })
    })
}

/// Reads the entry at a path relative to a workspace. A path with a link in place of a directory is unreadable.
pub fn look(workspace: &Path, path: &str) -> Looked {
    let whole = workspace.join(path);
    let Some(parent) = whole.parent() else { return Looked::Missing };
    match std::fs::canonicalize(parent) {
        Ok(real) if real == parent => {}
        Ok(real) => return Looked::Unreadable(format!("a link leads to {} instead", real.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Looked::Missing,
        Err(error) => return Looked::Unreadable(error.to_string()),
    }
    let kind = match std::fs::symlink_metadata(&whole) {
        Ok(facts) => facts.file_type(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Looked::Missing,
        Err(error) => return Looked::Unreadable(error.to_string()),
    };
    if kind.is_symlink() {
        return match std::fs::read_link(&whole) {
            Ok(target) => Looked::Link(WorkspaceFile::of(target.as_os_str().as_bytes().to_vec())),
            Err(error) => Looked::Unreadable(error.to_string()),
        };
    }
    if !kind.is_file() {
        return Looked::Unreadable("it is not a file".to_owned());
    }
    read(&whole).map_or_else(|error| Looked::Unreadable(error.to_string()), Looked::File)
}

/// Reads a regular file and hashes it.
fn read(path: &Path) -> Result<WorkspaceFile, LedgerError> {
    let file = directory::open_file(CWD, path, path, OFlags::RDONLY, 0)?;
    let mut content = Vec::new();
    let keep = |piece: &[u8]| {
        if content.len() as u64 <= limit::PROTECTED_CONTENT_BYTES {
            content.extend_from_slice(piece);
        }
        Ok(())
    };
    let Written { bytes, sha256 } =
        content_check::read(file, &mut Buffer::new(), keep).map_err(LedgerError::io("read", path))?;
    Ok(WorkspaceFile { bytes, sha256, content: (bytes <= limit::PROTECTED_CONTENT_BYTES).then_some(content) })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn all_files_are_listed_but_those_that_others_wrote() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().canonicalize().unwrap();
        for path in [
            ".gitignore",
            ".git/HEAD",
            "a/b.txt",
            "a/ignored.log",
            "a/node_modules/x.js",
            "node_modules/x/conftest.py",
            "package.json",
            "evidence/T001/x",
            "target/CACHEDIR.TAG",
            "target/x",
            "build/x",
            ".hidden",
        ] {
            fs::create_dir_all(directory.join(path).parent().unwrap()).unwrap();
            fs::write(directory.join(path), "*.log\n").unwrap();
        }
        symlink("a", directory.join("link")).unwrap();
        let listed = list(&directory, &[directory.join("evidence")]).unwrap();
        let told: Vec<(&str, bool)> = listed.iter().map(|file| (file.path.as_str(), file.ignored)).collect();
        assert_eq!(
            told,
            [
                (".gitignore", false),
                (".hidden", false),
                ("a/b.txt", false),
                ("a/ignored.log", true),
                ("a/node_modules/x.js", false),
                ("build/x", false),
                ("link", false),
                ("package.json", false),
            ]
        );
        let is_there = |path: &str| directory.join(path).exists();
        for (path, passed) in
            [("node_modules/x/conftest.py", true), ("node_modules", false), ("a/node_modules/x.js", false)]
        {
            assert_eq!(is_passed_over(path, is_there), passed, "{path}");
        }
    }

    #[test]
    fn links_are_looked_at_and_never_followed() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().canonicalize().unwrap();
        fs::create_dir(directory.join("real")).unwrap();
        fs::write(directory.join("real/file"), "abc").unwrap();
        symlink("real", directory.join("linked")).unwrap();
        symlink("real/file", directory.join("to-file")).unwrap();
        assert_eq!(look(&directory, "real/file"), Looked::File(WorkspaceFile::of(b"abc".to_vec())));
        assert_eq!(look(&directory, "to-file"), Looked::Link(WorkspaceFile::of(b"real/file".to_vec())));
        assert!(matches!(look(&directory, "linked/file"), Looked::Unreadable(_)));
        assert!(matches!(look(&directory, "real"), Looked::Unreadable(_)));
        assert_eq!(look(&directory, "gone/file"), Looked::Missing);
    }
}
