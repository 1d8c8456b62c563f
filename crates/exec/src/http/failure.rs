//! Explains why a request failed, in Referee's words and with the system's error.

use std::io;

use referee_model::record::http::{HttpError, NoAnswer, NoAnswerCause};
use rustix::io::Errno;
use rustls::CertificateError;

use super::progress::{Break, Stage, State};
use super::trust;

/// Why a request has no complete response.
#[derive(Debug)]
pub(super) enum Failure {
    Deadline,
    NoAnswer(Box<NoAnswer>),
}

/// Returns a missing response with a cause other than a system error.
pub(super) fn no_answer(cause: NoAnswerCause, message: impl Into<String>, state: &State) -> NoAnswer {
    NoAnswer {
        cause,
        error: HttpError {
            code: None,
            errno: None,
            syscall: None,
            address: address(state),
            port: state.port,
            message: message.into(),
        },
        status: state.status,
    }
}

/// Returns the address that was requested, or the host name if it was not resolved.
fn address(state: &State) -> Option<String> {
    state
        .address
        .map(|address| address.to_string())
        .or_else(|| Some(state.host.clone()).filter(|host| !host.is_empty()))
}

/// Translates an error of ureq.
pub(super) fn of(error: ureq::Error, state: &State) -> Failure {
    let answer = match error {
        ureq::Error::Timeout(_) => return Failure::Deadline,
        ureq::Error::Io(error) => of_io(&error, state),
        ureq::Error::HostNotFound => unknown_host(state),
        ureq::Error::Protocol(error) => no_answer(NoAnswerCause::Protocol, format!("{error}"), state),
        ureq::Error::BodyStalled => no_answer(NoAnswerCause::Protocol, "the body does not go on as it says", state),
        ureq::Error::LargeResponseHeader(_, limit) => {
            let message = format!("the head of the answer is longer than {limit} bytes");
            no_answer(NoAnswerCause::Protocol, message, state)
        }
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            no_answer(NoAnswerCause::BadRequest, format!("the request cannot be sent: {error}"), state)
        }
        ureq::Error::ConnectionFailed => {
            no_answer(NoAnswerCause::Other, format!("no connection to {} could be made", place(state)), state)
        }
        other => no_answer(NoAnswerCause::Other, format!("the request failed: {other}"), state),
    };
    Failure::NoAnswer(Box::new(answer))
}

/// Returns why a body that seems complete may be truncated. None: it is complete.
pub(super) fn of_break(state: &State) -> Option<NoAnswer> {
    match state.broken? {
        Break::Reset => Some(of_errno(Errno::CONNRESET, state)),
        Break::Cut => Some(cut(state)),
    }
}

fn of_io(error: &io::Error, state: &State) -> NoAnswer {
    if let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return no_answer(NoAnswerCause::Tls, tls_message(tls), state);
    }
    if let Some(number) = error.raw_os_error() {
        return of_errno(Errno::from_raw_os_error(number), state);
    }
    match error.kind() {
        _ if state.stage == Stage::Name => unknown_host(state),
        io::ErrorKind::UnexpectedEof if state.stage == Stage::Connection => {
            let message = "the connection was closed before TLS was agreed on: does the server speak TLS?";
            no_answer(NoAnswerCause::Tls, message, state)
        }
        io::ErrorKind::UnexpectedEof => cut(state),
        _ => no_answer(NoAnswerCause::Other, format!("the request failed: {error}"), state),
    }
}

fn unknown_host(state: &State) -> NoAnswer {
    let mut answer = no_answer(NoAnswerCause::UnknownHost, format!("no address is known for {}", state.host), state);
    answer.error.code = Some("ENOTFOUND".to_owned());
    answer.error.syscall = Some("getaddrinfo".to_owned());
    answer
}

fn cut(state: &State) -> NoAnswer {
    let message = match state.stage {
        Stage::Body => "the connection ended before the body was whole",
        _ => "the connection ended before there was an answer",
    };
    no_answer(NoAnswerCause::Truncated, message, state)
}

fn of_errno(errno: Errno, state: &State) -> NoAnswer {
    use NoAnswerCause as Cause;
    let place = place(state);
    let (cause, code, message) = match errno {
        Errno::CONNREFUSED => (Cause::Refused, Some("ECONNREFUSED"), format!("nothing listens on {place}")),
        Errno::CONNRESET => (Cause::Reset, Some("ECONNRESET"), format!("{place} reset the connection")),
        Errno::CONNABORTED => (Cause::Reset, Some("ECONNABORTED"), format!("the connection to {place} was aborted")),
        Errno::PIPE => (Cause::Reset, Some("EPIPE"), format!("{place} closed the connection while it was written to")),
        Errno::TIMEDOUT => (Cause::Unreachable, Some("ETIMEDOUT"), format!("{place} does not react")),
        Errno::HOSTUNREACH => (Cause::Unreachable, Some("EHOSTUNREACH"), format!("there is no way to {place}")),
        Errno::HOSTDOWN => (Cause::Unreachable, Some("EHOSTDOWN"), format!("{place} is down")),
        Errno::NETUNREACH => (Cause::Unreachable, Some("ENETUNREACH"), format!("there is no way to {place}")),
        Errno::NETDOWN => (Cause::Unreachable, Some("ENETDOWN"), format!("there is no network to reach {place}")),
        Errno::ADDRNOTAVAIL => {
            (Cause::Unreachable, Some("EADDRNOTAVAIL"), format!("{place} cannot be asked from here"))
        }
        Errno::ACCESS => (Cause::Unreachable, Some("EACCES"), format!("asking {place} is not allowed")),
        Errno::PERM => (Cause::Unreachable, Some("EPERM"), format!("asking {place} is not allowed")),
        Errno::MFILE => (Cause::Other, Some("EMFILE"), "too many files are open".to_owned()),
        Errno::NFILE => (Cause::Other, Some("ENFILE"), "too many files are open in the system".to_owned()),
        other => (Cause::Other, None, format!("asking {place} failed: {other}")),
    };
    let syscall = match state.stage {
        Stage::Name | Stage::Connection => "connect",
        Stage::Answer if errno == Errno::PIPE => "write",
        Stage::Answer | Stage::Body | Stage::Assertions => "read",
    };
    let mut answer = no_answer(cause, message, state);
    answer.error.code = code.map(str::to_owned);
    answer.error.errno = Some(errno.raw_os_error());
    answer.error.syscall = Some(syscall.to_owned());
    answer
}

fn place(state: &State) -> String {
    let host = address(state).unwrap_or_default();
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    state.port.map_or(host.clone(), |port| format!("{host}:{port}"))
}

/// Describes a TLS error, and what to do about it.
fn tls_message(error: &rustls::Error) -> String {
    let reason = match error {
        rustls::Error::InvalidCertificate(certificate) => match certificate {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => "the certificate has expired",
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the certificate is not valid yet"
            }
            CertificateError::UnknownIssuer => {
                "the certificate was issued by nobody who is trusted; name a file of trusted certificates (`caFile`) \
                 if it is meant to be"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "the certificate is for another name"
            }
            CertificateError::Revoked => "the certificate is revoked",
            CertificateError::BadSignature => "the certificate's signature is wrong",
            _ if trust::is_authority(error) => {
                "the certificate is self-signed and not trusted; name it in a file of trusted certificates (`caFile`) \
                 if it is meant to be"
            }
            _ => "the certificate is not accepted",
        },
        rustls::Error::InvalidMessage(_) => "the server does not speak TLS there",
        rustls::Error::AlertReceived(_) => "the server refused to speak TLS",
        rustls::Error::PeerIncompatible(_) => "the server speaks no TLS that is safe",
        _ => "TLS could not be agreed on",
    };
    format!("{reason} ({error})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_keep_their_name_number_and_call() {
        let state = |stage| State {
            stage,
            host: "localhost".to_owned(),
            port: Some(3000),
            address: Some([127, 0, 0, 1].into()),
            ..State::default()
        };
        for (errno, stage, cause, code, syscall) in [
            (Errno::CONNREFUSED, Stage::Connection, NoAnswerCause::Refused, "ECONNREFUSED", "connect"),
            (Errno::CONNRESET, Stage::Body, NoAnswerCause::Reset, "ECONNRESET", "read"),
            (Errno::PIPE, Stage::Answer, NoAnswerCause::Reset, "EPIPE", "write"),
            (Errno::HOSTUNREACH, Stage::Connection, NoAnswerCause::Unreachable, "EHOSTUNREACH", "connect"),
        ] {
            let answer = of_io(&io::Error::from(errno), &state(stage));
            assert_eq!(answer.cause, cause);
            assert_eq!((answer.error.code.as_deref(), answer.error.syscall.as_deref()), (Some(code), Some(syscall)));
            assert_eq!((answer.error.errno, answer.error.port), (Some(errno.raw_os_error()), Some(3000)));
            assert!(answer.error.message.contains("127.0.0.1:3000"), "{}", answer.error.message);
        }
        let odd = of_io(&io::Error::from(Errno::NOMEM), &state(Stage::Answer));
        assert_eq!((odd.cause, odd.error.code), (NoAnswerCause::Other, None));
    }

    #[test]
    fn a_name_that_cannot_be_resolved_is_an_unknown_host() {
        let state = State { host: "no.such".to_owned(), port: Some(80), ..State::default() };
        let answer = of_io(&io::Error::other("failed to lookup address information"), &state);
        assert_eq!((answer.cause, answer.error.address.as_deref()), (NoAnswerCause::UnknownHost, Some("no.such")));
    }
}
