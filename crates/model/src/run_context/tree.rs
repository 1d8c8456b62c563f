//! The inputs of a run: tracked files and untracked ones that are not ignored, minus our own directories and declared
//! outputs (design, "Tree digest").

use serde::{Deserialize, Serialize};

use crate::id::Digest;
use crate::time::Timestamp;

/// The inputs at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TreeState {
    /// Digest over path, mode and content of every file.
    pub digest: Digest,
    /// How many files there are.
    pub files: u64,
}

/// The inputs before the first action, and after the last one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TreeFacts {
    /// Before.
    pub before: TreeState,
    /// After.
    pub after: TreeState,
    /// What changed meanwhile, by path; at most [`crate::limit::TREE_CHANGES_LISTED`]. Files that were removed or modified
    /// come before those that were added.
    pub changes: Vec<TreeChange>,
    /// How many files changed, also beyond those listed.
    pub change_count: u64,
    /// Files that hold what they held, and were written meanwhile or are others by now: sources first, then by path; at most
    /// [`crate::limit::TREE_CHANGES_LISTED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewritten: Vec<TreeRewrite>,
}

/// A file that was written during a run, and holds what it held before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TreeRewrite {
    /// The file, relative to the workspace.
    pub path: String,
    /// When the file system last changed it.
    pub at: Timestamp,
    /// Whether it says at its beginning that a tool writes it.
    pub generated: bool,
}

/// A file that changed during a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TreeChange {
    /// The file, relative to the workspace.
    pub path: String,
    /// How it changed.
    pub kind: TreeChangeKind,
    /// When the file system last changed it. None: not known.
    pub at: Option<Timestamp>,
}

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TreeChangeKind {
    /// Its content or mode is another.
    Modified,
    /// It is gone.
    Removed,
    /// It was not there before.
    Added,
}
