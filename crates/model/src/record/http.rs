//! What was observed of HTTP requests.

use serde::{Deserialize, Serialize};

use super::service::PortCheck;
use super::{Log, SchemaObservation};
use crate::plan::CaptureName;

/// What was observed of a request and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpFacts {
    /// What was sent.
    pub request: HttpSent,
    /// The redirects that were followed.
    pub redirects: Vec<Redirect>,
    /// How it ended.
    #[serde(rename = "response")]
    pub ending: HttpEnding,
    /// What was seen of the server, where no whole answer came.
    #[serde(default)]
    pub diagnostics: HttpDiagnostics,
}

/// What was seen of a server that did not answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HttpDiagnostics {
    /// Who listens at the port that was asked, where the port is of this machine.
    #[serde(flatten)]
    pub port_check: Option<PortCheck>,
    /// What the name of the host stood for. None: it was never asked for.
    #[serde(flatten)]
    pub resolution: Option<NameResolution>,
    /// What the server's health URL answered. None: no service of the plan has one there.
    #[serde(rename = "serverHealthCheck")]
    pub health_check: Option<HealthCheck>,
}

/// What the name of a host stood for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NameResolution {
    /// The name.
    pub host: String,
    /// The addresses. Empty: it stands for none.
    pub addresses: Vec<String>,
}

/// A look at whether a server is well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HealthCheck {
    /// What was asked. Redacted.
    pub url: String,
    /// Whether somebody is there.
    pub held: bool,
    /// A status, a word such as `CONNECTION_REFUSED`, or a sentence.
    pub result: String,
    /// Milliseconds that it took.
    #[serde(rename = "duration")]
    pub duration_ms: u64,
}

/// What was sent, or was to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpSent {
    /// The method.
    pub method: String,
    /// The URL, holes filled. Redacted.
    pub url: String,
    /// The headers, in order. Redacted.
    #[serde(rename = "headerLines")]
    pub headers: Vec<(String, String)>,
    /// The body. Redacted, and cut to what reports embed.
    pub body: Option<String>,
    /// The body's length, in bytes.
    pub body_bytes: u64,
}

/// A redirect that was followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Redirect {
    /// HTTP status code of the answer that redirected.
    pub status: u16,
    /// Where it led, as an absolute URL.
    pub to: String,
}

/// How a request ended: exactly one of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum HttpEnding {
    /// With a whole answer.
    Answered(Box<HttpAnswer>),
    /// Without one.
    NoAnswer(NoAnswer),
    /// Stopped at its deadline.
    DeadlineExceeded {
        /// The limit that was hit, in milliseconds.
        #[serde(rename = "limitMs")]
        timeout_ms: u64,
        /// Whether the limit was the task's, not the action's.
        of_task: bool,
        /// What was waited for: `connection`, `answer`, `body`.
        waiting_for: String,
        /// The status, where the head of an answer had come.
        status: Option<u16>,
    },
    /// Given up because the run was interrupted.
    Interrupted,
}

/// Why there is no whole answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoAnswer {
    /// Why, by kind.
    pub cause: NoAnswerCause,
    /// What the system said.
    pub error: HttpError,
    /// The status, where the head of an answer had come.
    pub status: Option<u16>,
}

/// What the system said of a request that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpError {
    /// The system's name of the error, such as `ECONNREFUSED`, where the system said one.
    pub code: Option<String>,
    /// The system's number of it.
    pub errno: Option<i32>,
    /// What was being done, such as `connect` or `read`.
    pub syscall: Option<String>,
    /// The address that was asked.
    pub address: Option<String>,
    /// The port that was asked.
    pub port: Option<u16>,
    /// What happened, for a person.
    pub message: String,
}

/// Kinds of reasons for no whole answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoAnswerCause {
    /// The URL, a header or the body cannot be sent.
    BadRequest,
    /// The name is not known.
    UnknownHost,
    /// Nobody listens there.
    Refused,
    /// There is no way there.
    Unreachable,
    /// The certificate is not trusted, or the two sides do not agree on TLS.
    Tls,
    /// The connection was reset.
    Reset,
    /// The connection ended before the answer was whole.
    Truncated,
    /// What came is no HTTP.
    Protocol,
    /// The redirects go in circles, or are too many.
    RedirectLoop,
    /// A redirect leads nowhere that can be asked.
    BadRedirect,
    /// The body is larger than is taken.
    BodyTooLarge,
    /// Anything else.
    Other,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpAnswer {
    /// The status.
    pub status: u16,
    /// The headers, in order. Redacted.
    #[serde(rename = "headerLines")]
    pub headers: Vec<(String, String)>,
    /// The body as it is stored, redacted. None: it is not kept.
    pub body: Option<Log>,
    /// The body's length as it came, in bytes.
    pub body_bytes: u64,
    /// Milliseconds until the head of the answer was there.
    pub head_ms: u64,
    /// Milliseconds until all of it was there.
    #[serde(rename = "duration")]
    pub total_ms: u64,
    /// For each assertion of the request, in order, what was observed on the original answer.
    pub assertions: Vec<AssertionObservation>,
    /// For each capture of the request, in order, what came of it.
    pub captures: Vec<CaptureObservation>,
}

/// What was observed for one assertion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AssertionObservation {
    /// Whether the answer is as asserted. None: it could not be told, which never counts as yes.
    pub holds: Option<bool>,
    /// What was found instead, or in support; for a person. Redacted and short.
    pub found: String,
    /// For an assertion of a schema, what came of it.
    pub schema: Option<SchemaObservation>,
}

/// What came of one capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CaptureObservation {
    /// Name under which later actions use the captured value.
    pub name: CaptureName,
    /// Whether something was found. The value itself is never recorded.
    pub found: bool,
    /// Whether it is kept out of all evidence from then on.
    pub secret: bool,
}
