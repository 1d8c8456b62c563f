//! The inputs of a run before and after, in documents.

use referee_model::circumstances::tree::{TreeChange, TreeChangeKind, TreeFacts, TreeRewrite, TreeState};
use referee_model::id::Digest;
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form;

/// The inputs before the first action, and after the last one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TreeDocument {
    /// Before.
    before: TreeStateDocument,
    /// After.
    after: TreeStateDocument,
    /// What changed meanwhile: removed and modified files first, then added ones; not all are listed.
    changes: Vec<TreeChangeDocument>,
    /// How many files changed.
    change_count: u64,
    /// Files that hold what they held, and were written meanwhile: sources first; not all are listed. Left out: there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rewritten: Vec<TreeRewriteDocument>,
}

impl From<&TreeFacts> for TreeDocument {
    fn from(value: &TreeFacts) -> Self {
        Self {
            before: (&value.before).into(),
            after: (&value.after).into(),
            changes: value.changes.iter().map(Into::into).collect(),
            change_count: value.change_count,
            rewritten: value.rewritten.iter().map(Into::into).collect(),
        }
    }
}

impl From<TreeDocument> for TreeFacts {
    fn from(document: TreeDocument) -> Self {
        Self {
            before: document.before.into(),
            after: document.after.into(),
            changes: document.changes.into_iter().map(Into::into).collect(),
            change_count: document.change_count,
            rewritten: document.rewritten.into_iter().map(Into::into).collect(),
        }
    }
}

/// The inputs at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TreeStateDocument {
    /// Digest over path, mode and content of every file.
    #[schemars(with = "form::Sha256")]
    digest: Digest,
    /// How many files there are.
    files: u64,
}

impl From<&TreeState> for TreeStateDocument {
    fn from(value: &TreeState) -> Self {
        Self { digest: value.digest, files: value.files }
    }
}

impl From<TreeStateDocument> for TreeState {
    fn from(document: TreeStateDocument) -> Self {
        Self { digest: document.digest, files: document.files }
    }
}

/// A file that changed during a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TreeChangeDocument {
    /// The file, relative to the workspace.
    path: String,
    /// How it changed.
    #[schemars(with = "form::TreeChangeKind")]
    kind: TreeChangeKind,
    /// When the file system last changed it. Null: not known.
    #[schemars(with = "Option<form::Time>")]
    at: Option<Timestamp>,
}

impl From<&TreeChange> for TreeChangeDocument {
    fn from(value: &TreeChange) -> Self {
        Self { path: value.path.clone(), kind: value.kind, at: value.at }
    }
}

impl From<TreeChangeDocument> for TreeChange {
    fn from(document: TreeChangeDocument) -> Self {
        Self { path: document.path, kind: document.kind, at: document.at }
    }
}

/// A file that was written during a run, and holds what it held before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TreeRewriteDocument {
    /// The file, relative to the workspace.
    path: String,
    /// When the file system last changed it.
    #[schemars(with = "form::Time")]
    at: Timestamp,
    /// Whether it says at its beginning that a tool writes it.
    generated: bool,
}

impl From<&TreeRewrite> for TreeRewriteDocument {
    fn from(value: &TreeRewrite) -> Self {
        Self { path: value.path.clone(), at: value.at, generated: value.generated }
    }
}

impl From<TreeRewriteDocument> for TreeRewrite {
    fn from(document: TreeRewriteDocument) -> Self {
        Self { path: document.path, at: document.at, generated: document.generated }
    }
}
