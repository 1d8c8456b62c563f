//! What was observed of files.

use serde::{Deserialize, Serialize};

use super::Log;
use crate::id::Digest;
use crate::time::Timestamp;

/// What was observed of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileFacts {
    /// The path that was asked for, relative to the workspace.
    #[serde(rename = "filePath")]
    pub path: String,
    /// What is there.
    #[serde(rename = "observation")]
    pub found: FileState,
}

impl FileFacts {
    /// Returns the content, where that is kept as evidence.
    pub fn content(&self) -> Option<&Log> {
        match &self.found {
            FileState::File(file) => file.content.as_ref(),
            _ => None,
        }
    }
}

/// What lies at a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[expect(clippy::large_enum_variant, reason = "almost every one is a file, so a box would only move it")]
pub enum FileState {
    /// Nothing.
    Missing,
    /// A file.
    File(FileObservation),
    /// A directory.
    Directory,
    /// A device, socket or the like.
    Other,
    /// A path that leads outside the workspace by a link. It was not opened.
    Outside {
        /// Where it leads.
        target: String,
    },
    /// Something that could not be looked at.
    Unreadable {
        /// What the system said.
        message: String,
    },
    /// Something that was still being looked at when a deadline was hit.
    DeadlineExceeded(Overrun),
}

/// A deadline that ended a look at files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Overrun {
    /// The limit, in milliseconds.
    #[serde(rename = "limitMs")]
    pub timeout_ms: u64,
    /// Whether it is the task's.
    pub of_task: bool,
}

/// What was observed of a regular file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileObservation {
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of the content, where the check needs the content.
    pub sha256: Option<Digest>,
    /// Last change.
    pub modified: Option<Timestamp>,
    /// For each expected text, in order, whether it occurs. None: the file is too large to search.
    pub contains: Option<Vec<bool>>,
    /// For each expected pattern, in order, whether it matches. None: the file is too large to search.
    pub matches: Option<Vec<bool>>,
    /// Whether its content is well-formed, where the check asks for it.
    pub syntax: Option<SyntaxObservation>,
    /// Whether its content holds to its schema, where the check names one.
    pub schema: Option<SchemaObservation>,
    /// Its content, where that is kept as evidence.
    pub content: Option<Log>,
}

/// Whether a content is well-formed in its data format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum SyntaxObservation {
    /// It is.
    WellFormed,
    /// It is not, and this is the first thing wrong, with its line and column.
    Malformed {
        /// What is wrong.
        message: String,
    },
    /// It is too large to parse.
    TooLarge,
}

/// Whether a content holds to a JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum SchemaObservation {
    /// It does.
    Valid,
    /// It does not.
    Invalid {
        /// What is wrong, each with its JSON pointer; not all, if they are many.
        errors: Vec<String>,
        /// How many there are.
        error_count: u64,
    },
    /// It is not the data format that a schema could be held against.
    Malformed {
        /// What is wrong.
        message: String,
    },
    /// The schema itself is missing, unreadable, or none.
    Unusable {
        /// What is wrong with it.
        message: String,
    },
    /// It is too large to parse.
    TooLarge,
}

/// What was observed of the files that a pattern names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GlobFacts {
    /// The pattern, as it was asked for.
    pub pattern: String,
    /// The files, sorted by path.
    pub files: Vec<FileFacts>,
    /// Whether there are more than are looked at ([`crate::limit::GLOB_FILES`]).
    pub truncated: bool,
    /// Why the pattern could not be followed, where it could not.
    pub failure: Option<String>,
    /// The deadline that ended the look before all was seen, where one did.
    #[serde(rename = "deadlineExceeded", default, skip_serializing_if = "Option::is_none")]
    pub overrun: Option<Overrun>,
}
