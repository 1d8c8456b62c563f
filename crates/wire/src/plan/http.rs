//! HTTP requests, in documents.

use referee_model::id::WorkspacePath;
use referee_model::limit;
use referee_model::plan::Template;
use referee_model::plan::http::{
    Assertion, Body, BodyKind, Capture, CaptureSource, HttpRequest, JsonExpectation, Method, StatusRange,
    TextExpectation,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::{SchemaSourceDocument, json_text};
use super::template::{Name, TemplateDocument};
use crate::form;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct HttpDocument {
    /// The method.
    method: Method,
    /// The URL, `http` or `https`.
    url: TemplateDocument,
    /// Headers, in order.
    headers: Vec<HeaderDocument>,
    /// The body. Null: none is sent.
    body: Option<BodyDocument>,
    /// Statuses that are expected: any of these. Empty: 200 to 399.
    expected_statuses: Vec<StatusRange>,
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
    kind: BodyKind,
    /// What is sent.
    content: TemplateDocument,
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
        expected: JsonExpectation,
    },
    /// A header is as expected.
    Header {
        /// The header's name.
        name: String,
        /// What is expected.
        expected: TextExpectation,
    },
    /// It was there whole within this time.
    MaxDuration {
        /// The time.
        milliseconds: u64,
    },
}

/// Something that is taken from an answer for later actions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CaptureDocument {
    /// The name under which later actions use it.
    #[schemars(with = "form::CaptureName")]
    name: Name,
    /// Where it stands.
    from: CaptureSource,
    /// Whether it is kept out of all evidence from then on.
    secret: bool,
}

impl From<&HttpRequest> for HttpDocument {
    fn from(request: &HttpRequest) -> Self {
        let header = |(name, value): &(String, Template)| HeaderDocument { name: name.clone(), value: value.into() };
        Self {
            method: request.method,
            url: (&request.url).into(),
            headers: request.headers.iter().map(header).collect(),
            body: request.body.as_ref().map(|body| BodyDocument { kind: body.kind, content: (&body.content).into() }),
            expected_statuses: request.expected_statuses.clone(),
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
                Self::JsonPath { path: path.clone(), expected: expectation.clone() }
            }
            Assertion::Header { name, expectation } => {
                Self::Header { name: name.clone(), expected: expectation.clone() }
            }
            Assertion::MaxDuration { milliseconds } => Self::MaxDuration { milliseconds: *milliseconds },
        }
    }
}

impl From<&Capture> for CaptureDocument {
    fn from(capture: &Capture) -> Self {
        Self { name: (&capture.name).into(), from: capture.from.clone(), secret: capture.secret }
    }
}

impl TryFrom<HttpDocument> for HttpRequest {
    type Error = String;

    fn try_from(document: HttpDocument) -> Result<Self, String> {
        let header = |header: HeaderDocument| Ok((header.name, header.value.try_into()?));
        if document.body_limit_bytes > limit::BODY_BYTES_MAX {
            return Err(format!("`bodyLimitBytes` is more than {}", limit::BODY_BYTES_MAX));
        }
        let is_none = |range: &&StatusRange| range.from < 100 || range.from > range.to || range.to > 599;
        if let Some(StatusRange { from, to }) = document.expected_statuses.iter().find(is_none) {
            return Err(format!("{from} to {to} is no range of statuses"));
        }
        Ok(Self {
            method: document.method,
            url: document.url.try_into()?,
            headers: document.headers.into_iter().map(header).collect::<Result<_, String>>()?,
            body: document.body.map(Body::try_from).transpose()?,
            expected_statuses: document.expected_statuses,
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

impl TryFrom<AssertionDocument> for Assertion {
    type Error = String;

    fn try_from(document: AssertionDocument) -> Result<Self, String> {
        Ok(match document {
            AssertionDocument::JsonSchema { schema } => Self::JsonSchema(schema.try_into()?),
            AssertionDocument::ContainsText { text } => Self::ContainsText(text),
            AssertionDocument::MatchesRegex { pattern } => Self::MatchesRegex(pattern),
            AssertionDocument::JsonPath { path, expected } => {
                if let JsonExpectation::Equals(value) = &expected {
                    json_text(value.clone(), "an expected value")?;
                }
                Self::JsonPath { path, expectation: expected }
            }
            AssertionDocument::Header { name, expected } => Self::Header { name, expectation: expected },
            AssertionDocument::MaxDuration { milliseconds } => Self::MaxDuration { milliseconds },
        })
    }
}

impl From<CaptureDocument> for Capture {
    fn from(document: CaptureDocument) -> Self {
        Self { name: document.name.0, from: document.from, secret: document.secret }
    }
}
