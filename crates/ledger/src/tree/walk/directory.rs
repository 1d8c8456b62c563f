//! A directory that a walk visits.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::repository_scope::RepositoryScope;
use crate::tree::index::Tracking;
use crate::tree::rules::Rules;

/// The lists that a directory or a file is visited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListSelection {
    pub(super) input: bool,
    /// The list of all files, among which protected ones are searched.
    pub(super) file: bool,
}

impl ListSelection {
    pub(super) fn is_nothing(self) -> bool {
        !self.input && !self.file
    }
}

#[derive(Debug)]
pub(super) struct Directory {
    /// Path relative to the workspace; empty for the workspace itself.
    pub(super) path: Vec<u8>,
    pub(super) parent: Option<Arc<Directory>>,
    pub(super) territory: Arc<RepositoryScope>,
    /// The index entries of the repository that are in this directory.
    pub(super) range: Range<usize>,
    pub(super) wanted: ListSelection,
    /// Whether the directory has a rules file; known once its names were read.
    pub(super) has_rules: OnceLock<bool>,
    /// What git ignores in the directory, determined on first use.
    pub(super) facts: OnceLock<Facts>,
}

/// What git ignores in a directory.
#[derive(Debug)]
pub(super) struct Facts {
    /// Whether the directory itself is ignored, and so everything untracked in it.
    pub(super) ignored: bool,
    pub(super) rules: Option<Rules>,
}

impl Directory {
    /// Returns the first directory of a repository scope.
    pub(super) fn first(path: Vec<u8>, territory: RepositoryScope, wanted: ListSelection) -> Self {
        let range = territory.all();
        Self {
            path,
            parent: None,
            territory: Arc::new(territory),
            range,
            wanted,
            has_rules: OnceLock::new(),
            facts: OnceLock::new(),
        }
    }

    /// Returns a directory in another one, with the index entries in it.
    pub(super) fn below(parent: &Arc<Self>, path: &[u8], range: Range<usize>, wanted: ListSelection) -> Self {
        Self {
            path: path.to_vec(),
            parent: Some(Arc::clone(parent)),
            territory: Arc::clone(&parent.territory),
            range,
            wanted,
            has_rules: OnceLock::new(),
            facts: OnceLock::new(),
        }
    }

    /// Writes the path of an entry of this directory to `path`.
    pub(super) fn inside(&self, name: &[u8], path: &mut Vec<u8>) {
        path.clear();
        if !self.path.is_empty() {
            path.extend_from_slice(&self.path);
            path.push(b'/');
        }
        path.extend_from_slice(name);
    }

    /// Returns how a path in this directory is tracked.
    pub(super) fn tracks(&self, path: &[u8]) -> Option<Tracking> {
        self.territory.tracks(self.range.clone(), path)
    }

    pub(super) fn at(&self, workspace: &Path) -> std::path::PathBuf {
        workspace.join(crate::tree::open::path(&self.path))
    }
}
