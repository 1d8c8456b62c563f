//! The files of a candidate: tracked files as they are in the work tree, and untracked files that git does not
//! ignore; without git's own directories, evidence, and the outputs that the specification declares.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use referee_model::id::WorkspacePath;
use referee_model::limit;

use super::error::RoomError;
use super::layout::{Content, Layout};
use crate::tree::{self, Entry, EntryKind, Exclusions};

/// Lists a candidate's files, by path. `excluded` are directories that are not part of it, such as the evidence
/// directory; `outputs` are patterns of files that checks write, relative to the workspace: matching paths and
/// everything below them are left out.
///
/// These are the same files that the digest of a run's inputs covers: see [`crate::tree`].
///
/// # Errors
/// Fails if a directory cannot be listed, if a name is not UTF-8, and if there are too many files.
pub(super) fn files(workspace: &Path, excluded: &[WorkspacePath], outputs: &[String]) -> Result<Layout, RoomError> {
    let ours: Vec<PathBuf> = excluded.iter().map(|path| workspace.join(path.as_str())).collect();
    let ours: Vec<&Path> = ours.iter().map(PathBuf::as_path).collect();
    let exclusions = Exclusions::new(workspace, &ours, outputs)
        .map_err(|error| RoomError::Pattern { pattern: error.pattern, message: error.reason })?;
    let listing = tree::list(workspace, &exclusions)?;
    if let Some(unlisted) = listing.unlisted().first() {
        let message = "what it holds is not known".to_owned();
        return Err(RoomError::List { directory: workspace.join(unlisted), message });
    }
    let mut layout = Layout::new();
    for entry in listing.entries() {
        layout.extend(file(workspace, entry)?);
    }
    if layout.len() as u64 > limit::ROOM_FILES {
        return Err(RoomError::TooMany { limit: limit::ROOM_FILES });
    }
    Ok(layout)
}

/// Returns the file or link at a path. `None`: there is none.
///
/// # Errors
/// Fails if it cannot be looked at.
pub(super) fn found(workspace: &Path, path: &WorkspacePath) -> Result<Option<Content>, RoomError> {
    let at = workspace.join(path.as_str());
    let failed = |source| RoomError::Copy { path: path.clone(), source };
    let found = match at.symlink_metadata() {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if found.is_file() {
        return Ok(Some(Content::Candidate { mode: found.permissions().mode() & 0o777 }));
    }
    if !found.is_symlink() {
        return Ok(None);
    }
    let target = std::fs::read_link(&at).map_err(failed)?;
    let text = target.to_str().ok_or_else(|| RoomError::Name { path: target.to_string_lossy().into_owned() })?;
    Ok(Some(Content::Link(text.to_owned())))
}

/// Returns the path and content of a file or link. None for other entries: directories are created for the
/// files in them, and sockets, pipes and devices are not part of a candidate, as in git.
fn file(workspace: &Path, entry: &Entry) -> Result<Option<(WorkspacePath, Content)>, RoomError> {
    let name = |path: &Path| RoomError::Name { path: path.to_string_lossy().into_owned() };
    if !matches!(entry.kind, EntryKind::File | EntryKind::Link) {
        return Ok(None);
    }
    let path = entry.path.to_str().and_then(|text| WorkspacePath::parse(text).ok());
    let path = path.ok_or_else(|| name(&entry.path))?;
    if entry.kind == EntryKind::File {
        return Ok(Some((path, Content::Candidate { mode: entry.stamp.mode & 0o777 })));
    }
    let target = std::fs::read_link(workspace.join(&entry.path))
        .map_err(|source| RoomError::Copy { path: path.clone(), source })?;
    let text = target.to_str().ok_or_else(|| name(&target))?;
    Ok(Some((path, Content::Link(text.to_owned()))))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_candidate_is_what_git_would_know_of_it() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
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
        let layout = files(root, &[evidence], &["cover*".to_owned()]).unwrap();
        let names: Vec<&str> = layout.keys().map(WorkspacePath::as_str).collect();
        let expected =
            [".gitignore", ".hidden", "link", "sub/kept", "web/.gitignore", "web/evidence/kept", "web/src.js"];
        assert_eq!(names, expected);
        assert!(layout.iter().all(|(path, file)| (path.as_str() == "link") == matches!(file, Content::Link(_))));
    }

    #[test]
    fn what_cannot_be_named_or_no_pattern_is_refused() {
        use std::os::unix::ffi::OsStrExt;

        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9")), "").unwrap();
        let error = files(directory.path(), &[], &[]).unwrap_err();
        assert!(matches!(error, RoomError::Name { .. }), "{error}");
        let error = files(directory.path(), &[], &["[".to_owned()]).unwrap_err();
        assert!(matches!(error, RoomError::Pattern { .. }), "{error}");
    }
}
