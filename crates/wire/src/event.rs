//! One event as one line of JSON: a line of `journal.jsonl`, and of `--format jsonl`.

use referee_model::event::{Event, Happening};
use referee_model::id::{ActionId, Digest, ExecutionId, TaskId};
use referee_model::outcome::{Judgement, Outcome};
use referee_model::plan::Phase;
use referee_model::record::http::{HttpEnding, NoAnswerCause};
use referee_model::record::service::Readiness;
use referee_model::record::{Ending, Facts, Found, Log, Record, ServiceRecord, SkipReason};
use referee_model::severity::Severity;
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;
use serde::{Deserialize, Serialize};

use referee_model::document::{DocumentError, Kind};

const KIND: Kind = Kind { name: "a journal's line", key: "eventVersion", version: "1.0.0" };

/// An event, as a document.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(title = "Referee event", extend("unevaluatedProperties" = false)))]
pub struct EventDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    event_version: &'static str,
    /// 1 for the first; without gaps.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    sequence: u64,
    /// When it happened.
    at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    happening: HappeningDocument,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
enum HappeningDocument {
    /// A run began.
    RunStarted {
        /// The run.
        execution_id: ExecutionId,
        /// The task.
        task_id: TaskId,
        /// The task's title.
        title: String,
        /// How many actions there are.
        actions: usize,
    },
    /// An attempt began.
    ActionStarted {
        /// The action.
        action_id: ActionId,
        /// Its phase.
        phase: Phase,
        /// Its name.
        name: String,
        /// 1 for the first.
        #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
        attempt: u32,
    },
    /// An attempt is over. The whole record is in a file of its own.
    ActionFinished(FinishedDocument),
    /// An action was judged.
    ActionJudged(JudgedDocument),
    /// An action will not run.
    ActionSkipped {
        /// The action.
        action_id: ActionId,
        /// Why.
        reason: SkipReason,
        /// The reason as a sentence.
        message: String,
    },
    /// A service that was ready is over.
    ServiceStopped(ServiceDocument),
    /// The evaluator is given the report of the judged run.
    EvaluatorAsked {},
    /// The evaluator is over. The whole record is in a file of its own.
    EvaluatorAnswered(FinishedDocument),
    /// A signal came: everything is being stopped.
    Interrupting {
        /// The signal's number.
        signal: i32,
    },
    /// Everything is judged; the evidence is about to be sealed.
    RunFinished {
        /// The decision.
        decision: Decision,
    },
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct FinishedDocument {
    /// The action.
    action_id: ActionId,
    /// 1 for the first.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    attempt: u32,
    /// Milliseconds it took.
    duration: u64,
    /// Whether it was not executed, because the specification has a problem with it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_executed: bool,
    /// How a command ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<Ending>,
    /// What was found of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<FoundWord>,
    /// What came of a pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    glob: Option<GlobSummary>,
    /// What came of an HTTP request.
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<ResponseSummary>,
    /// How the wait for a service ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    readiness: Option<Readiness>,
    /// What is stored: the output of a command that started, the body of an answer, the content of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogSummary>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct GlobSummary {
    /// How many files were looked at.
    files: usize,
    /// Whether there are more.
    truncated: bool,
    /// Why the pattern could not be followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct ResponseSummary {
    /// How the request ended.
    kind: ResponseWord,
    /// The status, where the head of an answer came.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// Why there is no whole answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<NoAnswerCause>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum ResponseWord {
    Answered,
    NoAnswer,
    DeadlineExceeded,
    Interrupted,
}

/// What became of a service that was ready. The whole of it is in the run's header.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct ServiceDocument {
    /// The action that started it.
    action_id: ActionId,
    /// The attempt that made it ready.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    attempt: u32,
    /// Milliseconds it ran.
    duration: u64,
    /// How it ended.
    ending: Ending,
    /// Whether cleanup had begun when it ended.
    in_cleanup: bool,
    /// What is stored of its output.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogSummary>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum FoundWord {
    Missing,
    File,
    Folder,
    Other,
    Outside,
    Unreadable,
    DeadlineExceeded,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct LogSummary {
    /// File name in the evidence folder.
    file: String,
    /// Its size.
    bytes: u64,
    /// SHA-256 of its content.
    sha256: Digest,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct JudgedDocument {
    /// The action.
    action_id: ActionId,
    /// How it came out.
    status: Outcome,
    /// Under a prerequisite failure, what went wrong underneath.
    cause: Option<Outcome>,
    /// Whether it stands against a pass.
    blocking: bool,
    /// Whether this outcome is what the specification expects.
    expected: bool,
    /// Whether it succeeded after an attempt that did not.
    flaky: bool,
    /// How grave it is.
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
            Happening::ServiceStopped(service) => Self::ServiceStopped(ServiceDocument::from(&**service)),
            Happening::EvaluatorAsked => Self::EvaluatorAsked {},
            Happening::EvaluatorAnswered(record) => Self::EvaluatorAnswered(FinishedDocument::from(&**record)),
            Happening::Interrupting { signal } => Self::Interrupting { signal: *signal },
            Happening::RunFinished { decision } => Self::RunFinished { decision: *decision },
        }
    }
}

fn skipped(action: &ActionId, reason: &SkipReason) -> HappeningDocument {
    HappeningDocument::ActionSkipped { action_id: action.clone(), reason: reason.clone(), message: reason.sentence() }
}

impl From<&Record> for FinishedDocument {
    fn from(record: &Record) -> Self {
        let mut finished = Self {
            action_id: record.action.clone(),
            attempt: record.attempt,
            duration: record.span.duration_ms,
            not_executed: false,
            ending: None,
            found: None,
            glob: None,
            response: None,
            readiness: None,
            log: record.log().map(LogSummary::from),
        };
        match &record.facts {
            Facts::Command(facts) => finished.ending = Some(facts.ending.clone()),
            Facts::File(facts) => finished.found = Some((&facts.found).into()),
            Facts::Glob(facts) => {
                let (files, failure) = (facts.files.len(), facts.failure.clone());
                finished.glob = Some(GlobSummary { files, truncated: facts.truncated, failure });
            }
            Facts::Http(facts) => finished.response = Some((&facts.ending).into()),
            Facts::Service(facts) => finished.readiness = Some(facts.readiness.clone()),
            Facts::NotExecuted => finished.not_executed = true,
        }
        finished
    }
}

impl From<&HttpEnding> for ResponseSummary {
    fn from(ending: &HttpEnding) -> Self {
        match ending {
            HttpEnding::Answered(answer) => {
                Self { kind: ResponseWord::Answered, status: Some(answer.status), cause: None }
            }
            HttpEnding::NoAnswer(none) => {
                Self { kind: ResponseWord::NoAnswer, status: none.status, cause: Some(none.cause) }
            }
            HttpEnding::DeadlineExceeded { status, .. } => {
                Self { kind: ResponseWord::DeadlineExceeded, status: *status, cause: None }
            }
            HttpEnding::Interrupted => Self { kind: ResponseWord::Interrupted, status: None, cause: None },
        }
    }
}

impl From<&ServiceRecord> for ServiceDocument {
    fn from(service: &ServiceRecord) -> Self {
        Self {
            action_id: service.action.clone(),
            attempt: service.attempt,
            duration: service.span.duration_ms,
            ending: service.ending.clone(),
            in_cleanup: service.in_cleanup,
            log: service.log.as_ref().map(LogSummary::from),
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
            Found::DeadlineExceeded(_) => Self::DeadlineExceeded,
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
            expected: judgement.expected,
            flaky: judgement.flaky,
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
    /// The attempt, where the line is about one.
    #[serde(default)]
    pub attempt: Option<u32>,
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
