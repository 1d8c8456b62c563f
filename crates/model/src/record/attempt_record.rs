//! `<ACTION>-<slug>.json`: the facts of one attempt (seed 1, "Terminal Output Evidence", "HTTP Request Evidence").
//!
//! A record is written as the model has it. `type` is the action's; one type can be done in several ways, which `kind`
//! tells apart. Beside the facts stand views of them that the seed asks for, such as `exitCode` beside `ending`; a record
//! whose views say something else is refused. Output is not repeated here: the log is a file of its own.

use crate::id::{ActionId, Digest};
use crate::plan::{Action, ActionType};
use crate::record::{CommandFacts, Ending, Facts, FileFacts, GlobFacts, Notice, Record, ServiceFacts, Span};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::check::log as check_log;
use self::http::HttpDocument;
use crate::document::{Distinct, DocumentError, Kind};

mod check;
mod http;

const KIND: Kind = Kind { name: "a record", key: "recordVersion", version: "2.0.0" };

/// Who says so.
pub const CAPTURED_BY: &str = "Referee";

/// The facts of one attempt, with the views of them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordDocument<'record> {
    /// Version of this format.
    record_version: &'static str,
    /// The action.
    action_id: &'record ActionId,
    /// The action's type.
    #[serde(rename = "type")]
    action_type: ActionType,
    /// 1 for the first.
    attempt: u32,
    /// The check's name.
    description: &'record str,
    #[serde(flatten)]
    facts: FactsDocument<'record>,
    /// When it ran, and how a command ended in a few words; `ending` says it exactly.
    execution: Execution,
    /// What is worth telling a person beside the facts.
    notices: &'record [Notice],
    /// Who says so.
    authenticity: Authenticity,
}

/// What was observed, by kind of work.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum FactsDocument<'record> {
    /// A command was run.
    Command(CommandDocument<'record>),
    /// A file was looked at.
    File(&'record FileFacts),
    /// The files that a pattern names were looked at.
    Glob(&'record GlobFacts),
    /// An HTTP request was made.
    Http(HttpDocument<'record>),
    /// A service was started and waited for, or only waited for.
    Service(&'record ServiceFacts),
    /// Nothing was done: the specification has a problem with the action.
    NotExecuted {},
}

#[derive(Debug, Serialize)]
struct CommandDocument<'record> {
    /// `argv` as one line, for people.
    command: String,
    #[serde(flatten)]
    facts: &'record CommandFacts,
}

#[derive(Debug, Serialize)]
struct Execution {
    #[serde(flatten)]
    span: Span,
    #[serde(flatten)]
    ended: Option<Ended>,
}

/// How a command ended, in a few words.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Ended {
    /// Null: it did not end by itself.
    exit_code: Option<i32>,
    /// The signal that ended it, whoever sent it.
    signal: Option<String>,
    /// Whether Referee stopped it.
    killed: bool,
    /// Whether a deadline was hit.
    timed_out: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Authenticity {
    /// Who says so.
    captured_by: &'static str,
    /// When it was over.
    timestamp: Timestamp,
    /// SHA-256 of the one log. Null: there is none, or there are several.
    output_hash: Option<Digest>,
}

/// A record as it is read, views left aside.
#[derive(Deserialize)]
struct Stored {
    #[serde(rename = "type")]
    action_type: ActionType,
    description: String,
    #[serde(flatten)]
    record: Record,
}

/// Returns the facts of one attempt as a document.
pub fn document<'record>(action: &'record Action, record: &'record Record) -> RecordDocument<'record> {
    let types = types(&record.facts);
    let action_type = action.work.action_type();
    let fitting = types.contains(&action_type) || types.is_empty();
    with_views(if fitting { action_type } else { types[0] }, &action.name, record)
}

/// Reads the facts of one attempt. Whatever this version would not write is refused: an unknown key as well as a view that
/// says something else than the facts.
pub fn read(bytes: &[u8]) -> Result<Record, DocumentError> {
    let Distinct(value) = KIND.read(bytes)?;
    let Stored { action_type, description, record } = KIND.read(bytes)?;
    check::check(action_type, &record).map_err(|problem| KIND.content(problem))?;
    KIND.compare(&value, &with_views(action_type, &description, &record))?;
    Ok(record)
}

fn with_views<'record>(
    action_type: ActionType,
    description: &'record str,
    record: &'record Record,
) -> RecordDocument<'record> {
    let Record { action, attempt, span, facts, notices } = record;
    RecordDocument {
        record_version: KIND.version,
        action_id: action,
        action_type,
        attempt: *attempt,
        description,
        facts: match facts {
            Facts::Command(facts) => FactsDocument::Command(CommandDocument { command: facts.argv.join(" "), facts }),
            Facts::File(facts) => FactsDocument::File(facts),
            Facts::Glob(facts) => FactsDocument::Glob(facts),
            Facts::Http(facts) => FactsDocument::Http(HttpDocument::new(facts, span)),
            Facts::Service(facts) => FactsDocument::Service(facts),
            Facts::NotExecuted => FactsDocument::NotExecuted {},
        },
        execution: Execution {
            span: *span,
            ended: match facts {
                Facts::Command(facts) => Some((&facts.ending).into()),
                _ => None,
            },
        },
        notices,
        authenticity: Authenticity {
            captured_by: CAPTURED_BY,
            timestamp: span.ended,
            output_hash: record.log().map(|log| log.sha256),
        },
    }
}

/// Returns the types of actions that such facts are of, the usual one first. None: they can be of any.
fn types(facts: &Facts) -> &'static [ActionType] {
    match facts {
        Facts::Command(_) => &[ActionType::TerminalCommand, ActionType::CustomScript],
        Facts::File(_) | Facts::Glob(_) => &[ActionType::FileValidation],
        Facts::Http(_) => &[ActionType::HttpRequest],
        Facts::Service(_) => &[ActionType::TerminalCommand, ActionType::ServiceCheck],
        Facts::NotExecuted => &[],
    }
}

impl From<&Ending> for Ended {
    fn from(ending: &Ending) -> Self {
        Self {
            exit_code: ending.exit_code(),
            signal: ending.signal(),
            killed: ending.is_stopped(),
            timed_out: matches!(ending, Ending::DeadlineExceeded { .. }),
        }
    }
}
