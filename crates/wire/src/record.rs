//! `<ACTION>-<slug>.json`: the facts of one attempt (seed 1, "Terminal Output Evidence", "HTTP Request Evidence").
//!
//! `type` is the action's; one type can be done in several ways, which `kind` tells apart. The seed's keys `exitCode`,
//! `signal`, `killed` and `timedOut` are views of the one `ending`; a record in which they say something else is refused.
//! Output is not repeated here: the log is a file of its own.

use referee_model::id::{ActionId, Digest};
use referee_model::plan::{Action, ActionType};
use referee_model::record::{Facts, Log, Notice, NoticeCode, Record};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::command::CommandRecord;
use self::file::{FileRecord, GlobRecord};
use self::http::HttpRecord;
use self::not_executed::NotExecutedRecord;
use self::service::ServiceRecord;
use crate::document::{DocumentError, Kind};

pub(crate) use self::service::{ReadinessDocument, StoppedServiceDocument};

mod command;
mod file;
mod http;
mod log;
mod not_executed;
mod service;

const KIND: Kind = Kind { name: "a record", key: "recordVersion", version: "1.0.0" };

/// Who says so.
pub(crate) const CAPTURED_BY: &str = "Referee";

/// The facts of one attempt, as a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(title = "Referee record")]
pub enum RecordDocument {
    /// A command was run.
    Command(Box<CommandRecord>),
    /// A file was looked at.
    File(Box<FileRecord>),
    /// The files that a pattern names were looked at.
    Glob(Box<GlobRecord>),
    /// An HTTP request was made.
    Http(Box<HttpRecord>),
    /// A service was started and waited for, or only waited for.
    Service(Box<ServiceRecord>),
    /// Nothing was done: the specification has a problem with the action.
    NotExecuted(Box<NotExecutedRecord>),
}

/// When it ran.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Span {
    /// When it began.
    start_time: Timestamp,
    /// When it was over.
    end_time: Timestamp,
    /// Milliseconds, by a clock that only goes forward.
    duration: u64,
}

/// Something worth telling beside the facts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NoticeDocument {
    /// What it is about.
    code: NoticeCode,
    /// A sentence for a person.
    message: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Authenticity {
    /// Who says so.
    captured_by: String,
    /// When it was over.
    timestamp: Timestamp,
    /// SHA-256 of the one log. Null: there is none, or there are several.
    output_hash: Option<Digest>,
}

/// What all records have in common, as it was read.
struct Head {
    action: ActionId,
    action_type: ActionType,
    attempt: u32,
    span: Span,
    notices: Vec<NoticeDocument>,
    authenticity: Authenticity,
}

/// Returns the facts of one attempt as a document.
pub fn document(action: &Action, record: &Record) -> RecordDocument {
    match &record.facts {
        Facts::Command(facts) => RecordDocument::Command(Box::new(CommandRecord::new(action, record, facts))),
        Facts::File(facts) => RecordDocument::File(Box::new(FileRecord::new(action, record, facts))),
        Facts::Glob(facts) => RecordDocument::Glob(Box::new(GlobRecord::new(action, record, facts))),
        Facts::Http(facts) => RecordDocument::Http(Box::new(HttpRecord::new(action, record, facts))),
        Facts::Service(facts) => RecordDocument::Service(Box::new(ServiceRecord::new(action, record, facts))),
        Facts::NotExecuted => RecordDocument::NotExecuted(Box::new(NotExecutedRecord::new(action, record))),
    }
}

/// Reads the facts of one attempt.
pub fn read(bytes: &[u8]) -> Result<Record, DocumentError> {
    let record = match KIND.read::<RecordDocument>(bytes)? {
        RecordDocument::Command(command) => command.read(),
        RecordDocument::File(file) => file.read(),
        RecordDocument::Glob(glob) => glob.read(),
        RecordDocument::Http(http) => http.read(),
        RecordDocument::Service(service) => service.read(),
        RecordDocument::NotExecuted(nothing) => nothing.read(),
    };
    record.map_err(|problem| KIND.content(problem))
}

/// Returns a record's notices as documents.
pub(crate) fn notices(record: &Record) -> Vec<NoticeDocument> {
    record.notices.iter().map(|notice| NoticeDocument { code: notice.code, message: notice.message.clone() }).collect()
}

impl From<&Record> for Span {
    fn from(record: &Record) -> Self {
        Self { start_time: record.started, end_time: record.ended, duration: record.duration_ms }
    }
}

impl Authenticity {
    fn new(timestamp: Timestamp, log: Option<&Log>) -> Self {
        Self { captured_by: CAPTURED_BY.to_owned(), timestamp, output_hash: log.map(|log| log.sha256) }
    }
}

impl Head {
    /// Makes the record of what was read, where type and authenticity are those of such facts.
    fn record(self, types: &[ActionType], authenticity: &Authenticity, facts: Facts) -> Result<Record, String> {
        if !types.contains(&self.action_type) {
            return Err(format!("`type` is {}, which such facts are never of", self.action_type.as_str()));
        }
        if self.attempt == 0 {
            return Err("`attempt` is 0, and the first is 1".to_owned());
        }
        if self.authenticity.output_hash != authenticity.output_hash {
            return Err("`authenticity.outputHash` is not the log's".to_owned());
        }
        if self.authenticity != *authenticity {
            return Err("`authenticity` is not that of such a record".to_owned());
        }
        let notice = |notice: NoticeDocument| Notice { code: notice.code, message: notice.message };
        Ok(Record {
            action: self.action,
            attempt: self.attempt,
            started: self.span.start_time,
            ended: self.span.end_time,
            duration_ms: self.span.duration,
            facts,
            notices: self.notices.into_iter().map(notice).collect(),
        })
    }
}
