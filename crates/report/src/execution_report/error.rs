//! Errors outside of what was checked: why a tool, a server or a file could not be used.

use referee_model::record::http::{HttpEnding, NoAnswer, NoAnswerCause};
use referee_model::record::service::Readiness;
use referee_model::record::{Ending, Facts, FileState, InteractionEnding};

/// Error that kept a tool, a server or a file from being used (seed 1, "Detailed Error Structures").
#[document]
#[derive(Default)]
pub(super) struct ErrorDocument {
    /// System's name of the error where it has one, such as `ECONNREFUSED`; else a code of Referee.
    pub(super) code: String,
    /// System's number of the error.
    errno: Option<i32>,
    /// Operation that failed, such as `connect`.
    syscall: Option<String>,
    /// Address that was contacted.
    address: Option<String>,
    /// Port that was contacted.
    port: Option<u16>,
    /// Description of the error; for a system error the text that the system gives.
    message: String,
}

impl ErrorDocument {
    fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), ..Self::default() }
    }
}

/// Returns the error outside of what was checked. None: there is none.
pub(super) fn of(facts: &Facts) -> Option<ErrorDocument> {
    match facts {
        Facts::Command(facts) => of_ending(&facts.ending),
        Facts::File(facts) => of_file(&facts.found),
        Facts::Glob(facts) => facts
            .failure
            .as_ref()
            .filter(|_| facts.overrun.is_none())
            .map(|failure| ErrorDocument::new("unreadable", failure)),
        Facts::Http(facts) => match &facts.ending {
            HttpEnding::NoAnswer(none) => Some(of_no_answer(none)),
            HttpEnding::Answered(_) | HttpEnding::DeadlineExceeded { .. } | HttpEnding::Interrupted => None,
        },
        Facts::Service(facts) => of_readiness(&facts.readiness, facts.port),
        Facts::Interaction(facts) => match &facts.ending {
            InteractionEnding::Unavailable { message } => Some(ErrorDocument::new("unavailable", message)),
            InteractionEnding::Completed
            | InteractionEnding::Refused { .. }
            | InteractionEnding::DeadlineExceeded { .. }
            | InteractionEnding::Interrupted => None,
        },
        Facts::NotExecuted => None,
    }
}

fn of_ending(ending: &Ending) -> Option<ErrorDocument> {
    match ending {
        Ending::CouldNotStart { cause, message } => Some(ErrorDocument::new(cause.as_str(), message)),
        Ending::OutputLimitExceeded { limit_bytes } => Some(ErrorDocument::new(
            "output-limit",
            format!("it printed more than the {limit_bytes} bytes that can be kept"),
        )),
        Ending::ProcessLimitExceeded { limit } => {
            Some(ErrorDocument::new("process-limit", format!("it ran more than {limit} processes at once")))
        }
        Ending::MemoryLimitExceeded { limit_bytes } => {
            Some(ErrorDocument::new("memory-limit", format!("it took more than {limit_bytes} bytes of memory")))
        }
        Ending::Exited { .. }
        | Ending::Signaled { .. }
        | Ending::DeadlineExceeded { .. }
        | Ending::Interrupted { .. } => None,
    }
}

fn of_file(found: &FileState) -> Option<ErrorDocument> {
    match found {
        FileState::Outside { target } => {
            Some(ErrorDocument::new("outside-workspace", format!("a link leads outside the workspace, to {target}")))
        }
        FileState::Unreadable { message } => Some(ErrorDocument::new("unreadable", message)),
        FileState::Missing
        | FileState::File(_)
        | FileState::Directory
        | FileState::Other
        | FileState::DeadlineExceeded(_) => None,
    }
}

fn of_no_answer(none: &NoAnswer) -> ErrorDocument {
    ErrorDocument {
        code: none.error.code.clone().unwrap_or_else(|| no_answer(none.cause).to_owned()),
        errno: none.error.errno,
        syscall: none.error.syscall.clone(),
        address: none.error.address.clone(),
        port: none.error.port,
        message: none.error.message.clone(),
    }
}

/// Returns the code for a missing answer, where the system has no name for the error.
pub(super) fn no_answer(cause: NoAnswerCause) -> &'static str {
    match cause {
        NoAnswerCause::BadRequest => "BAD_REQUEST",
        NoAnswerCause::UnknownHost => "UNKNOWN_HOST",
        NoAnswerCause::Refused => "CONNECTION_REFUSED",
        NoAnswerCause::Unreachable => "UNREACHABLE",
        NoAnswerCause::Tls => "TLS",
        NoAnswerCause::Reset => "CONNECTION_RESET",
        NoAnswerCause::Truncated => "TRUNCATED",
        NoAnswerCause::Protocol => "PROTOCOL",
        NoAnswerCause::RedirectLoop => "REDIRECT_LOOP",
        NoAnswerCause::BadRedirect => "BAD_REDIRECT",
        NoAnswerCause::BodyTooLarge => "BODY_TOO_LARGE",
        NoAnswerCause::Other => "OTHER",
    }
}

fn of_readiness(readiness: &Readiness, port: Option<u16>) -> Option<ErrorDocument> {
    let of_port = |code, what: &str| {
        let of = port.map_or_else(|| "its port".to_owned(), |port| format!("port {port}"));
        ErrorDocument { port, ..ErrorDocument::new(code, what.replace("{}", &of)) }
    };
    match readiness {
        Readiness::PortTaken => Some(of_port("port-taken", "another process listens on {}, so it was not started")),
        Readiness::ForeignPort => Some(of_port("foreign-port", "{} is held by a process that is not its own")),
        Readiness::Ended { ending } => {
            Some(of_ending(ending).unwrap_or_else(|| ErrorDocument::new("ended", "it ended before it was ready")))
        }
        Readiness::CouldNotStart { cause, message } => Some(ErrorDocument::new(cause.as_str(), message)),
        Readiness::Ready { .. } | Readiness::DeadlineExceeded { .. } | Readiness::Interrupted => None,
    }
}
