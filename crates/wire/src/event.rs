//! One event as one line of JSON: a line of `journal.jsonl`, and of `--format jsonl`.

use referee_model::event::{Event, Happening};
use referee_model::id::{ActionId, Digest, ExecutionId, TaskId};
use referee_model::outcome::{Judgement, Outcome};
use referee_model::plan::Phase;
use referee_model::record::{Facts, Found, Log, Record, SkipReason};
use referee_model::severity::Severity;
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{DocumentError, Kind};
use crate::ending::EndingDocument;
use crate::form;
use crate::skip_reason::{self, SkipReasonDocument};

const KIND: Kind = Kind { name: "a journal's line", key: "eventVersion", version: "1.0.0" };

/// An event, as a document.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Referee event", extend("unevaluatedProperties" = false))]
pub(crate) struct EventDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    event_version: &'static str,
    /// 1 for the first; without gaps.
    #[schemars(range(min = 1))]
    sequence: u64,
    /// When it happened.
    #[schemars(with = "form::Time")]
    at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    happening: HappeningDocument,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
enum HappeningDocument {
    /// A run began.
    RunStarted {
        #[schemars(with = "form::ExecutionId")]
        execution_id: ExecutionId,
        #[schemars(with = "form::TaskId")]
        task_id: TaskId,
        title: String,
        /// How many actions there are.
        actions: usize,
    },
    /// An attempt began.
    ActionStarted {
        #[schemars(with = "form::ActionId")]
        action_id: ActionId,
        #[schemars(with = "form::Phase")]
        phase: Phase,
        name: String,
        /// 1 for the first.
        attempt: u32,
    },
    /// An attempt is over. The whole record is in a file of its own.
    ActionFinished(FinishedDocument),
    /// An action was judged.
    ActionJudged(JudgedDocument),
    /// An action will not run.
    ActionSkipped {
        #[schemars(with = "form::ActionId")]
        action_id: ActionId,
        reason: SkipReasonDocument,
        /// The reason as a sentence.
        message: String,
    },
    /// A signal came: everything is being stopped.
    Interrupting {
        /// The signal's number.
        signal: i32,
    },
    /// Everything is judged; the evidence is about to be sealed.
    RunFinished {
        #[schemars(with = "form::Decision")]
        decision: Decision,
    },
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FinishedDocument {
    #[schemars(with = "form::ActionId")]
    action_id: ActionId,
    attempt: u32,
    /// Milliseconds it took.
    duration: u64,
    /// How a command ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<EndingDocument>,
    /// What was found of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<FoundWord>,
    /// The stored output of a command that started.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogSummary>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum FoundWord {
    Missing,
    File,
    Folder,
    Other,
    Outside,
    Unreadable,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct LogSummary {
    file: String,
    bytes: u64,
    #[schemars(with = "form::Sha256")]
    sha256: Digest,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct JudgedDocument {
    #[schemars(with = "form::ActionId")]
    action_id: ActionId,
    #[schemars(with = "form::Outcome")]
    status: Outcome,
    /// Under a prerequisite failure, what went wrong underneath.
    #[schemars(with = "Option<form::Outcome>")]
    cause: Option<Outcome>,
    blocking: bool,
    #[schemars(with = "form::Severity")]
    severity: Severity,
    /// One sentence: why.
    reason: String,
    /// The rule that decided.
    rule: &'static str,
}

/// Returns an event as one line, without its end.
pub fn line(event: &Event) -> String {
    let document = EventDocument {
        event_version: KIND.version,
        sequence: event.sequence,
        at: event.at,
        happening: HappeningDocument::from(&event.happening),
    };
    serde_json::to_string(&document).expect("an event holds texts, whole numbers and truth values under text keys")
}

impl From<&Happening> for HappeningDocument {
    fn from(happening: &Happening) -> Self {
        match happening {
            Happening::RunStarted { execution, task, title, actions } => Self::RunStarted {
                execution_id: execution.clone(),
                task_id: task.clone(),
                title: title.clone(),
                actions: *actions,
            },
            Happening::ActionStarted { action, phase, name, attempt } => {
                Self::ActionStarted { action_id: action.clone(), phase: *phase, name: name.clone(), attempt: *attempt }
            }
            Happening::ActionFinished(record) => Self::ActionFinished(FinishedDocument::from(&**record)),
            Happening::ActionJudged(judgement) => Self::ActionJudged(JudgedDocument::from(&**judgement)),
            Happening::ActionSkipped { action, reason } => skipped(action, reason),
            Happening::Interrupting { signal } => Self::Interrupting { signal: *signal },
            Happening::RunFinished { decision } => Self::RunFinished { decision: *decision },
        }
    }
}

fn skipped(action: &ActionId, reason: &SkipReason) -> HappeningDocument {
    HappeningDocument::ActionSkipped {
        action_id: action.clone(),
        reason: reason.into(),
        message: skip_reason::sentence(reason),
    }
}

impl From<&Record> for FinishedDocument {
    fn from(record: &Record) -> Self {
        let (ending, log, found) = match &record.facts {
            Facts::Command(facts) => (Some((&facts.ending).into()), facts.log.as_ref().map(LogSummary::from), None),
            Facts::File(facts) => (None, None, Some((&facts.found).into())),
        };
        Self {
            action_id: record.action.clone(),
            attempt: record.attempt,
            duration: record.duration_ms,
            ending,
            found,
            log,
        }
    }
}

impl From<&Found> for FoundWord {
    fn from(found: &Found) -> Self {
        match found {
            Found::Missing => Self::Missing,
            Found::File(_) => Self::File,
            Found::Folder => Self::Folder,
            Found::Other => Self::Other,
            Found::Outside { .. } => Self::Outside,
            Found::Unreadable { .. } => Self::Unreadable,
        }
    }
}

impl From<&Log> for LogSummary {
    fn from(log: &Log) -> Self {
        Self { file: log.file.clone(), bytes: log.bytes, sha256: log.sha256 }
    }
}

impl From<&Judgement> for JudgedDocument {
    fn from(judgement: &Judgement) -> Self {
        Self {
            action_id: judgement.action.clone(),
            status: judgement.outcome,
            cause: judgement.cause,
            blocking: judgement.blocking,
            severity: judgement.severity,
            reason: judgement.reason.clone(),
            rule: judgement.rule.id(),
        }
    }
}

/// A line of a journal, as far as the journal's order is concerned.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JournalLine {
    /// 1 for the first.
    pub sequence: u64,
    /// When it happened.
    pub at: Timestamp,
    /// What happened, such as `action-finished`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The run, where the line says it: the first one does.
    #[serde(rename = "executionId", default)]
    pub execution: Option<ExecutionId>,
    /// The action, where the line is about one.
    #[serde(rename = "actionId", default)]
    pub action: Option<ActionId>,
}

/// Reads a line of a journal.
pub fn read_line(line: &str) -> Result<JournalLine, DocumentError> {
    KIND.read(line.as_bytes())
}

/// Returns what a line of a journal tells, without its number and its time: two lines that tell the same give the same
/// text.
///
/// # Errors
/// Fails for text that is no line of a journal.
pub fn told(line: &str) -> Result<String, DocumentError> {
    let mut members: serde_json::Map<String, serde_json::Value> = KIND.read(line.as_bytes())?;
    members.remove("sequence");
    members.remove("at");
    Ok(serde_json::Value::Object(members).to_string())
}
