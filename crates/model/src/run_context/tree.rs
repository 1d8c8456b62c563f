//! Inputs of a run: tracked files and untracked files that are not ignored, without Referee's own directories
//! and declared outputs (design, "Tree digest").

use serde::{Deserialize, Serialize};

use crate::id::Digest;
use crate::time::Timestamp;

/// State of the inputs at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TreeState {
    /// Digest over the path, mode and content of every file.
    pub digest: Digest,
    /// Number of files.
    pub files: u64,
}

/// Inputs before the first action and after the last one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TreeFacts {
    /// State before the first action.
    pub before: TreeState,
    /// State after the last action.
    pub after: TreeState,
    /// Changes during the run, by path; at most [`crate::limit::TREE_CHANGES_LISTED`]. Removed and modified
    /// files come before added ones.
    pub changes: Vec<TreeChange>,
    /// Number of changed files, including those that are not listed.
    pub change_count: u64,
    /// Files that were written or replaced during the run without a change of content: sources first, then by
    /// path; at most [`crate::limit::TREE_CHANGES_LISTED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewritten: Vec<TreeRewrite>,
}

/// A file that was written during a run without a change of content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TreeRewrite {
    /// The file, relative to the workspace.
    pub path: String,
    /// Time of the last change according to the file system.
    pub at: Timestamp,
    /// Whether the beginning of the file says that a tool generates it.
    pub generated: bool,
}

/// A file that changed during a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TreeChange {
    /// The file, relative to the workspace.
    pub path: String,
    /// Kind of change.
    pub kind: TreeChangeKind,
    /// Time of the last change according to the file system. None: unknown.
    pub at: Option<Timestamp>,
}

document_words! {
    /// Kind of change to a file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum TreeChangeKind {
        /// The content or the mode changed.
        Modified = "modified",
        /// The file was removed.
        Removed = "removed",
        /// The file was added.
        Added = "added",
    }
}
