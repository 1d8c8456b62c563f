//! What a candidate consists of: tracked files as they are in the work tree, and files that git neither tracks nor ignores;
//! without git's own folders, evidence, and what the specification names as output.

use std::path::{Path, PathBuf};

use referee_model::id::WorkspacePath;
use referee_model::limit;

use super::error::RoomError;
use crate::tree::{self, Entry, EntryKind, Exclusions};

/// A file of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidateFile {
    /// Where it lies.
    pub path: WorkspacePath,
    /// What it is.
    pub kind: CandidateKind,
}

/// What a file of a candidate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateKind {
    /// A regular file.
    File {
        /// Its permissions, as a mode of nine bits.
        mode: u32,
    },
    /// A symbolic link.
    Link,
}

/// Lists a candidate's files, by path. `excluded` are folders that are no part of it, such as that of the evidence; `outputs`
/// are patterns of what checks write, relative to the workspace: what they name is left out, and all below it.
///
/// It is what the digest of a run's inputs is taken over: see [`crate::tree`].
///
/// # Errors
/// Fails where something cannot be listed, has no name in UTF-8, or is too much.
pub fn candidate_files(
    workspace: &Path,
    excluded: &[WorkspacePath],
    outputs: &[String],
) -> Result<Vec<CandidateFile>, RoomError> {
    let ours: Vec<PathBuf> = excluded.iter().map(|path| workspace.join(path.as_str())).collect();
    let ours: Vec<&Path> = ours.iter().map(PathBuf::as_path).collect();
    let exclusions = Exclusions::new(workspace, &ours, outputs)
        .map_err(|error| RoomError::Pattern { pattern: error.pattern, message: error.reason })?;
    let listing = tree::list(workspace, &exclusions)?;
    if let Some(unlisted) = listing.unlisted().first() {
        let message = "what it holds is not known".to_owned();
        return Err(RoomError::List { folder: workspace.join(unlisted), message });
    }
    let mut files =
        listing.entries().iter().filter_map(|entry| file(entry).transpose()).collect::<Result<Vec<_>, _>>()?;
    if files.len() as u64 > limit::ROOM_FILES {
        return Err(RoomError::TooMany { limit: limit::ROOM_FILES });
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

/// Folders are made for what lies in them; sockets, pipes and devices are no part of any candidate, as with git.
fn file(entry: &Entry) -> Result<Option<CandidateFile>, RoomError> {
    let kind = match entry.kind {
        EntryKind::Link => CandidateKind::Link,
        EntryKind::File => CandidateKind::File { mode: entry.stamp.mode & 0o777 },
        EntryKind::Socket | EntryKind::Pipe | EntryKind::CharacterDevice | EntryKind::BlockDevice => return Ok(None),
    };
    let name = || RoomError::Name { path: entry.path.to_string_lossy().into_owned() };
    let path = entry.path.to_str().and_then(|text| WorkspacePath::parse(text).ok()).ok_or_else(name)?;
    Ok(Some(CandidateFile { path, kind }))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_candidate_is_what_git_would_know_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (path, text) in [
            (".git/HEAD", "ref: refs/heads/main"),
            (".git/info/exclude", "secret.txt\n"),
            (".gitignore", "dist/\n*.log\n"),
            ("web/.gitignore", "made\n"),
            ("web/made/x.js", ""),
            ("web/src.js", ""),
            ("dist/old.js", ""),
            ("coverage/lcov", ""),
            ("evidence/T001/seal.json", ""),
            ("web/evidence/kept", ""),
            ("secret.txt", ""),
            ("a.log", ""),
            (".hidden", ""),
            ("sub/.git/HEAD", ""),
            ("sub/kept", ""),
        ] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        symlink("web", root.join("link")).unwrap();
        let evidence = WorkspacePath::parse("evidence").unwrap();
        let files = candidate_files(root, &[evidence], &["cover*".to_owned()]).unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let expected =
            [".gitignore", ".hidden", "link", "sub/kept", "web/.gitignore", "web/evidence/kept", "web/src.js"];
        assert_eq!(names, expected);
        assert!(files.iter().all(|file| (file.path.as_str() == "link") == (file.kind == CandidateKind::Link)));
    }

    #[test]
    fn what_cannot_be_named_or_no_pattern_is_refused() {
        use std::os::unix::ffi::OsStrExt;

        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9")), "").unwrap();
        let error = candidate_files(folder.path(), &[], &[]).unwrap_err();
        assert!(matches!(error, RoomError::Name { .. }), "{error}");
        let error = candidate_files(folder.path(), &[], &["[".to_owned()]).unwrap_err();
        assert!(matches!(error, RoomError::Pattern { .. }), "{error}");
    }
}
