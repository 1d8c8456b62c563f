//! Events as lines of JSON: the lines of `journal.jsonl` and of `--format jsonl`.

use serde::{Deserialize, Serialize, Serializer};

use super::Event;
use crate::document::{DocumentError, Kind};
use crate::id::{ActionId, Digest, ExecutionId};
use crate::outcome::{Judgement, Outcome};
use crate::record::http::{HttpEnding, NoAnswerCause};
use crate::record::service::Readiness;
use crate::record::{Ending, Facts, FileState, InteractionEnding, Log, Record, ServiceRecord, SkipReason};
use crate::severity::Severity;
use crate::time::Timestamp;

const KIND: Kind = Kind { name: "a journal's line", key: "eventVersion", version: "1.0.0" };

/// An event as a document.
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
    /// Whether the action was not executed because of a problem in the specification.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_executed: bool,
    /// How the command ended. Left out for other kinds of action.
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<&'event Ending>,
    /// State of the inspected file. Left out for other kinds of action.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<FoundWord>,
    /// Result of inspecting the files that match a pattern. Left out for other kinds of action.
    #[serde(skip_serializing_if = "Option::is_none")]
    glob: Option<GlobSummary<'event>>,
    /// Result of the HTTP request. Left out for other kinds of action.
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<ResponseSummary>,
    /// How the wait for a service ended. Left out for other kinds of action.
    #[serde(skip_serializing_if = "Option::is_none")]
    readiness: Option<&'event Readiness>,
    /// How an interaction with a database or a browser ended. Left out for other actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    interaction: Option<&'event InteractionEnding>,
    /// Stored data: the output of a command that started, the body of a response, or the content of a file.
    /// Left out if nothing is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogSummary<'event>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
#[serde(rename_all = "camelCase")]
struct GlobSummary<'event> {
    /// Number of inspected files.
    files: usize,
    /// Whether more files match than were looked at.
    truncated: bool,
    /// Why the pattern could not be evaluated. Left out if it could.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'event str>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
#[serde(rename_all = "camelCase")]
struct ResponseSummary {
    /// Whether the request was answered, got no answer, hit its deadline or was interrupted.
    kind: ResponseWord,
    /// HTTP status code. Left out if no head of a response arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// Why no complete response arrived. Left out unless the request failed.
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

/// End of a service that was ready. The header of the run has all details.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Stopped<'event> {
    /// Id of the action that started the service.
    action_id: &'event ActionId,
    /// Number of the attempt in which the service became ready, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    attempt: u32,
    /// Time from start to end of the service, in milliseconds.
    duration: u64,
    /// How the process of the service ended.
    ending: &'event Ending,
    /// Whether the cleanup phase had begun when the service ended.
    in_cleanup: bool,
    /// Stored output of the service. Left out if nothing is stored.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
#[serde(rename_all = "camelCase")]
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
    /// Outcome that caused a prerequisite failure. Null for other outcomes.
    cause: Option<Outcome>,
    /// Whether the outcome prevents a pass.
    blocking: bool,
    /// Whether this outcome is what the specification expects.
    expected: bool,
    /// Whether the action succeeded after a failed attempt.
    flaky: bool,
    /// Severity of the outcome; `NONE` for a success.
    severity: Severity,
    /// Reason for the outcome, in one sentence.
    reason: &'event str,
    /// Identifier of the classification rule that decided.
    rule: &'static str,
}

/// Returns an event as one line, without a line terminator.
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
        interaction: None,
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
        Facts::Interaction(facts) => finished.interaction = Some(&facts.ending),
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
        rule: judgement.rule.as_str(),
    }
    .serialize(serializer)
}

/// A line of a journal, reduced to what the order of the journal depends on.
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
    /// Id of the run. None: the line does not state it; the first line does.
    #[serde(rename = "executionId", default)]
    pub execution: Option<ExecutionId>,
    /// Id of the action. None: the line does not concern an action.
    #[serde(rename = "actionId", default)]
    pub action: Option<ActionId>,
    /// Number of the attempt, from 1. None: the line does not concern an attempt.
    pub attempt: Option<u32>,
}

/// Parses a line of a journal.
pub fn read_line(line: &str) -> Result<JournalLine, DocumentError> {
    KIND.read(line.as_bytes())
}

/// Returns the content of a journal's line without its number and time. Lines with the same content give the
/// same text.
///
/// # Errors
/// Fails for text that is not a line of a journal.
pub fn told(line: &str) -> Result<String, DocumentError> {
    let mut members: serde_json::Map<String, serde_json::Value> = KIND.read(line.as_bytes())?;
    members.remove("sequence");
    members.remove("at");
    Ok(serde_json::Value::Object(members).to_string())
}
