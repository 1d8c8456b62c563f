//! Keeps held-out checks out of the agents' reach: their evidence in the state directory, their specification
//! outside the agent's workspace.

use std::path::{Path, PathBuf};

use referee_model::limit;

use crate::error::LedgerError;
use crate::state::{Area, State, make_private, place_name};

/// Directories that are not searched for links: version control, installers and compilers manage their content,
/// which changes while they work.
const PASSED_OVER: [&str; 3] = [".git", "node_modules", "target"];

/// Returns the directory with all evidence of a workspace's held-out checks. Only its owner may access it.
///
/// # Errors
/// Fails if the directory cannot be created, or if a link or a file is in its place.
pub fn evidence_root(state: &State, workspace: &Path) -> Result<PathBuf, LedgerError> {
    let directory = state.area(Area::HeldOut)?.join(place_name(workspace));
    make_private(&directory)?;
    Ok(directory)
}

/// Finds a link in a workspace through which `place`, an absolute path outside it with its links resolved, can
/// be reached. The returned path is relative to the workspace. None: there is no such link. A directory that
/// disappears meanwhile, or that this user may not read, is skipped: a link in it leads nowhere for now.
///
/// # Errors
/// Fails if the workspace or a directory in it cannot be listed for another reason, and if there are more than
/// [`limit::WORKSPACE_FILES`] files.
pub fn link_to(workspace: &Path, place: &Path) -> Result<Option<PathBuf>, LedgerError> {
    let mut directories = vec![workspace.to_path_buf()];
    let mut looked_at = 0_usize;
    while let Some(directory) = directories.pop() {
        let failed = || LedgerError::io::<std::io::Error>("list", &directory);
        let entries = match std::fs::read_dir(&directory) {
            Err(error) if directory != workspace && is_out_of_reach(&error) => continue,
            entries => entries.map_err(failed())?,
        };
        for entry in entries {
            let entry = entry.map_err(failed())?;
            let kind = match entry.file_type() {
                Err(error) if is_out_of_reach(&error) => continue,
                kind => kind.map_err(failed())?,
            };
            looked_at += 1;
            if looked_at > limit::WORKSPACE_FILES {
                let message = format!("it holds more than {} files", limit::WORKSPACE_FILES);
                return Err(LedgerError::io("list", workspace)(std::io::Error::other(message)));
            }
            let path = entry.path();
            // A dangling link leads to no place.
            if kind.is_symlink() && std::fs::canonicalize(&path).is_ok_and(|target| place.starts_with(target)) {
                return Ok(Some(path.strip_prefix(workspace).unwrap_or(&path).to_path_buf()));
            }
            if kind.is_dir() && !PASSED_OVER.iter().any(|name| entry.file_name() == *name) {
                directories.push(path);
            }
        }
    }
    Ok(None)
}

/// Returns whether an entry disappeared, is no directory any more, or is not accessible to this user.
fn is_out_of_reach(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotFound | NotADirectory | PermissionDenied)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    #[test]
    fn each_workspace_has_a_private_directory_of_its_own() {
        let outside = tempfile::tempdir().unwrap();
        let state = State::open(&outside.path().join("state")).unwrap();
        let one = evidence_root(&state, Path::new("/one")).unwrap();
        assert_eq!(one, evidence_root(&state, Path::new("/one")).unwrap());
        assert_ne!(one, evidence_root(&state, Path::new("/other")).unwrap());
        assert!(one.starts_with(state.path().join("held-out")));
        assert_eq!(one.metadata().unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn links_that_lead_to_a_place_or_above_it_are_found() {
        let outside = tempfile::tempdir().unwrap();
        let root = outside.path().canonicalize().unwrap();
        let (workspace, place) = (root.join("work"), root.join("kept/checks/referee.yaml"));
        std::fs::create_dir_all(workspace.join("a/b")).unwrap();
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(&place, "").unwrap();
        let found = || link_to(&workspace, &place).unwrap();
        symlink("/nowhere/at/all", workspace.join("dangling")).unwrap();
        symlink(&workspace, workspace.join("a/itself")).unwrap();
        symlink(root.join("kept/other"), workspace.join("beside")).unwrap();
        assert_eq!(found(), None);
        for target in [&place, &root.join("kept/checks"), &root.join("kept")] {
            let link = workspace.join("a/b/link");
            symlink(target, &link).unwrap();
            assert_eq!(found().as_deref(), Some(Path::new("a/b/link")), "{}", target.display());
            std::fs::remove_file(link).unwrap();
        }
    }

    #[test]
    fn directories_that_come_and_go_or_are_closed_hinder_nobody() {
        use std::sync::atomic::{AtomicBool, Ordering};
        let outside = tempfile::tempdir().unwrap();
        let workspace = outside.path().canonicalize().unwrap().join("work");
        std::fs::create_dir_all(workspace.join("target")).unwrap();
        symlink("/nowhere", workspace.join("target/passed-over")).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let directory = workspace.join("a");
                    let _ = std::fs::create_dir_all(directory.join("b/c"));
                    let _ = std::fs::remove_dir_all(directory);
                }
            });
            let all = (0..500).all(|_| link_to(&workspace, Path::new("/x")).is_ok_and(|found| found.is_none()));
            done.store(true, Ordering::Relaxed);
            assert!(all);
        });
        for kind in [std::io::ErrorKind::NotFound, std::io::ErrorKind::PermissionDenied] {
            assert!(is_out_of_reach(&std::io::Error::from(kind)));
        }
        assert!(!is_out_of_reach(&std::io::Error::other("the disk is broken")));
    }

    #[test]
    fn a_workspace_that_cannot_be_listed_is_an_error() {
        assert!(link_to(Path::new("/nowhere/at/all"), Path::new("/x")).is_err());
    }
}
