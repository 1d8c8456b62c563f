//! Takes over into a workspace what was changed in a copy of it on another machine.
//!
//! All paths that the change is about are looked at first: if one of them is not as it was when the copy was made, nothing is
//! changed. Nothing is read, written or removed through a symbolic link.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use referee_model::id::WorkspacePath;
use referee_model::tree_manifest::{TreeFileContent, TreeManifest};

use crate::clean_room::manifest::content;
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::tree_transfer::{OutgoingTree, make_above, split};

/// Prefix of a file that is being written beside the one that it replaces.
const INCOMING: &str = ".referee-incoming-";

/// A path with its content before and after. `None`: there was, or is to be, nothing.
struct Change<'tree> {
    path: &'tree WorkspacePath,
    before: Option<&'tree TreeFileContent>,
    after: Option<&'tree TreeFileContent>,
}

/// Changes a workspace from the state `before` to the state `after`, whose files are in `source`. Returns the number of paths
/// that were changed.
///
/// # Errors
/// Fails, before anything is changed, if a path that differs is not as in `before`; and on an I/O error, after which some
/// paths may be changed.
pub fn update(
    workspace: &Path,
    (before, after): (&TreeManifest, &TreeManifest),
    source: &Path,
) -> Result<usize, LedgerError> {
    let changes = changes(before, after);
    let (workspace, source) = (Directory::open(workspace)?, OutgoingTree::open(source)?);
    let removed: BTreeSet<&WorkspacePath> =
        changes.iter().filter(|change| change.after.is_none()).map(|change| change.path).collect();
    for change in &changes {
        is_as_before(&workspace, change, &removed)?;
    }
    for path in &removed {
        remove(&workspace, path)?;
    }
    let written = |change: &&Change<'_>| change.after.is_some();
    let is_link = |change: &&Change<'_>| matches!(change.after, Some(TreeFileContent::Link { .. }));
    // Links come last, so that nothing is written below one.
    let (links, files): (Vec<_>, Vec<_>) = changes.iter().filter(written).partition(is_link);
    for change in files.into_iter().chain(links) {
        write(&workspace, change, &source)?;
    }
    Ok(changes.len())
}

fn changes<'tree>(before: &'tree TreeManifest, after: &'tree TreeManifest) -> Vec<Change<'tree>> {
    let mut all: BTreeMap<&WorkspacePath, (Option<&TreeFileContent>, Option<&TreeFileContent>)> = BTreeMap::new();
    for file in &before.files {
        all.entry(&file.path).or_default().0 = Some(&file.content);
    }
    for file in &after.files {
        all.entry(&file.path).or_default().1 = Some(&file.content);
    }
    let changed = all.into_iter().filter(|(_, (before, after))| before != after);
    changed.map(|(path, (before, after))| Change { path, before, after }).collect()
}

/// Fails if a path is neither as it was nor, since an earlier attempt may have been ended in the middle, as it is to be.
fn is_as_before(
    workspace: &Directory,
    change: &Change<'_>,
    removed: &BTreeSet<&WorkspacePath>,
) -> Result<(), LedgerError> {
    if ancestors(change.path).any(|above| removed.contains(&above)) {
        // It is below a file that is removed, so nothing is there.
        return Ok(());
    }
    let differs = || Err(differs(&workspace.path().join(change.path.as_str())));
    let (above, name) = split(change.path);
    let directory = match workspace.descend(&above) {
        Err(LedgerError::NotADirectory { .. }) => return differs(),
        found => found?,
    };
    let kind = directory.map(|directory| directory.kind(name)).transpose()?.flatten();
    let is_expected = match kind {
        None => change.before.is_none() || change.after.is_none(),
        // It goes with the last of its files.
        Some(Kind::Directory) => change.before.is_none() && removed.iter().any(|path| is_below(path, change.path)),
        Some(_) => {
            let found = content(workspace, change.path).ok();
            found.as_ref().is_some_and(|found| Some(found) == change.before || Some(found) == change.after)
        }
    };
    if is_expected { Ok(()) } else { differs() }
}

fn is_below(path: &WorkspacePath, directory: &WorkspacePath) -> bool {
    path.as_str().strip_prefix(directory.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

fn differs(path: &Path) -> LedgerError {
    let reason = "it was changed on this machine as well since the workspace was sent: nothing of the other changes was taken over";
    LedgerError::Unusable { path: path.to_path_buf(), reason: reason.to_owned() }
}

/// Returns the directories above a path, the nearest first.
fn ancestors(path: &WorkspacePath) -> impl Iterator<Item = WorkspacePath> {
    let above = |text: &str| text.rsplit_once('/').map(|(above, _)| above.to_owned());
    std::iter::successors(above(path.as_str()), move |text| above(text))
        .filter_map(|text| WorkspacePath::parse(&text).ok())
}

/// Removes a file, and the directories that are empty without it.
fn remove(workspace: &Directory, path: &WorkspacePath) -> Result<(), LedgerError> {
    let (above, name) = split(path);
    if let Some(directory) = workspace.descend(&above)? {
        directory.discard(name)?;
    }
    for above in ancestors(path) {
        if std::fs::remove_dir(workspace.path().join(above.as_str())).is_err() {
            break;
        }
    }
    Ok(())
}

fn write(workspace: &Directory, change: &Change<'_>, source: &OutgoingTree) -> Result<(), LedgerError> {
    let (directory, name) = make_above(workspace, change.path)?;
    let incoming = format!("{INCOMING}{name}");
    directory.discard(&incoming)?;
    match change.after {
        Some(TreeFileContent::File { executable, .. }) => {
            let mode = directory.mode(name)?.map_or(0o644, |mode| mode.as_raw_mode() & 0o777) & !0o111;
            // Whoever may read it may execute it.
            let mode = if *executable { mode | (mode & 0o444) >> 2 } else { mode };
            let mut file = directory.create(&incoming)?;
            let written = io::copy(&mut source.file(change.path)?, &mut file)
                .and_then(|_| file.set_permissions(Permissions::from_mode(mode)));
            written.map_err(LedgerError::io("write", &directory.path().join(&incoming)))?;
        }
        Some(TreeFileContent::Link { target }) => {
            let link = directory.path().join(&incoming);
            symlink(target, &link).map_err(LedgerError::io("make the link", &link))?;
        }
        None => return Ok(()),
    }
    directory.discard(name)?;
    if directory.move_to(&incoming, &directory, name)? { Ok(()) } else { Err(differs(&directory.path().join(name))) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::clean_room::{TreeScope, manifest};

    /// A workspace, a copy of it, and the state of both when the copy was made.
    struct Scene {
        directory: tempfile::TempDir,
        before: TreeManifest,
    }

    impl Scene {
        fn new(files: &[(&str, &str)]) -> Self {
            let directory = tempfile::tempdir().unwrap();
            for root in ["here", "there"] {
                for (path, text) in files {
                    put(&directory.path().join(root).join(path), text);
                }
                fs::create_dir_all(directory.path().join(root)).unwrap();
            }
            let before = manifest(&directory.path().join("here"), &TreeScope::default()).unwrap();
            Self { directory, before }
        }

        fn here(&self, path: &str) -> std::path::PathBuf {
            self.directory.path().join("here").join(path)
        }

        fn there(&self, path: &str) -> std::path::PathBuf {
            self.directory.path().join("there").join(path)
        }

        fn update(&self) -> Result<usize, String> {
            let after = manifest(&self.there(""), &TreeScope::default()).unwrap();
            let updated = update(&self.here(""), (&self.before, &after), &self.there(""));
            updated.map_err(|error| error.to_string())
        }
    }

    fn put(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_workspace_becomes_what_its_copy_became() {
        let scene = Scene::new(&[
            (".gitignore", "made\n"),
            ("changed", "1"),
            ("run", "#!/bin/sh"),
            ("gone/deep/file", "1"),
            ("file", "becomes a directory"),
            ("directory/file", "becomes a file"),
            ("link", "becomes a link"),
            ("same", "1"),
        ]);
        put(&scene.here("made"), "stays");
        put(&scene.there("changed"), "2");
        fs::set_permissions(scene.there("run"), Permissions::from_mode(0o755)).unwrap();
        fs::remove_dir_all(scene.there("gone")).unwrap();
        fs::remove_file(scene.there("file")).unwrap();
        put(&scene.there("file/inside"), "1");
        fs::remove_dir_all(scene.there("directory")).unwrap();
        put(&scene.there("directory"), "1");
        fs::remove_file(scene.there("link")).unwrap();
        symlink("same", scene.there("link")).unwrap();
        put(&scene.there("new/file"), "1");
        assert_eq!(scene.update(), Ok(9));
        let [here, there] =
            [scene.here(""), scene.there("")].map(|root| manifest(&root, &TreeScope::default()).unwrap());
        assert_eq!(here, there);
        assert!(!scene.here("gone").exists());
        assert_eq!(fs::read_to_string(scene.here("made")).unwrap(), "stays");
        assert_eq!(fs::metadata(scene.here("run")).unwrap().permissions().mode() & 0o777, 0o755);
    }

    #[test]
    fn what_was_changed_here_as_well_is_never_overwritten() {
        for (change, named) in [
            ((|scene| put(&scene.here("a"), "mine")) as fn(&Scene), "a"),
            (|scene| fs::remove_file(scene.here("a")).unwrap(), "a"),
            (|scene| put(&scene.here("new"), "mine"), "new"),
            (|scene| fs::create_dir(scene.here("new")).unwrap(), "new"),
            (
                |scene| {
                    fs::remove_dir_all(scene.here("d")).unwrap();
                    symlink("/etc", scene.here("d")).unwrap();
                },
                "d/b",
            ),
        ] {
            let scene = Scene::new(&[("a", "1"), ("b", "1"), ("d/b", "1")]);
            for path in ["a", "b", "d/b", "new"] {
                put(&scene.there(path), "2");
            }
            change(&scene);
            let error = scene.update().unwrap_err();
            assert!(error.contains(&format!("here/{named}`")) && error.contains("nothing"), "{error}");
            assert_eq!(fs::read_to_string(scene.here("b")).unwrap(), "1");
        }
    }

    #[test]
    fn nothing_is_written_through_a_link_that_is_no_part_of_the_copy() {
        let scene = Scene::new(&[(".gitignore", "made\n")]);
        let outside = tempfile::tempdir().unwrap();
        symlink(outside.path(), scene.here("made")).unwrap();
        put(&scene.there(".gitignore"), "");
        put(&scene.there("made/file"), "1");
        scene.update().unwrap_err();
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
        assert_eq!(fs::read_to_string(scene.here(".gitignore")).unwrap(), "made\n", "nothing is changed");
    }
}
