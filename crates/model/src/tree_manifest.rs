//! Manifest of a tree in a depot.

use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::id::{Digest, WorkspacePath};

const KIND: Kind = Kind { name: "the manifest of a tree", key: "treeManifestVersion", version: "1.0.0" };

/// Content in a depot, by digest and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContentLink {
    /// SHA-256 of the content.
    pub sha256: Digest,
    /// Size in bytes.
    pub bytes: u64,
}

/// The files of a tree. Directories are those that the files are in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TreeManifest {
    /// Sorted by path, without duplicates.
    pub files: Vec<TreeFile>,
}

/// A file or symbolic link of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TreeFile {
    /// Path below the workspace.
    pub path: WorkspacePath,
    /// What is there.
    pub content: TreeFileContent,
}

/// Content of a path of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum TreeFileContent {
    /// A file.
    File {
        /// Its content.
        content: ContentLink,
        /// Whether its owner may execute it.
        executable: bool,
    },
    /// A symbolic link.
    Link {
        /// Its target, as stored in the link.
        target: String,
    },
}

impl TreeManifest {
    /// Serializes the manifest. Equal trees have equal bytes.
    ///
    /// # Errors
    /// Fails only for values that JSON cannot hold.
    pub fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        KIND.encode(self)
    }

    /// Parses a manifest. Each path is named once, in order, and none is below another one that is a file or a link.
    ///
    /// # Errors
    /// Fails for another version, and for bytes that are no such manifest.
    pub fn decode(bytes: &[u8]) -> Result<Self, DocumentError> {
        let manifest: Self = KIND.decode(bytes)?;
        match manifest.problem() {
            Some(problem) => Err(DocumentError::Content { document: KIND.name, problem }),
            None => Ok(manifest),
        }
    }

    fn problem(&self) -> Option<String> {
        let mut seen = std::collections::BTreeSet::new();
        for file in &self.files {
            let path = file.path.as_str();
            if path.is_empty() {
                return Some("a file has no name".to_owned());
            }
            if seen.last().is_some_and(|last| *last >= path) {
                return Some(format!("`{path}` is out of order, or there twice"));
            }
            let mut above = path;
            while let Some((directory, _)) = above.rsplit_once('/') {
                if seen.contains(directory) {
                    return Some(format!("`{directory}` is a file, and `{path}` is below it"));
                }
                above = directory;
            }
            seen.insert(path);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> TreeFile {
        let content = ContentLink { sha256: Digest::of(path.as_bytes()), bytes: 1 };
        let content = TreeFileContent::File { content, executable: false };
        TreeFile { path: WorkspacePath::parse(path).unwrap(), content }
    }

    #[test]
    fn a_manifest_names_each_path_once_in_order_and_nothing_below_a_file() {
        let read = |paths: &[&str]| {
            let manifest = TreeManifest { files: paths.iter().map(|path| file(path)).collect() };
            TreeManifest::decode(&manifest.encode().unwrap()).map_err(|error| error.to_string())
        };
        assert_eq!(read(&["a", "a-b", "b/c", "b/d"]).unwrap().files.len(), 4);
        for (paths, problem) in [
            (&["a", "a"][..], "there twice"),
            (&["b", "a"], "out of order"),
            (&["a", "a-b", "a/b"], "`a` is a file"),
            (&[""], "no name"),
        ] {
            let error = read(paths).unwrap_err();
            assert!(error.contains(problem), "{paths:?}: {error}");
        }
    }
}
