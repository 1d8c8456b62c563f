//! Checks of files.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::id::{Digest, WorkspacePath};

/// A check of one file, or of all files that match a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileCheck {
    /// Directory that the path is relative to.
    pub root: FileRoot,
    /// Path of the file or directory; with [`FileCheck::glob`], a pattern for several files.
    pub path: WorkspacePath,
    /// Whether the path is a pattern (`*`, `**`, `?`, `[a-z]`, `{a,b}`). Every matching file is checked; a
    /// pattern without a match is a specification error (ruling 5).
    pub glob: bool,
    /// Expected state of the file.
    pub expectation: FileExpectation,
}

/// Directory that the path of a file check is relative to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum FileRoot {
    /// The workspace.
    Workspace,
    /// An absolute directory outside the workspace that the specification lists (`allowedDirectories`).
    Listed(#[serde(serialize_with = "crate::serial::lossy")] PathBuf),
}

/// Expected state of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum FileExpectation {
    /// The file must not exist.
    Absent,
    /// The file must exist and meet all given requirements.
    Present(FileContent),
}

/// Requirements for an existing file. Without any, existence is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileContent {
    /// Minimum size in bytes.
    pub min_size: Option<u64>,
    /// Maximum size in bytes.
    pub max_size: Option<u64>,
    /// Texts that the content must contain.
    pub contains: Vec<String>,
    /// Regular expressions (Rust `regex` syntax, multi-line) that the content must match.
    pub matches: Vec<String>,
    /// SHA-256 of the whole content.
    pub sha256: Option<Digest>,
    /// Data format in which the whole content must be well-formed.
    pub syntax: Option<DataSyntax>,
    /// JSON Schema that the content must be valid against.
    pub schema: Option<SchemaSource>,
    /// Whether the specification asks for a content match without giving one. Only existence is checked then,
    /// and the report says so (ruling 5).
    pub unspecified: bool,
}

/// Format of a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DataSyntax {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

/// Source of a JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum SchemaSource {
    /// JSON text of a schema that is part of the specification.
    Inline(String),
    /// Path of a schema file, JSON or YAML. A missing or invalid schema is a specification error.
    File(WorkspacePath),
}
