//! A directory on the way of a walk.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::repository_scope::RepositoryScope;
use crate::tree::index::Tracking;
use crate::tree::rules::Rules;

/// For which lists a directory, or a file, is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListSelection {
    pub(super) input: bool,
    /// For that of all files, among which protected ones are looked for.
    pub(super) file: bool,
}

impl ListSelection {
    pub(super) fn is_nothing(self) -> bool {
        !self.input && !self.file
    }
}

#[derive(Debug)]
pub(super) struct Directory {
    /// Relative to the workspace; empty for the workspace itself.
    pub(super) path: Vec<u8>,
    pub(super) parent: Option<Arc<Directory>>,
    pub(super) territory: Arc<RepositoryScope>,
    /// The entries of the territory's index that lie in it.
    pub(super) range: Range<usize>,
    pub(super) wanted: ListSelection,
    /// Whether it holds a file of rules, known once its names were read.
    pub(super) has_rules: OnceLock<bool>,
    /// What is ignored in it, looked up when first asked.
    pub(super) facts: OnceLock<Facts>,
}

/// What is ignored in a directory.
#[derive(Debug)]
pub(super) struct Facts {
    /// Whether it is ignored itself, and with it all that is not tracked.
    pub(super) ignored: bool,
    pub(super) rules: Option<Rules>,
}

impl Directory {
    /// The first directory of a territory.
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

    /// A directory in another one, with what of the index lies in it.
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

    /// Writes down the path of a name in it.
    pub(super) fn inside(&self, name: &[u8], path: &mut Vec<u8>) {
        path.clear();
        if !self.path.is_empty() {
            path.extend_from_slice(&self.path);
            path.push(b'/');
        }
        path.extend_from_slice(name);
    }

    /// As what a path in it is tracked.
    pub(super) fn tracks(&self, path: &[u8]) -> Option<Tracking> {
        self.territory.tracks(self.range.clone(), path)
    }

    pub(super) fn at(&self, workspace: &Path) -> std::path::PathBuf {
        workspace.join(crate::tree::open::path(&self.path))
    }
}
