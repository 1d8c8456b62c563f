//! File checks, in documents.

use std::path::{Path, PathBuf};

use referee_model::id::{Digest, WorkspacePath};
use referee_model::plan::{DataSyntax, FileCheck, FileContent, FileExpectation, FileRoot, SchemaSource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct FileDocument {
    /// Absolute folder outside the workspace that the path starts from, one that the specification lists. Null: the
    /// workspace.
    root: Option<String>,
    /// The file or folder; with `glob` a pattern that names several.
    #[schemars(with = "String")]
    path: WorkspacePath,
    /// Whether `path` is a pattern. Every file that it names is looked at.
    glob: bool,
    /// What it must hold to. Null: it must not exist.
    present: Option<FileContentDocument>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FileContentDocument {
    /// Smallest size in bytes.
    min_size: Option<u64>,
    /// Largest size in bytes.
    max_size: Option<u64>,
    /// Texts that must occur.
    contains: Vec<String>,
    /// Regular expressions that must match.
    matches: Vec<String>,
    /// SHA-256 of the whole content.
    sha256: Option<Digest>,
    /// A data format that the whole content must be well-formed in.
    syntax: Option<DataSyntax>,
    /// A JSON Schema that the content must hold to.
    schema: Option<SchemaSourceDocument>,
    /// Whether the specification asks for a match of content and gives none: existence is all that is checked.
    unspecified: bool,
}

/// Where a JSON Schema comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum SchemaSourceDocument {
    /// The specification; this is the schema's JSON text.
    Inline(String),
    /// A file, below the workspace.
    File(#[schemars(with = "String")] WorkspacePath),
}

impl From<&FileCheck> for FileDocument {
    fn from(check: &FileCheck) -> Self {
        Self {
            root: match &check.root {
                FileRoot::Workspace => None,
                FileRoot::Listed(folder) => Some(folder.to_string_lossy().into_owned()),
            },
            path: check.path.clone(),
            glob: check.glob,
            present: match &check.expectation {
                FileExpectation::Absent => None,
                FileExpectation::Present(content) => Some(content.into()),
            },
        }
    }
}

impl From<&FileContent> for FileContentDocument {
    fn from(content: &FileContent) -> Self {
        Self {
            min_size: content.min_size,
            max_size: content.max_size,
            contains: content.contains.clone(),
            matches: content.matches.clone(),
            sha256: content.sha256,
            syntax: content.syntax,
            schema: content.schema.as_ref().map(SchemaSourceDocument::from),
            unspecified: content.unspecified,
        }
    }
}

impl From<&SchemaSource> for SchemaSourceDocument {
    fn from(source: &SchemaSource) -> Self {
        match source {
            SchemaSource::Inline(text) => Self::Inline(text.clone()),
            SchemaSource::File(path) => Self::File(path.clone()),
        }
    }
}

impl TryFrom<FileDocument> for FileCheck {
    type Error = String;

    fn try_from(document: FileDocument) -> Result<Self, String> {
        let root = match document.root {
            None => FileRoot::Workspace,
            Some(folder) if Path::new(&folder).is_absolute() => FileRoot::Listed(PathBuf::from(folder)),
            Some(folder) => return Err(format!("`root` is `{folder}`, which is not an absolute folder")),
        };
        let expectation = match document.present {
            None => FileExpectation::Absent,
            Some(content) => FileExpectation::Present(content.try_into()?),
        };
        Ok(Self { root, path: document.path, glob: document.glob, expectation })
    }
}

impl TryFrom<FileContentDocument> for FileContent {
    type Error = String;

    fn try_from(document: FileContentDocument) -> Result<Self, String> {
        Ok(Self {
            min_size: document.min_size,
            max_size: document.max_size,
            contains: document.contains,
            matches: document.matches,
            sha256: document.sha256,
            syntax: document.syntax,
            schema: document.schema.map(SchemaSource::try_from).transpose()?,
            unspecified: document.unspecified,
        })
    }
}

impl TryFrom<SchemaSourceDocument> for SchemaSource {
    type Error = String;

    fn try_from(document: SchemaSourceDocument) -> Result<Self, String> {
        Ok(match document {
            SchemaSourceDocument::Inline(text) => Self::Inline(json_text(text, "the inline schema")?),
            SchemaSourceDocument::File(path) => Self::File(path),
        })
    }
}

/// Takes a text that must be JSON.
pub(super) fn json_text(text: String, what: &str) -> Result<String, String> {
    match serde_json::from_str::<&RawValue>(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(format!("{what} is no JSON: {error}")),
    }
}
