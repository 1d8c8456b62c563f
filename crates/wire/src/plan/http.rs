//! HTTP requests, in documents.

use referee_model::id::WorkspacePath;
use referee_model::limit;
use referee_model::plan::Template;
use referee_model::plan::http::{
    Assertion, Body, BodyKind, Capture, CaptureSource, HttpRequest, JsonExpectation, JsonType, Method, StatusRange,
    TextExpectation,
};
use schemars::JsonSchema;
use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};

use super::file::{SchemaSourceDocument, json_text};
use super::template::{Name, TemplateDocument};
use crate::form;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct HttpDocument {
    /// The method.
    #[schemars(with = "form::Method")]
    method: Method,
    /// The URL, `http` or `https`.
    url: TemplateDocument,
    /// Headers, in order.
    headers: Vec<HeaderDocument>,
    /// The body. Null: none is sent.
    body: Option<BodyDocument>,
    /// Statuses that are expected: any of these. Empty: 200 to 399.
    expected_statuses: Vec<StatusRangeDocument>,
    /// What else the answer must hold to.
    assertions: Vec<AssertionDocument>,
    /// What is taken from the answer for later actions.
    captures: Vec<CaptureDocument>,
    /// Whether redirects are followed.
    follow_redirects: bool,
    /// Whether certificates are checked.
    verify_tls: bool,
    /// A file of certificates (PEM) that are trusted beside the well-known ones.
    #[schemars(with = "Option<String>")]
    ca_file: Option<WorkspacePath>,
    /// Largest body of an answer that is taken, in bytes.
    body_limit_bytes: u64,
}

/// A header that is sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HeaderDocument {
    /// Its name.
    name: String,
    /// What it says.
    value: TemplateDocument,
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BodyDocument {
    /// What it is.
    #[schemars(with = "form::BodyKind")]
    kind: BodyKind,
    /// What is sent.
    content: TemplateDocument,
}

/// Statuses from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StatusRangeDocument {
    /// The first.
    #[schemars(range(min = 100, max = 599))]
    from: u16,
    /// The last.
    #[schemars(range(min = 100, max = 599))]
    to: u16,
}

/// What an answer must hold to beside its status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
enum AssertionDocument {
    /// Its body is JSON and holds to a schema.
    JsonSchema {
        /// The schema.
        schema: SchemaSourceDocument,
    },
    /// Its body contains this text.
    ContainsText {
        /// The text.
        text: String,
    },
    /// Its body matches this regular expression.
    MatchesRegex {
        /// The regular expression.
        pattern: String,
    },
    /// What this JSON path (RFC 9535) finds in its body is as expected.
    JsonPath {
        /// The path.
        path: String,
        /// What is expected.
        expected: JsonExpectationDocument,
    },
    /// A header is as expected.
    Header {
        /// The header's name.
        name: String,
        /// What is expected.
        expected: TextExpectationDocument,
    },
    /// It was there whole within this time.
    MaxDuration {
        /// The time.
        milliseconds: u64,
    },
}

/// What is expected of what a JSON path finds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum JsonExpectationDocument {
    /// Something is found, or nothing is.
    Exists(bool),
    /// It is of this type.
    Type(#[schemars(with = "form::JsonType")] JsonType),
    /// It is this value; its JSON text.
    Equals(String),
    /// It is a text or a list that contains this one.
    Contains(String),
    /// It is a text that matches this regular expression.
    Matches(String),
    /// It is a text, list or object of this length.
    Length(LengthDocument),
    /// It is a number from one to another.
    Range(RangeDocument),
}

/// Bounds of a length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LengthDocument {
    /// At least.
    min: Option<u64>,
    /// At most.
    max: Option<u64>,
}

/// Bounds of a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RangeDocument {
    /// At least.
    #[serde(serialize_with = "finite")]
    min: Option<f64>,
    /// At most.
    #[serde(serialize_with = "finite")]
    max: Option<f64>,
}

/// What is expected of a header.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum TextExpectationDocument {
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CaptureDocument {
    /// The name under which later actions use it.
    #[schemars(with = "form::CaptureName")]
    name: Name,
    /// Where it stands.
    from: CaptureSourceDocument,
    /// Whether it is kept out of all evidence from then on.
    secret: bool,
}

/// Where a captured value stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum CaptureSourceDocument {
    /// The first value that this JSON path finds.
    JsonPath(String),
    /// A header.
    Header(String),
    /// The first group of this regular expression in the body.
    Regex(String),
}

/// A bound that JSON cannot hold would read back as no bound.
#[expect(clippy::ref_option, reason = "serde hands over a reference to the field")]
fn finite<S: Serializer>(bound: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match bound {
        Some(bound) if !bound.is_finite() => Err(S::Error::custom("a bound is no finite number")),
        bound => bound.serialize(serializer),
    }
}

impl From<&HttpRequest> for HttpDocument {
    fn from(request: &HttpRequest) -> Self {
        let header = |(name, value): &(String, Template)| HeaderDocument { name: name.clone(), value: value.into() };
        let statuses = |range: &StatusRange| StatusRangeDocument { from: range.from, to: range.to };
        Self {
            method: request.method,
            url: (&request.url).into(),
            headers: request.headers.iter().map(header).collect(),
            body: request.body.as_ref().map(|body| BodyDocument { kind: body.kind, content: (&body.content).into() }),
            expected_statuses: request.expected_statuses.iter().map(statuses).collect(),
            assertions: request.assertions.iter().map(AssertionDocument::from).collect(),
            captures: request.captures.iter().map(CaptureDocument::from).collect(),
            follow_redirects: request.follow_redirects,
            verify_tls: request.verify_tls,
            ca_file: request.ca_file.clone(),
            body_limit_bytes: request.body_limit_bytes,
        }
    }
}

impl From<&Assertion> for AssertionDocument {
    fn from(assertion: &Assertion) -> Self {
        match assertion {
            Assertion::JsonSchema(schema) => Self::JsonSchema { schema: schema.into() },
            Assertion::ContainsText(text) => Self::ContainsText { text: text.clone() },
            Assertion::MatchesRegex(pattern) => Self::MatchesRegex { pattern: pattern.clone() },
            Assertion::JsonPath { path, expectation } => {
                Self::JsonPath { path: path.clone(), expected: expectation.into() }
            }
            Assertion::Header { name, expectation } => {
                Self::Header { name: name.clone(), expected: expectation.into() }
            }
            Assertion::MaxDuration { milliseconds } => Self::MaxDuration { milliseconds: *milliseconds },
        }
    }
}

impl From<&JsonExpectation> for JsonExpectationDocument {
    fn from(expectation: &JsonExpectation) -> Self {
        match expectation {
            JsonExpectation::Exists(exists) => Self::Exists(*exists),
            JsonExpectation::Type(json_type) => Self::Type(*json_type),
            JsonExpectation::Equals(value) => Self::Equals(value.clone()),
            JsonExpectation::Contains(part) => Self::Contains(part.clone()),
            JsonExpectation::Matches(pattern) => Self::Matches(pattern.clone()),
            JsonExpectation::Length { min, max } => Self::Length(LengthDocument { min: *min, max: *max }),
            JsonExpectation::Range { min, max } => Self::Range(RangeDocument { min: *min, max: *max }),
        }
    }
}

impl From<&TextExpectation> for TextExpectationDocument {
    fn from(expectation: &TextExpectation) -> Self {
        match expectation {
            TextExpectation::Exists(exists) => Self::Exists(*exists),
            TextExpectation::Equals(text) => Self::Equals(text.clone()),
            TextExpectation::Contains(part) => Self::Contains(part.clone()),
            TextExpectation::Matches(pattern) => Self::Matches(pattern.clone()),
        }
    }
}

impl From<&Capture> for CaptureDocument {
    fn from(capture: &Capture) -> Self {
        let from = match &capture.from {
            CaptureSource::JsonPath(path) => CaptureSourceDocument::JsonPath(path.clone()),
            CaptureSource::Header(name) => CaptureSourceDocument::Header(name.clone()),
            CaptureSource::Regex(pattern) => CaptureSourceDocument::Regex(pattern.clone()),
        };
        Self { name: (&capture.name).into(), from, secret: capture.secret }
    }
}

impl TryFrom<HttpDocument> for HttpRequest {
    type Error = String;

    fn try_from(document: HttpDocument) -> Result<Self, String> {
        let header = |header: HeaderDocument| Ok((header.name, header.value.try_into()?));
        if document.body_limit_bytes > limit::BODY_BYTES_MAX {
            return Err(format!("`bodyLimitBytes` is more than {}", limit::BODY_BYTES_MAX));
        }
        Ok(Self {
            method: document.method,
            url: document.url.try_into()?,
            headers: document.headers.into_iter().map(header).collect::<Result<_, String>>()?,
            body: document.body.map(Body::try_from).transpose()?,
            expected_statuses: document
                .expected_statuses
                .into_iter()
                .map(StatusRange::try_from)
                .collect::<Result<_, _>>()?,
            assertions: document.assertions.into_iter().map(Assertion::try_from).collect::<Result<_, _>>()?,
            captures: document.captures.into_iter().map(Capture::from).collect(),
            follow_redirects: document.follow_redirects,
            verify_tls: document.verify_tls,
            ca_file: document.ca_file,
            body_limit_bytes: document.body_limit_bytes,
        })
    }
}

impl TryFrom<BodyDocument> for Body {
    type Error = String;

    fn try_from(document: BodyDocument) -> Result<Self, String> {
        Ok(Self { kind: document.kind, content: document.content.try_into()? })
    }
}

impl TryFrom<StatusRangeDocument> for StatusRange {
    type Error = String;

    fn try_from(StatusRangeDocument { from, to }: StatusRangeDocument) -> Result<Self, String> {
        if from < 100 || from > to || to > 599 {
            return Err(format!("{from} to {to} is no range of statuses"));
        }
        Ok(Self { from, to })
    }
}

impl TryFrom<AssertionDocument> for Assertion {
    type Error = String;

    fn try_from(document: AssertionDocument) -> Result<Self, String> {
        Ok(match document {
            AssertionDocument::JsonSchema { schema } => Self::JsonSchema(schema.try_into()?),
            AssertionDocument::ContainsText { text } => Self::ContainsText(text),
            AssertionDocument::MatchesRegex { pattern } => Self::MatchesRegex(pattern),
            AssertionDocument::JsonPath { path, expected } => {
                Self::JsonPath { path, expectation: expected.try_into()? }
            }
            AssertionDocument::Header { name, expected } => Self::Header { name, expectation: expected.into() },
            AssertionDocument::MaxDuration { milliseconds } => Self::MaxDuration { milliseconds },
        })
    }
}

impl TryFrom<JsonExpectationDocument> for JsonExpectation {
    type Error = String;

    fn try_from(document: JsonExpectationDocument) -> Result<Self, String> {
        Ok(match document {
            JsonExpectationDocument::Exists(exists) => Self::Exists(exists),
            JsonExpectationDocument::Type(json_type) => Self::Type(json_type),
            JsonExpectationDocument::Equals(value) => Self::Equals(json_text(value, "an expected value")?),
            JsonExpectationDocument::Contains(part) => Self::Contains(part),
            JsonExpectationDocument::Matches(pattern) => Self::Matches(pattern),
            JsonExpectationDocument::Length(LengthDocument { min, max }) => Self::Length { min, max },
            JsonExpectationDocument::Range(RangeDocument { min, max }) => Self::Range { min, max },
        })
    }
}

impl From<TextExpectationDocument> for TextExpectation {
    fn from(document: TextExpectationDocument) -> Self {
        match document {
            TextExpectationDocument::Exists(exists) => Self::Exists(exists),
            TextExpectationDocument::Equals(text) => Self::Equals(text),
            TextExpectationDocument::Contains(part) => Self::Contains(part),
            TextExpectationDocument::Matches(pattern) => Self::Matches(pattern),
        }
    }
}

impl From<CaptureDocument> for Capture {
    fn from(document: CaptureDocument) -> Self {
        let from = match document.from {
            CaptureSourceDocument::JsonPath(path) => CaptureSource::JsonPath(path),
            CaptureSourceDocument::Header(name) => CaptureSource::Header(name),
            CaptureSourceDocument::Regex(pattern) => CaptureSource::Regex(pattern),
        };
        Self { name: document.name.0, from, secret: document.secret }
    }
}
