//! The manifest of a room, by which a worker gets the same tree.

use std::os::unix::fs::PermissionsExt;

use referee_model::id::WorkspacePath;
use referee_model::tree_manifest::{ContentLink, TreeFile, TreeFileContent, TreeManifest};

use super::copy;
use super::error::RoomError;
use super::room::Room;
use crate::content_check;
use crate::directory::Directory;

impl Room {
    /// Lists and hashes the files that the room was built of. What was installed or made in it since is no part of it.
    ///
    /// # Errors
    /// Fails if one of them cannot be read.
    pub fn manifest(&self) -> Result<TreeManifest, RoomError> {
        let tree = Directory::open(self.tree())?;
        let file = |path: &WorkspacePath| {
            let content = self.content(&tree, path);
            let content = content.map_err(|source| RoomError::Copy { path: path.clone(), source })?;
            Ok::<_, RoomError>(TreeFile { path: path.clone(), content })
        };
        Ok(TreeManifest { files: self.inputs().keys().map(file).collect::<Result<_, _>>()? })
    }

    fn content(&self, tree: &Directory, path: &WorkspacePath) -> std::io::Result<TreeFileContent> {
        let at = self.tree().join(path.as_str());
        if at.symlink_metadata()?.is_symlink() {
            let target = std::fs::read_link(&at)?.into_os_string().into_string();
            let target = target.map_err(|_| std::io::Error::other("its target is not UTF-8"))?;
            return Ok(TreeFileContent::Link { target });
        }
        let file = copy::open_below(tree, path.as_str())?;
        let executable = file.metadata()?.permissions().mode() & 0o100 != 0;
        let written = content_check::hash(&file)?;
        Ok(TreeFileContent::File { content: ContentLink { sha256: written.sha256, bytes: written.bytes }, executable })
    }
}
