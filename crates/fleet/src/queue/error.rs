//! Errors of the queue.

use std::error::Error;

use referee_model::order_protocol::{OrderFailure, OrderFailureKind};
use temporalio_client::errors::{ClientConnectError, WorkflowInteractionError};
use temporalio_client::tonic::{Code, Status};

/// Error of the queue. It is never an answer.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct QueueError {
    pub(super) kind: OrderFailureKind,
    pub(super) message: String,
}

impl QueueError {
    pub(super) fn new(kind: OrderFailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(super) fn address(message: impl Into<String>) -> Self {
        Self::new(OrderFailureKind::Address, message)
    }

    /// Creates the error for an answer that was not asked for.
    pub(super) fn protocol(problem: impl std::fmt::Display) -> Self {
        Self::new(
            OrderFailureKind::Protocol,
            format!("the queue answered with something else than an outcome: {problem}"),
        )
    }

    /// Creates the error for a call that the queue refused, or did not answer.
    pub(super) fn of_status(status: &Status) -> Self {
        let said = status.message();
        match status.code() {
            Code::Unauthenticated | Code::PermissionDenied => Self::address(format!(
                "the queue refuses the credentials: {said}. See TEMPORAL_API_KEY and TEMPORAL_TLS"
            )),
            Code::NotFound | Code::InvalidArgument | Code::FailedPrecondition => {
                Self::address(format!("the queue refuses the request: {said}. See TEMPORAL_NAMESPACE"))
            }
            Code::Unimplemented => Self::address(format!("there is no Temporal server at TEMPORAL_ADDRESS: {said}")),
            _ => Self::of_transport(status, &status.source().map_or_else(|| said.to_owned(), root)),
        }
    }

    /// Creates the error for a request about an order that failed.
    pub(super) fn of_interaction(error: &WorkflowInteractionError) -> Self {
        match error {
            WorkflowInteractionError::Rpc(status) => Self::of_status(status),
            other => Self::protocol(other),
        }
    }

    /// Creates the error for a connection that failed.
    pub(super) fn of_connect(error: &ClientConnectError) -> Self {
        match error {
            ClientConnectError::SystemInfoCallError(status) => Self::of_status(status),
            ClientConnectError::InvalidUri(_)
            | ClientConnectError::InvalidHeaders(_)
            | ClientConnectError::InvalidConfig(_) => Self::address(format!("cannot use TEMPORAL_ADDRESS: {error}")),
            other => Self::of_transport(other, &root(other)),
        }
    }

    /// Creates the error for a worker that cannot go on.
    pub(super) fn of_worker(error: &(dyn Error + 'static)) -> Self {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if let Some(status) = error.downcast_ref::<Status>() {
                return Self::of_status(status);
            }
            cause = error.source();
        }
        Self::of_transport(error, &root(error))
    }

    fn of_transport(error: &(dyn Error + 'static), said: &str) -> Self {
        match tls_problem(error) {
            Some(problem) => Self::address(format!("the queue cannot be trusted: {problem}. See TEMPORAL_TLS")),
            None => Self::new(
                OrderFailureKind::Unavailable,
                format!("the queue does not answer: {said}. See TEMPORAL_ADDRESS and TEMPORAL_TLS"),
            ),
        }
    }

    pub(super) fn failure(self) -> OrderFailure {
        OrderFailure { kind: self.kind, message: self.message }
    }
}

/// Returns the innermost message of an error.
fn root(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Finds why TLS failed, in an error or what caused it.
fn tls_problem(error: &(dyn Error + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(problem) = error.downcast_ref::<rustls::Error>() {
            return Some(problem.to_string());
        }
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            // An error of the system hides its content from `source`.
            if let Some(problem) = error.get_ref().and_then(|inner| tls_problem(inner)) {
                return Some(problem);
            }
            // What a server says of a client after it was connected, such as that it needs a certificate, comes as text.
            let said = error.to_string();
            if said.starts_with("received fatal alert") {
                return Some(said);
            }
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_has_to_change_is_an_address_and_all_else_is_unavailable() {
        for (code, kind) in [
            (Code::Unauthenticated, OrderFailureKind::Address),
            (Code::PermissionDenied, OrderFailureKind::Address),
            (Code::NotFound, OrderFailureKind::Address),
            (Code::Unimplemented, OrderFailureKind::Address),
            (Code::Unavailable, OrderFailureKind::Unavailable),
            (Code::DeadlineExceeded, OrderFailureKind::Unavailable),
            (Code::Internal, OrderFailureKind::Unavailable),
        ] {
            assert_eq!(QueueError::of_status(&Status::new(code, "x")).kind, kind, "{code:?}");
        }
    }

    #[test]
    fn a_certificate_that_is_not_trusted_is_found_in_what_caused_the_error() {
        let problem = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
        let inner = std::io::Error::new(std::io::ErrorKind::InvalidData, problem);
        let status = Status::from_error(Box::new(std::io::Error::other(inner)));
        let error = QueueError::of_status(&status);
        assert_eq!(error.kind, OrderFailureKind::Address, "{error}");
        assert!(error.message.contains("UnknownIssuer"), "{error}");
    }
}
