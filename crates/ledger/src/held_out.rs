//! Where checks that agents never see are kept out of the agents' way: their evidence in the state folder, their
//! specification anywhere but in what an agent works on.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use referee_model::id::Digest;
use referee_model::limit;
use sha2::{Digest as _, Sha256};

use crate::error::LedgerError;
use crate::state::{Area, State, make_private};

/// Folders that are not searched for links: what version control and installers keep there is theirs.
const PASSED_OVER: [&str; 2] = [".git", "node_modules"];

/// Returns the folder that holds all evidence of a workspace's held-out checks. It is the user's alone.
///
/// # Errors
/// Fails where it cannot be made, or where a link or a file stands in its place.
pub fn evidence_root(state: &State, workspace: &Path) -> Result<PathBuf, LedgerError> {
    let name = Digest::from_bytes(Sha256::digest(workspace.as_os_str().as_bytes()).into()).to_string();
    let folder = state.area(Area::HeldOut)?.join(name);
    make_private(&folder)?;
    Ok(folder)
}

/// Finds a link in a workspace by which a place outside of it can be reached; its path is relative to the workspace. `place`
/// is absolute, without links. None: there is none.
///
/// # Errors
/// Fails where a folder cannot be listed, and where there are more than [`limit::WORKSPACE_FILES`] files.
pub fn link_to(workspace: &Path, place: &Path) -> Result<Option<PathBuf>, LedgerError> {
    let mut folders = vec![workspace.to_path_buf()];
    let mut looked_at = 0_usize;
    while let Some(folder) = folders.pop() {
        let failed = || LedgerError::io::<std::io::Error>("list", &folder);
        for entry in std::fs::read_dir(&folder).map_err(failed())? {
            let entry = entry.map_err(failed())?;
            let kind = entry.file_type().map_err(failed())?;
            looked_at += 1;
            if looked_at > limit::WORKSPACE_FILES {
                let message = format!("it holds more than {} files", limit::WORKSPACE_FILES);
                return Err(LedgerError::io("list", workspace)(std::io::Error::other(message)));
            }
            let path = entry.path();
            // A link to nowhere leads to no place.
            if kind.is_symlink() && std::fs::canonicalize(&path).is_ok_and(|target| place.starts_with(target)) {
                return Ok(Some(path.strip_prefix(workspace).unwrap_or(&path).to_path_buf()));
            }
            if kind.is_dir() && !PASSED_OVER.iter().any(|name| entry.file_name() == *name) {
                folders.push(path);
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    #[test]
    fn each_workspace_has_a_private_folder_of_its_own() {
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
    fn a_workspace_that_cannot_be_listed_is_an_error() {
        assert!(link_to(Path::new("/nowhere/at/all"), Path::new("/x")).is_err());
    }
}
