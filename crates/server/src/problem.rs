//! Errors as a status and a document. One table maps errors of the engine to statuses.

use crate::api::{ProblemBody, ProblemClass, ProblemDocument};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use referee_engine::incident::IncidentError;

/// Error response to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    /// Class of the problem.
    pub(crate) class: ProblemClass,
    /// The error message, one sentence.
    pub(crate) message: String,
}

impl Problem {
    fn of(status: StatusCode, class: ProblemClass, message: impl Into<String>) -> Self {
        Self { status, class, message: message.into() }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::of(StatusCode::BAD_REQUEST, ProblemClass::Validation, message)
    }

    pub(crate) fn unauthorized(message: impl Into<String>) -> Self {
        Self::of(StatusCode::UNAUTHORIZED, ProblemClass::Auth, message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::of(StatusCode::FORBIDDEN, ProblemClass::Auth, message)
    }

    pub(crate) fn unknown(message: impl Into<String>) -> Self {
        Self::of(StatusCode::NOT_FOUND, ProblemClass::NotFound, message)
    }

    pub(crate) fn method() -> Self {
        let message = "this address is not asked with that method: the header Allow says which";
        Self::of(StatusCode::METHOD_NOT_ALLOWED, ProblemClass::UnsupportedAction, message)
    }

    /// The body arrived too slowly.
    pub(crate) fn slow() -> Self {
        let message = "the body did not come in time: send it at once";
        Self::of(StatusCode::REQUEST_TIMEOUT, ProblemClass::Validation, message)
    }

    /// The action is not allowed in the current state.
    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::of(StatusCode::CONFLICT, ProblemClass::Conflict, message)
    }

    pub(crate) fn busy(message: impl Into<String>) -> Self {
        Self::of(StatusCode::CONFLICT, ProblemClass::RunConflict, message)
    }

    /// The body is too large.
    pub(crate) fn too_large(limit: usize) -> Self {
        let message = format!("a request has {limit} bytes at most");
        Self::of(StatusCode::PAYLOAD_TOO_LARGE, ProblemClass::Validation, message)
    }

    /// The body is not JSON.
    pub(crate) fn media_type() -> Self {
        let message = "send JSON, and say so: `content-type: application/json`";
        Self::of(StatusCode::UNSUPPORTED_MEDIA_TYPE, ProblemClass::Validation, message)
    }

    /// The request was addressed to a name that is not this server's.
    pub(crate) fn misdirected() -> Self {
        let message =
            "this server is not called so: ask it by its address, by localhost, or by a name given with --host-name";
        Self::of(StatusCode::MISDIRECTED_REQUEST, ProblemClass::Auth, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::of(StatusCode::INTERNAL_SERVER_ERROR, ProblemClass::Infra, message)
    }

    /// Storage failed, or the server is overloaded.
    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self::of(StatusCode::SERVICE_UNAVAILABLE, ProblemClass::Infra, message)
    }

    pub(crate) fn late() -> Self {
        let message = "this took too long to wait for, and may still happen: look before you ask again";
        Self::of(StatusCode::GATEWAY_TIMEOUT, ProblemClass::Infra, message)
    }
}

impl From<IncidentError> for Problem {
    fn from(error: IncidentError) -> Self {
        let message = error.to_string();
        match error {
            IncidentError::Unknown(_) => Self::unknown(message),
            IncidentError::Exists(_) | IncidentError::Illegal(_) | IncidentError::Refused(_) => Self::conflict(message),
            IncidentError::Forbidden(_) => Self::forbidden(message),
            IncidentError::Busy(_) => Self::busy(message),
            IncidentError::Invalid(_) => Self::invalid(message),
            IncidentError::Store(_) | IncidentError::Depot(_) => Self::unavailable(message),
            IncidentError::Internal(_) => Self::internal(message),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let advice = self.class.advice();
        let body = ProblemBody { class: self.class, message: self.message.clone(), advice };
        // A document of strings can always be serialized.
        let bytes = serde_json::to_vec(&ProblemDocument { error: body }).unwrap_or_default();
        let mut response = (self.status, [(header::CONTENT_TYPE, "application/json")], bytes).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            let challenge = HeaderValue::from_static("Bearer realm=\"referee\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        // If the request comes from a browser, middleware turns this into a page.
        response.extensions_mut().insert(self);
        response
    }
}
