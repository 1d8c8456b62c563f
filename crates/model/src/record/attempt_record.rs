//! `<ACTION>-<slug>.json`: the facts of one attempt (seed 1, "Terminal Output Evidence", "HTTP Request Evidence").
//!
//! A record is written in the form of the model. `type` is the type of the action; `kind` tells apart the ways
//! in which an action of one type can be performed. Next to the facts the document holds views of them that the
//! seed asks for, such as `exitCode` next to `ending`; a record whose views contradict its facts is refused.
//! Output is not part of the document: each log is a file of its own.

use crate::id::{ActionId, Digest};
use crate::plan::{Action, ActionType};
use crate::record::{
    CommandFacts, Ending, Facts, FileFacts, GlobFacts, InteractionFacts, Notice, Record, ServiceFacts, Span,
};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::check::log as check_log;
use self::http::HttpDocument;
use crate::document::{Distinct, DocumentError, Kind};

mod check;
mod http;

const KIND: Kind = Kind { name: "a record", key: "recordVersion", version: "2.0.0" };

/// Name of the program that records the facts.
pub const CAPTURED_BY: &str = "Referee";

/// The facts of one attempt, with the views derived from them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordDocument<'record> {
    /// Version of this format.
    record_version: &'static str,
    /// Id of the action.
    action_id: &'record ActionId,
    /// Type of the action.
    #[serde(rename = "type")]
    action_type: ActionType,
    /// Number of the attempt, from 1.
    attempt: u32,
    /// Name of the check.
    description: &'record str,
    #[serde(flatten)]
    facts: FactsDocument<'record>,
    /// Time span of the attempt, and a summary of how a command ended; `ending` has the details.
    execution: Execution,
    /// Notices for people that the facts do not cover.
    notices: &'record [Notice],
    /// Who recorded the facts and when, with the hash of the log.
    authenticity: Authenticity,
}

/// The observed facts, by kind of work.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum FactsDocument<'record> {
    /// The action ran a command.
    Command(CommandDocument<'record>),
    /// The action inspected one file.
    File(&'record FileFacts),
    /// The action inspected the files that match a pattern.
    Glob(&'record GlobFacts),
    /// The action made an HTTP request.
    Http(HttpDocument<'record>),
    /// The action started a service and waited for it, or only waited for it.
    Service(&'record ServiceFacts),
    /// The action interacted with a database or a browser.
    Interaction(&'record InteractionFacts),
    /// The action was not executed because of a problem in the specification.
    NotExecuted {},
}

#[derive(Debug, Serialize)]
struct CommandDocument<'record> {
    /// `argv` joined by spaces, for people.
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

/// Summary of how a command ended.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Ended {
    /// Exit code of the command. Null: the command did not exit by itself.
    exit_code: Option<i32>,
    /// Name of the signal that ended the command, whether Referee or another process sent it.
    signal: Option<String>,
    /// Whether Referee stopped the command.
    killed: bool,
    /// Whether the command was stopped at a deadline.
    timed_out: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Authenticity {
    /// Name of the program that recorded the facts.
    captured_by: &'static str,
    /// End of the attempt.
    timestamp: Timestamp,
    /// SHA-256 of the log. Null: there is no log, or there are several.
    output_hash: Option<Digest>,
}

/// A record as read, without the views.
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

/// Reads the facts of one attempt. Refuses everything that this version would not write: unknown keys, and
/// views that contradict the facts.
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
            Facts::Interaction(facts) => FactsDocument::Interaction(facts),
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

/// Returns the types of action that can have such facts, the usual one first. Empty: any type can.
fn types(facts: &Facts) -> &'static [ActionType] {
    match facts {
        Facts::Command(_) => &[ActionType::TerminalCommand, ActionType::CustomScript, ActionType::DockerCommand],
        Facts::File(_) | Facts::Glob(_) => &[ActionType::FileValidation],
        Facts::Http(_) => &[ActionType::HttpRequest],
        Facts::Service(_) => &[ActionType::TerminalCommand, ActionType::ServiceCheck],
        Facts::Interaction(_) => &[ActionType::DatabaseQuery, ActionType::McpBrowserCommand],
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
