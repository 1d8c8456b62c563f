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
    #[schemars(with = "form::ActionId")]
    action_id: ActionId,
    /// The action's type.
    #[serde(rename = "type")]
    #[schemars(with = "form::ActionType")]
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
    #[schemars(with = "form::ActionId")]
    action_id: ActionId,
    /// The action's type.
    #[serde(rename = "type")]
    #[schemars(with = "form::ActionType")]
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
    deadline_exceeded: Option<OverrunDocument>,
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
    DeadlineExceeded(OverrunDocument),
}

/// A deadline that ended a look at files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OverrunDocument {
    /// The limit, in milliseconds.
    limit_ms: u64,
    /// Whether it is the task's.
    of_task: bool,
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
    #[schemars(with = "Option<form::Sha256>")]
    sha256: Option<Digest>,
    /// Its last change.
    #[schemars(with = "Option<form::Time>")]
    modified: Option<Timestamp>,
    /// For each expected text whether it occurs. Null: too large to search.
    contains: Option<Vec<bool>>,
    /// For each expected pattern whether it matches. Null: too large to search.
    matches: Option<Vec<bool>>,
    /// Whether it is well-formed. Null: that was not asked.
    syntax: Option<SyntaxDocument>,
    /// Whether it holds to its schema. Null: there is none.
    schema: Option<SchemaDocument>,
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

/// Whether a content is well-formed in its data format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum SyntaxDocument {
    /// It is.
    WellFormed {},
    /// It is not.
    Malformed {
        /// The first thing wrong, with its line and column.
        message: String,
    },
    /// It is too large to parse.
    TooLarge {},
}

/// Whether a content holds to a JSON Schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(super) enum SchemaDocument {
    /// It does.
    Valid {},
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
    TooLarge {},
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
            deadline_exceeded: facts.overrun.map(OverrunDocument::from),
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
            overrun: self.deadline_exceeded.map(Overrun::from),
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
            Found::DeadlineExceeded(overrun) => Self::DeadlineExceeded((*overrun).into()),
        }
    }
}

impl From<Overrun> for OverrunDocument {
    fn from(overrun: Overrun) -> Self {
        Self { limit_ms: overrun.limit_ms, of_task: overrun.of_task }
    }
}

impl From<OverrunDocument> for Overrun {
    fn from(document: OverrunDocument) -> Self {
        Self { limit_ms: document.limit_ms, of_task: document.of_task }
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
            syntax: file.syntax.as_ref().map(SyntaxDocument::from),
            schema: file.schema.as_ref().map(SchemaDocument::from),
            content: file.content.as_ref().map(LogDocument::from),
        }
    }
}

impl From<&SyntaxObservation> for SyntaxDocument {
    fn from(syntax: &SyntaxObservation) -> Self {
        match syntax {
            SyntaxObservation::WellFormed => Self::WellFormed {},
            SyntaxObservation::Malformed { message } => Self::Malformed { message: message.clone() },
            SyntaxObservation::TooLarge => Self::TooLarge {},
        }
    }
}

impl From<&SchemaObservation> for SchemaDocument {
    fn from(schema: &SchemaObservation) -> Self {
        match schema {
            SchemaObservation::Valid => Self::Valid {},
            SchemaObservation::Invalid { errors, error_count } => {
                Self::Invalid { errors: errors.clone(), error_count: *error_count }
            }
            SchemaObservation::Malformed { message } => Self::Malformed { message: message.clone() },
            SchemaObservation::Unusable { message } => Self::Unusable { message: message.clone() },
            SchemaObservation::TooLarge => Self::TooLarge {},
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
            Observation::DeadlineExceeded(overrun) => Self::DeadlineExceeded(overrun.into()),
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
            syntax: document.syntax.map(SyntaxObservation::from),
            schema: document.schema.map(SchemaObservation::try_from).transpose()?,
            content: document.content.map(Log::try_from).transpose()?,
        })
    }
}

impl From<SyntaxDocument> for SyntaxObservation {
    fn from(document: SyntaxDocument) -> Self {
        match document {
            SyntaxDocument::WellFormed {} => Self::WellFormed,
            SyntaxDocument::Malformed { message } => Self::Malformed { message },
            SyntaxDocument::TooLarge {} => Self::TooLarge,
        }
    }
}

impl TryFrom<SchemaDocument> for SchemaObservation {
    type Error = String;

    fn try_from(document: SchemaDocument) -> Result<Self, String> {
        Ok(match document {
            SchemaDocument::Valid {} => Self::Valid,
            SchemaDocument::Invalid { errors, error_count } => {
                let listed = u64::try_from(errors.len()).unwrap_or(u64::MAX);
                if listed > error_count {
                    return Err(format!("a schema has {error_count} complaints, and {listed} are listed"));
                }
                Self::Invalid { errors, error_count }
            }
            SchemaDocument::Malformed { message } => Self::Malformed { message },
            SchemaDocument::Unusable { message } => Self::Unusable { message },
            SchemaDocument::TooLarge {} => Self::TooLarge,
        })
    }
}
