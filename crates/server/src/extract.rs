//! Extractors: parse a request once, and refuse an invalid one with a reason.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use referee_model::incident::id::IncidentId;
use referee_schema::published::OPENAPI;
use referee_schema::validator::Validator;
use referee_syntax::{hex, percent};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::api::asked::RequestBody;
use crate::problem::Problem;

/// The incident id in a path.
pub(crate) struct Named(pub(crate) IncidentId);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Path(text) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|refused| Problem::invalid(refused.body_text()))?;
        let id = IncidentId::parse(&text).map_err(|refused| Problem::invalid(refused.to_string()))?;
        // Every incident has exactly one address.
        if id.as_str() != text {
            return Err(Problem::invalid("an incident's id has no spaces"));
        }
        Ok(Self(id))
    }
}

pub(crate) struct QueryParameters<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryParameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Query(asked) =
            Query::<T>::try_from_uri(&parts.uri).map_err(|refused| Problem::invalid(refused.body_text()))?;
        Ok(Self(asked))
    }
}

/// The raw request body, declared as JSON. An empty body counts as `{}`.
pub(crate) struct Written(pub(crate) Bytes);

impl<S: Send + Sync> FromRequest<S> for Written {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let is_json = is_json(request.headers().get(header::CONTENT_TYPE));
        let bytes =
            Bytes::from_request(request, state).await.map_err(|refused| Problem::invalid(refused.body_text()))?;
        let bytes = if bytes.is_empty() { Bytes::from_static(b"{}") } else { bytes };
        if is_json == Some(false) || (is_json.is_none() && *bytes != *b"{}") {
            return Err(Problem::media_type());
        }
        Ok(Self(bytes))
    }
}

pub(crate) struct Sent<T>(pub(crate) T);

impl<T: RequestBody, S: Send + Sync> FromRequest<S> for Sent<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let Written(bytes) = Written::from_request(request, state).await?;
        read(&bytes).map(Self)
    }
}

/// Parses a body, and validates it against the schema in the OpenAPI description: text that is too long, numbers
/// out of range and malformed values are refused here.
pub(crate) fn read<T: RequestBody>(bytes: &[u8]) -> Result<T, Problem> {
    let invalid = |error: serde_json::Error| Problem::invalid(format!("the body: {error}"));
    let document: Value = serde_json::from_slice(bytes).map_err(invalid)?;
    // Serde would accept a list with the fields in order, but that is not an object.
    if !document.is_object() {
        return Err(Problem::invalid("the body is not a JSON object"));
    }
    let body = serde_json::from_slice(bytes).map_err(invalid)?;
    let validator = validator::<T>().ok_or_else(|| Problem::internal("a schema of the API is none"))?;
    let (complaints, _) = validator.complaints(&document, COMPLAINTS);
    if complaints.is_empty() {
        return Ok(body);
    }
    let complaints: Vec<String> = complaints.iter().map(|complaint| in_words(complaint)).collect();
    Err(Problem::invalid(format!("the body: {}", complaints.join("; "))))
}

/// Start of the patterns that require visible text.
const VISIBLE: &str = r"[^\x00-\x20\x7f-\xa0";

/// Rewords a schema violation, if the schema only names a pattern that does not match.
fn in_words(complaint: &str) -> String {
    let place = complaint.split_once(": ").map_or(complaint, |(place, _)| place);
    if place == "at " && complaint.contains("anyOf") {
        return "a failure needs something that tells of it: a message, a log, or a report".to_owned();
    }
    match complaint.split_once(VISIBLE) {
        Some((before, _)) if before.ends_with('^') => {
            format!("{place}: a name is needed, in one line and without spaces around it")
        }
        Some(_) => format!("{place}: something to be read is needed"),
        None => complaint.to_owned(),
    }
}

/// Maximum number of reported violations in one body.
const COMPLAINTS: usize = 5;

/// Returns the validator for bodies of a type, from its schema in the OpenAPI description. It is created once.
fn validator<T: RequestBody>() -> Option<Arc<Validator>> {
    static MADE: Mutex<BTreeMap<&str, Arc<Validator>>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(validator) = made.get(T::NAME) {
        return Some(Arc::clone(validator));
    }
    let description: Value = serde_json::from_str(OPENAPI).ok()?;
    let mut schema = description.pointer(&format!("/components/schemas/{}", T::NAME))?.clone();
    schema["components"] = description["components"].clone();
    let validator = Arc::new(Validator::new(&schema).ok()?);
    made.insert(T::NAME, Arc::clone(&validator));
    Some(validator)
}

/// Returns whether a media type is JSON. `None`: there is no media type.
fn is_json(media_type: Option<&HeaderValue>) -> Option<bool> {
    let text = media_type?.to_str().unwrap_or_default();
    let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    Some(essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json")))
}

/// A JSON response with an ETag.
pub(crate) struct Document<T>(pub(crate) StatusCode, pub(crate) T);

impl<T: Serialize> IntoResponse for Document<T> {
    fn into_response(self) -> Response {
        let Ok(bytes) = serde_json::to_vec(&self.1) else {
            return Problem::internal("the answer cannot be laid out as JSON").into_response();
        };
        let digest = Sha256::digest(&bytes);
        let tag = hex::encode(&digest[..16]);
        let headers = [(header::CONTENT_TYPE, "application/json".to_owned()), (header::ETAG, format!("\"{tag}\""))];
        (self.0, headers, Body::from(bytes)).into_response()
    }
}

/// Returns the value of a field of a form or a query.
pub(crate) fn field(form: &[u8], name: &str) -> Option<String> {
    percent::fields(form).find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Parses an event number.
pub(crate) fn sequence(after: Option<u64>) -> Result<Option<u64>, Problem> {
    match after {
        Some(after) if i64::try_from(after).is_err() => Err(Problem::invalid("`after` is not an event number")),
        after => Ok(after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_body_lacks_is_said_in_words() {
        use crate::api::asked::{AckBody, CaptureBody, ReasonBody};
        fn said<T: RequestBody>(body: &str) -> String {
            read::<T>(body.as_bytes()).err().unwrap().message
        }
        assert_eq!(said::<ReasonBody>(r#"{"reason":" "}"#), "the body: at /reason: something to be read is needed");
        let wrong = said::<AckBody>(r#"{"executor":"two\nlines"}"#);
        assert_eq!(wrong, "the body: at /executor: a name is needed, in one line and without spaces around it");
        for nothing in ["{}", r#"{"message":"\u3000","log":null}"#] {
            assert!(said::<CaptureBody>(nothing).contains("a message, a log, or a report"), "{nothing}");
        }
        for told in [r#"{"message":"失敗"}"#, r#"{"log":"\n x"}"#, r#"{"report":{}}"#] {
            assert!(read::<CaptureBody>(told.as_bytes()).is_ok(), "{told}");
        }
    }

    #[test]
    fn every_body_is_held_against_its_published_schema() {
        use crate::api::asked::{
            AckBody, ApproveBody, ArchiveBody, CaptureBody, GoBody, HandoffBody, NothingBody, PlanBody, ReasonBody,
        };
        fn refuses<T: RequestBody>(body: &str) -> bool {
            validator::<T>().is_some() && read::<T>(body.as_bytes()).is_err()
        }
        let long = "x".repeat(10_001);
        assert!(refuses::<NothingBody>(r#"{"a":1}"#) && refuses::<PlanBody>(r#"{"force":1}"#));
        assert!(refuses::<CaptureBody>(&format!(r#"{{"message":"{long}"}}"#)));
        assert!(refuses::<ApproveBody>(&format!(r#"{{"note":"{long}"}}"#)));
        assert!(refuses::<ReasonBody>(&format!(r#"{{"reason":"{long}"}}"#)));
        assert!(refuses::<HandoffBody>(&format!(r#"{{"executor":"{long}"}}"#)));
        assert!(refuses::<AckBody>(&format!(r#"{{"executor":"a","note":"{long}"}}"#)));
        assert!(refuses::<GoBody>(r#"{"max_loops":1001}"#));
        assert!(refuses::<ArchiveBody>(&format!(r#"{{"result":"resolved","reason":"{long}"}}"#)));
        assert!(read::<GoBody>(br#"{"max_loops":1000}"#).is_ok());
    }

    #[test]
    fn only_json_counts_as_json() {
        let said = |text: &'static str| is_json(Some(&HeaderValue::from_static(text)));
        assert_eq!(is_json(None), None);
        for json in ["application/json", "Application/JSON; charset=utf-8", "application/vnd.x+json"] {
            assert_eq!(said(json), Some(true), "{json}");
        }
        for other in ["text/plain", "text/json", "application/x-www-form-urlencoded", "", "multipart/form-data"] {
            assert_eq!(said(other), Some(false), "{other}");
        }
    }
}
