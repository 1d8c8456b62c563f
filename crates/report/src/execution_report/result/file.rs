//! Facts observed of files.

use referee_model::id::Digest;
use referee_model::plan::{Action, FileContent, FileExpectation, Work};
use referee_model::record::{FileFacts, FileObservation, FileState, GlobFacts, SyntaxObservation};
use referee_model::time::Timestamp;
use serde::Serialize;

use referee_model::number::Count;

use super::super::specification::SchemaValidation;
use super::EMBEDDED;

/// Facts observed of a file, or of the files that a pattern matches.
#[document(open)]
pub(super) struct FileResult {
    #[serde(flatten)]
    file: FileDocument,
    /// First files that the pattern matches, sorted by path.
    matched_files: Option<Vec<MatchedFile>>,
    /// Number of files that the pattern matches, as far as they were examined.
    matched_total: Option<Count>,
    /// True: the pattern matches more files than are examined.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    matched_truncated: bool,
}

/// One of the files that a pattern matches.
#[document]
struct MatchedFile {
    #[serde(flatten)]
    file: FileDocument,
    /// Result of checking the file against its schema.
    schema_validation: Option<SchemaValidation>,
}

/// Facts observed at one path.
#[document(open)]
#[derive(Default)]
struct FileDocument {
    /// Whether the file exists; for a pattern, whether it matches any file. Left out where it could not be
    /// determined.
    file_exists: Option<bool>,
    /// Path as specified, relative to the workspace.
    file_path: String,
    /// Type of the file at the path; `link` is a symbolic link out of the workspace. Left out where nothing was
    /// found.
    file_type: Option<FileType>,
    /// Size of the file in bytes. Left out for anything but a file.
    file_size: Option<Count>,
    /// When the file was last changed, in UTC. Left out where it is not known.
    last_modified: Option<Timestamp>,
    /// SHA-256 of the content. Left out where the check did not need the content.
    sha256: Option<Digest>,
    /// Texts and patterns that were looked for in the content, each with whether it was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    content_checks: Vec<ContentCheck>,
    /// Whether the content is well-formed.
    syntax: Option<Syntax>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum FileType {
    File,
    Directory,
    Other,
    Link,
}

/// A text or pattern that was looked for.
#[document(nulls)]
struct ContentCheck {
    /// Text that must occur.
    #[serde(skip_serializing_if = "Option::is_none")]
    contains: Option<String>,
    /// Regular expression that must match.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<String>,
    /// Whether the content passes this check. Null: not determined, because the file is too large to search.
    holds: Option<bool>,
}

/// Whether the content is well-formed.
#[document(nulls)]
struct Syntax {
    /// Whether the content is well-formed. Null: it is too large to parse.
    well_formed: Option<bool>,
    /// First error in the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// Returns the result of checking a file against its schema. None: it has none.
pub(super) fn schema_validation(facts: &FileFacts) -> Option<SchemaValidation> {
    match &facts.found {
        FileState::File(file) => file.schema.as_ref().map(SchemaValidation::of_content),
        _ => None,
    }
}

impl FileResult {
    pub(super) fn of_file(action: &Action, facts: &FileFacts) -> Self {
        Self {
            file: FileDocument::new(asked(action), facts),
            matched_files: None,
            matched_total: None,
            matched_truncated: false,
        }
    }

    pub(super) fn of_glob(action: &Action, facts: &GlobFacts) -> Self {
        let asked = asked(action);
        let matched = facts.files.iter().take(EMBEDDED).map(|file| MatchedFile {
            file: FileDocument::new(asked, file),
            schema_validation: schema_validation(file),
        });
        Self {
            file: FileDocument {
                file_exists: (facts.failure.is_none() && facts.overrun.is_none()).then_some(!facts.files.is_empty()),
                file_path: facts.pattern.clone(),
                ..FileDocument::default()
            },
            matched_files: Some(matched.collect()),
            matched_total: Some(Count::of(facts.files.len())),
            matched_truncated: facts.truncated,
        }
    }
}

/// Returns the required content of a file. None: nothing is required, or the file must not exist.
fn asked(action: &Action) -> Option<&FileContent> {
    match &action.work {
        Work::File(check) => match &check.expectation {
            FileExpectation::Present(content) => Some(content),
            FileExpectation::Absent => None,
        },
        _ => None,
    }
}

impl FileDocument {
    fn new(asked: Option<&FileContent>, facts: &FileFacts) -> Self {
        let (file_exists, file_type) = match &facts.found {
            FileState::Missing => (Some(false), None),
            FileState::File(_) => (Some(true), Some(FileType::File)),
            FileState::Directory => (Some(true), Some(FileType::Directory)),
            FileState::Other => (Some(true), Some(FileType::Other)),
            FileState::Outside { .. } => (None, Some(FileType::Link)),
            FileState::Unreadable { .. } | FileState::DeadlineExceeded(_) => (None, None),
        };
        let file = match &facts.found {
            FileState::File(file) => Some(file),
            _ => None,
        };
        Self {
            file_exists,
            file_path: facts.path.clone(),
            file_type,
            file_size: file.map(|file| file.bytes.into()),
            last_modified: file.and_then(|file| file.modified),
            sha256: file.and_then(|file| file.sha256),
            content_checks: asked.zip(file).map(|(asked, file)| content_checks(asked, file)).unwrap_or_default(),
            syntax: file.and_then(|file| file.syntax.as_ref()).map(Syntax::from),
        }
    }
}

/// Returns the content checks with their observed results, which are in the same order.
fn content_checks(asked: &FileContent, file: &FileObservation) -> Vec<ContentCheck> {
    let observed = |all: &Option<Vec<bool>>, index: usize| all.as_ref().and_then(|all| all.get(index).copied());
    let texts = asked.contains.iter().enumerate().map(|(index, text)| ContentCheck {
        contains: Some(text.clone()),
        matches: None,
        holds: observed(&file.contains, index),
    });
    let patterns = asked.matches.iter().enumerate().map(|(index, pattern)| ContentCheck {
        contains: None,
        matches: Some(pattern.clone()),
        holds: observed(&file.matches, index),
    });
    texts.chain(patterns).collect()
}

impl From<&SyntaxObservation> for Syntax {
    fn from(observation: &SyntaxObservation) -> Self {
        match observation {
            SyntaxObservation::WellFormed => Self { well_formed: Some(true), message: None },
            SyntaxObservation::Malformed { message } => {
                Self { well_formed: Some(false), message: Some(message.clone()) }
            }
            SyntaxObservation::TooLarge => Self { well_formed: None, message: None },
        }
    }
}
