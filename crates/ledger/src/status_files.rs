//! The files of a project that show the status of its tasks: the status lock in `.specify/state`, and task
//! lists with checkboxes. They are written atomically, for others to read; Referee never relies on them. Links
//! are not followed.

use std::path::{Path, PathBuf};

use crate::directory::{Directory, Kind};
use crate::document;
use crate::error::LedgerError;

/// Path of the status lock, relative to the workspace.
pub const LOCK: &str = ".specify/state/task-status-lock.json";

/// Directory that a project with status files has.
const SPECIFY: &str = ".specify";

/// Directory of status violations, relative to the workspace.
const STATE: &str = ".specify/state";

/// File name of a task list.
const TASKS: &str = "tasks.md";

/// Directory of features, each with its own task list.
const FEATURES: &str = "specs";

/// Returns whether a project keeps status files: it has a `.specify` directory. No status files are written to
/// other projects.
pub fn are_kept(workspace: &Path) -> bool {
    let directory = Directory::open(workspace);
    directory.and_then(|directory| directory.kind(SPECIFY)).is_ok_and(|kind| kind == Some(Kind::Directory))
}

/// Reads a file below the workspace. None: it does not exist.
pub fn read(workspace: &Path, relative: &str) -> Result<Option<Vec<u8>>, LedgerError> {
    document::read_below(workspace, relative)
}

/// Writes the status lock and returns its path.
pub fn write_lock(workspace: &Path, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
    document::write_below(workspace, LOCK, bytes)
}

/// Writes violations of the status, in a file named after the time at which they were found, in milliseconds.
/// Returns its path.
pub fn write_violations(workspace: &Path, milliseconds: i64, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
    document::write_below(workspace, &format!("{STATE}/status-violations-{milliseconds}.json"), bytes)
}

/// Overwrites a task list and returns its path.
pub fn write_list(workspace: &Path, relative: &str, bytes: &[u8]) -> Result<PathBuf, LedgerError> {
    document::write_below(workspace, relative, bytes)
}

/// Finds the task list of a project: `tasks.md` in its root, or else that of its only feature. Task ids start
/// over in each feature, so with several features none is returned.
pub fn lists(workspace: &Path) -> Result<Vec<String>, LedgerError> {
    let mut found = all_lists(workspace)?;
    if found.first().is_some_and(|first| first == TASKS) {
        found.truncate(1);
    }
    Ok(if found.len() == 1 { found } else { Vec::new() })
}

/// Finds every task list of a project: `tasks.md` in its root, and those of its features.
pub fn all_lists(workspace: &Path) -> Result<Vec<String>, LedgerError> {
    let root = Directory::open(workspace)?;
    let mut found = Vec::new();
    if root.kind(TASKS)? == Some(Kind::File) {
        found.push(TASKS.to_owned());
    }
    let Some(features) = root.kind(FEATURES)?.filter(|kind| *kind == Kind::Directory).map(|_| root.child(FEATURES))
    else {
        return Ok(found);
    };
    let Some(features) = features? else { return Ok(found) };
    for (name, kind) in features.entries()? {
        if kind == Kind::Directory
            && let Some(feature) = features.child(&name)?
            && feature.kind(TASKS)? == Some(Kind::File)
        {
            found.push(format!("{FEATURES}/{name}/{TASKS}"));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn files_are_written_below_the_workspace_and_through_no_link() {
        let root = tempfile::tempdir().unwrap();
        let workspace = root.path().join("workspace");
        fs::create_dir(&workspace).unwrap();
        assert!(!are_kept(&workspace));
        assert_eq!(read(&workspace, LOCK).unwrap(), None);
        write_lock(&workspace, b"one").unwrap();
        assert!(are_kept(&workspace));
        assert_eq!(read(&workspace, LOCK).unwrap().unwrap(), b"one");
        let violations = write_violations(&workspace, 5, b"two").unwrap();
        assert!(violations.ends_with(".specify/state/status-violations-5.json"));
        for wrong in ["../outside.md", "/etc/tasks.md", "a//b", ""] {
            assert!(write_list(&workspace, wrong, b"").is_err() && read(&workspace, wrong).is_err(), "{wrong}");
        }
        fs::remove_dir_all(workspace.join(".specify")).unwrap();
        symlink(root.path(), workspace.join(".specify")).unwrap();
        assert!(!are_kept(&workspace) && write_lock(&workspace, b"").is_err());
        fs::write(root.path().join("theirs.md"), "theirs").unwrap();
        symlink(root.path().join("theirs.md"), workspace.join("tasks.md")).unwrap();
        assert!(write_list(&workspace, "tasks.md", b"ours").is_err());
    }

    #[test]
    fn the_list_of_the_root_or_of_the_only_feature_is_found() {
        let workspace = tempfile::tempdir().unwrap();
        assert!(lists(workspace.path()).unwrap().is_empty());
        for feature in ["001-quotes", "002-authors"] {
            fs::create_dir_all(workspace.path().join("specs").join(feature)).unwrap();
        }
        fs::write(workspace.path().join("specs/001-quotes/tasks.md"), "").unwrap();
        assert_eq!(lists(workspace.path()).unwrap(), ["specs/001-quotes/tasks.md"]);
        fs::write(workspace.path().join("specs/002-authors/tasks.md"), "").unwrap();
        assert!(lists(workspace.path()).unwrap().is_empty(), "whose T001 is meant is not known");
        fs::write(workspace.path().join("tasks.md"), "").unwrap();
        assert_eq!(lists(workspace.path()).unwrap(), ["tasks.md"]);
    }
}
