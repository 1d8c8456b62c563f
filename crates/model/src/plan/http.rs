//! HTTP requests.

use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};

use super::{CaptureName, SchemaSource, Template};
use crate::id::WorkspacePath;

/// A request to make, and what its answer must hold to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HttpRequest {
    /// The method.
    pub method: Method,
    /// The URL, `http` or `https`.
    pub url: Template,
    /// Headers, in order.
    pub headers: Vec<(String, Template)>,
    /// The body.
    pub body: Option<Body>,
    /// Statuses that are expected: any of these. Empty: 200 to 399.
    pub expected_statuses: Vec<StatusRange>,
    /// What else the answer must hold to. All are observed on the answer's original bytes.
    pub assertions: Vec<Assertion>,
    /// What is taken from the answer for later actions.
    pub captures: Vec<Capture>,
    /// Whether redirects are followed.
    pub follow_redirects: bool,
    /// Whether certificates are checked.
    pub verify_tls: bool,
    /// A file of certificates (PEM) that are trusted beside the well-known ones.
    pub ca_file: Option<WorkspacePath>,
    /// Largest body of an answer that is taken, in bytes.
    pub body_limit_bytes: u64,
}

/// Methods (schema 2.0.0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "they are the methods of HTTP")]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
    Head,
    Options,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 7] = [Self::Get, Self::Post, Self::Put, Self::Patch, Self::Delete, Self::Head, Self::Options];

    /// Returns the method as it is sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
        }
    }
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Body {
    /// What it is.
    pub kind: BodyKind,
    /// What is sent. In JSON the holes stand within texts, and are filled with what a JSON text needs escaped.
    pub content: Template,
}

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyKind {
    /// JSON; `Content-Type: application/json` unless a header says otherwise.
    Json,
    /// Text, sent as it is.
    Text,
}

/// Statuses from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatusRange {
    /// The first, 100 to 599.
    pub from: u16,
    /// The last, 100 to 599.
    pub to: u16,
}

/// What an answer must hold to beside its status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Assertion {
    /// Its body is JSON and holds to a schema.
    JsonSchema(SchemaSource),
    /// Its body contains this text.
    ContainsText(String),
    /// Its body matches this regular expression (Rust `regex` syntax, multi-line).
    MatchesRegex(String),
    /// What this JSON path (RFC 9535) finds in its body is as expected.
    JsonPath {
        /// The path.
        path: String,
        /// What is expected.
        expectation: JsonExpectation,
    },
    /// A header is as expected. Names are compared without regard to case.
    Header {
        /// The header's name.
        name: String,
        /// What is expected.
        expectation: TextExpectation,
    },
    /// It was there whole within this time.
    MaxDuration {
        /// The time, in milliseconds.
        milliseconds: u64,
    },
}

/// What is expected of what a JSON path finds. Where it finds several values, each of them must hold to it; where it finds
/// none, only `Exists(false)` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum JsonExpectation {
    /// Something is found, or nothing is.
    Exists(bool),
    /// It is of this type.
    Type(JsonType),
    /// It is this value; its JSON text.
    Equals(String),
    /// It is a text that contains this one, or a list that contains it as an element.
    Contains(String),
    /// It is a text that matches this regular expression.
    Matches(String),
    /// It is a text, list or object of at least and at most so many characters, elements or keys.
    Length {
        /// At least.
        min: Option<u64>,
        /// At most.
        max: Option<u64>,
    },
    /// It is a number from one to another.
    Range {
        /// At least.
        #[serde(serialize_with = "finite")]
        min: Option<f64>,
        /// At most.
        #[serde(serialize_with = "finite")]
        max: Option<f64>,
    },
}

/// A bound that JSON cannot hold would read back as no bound.
#[expect(clippy::ref_option, reason = "serde hands over a reference to the field")]
fn finite<S: Serializer>(bound: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match bound {
        Some(bound) if !bound.is_finite() => Err(S::Error::custom("a bound is not a finite number")),
        bound => bound.serialize(serializer),
    }
}

/// Types of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they are the types of JSON")]
pub enum JsonType {
    String,
    Number,
    /// A number without a fraction.
    Integer,
    Boolean,
    Array,
    Object,
    Null,
}

/// What is expected of a header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TextExpectation {
    /// It is there, whatever it says, or is not there.
    Exists(bool),
    /// It says exactly this.
    Equals(String),
    /// It contains this text.
    Contains(String),
    /// It matches this regular expression.
    Matches(String),
}

/// Something that is taken from an answer for later actions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Capture {
    /// The name under which later actions use it, as `${name}`.
    pub name: CaptureName,
    /// Where it stands.
    pub from: CaptureSource,
    /// Whether it is kept out of all evidence from then on.
    pub secret: bool,
}

/// Where a captured value stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CaptureSource {
    /// The first value that this JSON path finds; a text as it is, anything else as JSON.
    JsonPath(String),
    /// A header.
    Header(String),
    /// The first group of this regular expression in the body, or all that it matches where it has no group.
    Regex(String),
}
