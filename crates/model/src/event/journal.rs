//! One event as one line of JSON: a line of `journal.jsonl`, and of `--format jsonl`.

use serde::{Deserialize, Serialize, Serializer};

use super::Event;
use crate::document::{DocumentError, Kind};
use crate::id::{ActionId, Digest, ExecutionId};
use crate::outcome::{Judgement, Outcome};
use crate::record::http::{HttpEnding, NoAnswerCause};
use crate::record::service::Readiness;
use crate::record::{Ending, Facts, FileState, Log, Record, ServiceRecord, SkipReason};
use crate::severity::Severity;
use crate::time::Timestamp;

const KIND: Kind = Kind { name: "a journal's line", key: "eventVersion", version: "1.0.0" };

/// An event, as a document.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(title = "Referee event", extend("unevaluatedProperties" = false)))]
pub struct EventDocument<'event> {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Version"))]
    event_version: &'static str,
    #[serde(flatten)]
    event: &'event Event,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Finished<'event> {
    /// Id of the action whose attempt ended.
    action_id: &'event ActionId,
    /// Number of the attempt, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    attempt: u32,
    /// Duration of the attempt, in milliseconds.
    duration: u64,
    /// Whether it was not executed, because the specification has a problem with it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_executed: bool,
    /// How the command ended. Left out for other work.
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<&'event Ending>,
    /// What was found of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<FoundWord>,
    /// What came of a pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    glob: Option<GlobSummary<'event>>,
    /// What came of an HTTP request.
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<ResponseSummary>,
    /// How the wait for a service ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    readiness: Option<&'event Readiness>,
    /// What is stored: the output of a command that started, the body of an answer, the content of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogSummary<'event>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct GlobSummary<'event> {
    /// How many files were looked at.
    files: usize,
    /// Whether more files match than were looked at.
    truncated: bool,
    /// Why the pattern could not be followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'event str>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct ResponseSummary {
    /// Whether the request was answered, got no answer, hit its deadline or was interrupted.
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
pub(super) struct Stopped<'event> {
    /// The action that started it.
    action_id: &'event ActionId,
    /// The attempt that made it ready.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    attempt: u32,
    /// Time from start to end of the service, in milliseconds.
    duration: u64,
    /// How the process of the service ended.
    ending: &'event Ending,
    /// Whether cleanup had begun when it ended.
    in_cleanup: bool,
    /// What is stored of its output.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogSummary<'event>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum FoundWord {
    Missing,
    File,
    Directory,
    Other,
    Outside,
    Unreadable,
    DeadlineExceeded,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct LogSummary<'event> {
    /// File name in the evidence directory.
    file: &'event str,
    /// Size of the stored file in bytes.
    bytes: u64,
    /// SHA-256 of the stored file.
    sha256: Digest,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Skipped<'event> {
    /// Id of the action that will not run.
    action_id: &'event ActionId,
    /// Why the action does not run, by kind.
    reason: &'event SkipReason,
    /// The reason as a sentence.
    message: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Judged<'event> {
    /// Id of the action that was judged.
    action_id: &'event ActionId,
    /// Outcome of the action, all attempts considered.
    status: Outcome,
    /// Under a prerequisite failure, what went wrong underneath.
    cause: Option<Outcome>,
    /// Whether it stands against a pass.
    blocking: bool,
    /// Whether this outcome is what the specification expects.
    expected: bool,
    /// Whether it succeeded after an attempt that did not.
    flaky: bool,
    /// Severity of the outcome; `NONE` for a success.
    severity: Severity,
    /// Reason for the outcome, in one sentence.
    reason: &'event str,
    /// Identifier of the classification rule that decided.
    rule: &'static str,
}

/// Returns an event as one line, without its end.
pub fn line(event: &Event) -> String {
    let document = EventDocument { event_version: KIND.version, event };
    serde_json::to_string(&document).expect("an event holds texts, whole numbers and truth values under text keys")
}

pub(super) fn skipped<S: Serializer>(
    action_id: &ActionId,
    reason: &SkipReason,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Skipped { action_id, reason, message: reason.sentence() }.serialize(serializer)
}

pub(super) fn finished<S: Serializer>(record: &Record, serializer: S) -> Result<S::Ok, S::Error> {
    let mut finished = Finished {
        action_id: &record.action,
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
        Facts::Command(facts) => finished.ending = Some(&facts.ending),
        Facts::File(facts) => finished.found = Some((&facts.found).into()),
        Facts::Glob(facts) => {
            let (files, failure) = (facts.files.len(), facts.failure.as_deref());
            finished.glob = Some(GlobSummary { files, truncated: facts.truncated, failure });
        }
        Facts::Http(facts) => finished.response = Some((&facts.ending).into()),
        Facts::Service(facts) => finished.readiness = Some(&facts.readiness),
        Facts::NotExecuted => finished.not_executed = true,
    }
    finished.serialize(serializer)
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

pub(super) fn stopped<S: Serializer>(service: &ServiceRecord, serializer: S) -> Result<S::Ok, S::Error> {
    Stopped {
        action_id: &service.action,
        attempt: service.attempt,
        duration: service.span.duration_ms,
        ending: &service.ending,
        in_cleanup: service.in_cleanup,
        log: service.log.as_ref().map(LogSummary::from),
    }
    .serialize(serializer)
}

impl From<&FileState> for FoundWord {
    fn from(found: &FileState) -> Self {
        match found {
            FileState::Missing => Self::Missing,
            FileState::File(_) => Self::File,
            FileState::Directory => Self::Directory,
            FileState::Other => Self::Other,
            FileState::Outside { .. } => Self::Outside,
            FileState::Unreadable { .. } => Self::Unreadable,
            FileState::DeadlineExceeded(_) => Self::DeadlineExceeded,
        }
    }
}

impl<'event> From<&'event Log> for LogSummary<'event> {
    fn from(log: &'event Log) -> Self {
        Self { file: &log.file, bytes: log.bytes, sha256: log.sha256 }
    }
}

pub(super) fn judged<S: Serializer>(judgement: &Judgement, serializer: S) -> Result<S::Ok, S::Error> {
    Judged {
        action_id: &judgement.action,
        status: judgement.outcome,
        cause: judgement.cause,
        blocking: judgement.blocking,
        expected: judgement.expected,
        flaky: judgement.flaky,
        severity: judgement.severity,
        reason: &judgement.reason,
        rule: judgement.rule.id(),
    }
    .serialize(serializer)
}

/// A line of a journal, as far as the journal's order is concerned.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JournalLine {
    /// Number of the event in the journal, from 1.
    pub sequence: u64,
    /// When the event occurred, in UTC.
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
