//! Facts about HTTP requests.

use serde::{Deserialize, Serialize};

use super::service::PortCheck;
use super::{Log, SchemaObservation};
use crate::plan::CaptureName;

/// Facts about an HTTP request and its response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpFacts {
    /// The request as sent.
    pub request: HttpSent,
    /// The redirects that were followed, in order.
    pub redirects: Vec<Redirect>,
    /// How the request ended.
    #[serde(rename = "response")]
    pub ending: HttpEnding,
    /// Observations of the server, made if no complete response arrived.
    #[serde(default)]
    pub diagnostics: HttpDiagnostics,
}

/// Observations of a server that did not respond completely.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HttpDiagnostics {
    /// The processes that listen at the requested port. None: not inspected, for example because the port
    /// belongs to another machine.
    #[serde(flatten)]
    pub port_check: Option<PortCheck>,
    /// The addresses to which the host name resolved. None: the name was never resolved.
    #[serde(flatten)]
    pub resolution: Option<NameResolution>,
    /// Result of the request to the server's health URL. None: no service of the plan has a health URL on that
    /// server.
    #[serde(rename = "serverHealthCheck")]
    pub health_check: Option<HealthCheck>,
}

/// The addresses to which a host name resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NameResolution {
    /// Resolved host name.
    pub host: String,
    /// Addresses to which the name resolved. Empty: the name did not resolve.
    pub addresses: Vec<String>,
}

/// Result of a request to the health URL of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HealthCheck {
    /// Requested URL, redacted.
    pub url: String,
    /// Whether the server responded with a status that counts as healthy (200 to 403).
    pub held: bool,
    /// Outcome of the request: an HTTP status, a word such as `CONNECTION_REFUSED`, or a sentence.
    pub result: String,
    /// Duration of the request, in milliseconds.
    #[serde(rename = "duration")]
    pub duration_ms: u64,
}

/// An HTTP request as sent, or as it was about to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpSent {
    /// HTTP method.
    pub method: String,
    /// URL with placeholders filled in, redacted.
    pub url: String,
    /// Headers in order, redacted.
    #[serde(rename = "headerLines")]
    pub headers: Vec<(String, String)>,
    /// Request body, redacted and cut to the length that reports embed. None: the request has no body.
    pub body: Option<String>,
    /// Length of the request body, in bytes.
    pub body_bytes: u64,
}

/// A redirect that was followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Redirect {
    /// HTTP status code of the response that redirected.
    pub status: u16,
    /// Absolute URL that the redirect leads to.
    pub to: String,
}

/// How an HTTP request ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum HttpEnding {
    /// A complete response arrived.
    Answered(Box<HttpAnswer>),
    /// No complete response arrived.
    NoAnswer(NoAnswer),
    /// The request was stopped at its deadline.
    DeadlineExceeded {
        /// The limit that was hit, in milliseconds.
        #[serde(rename = "limitMs")]
        timeout_ms: u64,
        /// Whether the limit was that of the task rather than of the action.
        of_task: bool,
        /// Phase in which the deadline passed: `connection`, `answer` or `body`.
        waiting_for: String,
        /// HTTP status code, if the head of a response had arrived.
        status: Option<u16>,
    },
    /// The request was abandoned because the run was interrupted.
    Interrupted,
}

/// Why no complete response arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoAnswer {
    /// Kind of the failure.
    pub cause: NoAnswerCause,
    /// Error of the operating system or the client.
    pub error: HttpError,
    /// HTTP status code, if the head of a response had arrived.
    pub status: Option<u16>,
}

/// Details of the error that made a request fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpError {
    /// Name of the system error, such as `ECONNREFUSED`. None: there is no system error.
    pub code: Option<String>,
    /// Number of the system error.
    pub errno: Option<i32>,
    /// Operation that failed, such as `connect` or `read`.
    pub syscall: Option<String>,
    /// Address that the request was sent to.
    pub address: Option<String>,
    /// Port that the request was sent to.
    pub port: Option<u16>,
    /// Description of the failure, for people.
    pub message: String,
}

document_words! {
    /// Kinds of failure to get a complete response.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum NoAnswerCause {
        /// The URL, a header or the body cannot be sent.
        BadRequest = "bad-request",
        /// The host name does not resolve.
        UnknownHost = "unknown-host",
        /// The connection was refused: nothing listens at the port.
        Refused = "refused",
        /// The host or network is unreachable.
        Unreachable = "unreachable",
        /// The certificate is not trusted, or the TLS handshake failed.
        Tls = "tls",
        /// The connection was reset.
        Reset = "reset",
        /// The connection ended before the response was complete.
        Truncated = "truncated",
        /// The response is not valid HTTP.
        Protocol = "protocol",
        /// The redirects form a loop, or there are too many.
        RedirectLoop = "redirect-loop",
        /// A redirect leads to a URL that cannot be requested.
        BadRedirect = "bad-redirect",
        /// The body of the response exceeds the size limit.
        BodyTooLarge = "body-too-large",
        /// Any other failure.
        Other = "other",
    }
}

/// A complete HTTP response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpAnswer {
    /// HTTP status code.
    pub status: u16,
    /// Headers in order, redacted.
    #[serde(rename = "headerLines")]
    pub headers: Vec<(String, String)>,
    /// Response body as stored, redacted. None: the body is not kept.
    pub body: Option<Log>,
    /// Length of the response body as received, in bytes.
    pub body_bytes: u64,
    /// Time until the head of the response arrived, in milliseconds.
    pub head_ms: u64,
    /// Time until the response was complete, in milliseconds.
    #[serde(rename = "duration")]
    pub total_ms: u64,
    /// For each assertion of the request, in order, the result for the original response.
    pub assertions: Vec<AssertionObservation>,
    /// For each capture of the request, in order, its result.
    pub captures: Vec<CaptureObservation>,
}

/// Result of one assertion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AssertionObservation {
    /// Whether the assertion holds. None: this could not be determined, which never counts as yes.
    pub holds: Option<bool>,
    /// Value found in the response, for people; redacted and shortened.
    pub found: String,
    /// For an assertion of a schema, the result of the validation.
    pub schema: Option<SchemaObservation>,
}

/// Result of one capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CaptureObservation {
    /// Name under which later actions use the captured value.
    pub name: CaptureName,
    /// Whether a value was found. The value itself is never recorded.
    pub found: bool,
    /// Whether the value is redacted from all evidence that is written afterwards.
    pub secret: bool,
}
