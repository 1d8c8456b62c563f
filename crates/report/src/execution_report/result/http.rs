//! What was observed of a request and its answer.

use referee_model::plan::{Action, HttpRequest, Work};
use referee_model::reading::Reading;
use referee_model::record::HttpFacts;
use referee_model::record::http::{AssertionObservation, CaptureObservation, HttpAnswer, HttpEnding, Redirect};
use serde::Serialize;

use referee_model::number::Count;

use super::super::expectation;
use super::super::specification::SchemaValidation;

/// What was asked and answered.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct HttpResult {
    /// Request that was sent, or that was to be sent.
    request: RequestDocument,
    /// The status of the answer, also where only its head came. Left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    status_code: Option<u16>,
    /// Each status that is expected, or range of them.
    expected_status: Vec<StatusDocument>,
    /// The redirects that were followed.
    redirects: Vec<Redirect>,
    #[serde(flatten)]
    answer: Option<AnswerDocument>,
    /// What was waited for when the time was used up: `connection`, `answer`, `body`.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_for: Option<String>,
}

/// An expected status, or a range of them such as `200-299`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum StatusDocument {
    One(u16),
    Range(String),
}

/// What was sent, or was to be. All of it stands in the record.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct RequestDocument {
    /// HTTP method of the request, such as `GET`.
    method: String,
    /// URL of the request; secrets in it are redacted.
    url: String,
    /// Size of the request's body, in bytes.
    body_bytes: Count,
}

/// A whole answer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct AnswerDocument {
    /// In the order in which they came, redacted.
    headers: Vec<HeaderDocument>,
    /// Milliseconds until all of it was there.
    response_time: Count,
    /// Milliseconds until its head was there.
    head_time: Count,
    /// The beginning of the body as it is stored; all of it where nothing is said of a tail. Left out where it is not
    /// kept, or was not read: `evidenceFiles` names it then.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// End of the body, at most 16 KiB. Left out where `body` holds all of it or is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_tail: Option<String>,
    /// Length of the body as it came.
    body_bytes: Count,
    /// What the answer is asserted to be, and what it is.
    assertions: Vec<AssertionDocument>,
    /// What was taken from it for later actions. The values themselves are never told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    captures: Vec<CaptureObservation>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct HeaderDocument {
    /// Name of the header of the answer, such as `content-type`.
    name: String,
    /// Value of the header; secrets are redacted.
    value: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct AssertionDocument {
    /// What is expected, in words.
    assertion: String,
    /// Null: it could not be told, which never counts as yes.
    holds: Option<bool>,
    /// What was found instead, or in support.
    found: String,
    /// Result of checking the body against a JSON Schema. Left out for other assertions.
    #[serde(skip_serializing_if = "Option::is_none")]
    schema_validation: Option<SchemaValidation>,
}

impl HttpResult {
    pub(super) fn new(action: &Action, facts: &HttpFacts, reading: &Reading) -> Self {
        let asked = match &action.work {
            Work::Http(request) => Some(&**request),
            _ => None,
        };
        let (status_code, answer, waiting_for) = match &facts.ending {
            HttpEnding::Answered(answer) => {
                (Some(answer.status), Some(AnswerDocument::new(asked, answer, reading)), None)
            }
            HttpEnding::NoAnswer(none) => (none.status, None, None),
            HttpEnding::DeadlineExceeded { status, waiting_for, .. } => (*status, None, Some(waiting_for.clone())),
            HttpEnding::Interrupted => (None, None, None),
        };
        Self {
            request: RequestDocument {
                method: facts.request.method.clone(),
                url: facts.request.url.clone(),
                body_bytes: facts.request.body_bytes.into(),
            },
            status_code,
            expected_status: asked.map(expected_status).unwrap_or_default(),
            redirects: facts.redirects.clone(),
            answer,
            waiting_for,
        }
    }
}

fn expected_status(asked: &HttpRequest) -> Vec<StatusDocument> {
    let statuses = expectation::statuses(&asked.expected_statuses);
    statuses.into_iter().map(|words| words.parse().map_or(StatusDocument::Range(words), StatusDocument::One)).collect()
}

impl AnswerDocument {
    fn new(asked: Option<&HttpRequest>, answer: &HttpAnswer, reading: &Reading) -> Self {
        let body = &reading.excerpts.stdout;
        // Only what was read can be shown: an excerpt of nothing must not look like an empty body.
        let kept = answer.body.as_ref().filter(|log| log.bytes == body.bytes).map(|_| body);
        let header = |(name, value): &(String, String)| HeaderDocument { name: name.clone(), value: value.clone() };
        let asserted = asked.map(|asked| asked.assertions.as_slice()).unwrap_or_default();
        let words = |index: usize| asserted.get(index).map(expectation::assertion).unwrap_or_default();
        Self {
            headers: answer.headers.iter().map(header).collect(),
            response_time: answer.total_ms.into(),
            head_time: answer.head_ms.into(),
            body: kept.map(|body| body.head.clone()),
            body_tail: kept.filter(|body| body.is_cut()).map(|body| body.tail.clone()),
            body_bytes: answer.body_bytes.into(),
            assertions: answer
                .assertions
                .iter()
                .enumerate()
                .map(|(index, observed)| AssertionDocument::new(words(index), observed))
                .collect(),
            captures: answer.captures.clone(),
        }
    }
}

impl AssertionDocument {
    fn new(assertion: String, observed: &AssertionObservation) -> Self {
        Self {
            assertion,
            holds: observed.holds,
            found: observed.found.clone(),
            schema_validation: observed.schema.as_ref().map(SchemaValidation::of_content),
        }
    }
}
