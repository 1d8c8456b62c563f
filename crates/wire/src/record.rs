//! `<ACTION>-<slug>.json`: the facts of one attempt (seed 1, "Terminal Output Evidence").
//!
//! The seed's keys `exitCode`, `signal`, `killed` and `timedOut` are views of the one `ending`; a record in which they
//! say something else is refused. Output is not repeated here: the log is a file of its own.

use std::collections::BTreeMap;

use referee_model::id::{ActionId, Digest};
use referee_model::plan::Action;
use referee_model::record::{
    CommandFacts, Ending, Executable, Facts, FileFacts, FileObservation, Found, LeakedProcess, Log, Notice, NoticeCode,
    Record, Redaction, Stream, StreamMap,
};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::document::{DocumentError, Kind};
use crate::ending::{self, EndingDocument};
use crate::form;

const KIND: Kind = Kind { name: "a record", key: "recordVersion", version: "1.0.0" };

/// Who says so.
pub(crate) const CAPTURED_BY: &str = "Referee";

/// The facts of one attempt, as a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(title = "Referee record")]
pub enum RecordDocument {
    /// A command was run.
    TerminalCommand(Box<CommandRecord>),
    /// A file was looked at.
    FileValidation(Box<FileRecord>),
}

/// The facts of a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommandRecord {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    record_version: String,
    #[schemars(with = "form::ActionId")]
    action_id: ActionId,
    /// 1 for the first.
    attempt: u32,
    /// The check's name.
    description: String,
    /// `argv` as one line, for people.
    command: String,
    /// Program and arguments as they were started, shell included.
    argv: Vec<String>,
    /// Absolute folder it ran in.
    working_directory: String,
    execution: CommandExecution,
    ending: EndingDocument,
    output: Output,
    /// The variables that it was given, redacted.
    environment: BTreeMap<String, String>,
    /// Names of the caller's variables that it was not given.
    dropped_variables: Vec<String>,
    /// The programs that were resolved for it.
    executables: Vec<ExecutableDocument>,
    /// Processes that it left behind, and that were stopped.
    leaked_processes: Vec<LeakedProcessDocument>,
    notices: Vec<NoticeDocument>,
    authenticity: Authenticity,
}

/// The facts of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileRecord {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    record_version: String,
    #[schemars(with = "form::ActionId")]
    action_id: ActionId,
    /// 1 for the first.
    attempt: u32,
    /// The check's name.
    description: String,
    /// The path that was asked for, relative to the workspace.
    file_path: String,
    observation: Observation,
    execution: Span,
    notices: Vec<NoticeDocument>,
    authenticity: Authenticity,
}

/// When it ran.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Span {
    #[schemars(with = "form::Time")]
    start_time: Timestamp,
    #[schemars(with = "form::Time")]
    end_time: Timestamp,
    /// Milliseconds, by a clock that only goes forward.
    duration: u64,
}

/// When a command ran, and how it ended in a few words; `ending` says it exactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CommandExecution {
    #[schemars(with = "form::Time")]
    start_time: Timestamp,
    #[schemars(with = "form::Time")]
    end_time: Timestamp,
    /// Milliseconds, by a clock that only goes forward.
    duration: u64,
    /// Null: it did not end by itself.
    exit_code: Option<i32>,
    /// The signal that ended it, whoever sent it.
    signal: Option<String>,
    /// Whether Referee stopped it.
    killed: bool,
    /// Whether a deadline was hit.
    timed_out: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Output {
    /// Null: the command never started.
    log: Option<LogDocument>,
}

/// The stored output: both streams in arrival order, redacted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LogDocument {
    /// File name in the evidence folder.
    file: String,
    bytes: u64,
    #[schemars(with = "form::Sha256")]
    sha256: Digest,
    /// Which bytes belong to which stream: `["out", 120]` is 120 bytes of standard output, `err` of standard error.
    #[serde(serialize_with = "on_one_line")]
    stream_map: Vec<(StreamWord, u64)>,
    redactions: Vec<RedactionDocument>,
    /// How many there were, also beyond those listed.
    redaction_count: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StreamWord {
    Out,
    Err,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RedactionDocument {
    /// The rule that found it.
    rule: String,
    /// Where the replacement begins in the log.
    offset: u64,
    /// How long it is.
    bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExecutableDocument {
    /// The name it was asked for by.
    name: String,
    /// Absolute path, links resolved.
    path: String,
    /// Null: it could be run and not read.
    #[schemars(with = "Option<form::Sha256>")]
    sha256: Option<Digest>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LeakedProcessDocument {
    pid: u32,
    command: String,
    /// Whether it held the command's output open.
    held_output: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NoticeDocument {
    #[schemars(with = "form::NoticeCode")]
    code: NoticeCode,
    message: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Authenticity {
    captured_by: String,
    #[schemars(with = "form::Time")]
    timestamp: Timestamp,
    /// SHA-256 of the log. Null: there is none.
    #[schemars(with = "Option<form::Sha256>")]
    output_hash: Option<Digest>,
}

/// What lies at a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "found", rename_all = "kebab-case", deny_unknown_fields)]
enum Observation {
    /// Nothing.
    Missing {},
    /// A file.
    File {
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
    },
    /// A folder.
    Folder {},
    /// A device, socket or the like.
    Other {},
    /// A path that leads outside the workspace by a link.
    Outside {
        /// Where it leads.
        target: String,
    },
    /// Something that could not be looked at.
    Unreadable {
        /// What the system said.
        message: String,
    },
}

/// Returns the facts of one attempt as a document.
pub fn document(action: &Action, record: &Record) -> RecordDocument {
    match &record.facts {
        Facts::Command(facts) => RecordDocument::TerminalCommand(Box::new(command(action, record, facts))),
        Facts::File(facts) => RecordDocument::FileValidation(Box::new(file(action, record, facts))),
    }
}

/// Reads the facts of one attempt.
pub fn read(bytes: &[u8]) -> Result<Record, DocumentError> {
    KIND.read::<RecordDocument>(bytes)?.try_into()
}

fn command(action: &Action, record: &Record, facts: &CommandFacts) -> CommandRecord {
    CommandRecord {
        record_version: KIND.version.to_owned(),
        action_id: record.action.clone(),
        attempt: record.attempt,
        description: action.name.clone(),
        command: facts.argv.join(" "),
        argv: facts.argv.clone(),
        working_directory: facts.directory.clone(),
        execution: CommandExecution::new(Span::from(record), &facts.ending),
        ending: (&facts.ending).into(),
        output: Output { log: facts.log.as_ref().map(LogDocument::from) },
        environment: facts.environment.clone(),
        dropped_variables: facts.dropped_variables.clone(),
        executables: facts.executables.iter().map(ExecutableDocument::from).collect(),
        leaked_processes: leaked(facts),
        notices: notices(record),
        authenticity: Authenticity {
            captured_by: CAPTURED_BY.to_owned(),
            timestamp: record.ended,
            output_hash: facts.log.as_ref().map(|log| log.sha256),
        },
    }
}

fn file(action: &Action, record: &Record, facts: &FileFacts) -> FileRecord {
    FileRecord {
        record_version: KIND.version.to_owned(),
        action_id: record.action.clone(),
        attempt: record.attempt,
        description: action.name.clone(),
        file_path: facts.path.clone(),
        observation: (&facts.found).into(),
        execution: record.into(),
        notices: notices(record),
        authenticity: Authenticity { captured_by: CAPTURED_BY.to_owned(), timestamp: record.ended, output_hash: None },
    }
}

/// Returns a record's notices as documents.
pub(crate) fn notices(record: &Record) -> Vec<NoticeDocument> {
    record.notices.iter().map(|notice| NoticeDocument { code: notice.code, message: notice.message.clone() }).collect()
}

/// Returns the processes that a command left behind as documents.
pub(crate) fn leaked(facts: &CommandFacts) -> Vec<LeakedProcessDocument> {
    let document = |process: &LeakedProcess| LeakedProcessDocument {
        pid: process.pid,
        command: process.command.clone(),
        held_output: process.held_output,
    };
    facts.leaked.iter().map(document).collect()
}

impl From<&Record> for Span {
    fn from(record: &Record) -> Self {
        Self { start_time: record.started, end_time: record.ended, duration: record.duration_ms }
    }
}

impl CommandExecution {
    fn new(span: Span, ending: &Ending) -> Self {
        Self {
            start_time: span.start_time,
            end_time: span.end_time,
            duration: span.duration,
            exit_code: ending::exit_code(ending),
            signal: ending::signal(ending),
            killed: ending::is_stopped(ending),
            timed_out: matches!(ending, Ending::DeadlineExceeded { .. }),
        }
    }
}

impl From<&Log> for LogDocument {
    fn from(log: &Log) -> Self {
        let word = |stream| match stream {
            Stream::Stdout => StreamWord::Out,
            Stream::Stderr => StreamWord::Err,
        };
        let redaction = |redaction: &Redaction| RedactionDocument {
            rule: redaction.rule.clone(),
            offset: redaction.offset,
            bytes: redaction.bytes,
        };
        Self {
            file: log.file.clone(),
            bytes: log.bytes,
            sha256: log.sha256,
            stream_map: log.streams.segments().iter().map(|segment| (word(segment.stream), segment.bytes)).collect(),
            redactions: log.redactions.iter().map(redaction).collect(),
            redaction_count: log.redaction_count,
        }
    }
}

impl From<&Executable> for ExecutableDocument {
    fn from(executable: &Executable) -> Self {
        Self { name: executable.name.clone(), path: executable.path.clone(), sha256: executable.sha256 }
    }
}

impl From<&Found> for Observation {
    fn from(found: &Found) -> Self {
        match found {
            Found::Missing => Self::Missing {},
            Found::File(file) => Self::File {
                bytes: file.bytes,
                sha256: file.sha256,
                modified: file.modified,
                contains: file.contains.clone(),
                matches: file.matches.clone(),
            },
            Found::Folder => Self::Folder {},
            Found::Other => Self::Other {},
            Found::Outside { target } => Self::Outside { target: target.clone() },
            Found::Unreadable { message } => Self::Unreadable { message: message.clone() },
        }
    }
}

/// A stream map may have thousands of segments, which nobody reads line by line.
fn on_one_line<S: Serializer>(map: &[(StreamWord, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    let line = serde_json::value::to_raw_value(map).map_err(serde::ser::Error::custom)?;
    line.serialize(serializer)
}

impl TryFrom<RecordDocument> for Record {
    type Error = DocumentError;

    fn try_from(document: RecordDocument) -> Result<Self, DocumentError> {
        match document {
            RecordDocument::TerminalCommand(command) => command_record(*command),
            RecordDocument::FileValidation(file) => file_record(*file),
        }
    }
}

fn command_record(document: CommandRecord) -> Result<Record, DocumentError> {
    KIND.check(&document.record_version)?;
    let CommandExecution { start_time, end_time, duration, .. } = document.execution;
    let ending = Ending::from(document.ending);
    if document.execution != CommandExecution::new(Span { start_time, end_time, duration }, &ending) {
        return Err(KIND.content("`execution` and `ending` tell of different ends"));
    }
    if document.authenticity.output_hash != document.output.log.as_ref().map(|log| log.sha256) {
        return Err(KIND.content("`authenticity.outputHash` is not the log's"));
    }
    if document.command != document.argv.join(" ") {
        return Err(KIND.content("`command` and `argv` differ"));
    }
    let facts = CommandFacts {
        argv: document.argv,
        directory: document.working_directory,
        executables: document
            .executables
            .into_iter()
            .map(|executable| Executable { name: executable.name, path: executable.path, sha256: executable.sha256 })
            .collect(),
        environment: document.environment,
        dropped_variables: document.dropped_variables,
        ending,
        leaked: document
            .leaked_processes
            .into_iter()
            .map(|process| LeakedProcess {
                pid: process.pid,
                command: process.command,
                held_output: process.held_output,
            })
            .collect(),
        log: document.output.log.map(log).transpose()?,
    };
    Ok(Record {
        action: document.action_id,
        attempt: document.attempt,
        started: start_time,
        ended: end_time,
        duration_ms: duration,
        facts: Facts::Command(facts),
        notices: noticed(document.notices),
    })
}

fn file_record(document: FileRecord) -> Result<Record, DocumentError> {
    KIND.check(&document.record_version)?;
    let found = match document.observation {
        Observation::Missing {} => Found::Missing,
        Observation::File { bytes, sha256, modified, contains, matches } => {
            Found::File(FileObservation { bytes, sha256, modified, contains, matches })
        }
        Observation::Folder {} => Found::Folder,
        Observation::Other {} => Found::Other,
        Observation::Outside { target } => Found::Outside { target },
        Observation::Unreadable { message } => Found::Unreadable { message },
    };
    Ok(Record {
        action: document.action_id,
        attempt: document.attempt,
        started: document.execution.start_time,
        ended: document.execution.end_time,
        duration_ms: document.execution.duration,
        facts: Facts::File(FileFacts { path: document.file_path, found }),
        notices: noticed(document.notices),
    })
}

fn noticed(notices: Vec<NoticeDocument>) -> Vec<Notice> {
    notices.into_iter().map(|notice| Notice { code: notice.code, message: notice.message }).collect()
}

/// Takes a log whose map is one that a capture could have made: no empty segment, neighbours of different streams, all
/// bytes covered.
fn log(document: LogDocument) -> Result<Log, DocumentError> {
    if document.file.is_empty()
        || [".", ".."].contains(&document.file.as_str())
        || document.file.contains(['/', '\\', '\0'])
    {
        return Err(KIND.content(format!("`{}` is no file of this folder", document.file)));
    }
    let mut streams = StreamMap::default();
    let mut total = 0_u64;
    for (word, bytes) in &document.stream_map {
        total = total
            .checked_add(*bytes)
            .ok_or_else(|| KIND.content("`streamMap` holds more bytes than can be counted"))?;
        streams.push(
            match word {
                StreamWord::Out => Stream::Stdout,
                StreamWord::Err => Stream::Stderr,
            },
            *bytes,
        );
    }
    if streams.segments().len() != document.stream_map.len() {
        return Err(KIND.content("`streamMap` has an empty segment, or neighbours of one stream"));
    }
    if total != document.bytes {
        return Err(KIND.content(format!("`streamMap` covers {total} of the log's {} bytes", document.bytes)));
    }
    Ok(Log {
        file: document.file,
        bytes: document.bytes,
        sha256: document.sha256,
        streams,
        redactions: document
            .redactions
            .into_iter()
            .map(|redaction| Redaction { rule: redaction.rule, offset: redaction.offset, bytes: redaction.bytes })
            .collect(),
        redaction_count: document.redaction_count,
    })
}
