//! The facts of an HTTP request (seed 1, "HTTP Request Evidence").
//!
//! The seed's `headers` are a view of `headerLines`, which keeps their order and those that come twice, and `success` is
//! one of `kind`; a record in which they say something else is refused.

use std::collections::BTreeMap;

use referee_model::id::ActionId;
use referee_model::plan::{Action, ActionType, CaptureName};
use referee_model::record::http::{
    AssertionObservation, CaptureObservation, HealthCheck, HttpAnswer, HttpEnding, HttpFacts, HttpSent, NameResolution,
    NoAnswer, NoAnswerCause, Redirect,
};
use referee_model::record::service::{PortCheck, PortHolder};
use referee_model::record::{Facts, Log, Record, SchemaObservation};
use referee_model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::counted;
use super::log::LogDocument;
use super::{Authenticity, Head, NoticeDocument, Span, notices};
use crate::form;

/// The facts of an HTTP request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HttpRecord {
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
    /// What was sent, or was to be.
    request: RequestDocument,
    /// The redirects that were followed.
    redirects: Vec<RedirectDocument>,
    /// What came of it.
    response: ResponseDocument,
    /// Whether the server was there, where nobody answered. Null: that was not looked at.
    diagnostics: Option<HttpDiagnosticsDocument>,
    /// When it was made.
    execution: Span,
    /// What is worth telling a person beside the facts.
    notices: Vec<NoticeDocument>,
    /// Who says so.
    authenticity: Authenticity,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RequestDocument {
    /// The URL, holes filled; redacted.
    url: String,
    /// The method.
    method: String,
    /// The headers by name; redacted. Values of one name are joined by commas.
    headers: BTreeMap<String, String>,
    /// The headers, in order.
    header_lines: Vec<(String, String)>,
    /// The body, redacted and cut. Null: none was sent.
    body: Option<String>,
    /// The whole body's length.
    body_bytes: u64,
    /// When it was made.
    timestamp: Timestamp,
}

/// Whether the server was there, where nobody answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HttpDiagnosticsDocument {
    /// The port of this machine that was asked. Null: it is another machine's, or nobody looked.
    port: Option<u16>,
    /// Whether anybody listens there. Null: nobody looked.
    port_in_use: Option<bool>,
    /// Who, as far as they could be found.
    holders: Vec<PortHolder>,
    /// What the server's health URL answered. Null: no service of the plan has one there.
    server_health_check: Option<HealthCheckDocument>,
    /// The first address of the host. Null: it has none, or nobody asked.
    dns_resolution: Option<String>,
    /// The host whose addresses were asked for. Null: nobody asked.
    host: Option<String>,
    /// All of its addresses.
    addresses: Vec<String>,
}

/// A look at whether a server is well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HealthCheckDocument {
    /// What was asked; redacted.
    url: String,
    /// Whether somebody is there.
    held: bool,
    /// A status, a word such as `CONNECTION_REFUSED`, or a sentence.
    result: String,
    /// Milliseconds.
    duration: u64,
}

/// What they are made of.
type Looked = (Option<PortCheck>, Option<NameResolution>, Option<HealthCheck>);

impl HttpDiagnosticsDocument {
    fn new(facts: &HttpFacts) -> Option<Self> {
        let HttpFacts { port_check, resolution, health_check, .. } = facts;
        if port_check.is_none() && resolution.is_none() && health_check.is_none() {
            return None;
        }
        let port = port_check.clone();
        let addresses = resolution.as_ref().map(|resolution| resolution.addresses.clone()).unwrap_or_default();
        Some(Self {
            port: port.as_ref().map(|check| check.port),
            port_in_use: port.as_ref().map(|check| check.in_use),
            holders: port.map(|check| check.holders).unwrap_or_default(),
            server_health_check: health_check.as_ref().map(|check| HealthCheckDocument {
                url: check.url.clone(),
                held: check.held,
                result: check.result.clone(),
                duration: check.duration_ms,
            }),
            dns_resolution: addresses.first().cloned(),
            host: resolution.as_ref().map(|resolution| resolution.host.clone()),
            addresses,
        })
    }

    fn read(self) -> Result<Looked, String> {
        let port_check = match (self.port, self.port_in_use) {
            (Some(port), Some(port_in_use)) => Some(PortCheck { port, in_use: port_in_use, holders: self.holders }),
            (None, None) if self.holders.is_empty() => None,
            _ => return Err("`diagnostics` says half of what was seen of a port".to_owned()),
        };
        if self.dns_resolution.as_ref() != self.addresses.first() || (self.host.is_none() && !self.addresses.is_empty())
        {
            return Err("`diagnostics` contradicts itself about addresses".to_owned());
        }
        let addresses = self.addresses;
        let health_check = self.server_health_check.map(|check| HealthCheck {
            url: check.url,
            held: check.held,
            result: check.result,
            duration_ms: check.duration,
        });
        Ok((port_check, self.host.map(|host| NameResolution { host, addresses }), health_check))
    }
}

/// A redirect that was followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RedirectDocument {
    /// The status.
    status: u16,
    /// Where it led.
    to: String,
}

/// What came of a request: exactly one of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum ResponseDocument {
    /// A whole answer.
    Answered(Box<AnswerDocument>),
    /// None.
    NoAnswer(Box<NoAnswerDocument>),
    /// Its deadline was hit.
    DeadlineExceeded(DeadlineDocument),
    /// It was given up because the run was interrupted.
    Interrupted(InterruptedDocument),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AnswerDocument {
    /// Whether an answer came whole: true.
    success: bool,
    /// The status.
    status: u16,
    /// The headers by name; redacted. Values of one name are joined by commas.
    headers: BTreeMap<String, String>,
    /// The headers, in order.
    header_lines: Vec<(String, String)>,
    /// The body as it is stored. Null: it is not kept.
    body: Option<LogDocument>,
    /// The body's length as it came.
    body_bytes: u64,
    /// Milliseconds until the head of the answer was there.
    head_ms: u64,
    /// Milliseconds until all of it was there.
    duration: u64,
    /// For each assertion of the request, in order, what was observed.
    assertions: Vec<AssertionDocument>,
    /// For each capture of the request, in order, what came of it.
    captures: Vec<CaptureDocument>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NoAnswerDocument {
    /// Whether an answer came whole: false.
    success: bool,
    /// Why not, by kind.
    cause: NoAnswerCause,
    /// Why not, as the system said it.
    error: ErrorDocument,
    /// The status. Null: no head of an answer came.
    status: Option<u16>,
    /// Milliseconds.
    duration: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ErrorDocument {
    /// The system's name of the error, such as `ECONNREFUSED`.
    code: Option<String>,
    /// The system's number of it.
    errno: Option<i32>,
    /// What was being done, such as `connect`.
    syscall: Option<String>,
    /// The address that was asked.
    address: Option<String>,
    /// The port that was asked.
    port: Option<u16>,
    /// What happened, for a person.
    message: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DeadlineDocument {
    /// Whether an answer came whole: false.
    success: bool,
    /// The limit that was hit, in milliseconds.
    limit_ms: u64,
    /// Whether the limit was the task's, not the action's.
    of_task: bool,
    /// What was waited for.
    waiting_for: String,
    /// The status. Null: no head of an answer came.
    status: Option<u16>,
    /// Milliseconds.
    duration: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct InterruptedDocument {
    /// Whether an answer came whole: false.
    success: bool,
    /// Milliseconds.
    duration: u64,
}

/// What was observed for one assertion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AssertionDocument {
    /// Whether it holds. Null: it could not be told, which never counts as yes.
    holds: Option<bool>,
    /// What was found instead, or in support.
    found: String,
    /// For a schema, what came of it. Null: it is another assertion.
    schema: Option<SchemaObservation>,
}

/// What came of one capture; the value is never recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CaptureDocument {
    /// The name.
    name: CaptureName,
    /// Whether something was found.
    found: bool,
    /// Whether it is kept out of all evidence from then on.
    secret: bool,
}

impl HttpRecord {
    pub(super) fn new(action: &Action, record: &Record, facts: &HttpFacts) -> Self {
        Self {
            record_version: super::KIND.version.to_owned(),
            action_id: record.action.clone(),
            action_type: ActionType::HttpRequest,
            attempt: record.attempt,
            description: action.name.clone(),
            request: RequestDocument::new(&facts.request, record.started),
            redirects: facts
                .redirects
                .iter()
                .map(|redirect| RedirectDocument { status: redirect.status, to: redirect.to.clone() })
                .collect(),
            response: ResponseDocument::new(&facts.ending, record.duration_ms),
            diagnostics: HttpDiagnosticsDocument::new(facts),
            execution: record.into(),
            notices: notices(record),
            authenticity: Authenticity::new(record.ended, body(&facts.ending)),
        }
    }

    pub(super) fn read(self) -> Result<Record, String> {
        let ending = HttpEnding::try_from(self.response.clone())?;
        if self.response != ResponseDocument::new(&ending, self.execution.duration) {
            return Err("`response` contradicts itself or `execution`".to_owned());
        }
        let request = HttpSent::from(self.request.clone());
        if self.request != RequestDocument::new(&request, self.execution.start_time) {
            return Err("`request` contradicts itself or `execution`".to_owned());
        }
        let (port_check, resolution, health_check) =
            self.diagnostics.map(HttpDiagnosticsDocument::read).transpose()?.unwrap_or_default();
        let facts = HttpFacts {
            request,
            redirects: self
                .redirects
                .into_iter()
                .map(|redirect| Redirect { status: redirect.status, to: redirect.to })
                .collect(),
            ending,
            port_check,
            resolution,
            health_check,
        };
        let head = Head {
            action: self.action_id,
            action_type: self.action_type,
            attempt: self.attempt,
            span: self.execution,
            notices: self.notices,
            authenticity: self.authenticity,
        };
        let authenticity = Authenticity::new(head.span.end_time, body(&facts.ending));
        head.record(&[ActionType::HttpRequest], &authenticity, Facts::Http(Box::new(facts)))
    }
}

fn body(ending: &HttpEnding) -> Option<&Log> {
    match ending {
        HttpEnding::Answered(answer) => answer.body.as_ref(),
        _ => None,
    }
}

/// Returns headers by name, as the first of each name spells it; values of one name are joined by commas, as RFC 9110
/// has it.
fn by_name(lines: &[(String, String)]) -> BTreeMap<String, String> {
    let mut spelling: BTreeMap<String, &str> = BTreeMap::new();
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in lines {
        let first = spelling.entry(name.to_ascii_lowercase()).or_insert(name);
        headers
            .entry((*first).to_owned())
            .and_modify(|joined| {
                joined.push_str(", ");
                joined.push_str(value);
            })
            .or_insert_with(|| value.clone());
    }
    headers
}

impl RequestDocument {
    fn new(sent: &HttpSent, timestamp: Timestamp) -> Self {
        Self {
            url: sent.url.clone(),
            method: sent.method.clone(),
            headers: by_name(&sent.headers),
            header_lines: sent.headers.clone(),
            body: sent.body.clone(),
            body_bytes: sent.body_bytes,
            timestamp,
        }
    }
}

impl ResponseDocument {
    fn new(ending: &HttpEnding, duration: u64) -> Self {
        match ending {
            HttpEnding::Answered(answer) => Self::Answered(Box::new((&**answer).into())),
            HttpEnding::NoAnswer(none) => Self::NoAnswer(Box::new(NoAnswerDocument::new(none, duration))),
            HttpEnding::DeadlineExceeded { limit_ms, of_task, waiting_for, status } => {
                Self::DeadlineExceeded(DeadlineDocument {
                    success: false,
                    limit_ms: *limit_ms,
                    of_task: *of_task,
                    waiting_for: waiting_for.clone(),
                    status: *status,
                    duration,
                })
            }
            HttpEnding::Interrupted => Self::Interrupted(InterruptedDocument { success: false, duration }),
        }
    }
}

impl From<&HttpAnswer> for AnswerDocument {
    fn from(answer: &HttpAnswer) -> Self {
        let assertion = |assertion: &AssertionObservation| AssertionDocument {
            holds: assertion.holds,
            found: assertion.found.clone(),
            schema: assertion.schema.clone(),
        };
        let capture = |capture: &CaptureObservation| CaptureDocument {
            name: capture.name.clone(),
            found: capture.found,
            secret: capture.secret,
        };
        Self {
            success: true,
            status: answer.status,
            headers: by_name(&answer.headers),
            header_lines: answer.headers.clone(),
            body: answer.body.as_ref().map(LogDocument::from),
            body_bytes: answer.body_bytes,
            head_ms: answer.head_ms,
            duration: answer.total_ms,
            assertions: answer.assertions.iter().map(assertion).collect(),
            captures: answer.captures.iter().map(capture).collect(),
        }
    }
}

impl NoAnswerDocument {
    fn new(none: &NoAnswer, duration: u64) -> Self {
        Self {
            success: false,
            cause: none.cause,
            error: ErrorDocument {
                code: none.code.clone(),
                errno: none.errno,
                syscall: none.syscall.clone(),
                address: none.address.clone(),
                port: none.port,
                message: none.message.clone(),
            },
            status: none.status,
            duration,
        }
    }
}

impl From<RequestDocument> for HttpSent {
    fn from(document: RequestDocument) -> Self {
        Self {
            method: document.method,
            url: document.url,
            headers: document.header_lines,
            body: document.body,
            body_bytes: document.body_bytes,
        }
    }
}

impl TryFrom<ResponseDocument> for HttpEnding {
    type Error = String;

    fn try_from(document: ResponseDocument) -> Result<Self, String> {
        Ok(match document {
            ResponseDocument::Answered(answer) => Self::Answered(Box::new((*answer).try_into()?)),
            ResponseDocument::NoAnswer(none) => Self::NoAnswer((*none).into()),
            ResponseDocument::DeadlineExceeded(deadline) => Self::DeadlineExceeded {
                limit_ms: deadline.limit_ms,
                of_task: deadline.of_task,
                waiting_for: deadline.waiting_for,
                status: deadline.status,
            },
            ResponseDocument::Interrupted(_) => Self::Interrupted,
        })
    }
}

impl TryFrom<AnswerDocument> for HttpAnswer {
    type Error = String;

    fn try_from(document: AnswerDocument) -> Result<Self, String> {
        let assertion = |assertion: AssertionDocument| {
            let schema = assertion.schema.map(counted).transpose()?;
            Ok(AssertionObservation { holds: assertion.holds, found: assertion.found, schema })
        };
        let capture = |capture: CaptureDocument| CaptureObservation {
            name: capture.name,
            found: capture.found,
            secret: capture.secret,
        };
        Ok(Self {
            status: document.status,
            headers: document.header_lines,
            body: document.body.map(Log::try_from).transpose()?,
            body_bytes: document.body_bytes,
            head_ms: document.head_ms,
            total_ms: document.duration,
            assertions: document.assertions.into_iter().map(assertion).collect::<Result<_, String>>()?,
            captures: document.captures.into_iter().map(capture).collect(),
        })
    }
}

impl From<NoAnswerDocument> for NoAnswer {
    fn from(document: NoAnswerDocument) -> Self {
        let error = document.error;
        Self {
            cause: document.cause,
            code: error.code,
            errno: error.errno,
            syscall: error.syscall,
            address: error.address,
            port: error.port,
            message: error.message,
            status: document.status,
        }
    }
}
