//! Middleware for all requests: limits on the size of bodies and on time, and security headers.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use referee_model::limit::REQUEST_BYTES;

use crate::channel::{Channel, Door};
use crate::problem::Problem;
use crate::service::Service;

/// Time limit for receiving a body.
const BODY: Duration = Duration::from_secs(30);
/// Time limit for answering a request.
const ANSWER: Duration = Duration::from_secs(30);
/// Time limit for answering a request that may wait.
const LONG_ANSWER: Duration = Duration::from_secs(super::loop_routes::WAIT_AT_MOST + 30);
/// Path suffix of requests that may wait.
const WAITS: &str = "/go";

/// Content security policy: everything from this server, and nothing inline.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Default headers of every response.
const HEADERS: [(HeaderName, &str); 7] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "same-origin"),
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// How long browsers use TLS alone, where they are told to.
const STRICT: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Adds the default headers, and replaces the body by status 304 if the client already has it.
pub(super) async fn headers(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let is_tls = matches!(request.extensions().get::<Door>(), Some(Door::Tcp(_, Channel::Tls)));
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    if is_tls && service.access.is_strict {
        response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, STRICT);
    }
    let same = known.is_some_and(|known| is_among(&known, response.headers().get(header::ETAG)));
    if reads && same && response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response.headers_mut().remove(header::CONTENT_LENGTH);
        response.headers_mut().remove(header::CONTENT_TYPE);
    }
    response
}

/// Returns whether the ETag of a response is among those of the client.
fn is_among(known: &HeaderValue, tag: Option<&HeaderValue>) -> bool {
    let (Ok(known), Some(Ok(tag))) = (known.to_str(), tag.map(HeaderValue::to_str)) else { return false };
    let weak = |text: &str| text.trim().trim_start_matches("W/").to_owned();
    known.split(',').any(|one| one.trim() == "*" || weak(one) == weak(tag))
}

/// Reads the whole body, so that one that is too large or too slow is refused here, for every route.
pub(super) async fn bodies(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    if matches!(parts.method, Method::GET | Method::HEAD) {
        return next.run(Request::from_parts(parts, Body::empty())).await;
    }
    // A body that declares itself too large is refused without reading it.
    if body.size_hint().lower() > REQUEST_BYTES as u64 {
        return last(Problem::too_large(REQUEST_BYTES));
    }
    match whole(body, BODY).await {
        Ok(body) => next.run(Request::from_parts(parts, Body::from(body))).await,
        Err(problem) => last(problem),
    }
}

/// Reads a whole body within a time limit.
async fn whole(body: Body, time: Duration) -> Result<Bytes, Problem> {
    match tokio::time::timeout(time, Limited::new(body, REQUEST_BYTES).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Problem::too_large(REQUEST_BYTES)),
        Ok(Err(_)) => Err(Problem::invalid("the body ended before its end")),
        Err(_) => Err(Problem::slow()),
    }
}

/// Answers within a time limit.
pub(super) async fn in_time(request: Request, next: Next) -> Response {
    let waits = request.uri().path().ends_with(WAITS) && *request.method() == Method::POST;
    let time = if waits { LONG_ANSWER } else { ANSWER + BODY };
    let answered = tokio::time::timeout(time, next.run(request)).await;
    answered.unwrap_or_else(|_| Problem::late().into_response())
}

/// Converts a problem into the last response on a connection whose client is still sending.
fn last(problem: Problem) -> Response {
    let mut response = problem.into_response();
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use hyper::body::Frame;

    use super::*;

    /// A body that starts, and never continues.
    struct Half(Option<Bytes>);

    impl HttpBody for Half {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            self.0.take().map_or(Poll::Pending, |bytes| Poll::Ready(Some(Ok(Frame::data(bytes)))))
        }
    }

    #[test]
    fn a_body_that_does_not_come_in_time_is_given_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let read = |bytes| runtime.block_on(whole(Body::new(Half(Some(bytes))), Duration::from_millis(1)));
        assert_eq!(read(Bytes::from_static(b"{")).unwrap_err().status, StatusCode::REQUEST_TIMEOUT);
        let huge = Bytes::from(vec![b' '; REQUEST_BYTES + 1]);
        assert_eq!(read(huge).unwrap_err().status, StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[test]
    fn what_the_other_end_has_is_told_by_its_tag() {
        let tag = HeaderValue::from_static("\"a\"");
        let is = |known: &'static str| is_among(&HeaderValue::from_static(known), Some(&tag));
        assert!(is("\"a\"") && is("W/\"a\"") && is("\"b\", \"a\"") && is("*"));
        assert!(!is("\"b\"") && !is("a") && !is(""));
        assert!(!is_among(&HeaderValue::from_static("*"), None));
    }
}
