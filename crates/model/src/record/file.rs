//! Facts about inspected files.

use serde::{Deserialize, Serialize};

use super::Log;
use crate::id::Digest;
use crate::time::Timestamp;

/// Facts about one inspected file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileFacts {
    /// Requested path, relative to the workspace.
    #[serde(rename = "filePath")]
    pub path: String,
    /// State of the path.
    #[serde(rename = "observation")]
    pub found: FileState,
}

impl FileFacts {
    /// Returns the log that holds the content of the file, if the content is kept as evidence.
    pub fn content(&self) -> Option<&Log> {
        match &self.found {
            FileState::File(file) => file.content.as_ref(),
            _ => None,
        }
    }
}

/// State of a path in the file system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[expect(clippy::large_enum_variant, reason = "almost every one is a file, so a box would only move it")]
pub enum FileState {
    /// Nothing exists at the path.
    Missing,
    /// A regular file.
    File(FileObservation),
    /// A directory.
    Directory,
    /// Another type of file, such as a device or a socket.
    Other,
    /// The path leads outside the workspace through a symbolic link. The target was not opened.
    Outside {
        /// Target of the link.
        target: String,
    },
    /// The path could not be inspected.
    Unreadable {
        /// Error message of the operating system.
        message: String,
    },
    /// A deadline passed while the path was being inspected.
    DeadlineExceeded(Overrun),
}

/// A deadline that ended an inspection of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Overrun {
    /// Length of the time limit, in milliseconds.
    #[serde(rename = "limitMs")]
    pub timeout_ms: u64,
    /// Whether the limit was that of the task rather than of the action.
    pub of_task: bool,
}

/// Facts about a regular file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileObservation {
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of the content. None: the check does not need the content.
    pub sha256: Option<Digest>,
    /// Time of the last modification. None: unknown.
    pub modified: Option<Timestamp>,
    /// For each expected text, in order, whether the content contains it. None: the file is too large to search.
    pub contains: Option<Vec<bool>>,
    /// For each expected pattern, in order, whether the content matches it. None: the file is too large to search.
    pub matches: Option<Vec<bool>>,
    /// Whether the content is well-formed. None: the check does not ask for it.
    pub syntax: Option<SyntaxObservation>,
    /// Whether the content is valid according to its schema. None: the check names no schema.
    pub schema: Option<SchemaObservation>,
    /// Content of the file. None: the content is not kept as evidence.
    pub content: Option<Log>,
}

/// Whether the content of a file is well-formed in its data format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum SyntaxObservation {
    /// The content is well-formed.
    WellFormed,
    /// The content is malformed.
    Malformed {
        /// The first error, with its line and column.
        message: String,
    },
    /// The content is too large to parse.
    TooLarge,
}

/// Whether content is valid according to a JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum SchemaObservation {
    /// The content is valid.
    Valid,
    /// The content is invalid.
    Invalid {
        /// Validation errors, each with its JSON pointer; truncated if there are many.
        errors: Vec<String>,
        /// Total number of validation errors.
        error_count: u64,
    },
    /// The content is malformed, so it could not be validated.
    Malformed {
        /// Description of the syntax error.
        message: String,
    },
    /// The schema is missing, unreadable or not a valid JSON Schema.
    Unusable {
        /// Description of the problem with the schema.
        message: String,
    },
    /// The content is too large to parse.
    TooLarge,
}

/// Facts about the files that match a pattern.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GlobFacts {
    /// The pattern, as requested.
    pub pattern: String,
    /// The files, sorted by path.
    pub files: Vec<FileFacts>,
    /// Whether more files match than are inspected ([`crate::limit::GLOB_FILES`]).
    pub truncated: bool,
    /// Why the pattern could not be evaluated. None: it could.
    pub failure: Option<String>,
    /// The deadline that ended the inspection before all files were seen. None: no deadline did.
    #[serde(rename = "deadlineExceeded", default, skip_serializing_if = "Option::is_none")]
    pub overrun: Option<Overrun>,
}
