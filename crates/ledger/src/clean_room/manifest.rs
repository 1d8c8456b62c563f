//! The manifest of a workspace or a room, by which another machine gets the same tree.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use referee_model::id::WorkspacePath;
use referee_model::tree_manifest::{ContentLink, TreeFile, TreeFileContent, TreeManifest};

use super::error::RoomError;
use super::room::Room;
use super::{candidate, copy, layout};
use crate::content_check;
use crate::directory::Directory;

/// Which files of a workspace are no part of it, and which are in any case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeScope {
    /// Directories that are no part of it, such as that of the evidence.
    pub excluded: Vec<WorkspacePath>,
    /// Patterns of files that checks write.
    pub outputs: Vec<String>,
    /// Paths that are part of it where they exist, because git knows them although it ignores such files.
    pub known: Vec<WorkspacePath>,
}

/// Lists and hashes the files of a workspace, as a clean room would be built of them: without what git ignores, excluded
/// directories, and outputs.
///
/// # Errors
/// Fails if one of them cannot be read, and if a link leads out of the workspace.
pub fn manifest(workspace: &Path, scope: &TreeScope) -> Result<TreeManifest, RoomError> {
    let mut layout = candidate::files(workspace, &scope.excluded, &scope.outputs)?;
    for path in &scope.known {
        let Some(found) = candidate::found(workspace, path)? else { continue };
        layout.entry(path.clone()).or_insert(found);
    }
    layout::check_links(&layout)?;
    of_paths(workspace, layout.keys())
}

impl Room {
    /// Lists and hashes the files that the room was built of. What was installed or made in it since is no part of it.
    ///
    /// # Errors
    /// Fails if one of them cannot be read.
    pub fn manifest(&self) -> Result<TreeManifest, RoomError> {
        of_paths(self.tree(), self.inputs().keys())
    }
}

fn of_paths<'path>(tree: &Path, paths: impl Iterator<Item = &'path WorkspacePath>) -> Result<TreeManifest, RoomError> {
    let directory = Directory::open(tree)?;
    let file = |path: &WorkspacePath| {
        let content = content(&directory, path);
        let content = content.map_err(|source| RoomError::Copy { path: path.clone(), source })?;
        Ok::<_, RoomError>(TreeFile { path: path.clone(), content })
    };
    Ok(TreeManifest { files: paths.map(file).collect::<Result<_, _>>()? })
}

/// Returns what is at a path of a tree. No link on the way is followed.
pub(crate) fn content(tree: &Directory, path: &WorkspacePath) -> std::io::Result<TreeFileContent> {
    let at = tree.path().join(path.as_str());
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
