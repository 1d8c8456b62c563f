//! The facts of files, in documents.

use referee_model::id::{ActionId, Digest};
use referee_model::plan::{Action, ActionType};
use referee_model::record::{
    Facts, FileFacts, FileObservation, Found, GlobFacts, Log, Overrun, Record, SchemaObservation, SyntaxObservation,
};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::log::LogDocument;
use super::{Authenticity, Head, NoticeDocument, Span, notices};
use crate::form;

/// The facts of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileRecord {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    record_version: String,
    /// The action.
    action_id: ActionId,
    /// The action's type.
    #[serde(rename = "type")]
    action_type: ActionType,
    /// 1 for the first.
    #[schemars(range(min = 1))]
    attempt: u32,
    /// The check's name.
    description: String,
    /// The path that was asked for, relative to the workspace.
    file_path: String,
    /// What is there.
    observation: Observation,
    /// When it was looked at.
    execution: Span,
    /// What is worth telling a person beside the facts.
    notices: Vec<NoticeDocument>,
    /// Who says so.
    authenticity: Authenticity,
}

/// The facts of the files that a pattern names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GlobRecord {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    record_version: String,
    /// The action.
    action_id: ActionId,
    /// The action's type.
    #[serde(rename = "type")]
    action_type: ActionType,
    /// 1 for the first.
    #[schemars(range(min = 1))]
    attempt: u32,
    /// The check's name.
    description: String,
    /// The pattern, as it was asked for.
    pattern: String,
    /// The files that it names, sorted by path.
    files: Vec<GlobFileDocument>,
    /// Whether there are more than are looked at.
    truncated: bool,
    /// Why the pattern could not be followed. Null: it could.
    failure: Option<String>,
    /// The deadline that ended the look before all was seen. Left out: none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline_exceeded: Option<Overrun>,
    /// When they were looked at.
    execution: Span,
    /// What is worth telling a person beside the facts.
    notices: Vec<NoticeDocument>,
    /// Who says so.
    authenticity: Authenticity,
}

/// One of the files that a pattern names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GlobFileDocument {
    /// Its path, relative to the workspace.
    file_path: String,
    /// What is there.
    observation: Observation,
}

/// What lies at a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "found", rename_all = "kebab-case")]
enum Observation {
    /// Nothing.
    Missing(Nothing),
    /// A file.
    File(Box<FileObservationDocument>),
    /// A folder.
    Folder(Nothing),
    /// A device, socket or the like.
    Other(Nothing),
    /// A path that leads outside the workspace by a link.
    Outside(OutsideDocument),
    /// Something that could not be looked at.
    Unreadable(UnreadableDocument),
    /// Something that was still being looked at when a deadline was hit.
    DeadlineExceeded(Overrun),
}

/// No key at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// What was observed of a regular file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FileObservationDocument {
    /// Its size.
    bytes: u64,
    /// SHA-256 of its content, where the check needs it.
    sha256: Option<Digest>,
    /// Its last change.
    modified: Option<Timestamp>,
    /// For each expected text whether it occurs. Null: too large to search.
    contains: Option<Vec<bool>>,
    /// For each expected pattern whether it matches. Null: too large to search.
    matches: Option<Vec<bool>>,
    /// Whether it is well-formed. Null: that was not asked.
    syntax: Option<SyntaxObservation>,
    /// Whether it holds to its schema. Null: there is none.
    schema: Option<SchemaObservation>,
    /// Its content. Null: it is not kept.
    content: Option<LogDocument>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OutsideDocument {
    /// Where it leads.
    target: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UnreadableDocument {
    /// What the system said.
    message: String,
}

impl FileRecord {
    pub(super) fn new(action: &Action, record: &Record, facts: &FileFacts) -> Self {
        Self {
            record_version: super::KIND.version.to_owned(),
            action_id: record.action.clone(),
            action_type: ActionType::FileValidation,
            attempt: record.attempt,
            description: action.name.clone(),
            file_path: facts.path.clone(),
            observation: (&facts.found).into(),
            execution: record.into(),
            notices: notices(record),
            authenticity: Authenticity::new(record.ended, content(&facts.found)),
        }
    }

    pub(super) fn read(self) -> Result<Record, String> {
        let facts = FileFacts { path: self.file_path, found: self.observation.try_into()? };
        let head = Head {
            action: self.action_id,
            action_type: self.action_type,
            attempt: self.attempt,
            span: self.execution,
            notices: self.notices,
            authenticity: self.authenticity,
        };
        let authenticity = Authenticity::new(head.span.end_time, content(&facts.found));
        head.record(&[ActionType::FileValidation], &authenticity, Facts::File(facts))
    }
}

impl GlobRecord {
    pub(super) fn new(action: &Action, record: &Record, facts: &GlobFacts) -> Self {
        let file =
            |file: &FileFacts| GlobFileDocument { file_path: file.path.clone(), observation: (&file.found).into() };
        Self {
            record_version: super::KIND.version.to_owned(),
            action_id: record.action.clone(),
            action_type: ActionType::FileValidation,
            attempt: record.attempt,
            description: action.name.clone(),
            pattern: facts.pattern.clone(),
            files: facts.files.iter().map(file).collect(),
            truncated: facts.truncated,
            failure: facts.failure.clone(),
            deadline_exceeded: facts.overrun,
            execution: record.into(),
            notices: notices(record),
            authenticity: Authenticity::new(record.ended, None),
        }
    }

    pub(super) fn read(self) -> Result<Record, String> {
        if let Some(pair) = self.files.windows(2).find(|pair| pair[0].file_path >= pair[1].file_path) {
            return Err(format!("`{}` stands twice or out of order", pair[1].file_path));
        }
        let file = |file: GlobFileDocument| Ok(FileFacts { path: file.file_path, found: file.observation.try_into()? });
        let facts = GlobFacts {
            pattern: self.pattern,
            files: self.files.into_iter().map(file).collect::<Result<_, String>>()?,
            truncated: self.truncated,
            failure: self.failure,
            overrun: self.deadline_exceeded,
        };
        let head = Head {
            action: self.action_id,
            action_type: self.action_type,
            attempt: self.attempt,
            span: self.execution,
            notices: self.notices,
            authenticity: self.authenticity,
        };
        let authenticity = Authenticity::new(head.span.end_time, None);
        head.record(&[ActionType::FileValidation], &authenticity, Facts::Glob(facts))
    }
}

fn content(found: &Found) -> Option<&Log> {
    match found {
        Found::File(file) => file.content.as_ref(),
        _ => None,
    }
}

impl From<&Found> for Observation {
    fn from(found: &Found) -> Self {
        match found {
            Found::Missing => Self::Missing(Nothing {}),
            Found::File(file) => Self::File(Box::new(file.into())),
            Found::Folder => Self::Folder(Nothing {}),
            Found::Other => Self::Other(Nothing {}),
            Found::Outside { target } => Self::Outside(OutsideDocument { target: target.clone() }),
            Found::Unreadable { message } => Self::Unreadable(UnreadableDocument { message: message.clone() }),
            Found::DeadlineExceeded(overrun) => Self::DeadlineExceeded(*overrun),
        }
    }
}

impl From<&FileObservation> for FileObservationDocument {
    fn from(file: &FileObservation) -> Self {
        Self {
            bytes: file.bytes,
            sha256: file.sha256,
            modified: file.modified,
            contains: file.contains.clone(),
            matches: file.matches.clone(),
            syntax: file.syntax.clone(),
            schema: file.schema.clone(),
            content: file.content.as_ref().map(LogDocument::from),
        }
    }
}

impl TryFrom<Observation> for Found {
    type Error = String;

    fn try_from(document: Observation) -> Result<Self, String> {
        Ok(match document {
            Observation::Missing(Nothing {}) => Self::Missing,
            Observation::File(file) => Self::File((*file).try_into()?),
            Observation::Folder(Nothing {}) => Self::Folder,
            Observation::Other(Nothing {}) => Self::Other,
            Observation::Outside(OutsideDocument { target }) => Self::Outside { target },
            Observation::Unreadable(UnreadableDocument { message }) => Self::Unreadable { message },
            Observation::DeadlineExceeded(overrun) => Self::DeadlineExceeded(overrun),
        })
    }
}

impl TryFrom<FileObservationDocument> for FileObservation {
    type Error = String;

    fn try_from(document: FileObservationDocument) -> Result<Self, String> {
        Ok(Self {
            bytes: document.bytes,
            sha256: document.sha256,
            modified: document.modified,
            contains: document.contains,
            matches: document.matches,
            syntax: document.syntax,
            schema: document.schema.map(counted).transpose()?,
            content: document.content.map(Log::try_from).transpose()?,
        })
    }
}

/// Takes what was observed of a schema: no more complaints are listed than there are.
pub(super) fn counted(schema: SchemaObservation) -> Result<SchemaObservation, String> {
    match &schema {
        SchemaObservation::Invalid { errors, error_count } if errors.len() as u64 > *error_count => {
            Err(format!("a schema has {error_count} complaints, and {} are listed", errors.len()))
        }
        _ => Ok(schema),
    }
}
