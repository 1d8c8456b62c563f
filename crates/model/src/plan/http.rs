//! HTTP requests.

use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};

use super::{CaptureName, SchemaSource, Template};
use crate::id::WorkspacePath;
use crate::limit;

/// An HTTP request, with the requirements for its response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HttpRequest {
    /// HTTP method.
    pub method: Method,
    /// URL with the scheme `http` or `https`.
    pub url: Template,
    /// Headers, in order.
    pub headers: Vec<(String, Template)>,
    /// Request body. None: the request has no body.
    pub body: Option<Body>,
    /// Expected status codes, as ranges of which one must match. Empty: 200 to 399.
    pub expected_statuses: Vec<StatusRange>,
    /// Further requirements for the response. They are evaluated on the original bytes.
    pub assertions: Vec<Assertion>,
    /// Values that are captured from the response for later actions.
    pub captures: Vec<Capture>,
    /// Whether redirects are followed.
    pub follow_redirects: bool,
    /// Whether TLS certificates are verified.
    pub verify_tls: bool,
    /// PEM file of certificates that are trusted in addition to the well-known authorities.
    pub ca_file: Option<WorkspacePath>,
    /// Maximum size of the response body, in bytes.
    pub body_limit_bytes: u64,
}

impl HttpRequest {
    /// Returns a GET request with default settings, without requirements for its response.
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: Method::Get,
            url: Template::plain(url),
            headers: Vec::new(),
            body: None,
            expected_statuses: Vec::new(),
            assertions: Vec::new(),
            captures: Vec::new(),
            follow_redirects: true,
            verify_tls: true,
            ca_file: None,
            body_limit_bytes: limit::BODY_BYTES,
        }
    }
}

document_words! {
    /// HTTP methods (schema 2.0.0).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[expect(missing_docs, reason = "they are the methods of HTTP")]
    pub enum Method {
        Get = "GET",
        Post = "POST",
        Put = "PUT",
        Patch = "PATCH",
        Delete = "DELETE",
        Head = "HEAD",
        Options = "OPTIONS",
    }
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Body {
    /// Type of the content.
    pub kind: BodyKind,
    /// Content to send. In JSON, placeholders occur within strings, and their values are escaped for JSON.
    pub content: Template,
}

/// Type of a request body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyKind {
    /// JSON, sent with `Content-Type: application/json` unless a header sets another type.
    Json,
    /// Text, sent unchanged.
    Text,
}

/// Range of status codes, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatusRange {
    /// First status code, 100 to 599.
    pub from: u16,
    /// Last status code, 100 to 599.
    pub to: u16,
}

/// Requirement for a response, in addition to its status code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Assertion {
    /// The body is JSON and valid against this schema.
    JsonSchema(SchemaSource),
    /// The body contains this text.
    ContainsText(String),
    /// The body matches this regular expression (Rust `regex` syntax, multi-line).
    MatchesRegex(String),
    /// The values that a JSON path (RFC 9535) selects in the body meet an expectation.
    JsonPath {
        /// The path.
        path: String,
        /// Expectation for the selected values.
        expectation: JsonExpectation,
    },
    /// A header meets an expectation. Header names are compared case-insensitively.
    Header {
        /// The header's name.
        name: String,
        /// Expectation for the value of the header.
        expectation: TextExpectation,
    },
    /// The complete response arrived within a time limit.
    MaxDuration {
        /// Time limit in milliseconds.
        milliseconds: u64,
    },
}

/// Expectation for the values that a JSON path selects. If the path selects several values, each must meet the
/// expectation; if it selects none, only `Exists(false)` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum JsonExpectation {
    /// The path selects a value (true), or selects none (false).
    Exists(bool),
    /// The value has this type.
    Type(JsonType),
    /// The value equals this one, given as JSON text.
    Equals(String),
    /// The value is a text that contains this text, or a list that contains it as an element.
    Contains(String),
    /// The value is a text that matches this regular expression.
    Matches(String),
    /// The value is a text, list or object whose number of characters, elements or keys is in a range.
    Length {
        /// Minimum length.
        min: Option<u64>,
        /// Maximum length.
        max: Option<u64>,
    },
    /// The value is a number in a range.
    Range {
        /// Minimum value.
        #[serde(serialize_with = "finite")]
        min: Option<f64>,
        /// Maximum value.
        #[serde(serialize_with = "finite")]
        max: Option<f64>,
    },
}

/// Serializes a bound. Fails for a number that JSON cannot represent, because it would be read back as no bound.
#[expect(clippy::ref_option, reason = "serde hands over a reference to the field")]
fn finite<S: Serializer>(bound: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match bound {
        Some(bound) if !bound.is_finite() => Err(S::Error::custom("a bound is not a finite number")),
        bound => bound.serialize(serializer),
    }
}

document_words! {
    /// Types of JSON values.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[expect(missing_docs, reason = "they are the types of JSON")]
    pub enum JsonType {
        String = "string",
        Number = "number",
        /// A number without a fraction.
        Integer = "integer",
        Boolean = "boolean",
        Array = "array",
        Object = "object",
        Null = "null",
    }
}

/// Expectation for the value of a header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TextExpectation {
    /// The header exists with any value (true), or does not exist (false).
    Exists(bool),
    /// The value equals this text.
    Equals(String),
    /// The value contains this text.
    Contains(String),
    /// The value matches this regular expression.
    Matches(String),
}

/// Capture of a value from a response, for later actions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Capture {
    /// Name under which later actions use the value, as `${name}`.
    pub name: CaptureName,
    /// Location of the value in the response.
    pub from: CaptureSource,
    /// Whether the value is redacted from all evidence that is written afterwards.
    pub secret: bool,
}

/// Location of a captured value in a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CaptureSource {
    /// The first value that this JSON path selects; a text is taken as it is, any other value as JSON.
    JsonPath(String),
    /// The value of the header with this name.
    Header(String),
    /// The first group of this regular expression in the body, or the whole match if it has no group.
    Regex(String),
}
