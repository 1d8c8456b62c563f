//! Files to look at.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::id::{Digest, WorkspacePath};

/// A file to look at, or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileCheck {
    /// The directory that the path starts from.
    pub root: FileRoot,
    /// The file or directory; with [`FileCheck::glob`] a pattern that names several.
    pub path: WorkspacePath,
    /// Whether the path is a pattern (`*`, `**`, `?`, `[a-z]`, `{a,b}`). Every file that it names is looked at, and that
    /// it names none is a specification error (ruling 5).
    pub glob: bool,
    /// What is expected of it.
    pub expectation: FileExpectation,
}

/// The directory that the path of a file check starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum FileRoot {
    /// The workspace.
    Workspace,
    /// An absolute directory outside it that the specification lists (`allowedDirectories`).
    Listed(#[serde(serialize_with = "crate::serial::lossy")] PathBuf),
}

/// What is expected of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum FileExpectation {
    /// It must not exist.
    Absent,
    /// It must exist and hold to all that is given.
    Present(FileContent),
}

/// What a present file must hold to; nothing given means that existing is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileContent {
    /// Smallest size in bytes.
    pub min_size: Option<u64>,
    /// Largest size in bytes.
    pub max_size: Option<u64>,
    /// Texts that must occur.
    pub contains: Vec<String>,
    /// Regular expressions (Rust `regex` syntax, multi-line) that must match.
    pub matches: Vec<String>,
    /// SHA-256 of the whole content.
    pub sha256: Option<Digest>,
    /// A data format that the whole content must be well-formed in.
    pub syntax: Option<DataSyntax>,
    /// A JSON Schema that the content must hold to.
    pub schema: Option<SchemaSource>,
    /// Whether the specification asks for a match of content and gives none: existence is all that is checked, and the
    /// report says so (ruling 5).
    pub unspecified: bool,
}

/// Formats of data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DataSyntax {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

/// Where a JSON Schema comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum SchemaSource {
    /// It stands in the specification; this is its JSON text.
    Inline(String),
    /// It is a file, JSON or YAML. That it is missing or no schema is a specification error.
    File(WorkspacePath),
}
