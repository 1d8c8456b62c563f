//! Files of a tree that is sent to a depot, and of one that arrives from it. Nothing is read or written through a symbolic
//! link, and a link that arrives is made after all files.

use std::fs::{File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use referee_model::id::WorkspacePath;

use crate::clean_room::copy;
use crate::directory::Directory;
use crate::error::LedgerError;

/// A tree that is sent.
#[derive(Debug)]
pub struct OutgoingTree {
    directory: Directory,
}

impl OutgoingTree {
    /// Opens the tree in a directory.
    ///
    /// # Errors
    /// Fails if it is no directory.
    pub fn open(directory: &Path) -> Result<Self, LedgerError> {
        Ok(Self { directory: Directory::open(directory)? })
    }

    /// Opens a file of the tree.
    ///
    /// # Errors
    /// Fails if it is not there, is no regular file, or is below a link.
    pub fn file(&self, path: &WorkspacePath) -> Result<File, LedgerError> {
        let found = copy::open_below(&self.directory, path.as_str());
        found.map_err(LedgerError::io("read", &self.directory.path().join(path.as_str())))
    }
}

/// A tree that arrives, in a directory that was empty.
#[derive(Debug)]
pub struct IncomingTree {
    directory: Directory,
}

impl IncomingTree {
    /// Opens the directory that the tree is written to.
    ///
    /// # Errors
    /// Fails if it is no directory, or is not empty.
    pub fn open(directory: &Path) -> Result<Self, LedgerError> {
        let opened = Directory::open(directory)?;
        if opened.entries()?.is_empty() {
            return Ok(Self { directory: opened });
        }
        let reason = "it is not empty, and a tree is written to an empty directory".to_owned();
        Err(LedgerError::Unusable { path: directory.to_path_buf(), reason })
    }

    /// Creates a file, with the directories that it is in. `executable`: its owner may execute it.
    ///
    /// # Errors
    /// Fails if it exists, or is below a file or a link, and on an I/O error.
    pub fn create(&self, path: &WorkspacePath, executable: bool) -> Result<File, LedgerError> {
        let (above, name) = make_above(&self.directory, path)?;
        let file = above.create(name)?;
        let mode = if executable { 0o755 } else { 0o644 };
        file.set_permissions(Permissions::from_mode(mode))
            .map_err(LedgerError::io("write", &above.path().join(name)))?;
        Ok(file)
    }

    /// Creates a symbolic link. After it nothing must be created.
    ///
    /// # Errors
    /// Fails if something is there, and on an I/O error.
    pub fn link(&self, path: &WorkspacePath, target: &str) -> Result<(), LedgerError> {
        let (above, name) = make_above(&self.directory, path)?;
        let link = above.path().join(name);
        symlink(target, &link).map_err(LedgerError::io("make the link", &link))
    }
}

/// Returns the names of the directories that a path is in, and its own name.
pub(crate) fn split(path: &WorkspacePath) -> (Vec<&str>, &str) {
    let (above, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
    (above.split('/').filter(|name| !name.is_empty()).collect(), name)
}

/// Opens the directory that a path of a tree is in, creating what is missing. Returns it with the name of the path in it.
pub(crate) fn make_above<'path>(
    tree: &Directory,
    path: &'path WorkspacePath,
) -> Result<(Directory, &'path str), LedgerError> {
    let (above, name) = split(path);
    Ok((above.iter().try_fold(tree.again()?, |directory, name| directory.make_unsynced(name))?, name))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Write};

    use super::*;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse(text).unwrap()
    }

    #[test]
    fn a_tree_arrives_with_modes_and_links_in_an_empty_directory_alone() {
        let ground = tempfile::tempdir().unwrap();
        let tree = IncomingTree::open(ground.path()).unwrap();
        tree.create(&path("a/b/run.sh"), true).unwrap().write_all(b"#!/bin/sh\n").unwrap();
        tree.create(&path("a/plain"), false).unwrap();
        tree.link(&path("a/alias"), "plain").unwrap();
        let mode = |name: &str| fs::symlink_metadata(ground.path().join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("a/b/run.sh"), mode("a/plain")), (0o755, 0o644));
        assert_eq!(fs::read_link(ground.path().join("a/alias")).unwrap(), Path::new("plain"));
        for taken in ["a/plain", "a/b", "a/plain/below", "a/alias/below"] {
            assert!(tree.create(&path(taken), false).is_err(), "{taken}");
        }
        assert!(tree.link(&path("a/plain"), "elsewhere").is_err());
        assert!(IncomingTree::open(ground.path()).unwrap_err().to_string().contains("not empty"));
    }

    #[test]
    fn files_are_sent_from_below_the_tree_and_never_through_a_link() {
        let ground = tempfile::tempdir().unwrap();
        let root = ground.path().join("tree");
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/file"), "content").unwrap();
        fs::write(ground.path().join("secret"), "secret").unwrap();
        symlink("../secret", root.join("alias")).unwrap();
        symlink("..", root.join("up")).unwrap();
        let tree = OutgoingTree::open(&root).unwrap();
        let mut text = String::new();
        tree.file(&path("a/file")).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "content");
        for wrong in ["alias", "up/secret", "a", "none"] {
            assert!(tree.file(&path(wrong)).is_err(), "{wrong}");
        }
    }
}
