//! Facts observed of a request and its answer.

use referee_model::plan::{Action, HttpRequest, Work};
use referee_model::reading::Reading;
use referee_model::record::HttpFacts;
use referee_model::record::http::{AssertionObservation, CaptureObservation, HttpAnswer, HttpEnding, Redirect};
use serde::Serialize;

use referee_model::number::Count;

use super::super::expectation;
use super::super::specification::SchemaValidation;

/// A request and its answer.
#[document(open)]
pub(super) struct HttpResult {
    /// Request that was sent, or that was to be sent.
    request: RequestDocument,
    /// Status of the answer, also where only its head arrived. Left out where there is no answer.
    status_code: Option<u16>,
    /// Expected statuses and ranges of statuses.
    expected_status: Vec<StatusDocument>,
    /// Redirects that were followed.
    redirects: Vec<Redirect>,
    #[serde(flatten)]
    answer: Option<AnswerDocument>,
    /// Stage at which the request was waiting at its timeout: `connection`, `answer` or `body`.
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

/// Request that was sent, or that was to be sent. The record holds all of it.
#[document]
struct RequestDocument {
    /// HTTP method of the request, such as `GET`.
    method: String,
    /// URL of the request; secrets in it are redacted.
    url: String,
    /// Size of the request's body, in bytes.
    body_bytes: Count,
}

/// A complete answer.
#[document(open)]
struct AnswerDocument {
    /// Headers in the order in which they arrived, redacted.
    headers: Vec<HeaderDocument>,
    /// Milliseconds until the answer was complete.
    response_time: Count,
    /// Milliseconds until the head of the answer arrived.
    head_time: Count,
    /// Start of the body as stored; all of it where `bodyTail` is left out. Left out where the body is not kept or
    /// was not read; in the latter case `evidenceFiles` names it.
    body: Option<String>,
    /// End of the body, at most 16 KiB. Left out where `body` holds all of it or is left out.
    body_tail: Option<String>,
    /// Length of the body as received, in bytes.
    body_bytes: Count,
    /// Assertions on the answer, each with its result.
    assertions: Vec<AssertionDocument>,
    /// Values captured from the answer for later actions. The values themselves are never shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    captures: Vec<CaptureObservation>,
}

#[document]
struct HeaderDocument {
    /// Name of the header of the answer, such as `content-type`.
    name: String,
    /// Value of the header; secrets are redacted.
    value: String,
}

#[document(nulls)]
struct AssertionDocument {
    /// Expectation in words.
    assertion: String,
    /// Whether the assertion is true. Null: it could not be determined, which never counts as true.
    holds: Option<bool>,
    /// Value that was found, whether or not the assertion is true.
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
        // Only a body that was read can be shown: an empty excerpt must not look like an empty body.
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
