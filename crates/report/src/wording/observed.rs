//! The observed facts of an action in words for people.

use referee_model::record::http::{HttpEnding, NoAnswer};
use referee_model::record::service::Readiness;
use referee_model::record::{
    ContainerFacts, Ending, Facts, FileState, GlobFacts, HttpFacts, InteractionEnding, InteractionFacts, Overrun,
    ServiceFacts,
};
use referee_model::signal;
use referee_syntax::count::count;
use referee_syntax::duration;

/// Returns how an action ended, or what it observed.
pub(crate) fn facts(facts: &Facts) -> String {
    match facts {
        Facts::Command(facts) => ending(&facts.ending),
        Facts::File(facts) => found(&facts.found),
        Facts::Glob(facts) => glob(facts),
        Facts::Http(facts) => http(facts),
        Facts::Service(facts) => service(facts),
        Facts::Interaction(facts) => interaction(facts),
        Facts::NotExecuted => "not executed".to_owned(),
    }
}

/// Returns how a command ended.
pub(crate) fn ending(ending: &Ending) -> String {
    match ending {
        Ending::Exited { code } => format!("exit code {code}"),
        Ending::Signaled { signal } => format!("ended by {}", signal::shown(*signal)),
        Ending::DeadlineExceeded { timeout_ms, of_task, killed } => {
            format!("{} at {}", if *killed { "killed" } else { "stopped" }, deadline(*timeout_ms, *of_task))
        }
        Ending::Interrupted { killed: true } => "killed, because the run was interrupted".to_owned(),
        Ending::Interrupted { killed: false } => "stopped, because the run was interrupted".to_owned(),
        Ending::OutputLimitExceeded { limit_bytes } => {
            format!("stopped after {limit_bytes} bytes of output, the most that is kept")
        }
        Ending::ProcessLimitExceeded { limit } => {
            format!("stopped at {limit} processes, the limit of the specification")
        }
        Ending::MemoryLimitExceeded { limit_bytes } => {
            format!("stopped at {limit_bytes} bytes of memory, the limit of the specification")
        }
        Ending::CouldNotStart { message, .. } => message.clone(),
    }
}

/// Returns how a service that was ready ended.
pub(crate) fn service_ending(ending: &Ending) -> String {
    match ending {
        Ending::Interrupted { killed: true } => "killed, because it did not stop".to_owned(),
        Ending::Interrupted { killed: false } => "stopped".to_owned(),
        other => self::ending(other),
    }
}

fn deadline(timeout_ms: u64, of_task: bool) -> String {
    format!("{} deadline of {}", if of_task { "the task's" } else { "its" }, duration::short(timeout_ms))
}

/// Returns the state of a checked file.
pub(crate) fn found(found: &FileState) -> String {
    match found {
        FileState::Missing => "missing".to_owned(),
        FileState::File(file) => format!("a file of {}", count(file.bytes, "byte")),
        FileState::Directory => "a directory".to_owned(),
        FileState::Other => "neither a file nor a directory".to_owned(),
        FileState::Outside { target } => format!("a link out of the workspace, to {target}"),
        FileState::Unreadable { message } => format!("unreadable: {message}"),
        FileState::DeadlineExceeded(overrun) => given_up(*overrun),
    }
}

fn given_up(overrun: Overrun) -> String {
    format!("given up at {}", deadline(overrun.timeout_ms, overrun.of_task))
}

fn glob(facts: &GlobFacts) -> String {
    let files = count(facts.files.len(), "file");
    if let Some(overrun) = facts.overrun {
        return given_up(overrun);
    }
    match &facts.failure {
        Some(failure) => format!("cannot be followed: {failure}"),
        None if facts.truncated => format!("the first {files}, and more"),
        None => files,
    }
}

fn http(facts: &HttpFacts) -> String {
    match &facts.ending {
        HttpEnding::Answered(answer) => format!("status {} after {}", answer.status, duration::short(answer.total_ms)),
        HttpEnding::NoAnswer(none) => no_answer(none),
        HttpEnding::DeadlineExceeded { timeout_ms, of_task, waiting_for, .. } => {
            format!("given up at {}, waiting for the {waiting_for}", deadline(*timeout_ms, *of_task))
        }
        HttpEnding::Interrupted => "given up, because the run was interrupted".to_owned(),
    }
}

fn no_answer(none: &NoAnswer) -> String {
    match &none.error.code {
        // People search for the system's name of the error.
        Some(code) if !none.error.message.contains(code.as_str()) => {
            format!("no answer: {} ({code})", none.error.message)
        }
        _ => format!("no answer: {}", none.error.message),
    }
}

fn interaction(facts: &InteractionFacts) -> String {
    match &facts.ending {
        InteractionEnding::Completed => match facts.row_count {
            Some(rows) => format!("answered, {}", count(rows, "row")),
            None => "done".to_owned(),
        },
        InteractionEnding::Refused { message, .. } => format!("refused: {message}"),
        InteractionEnding::Unavailable { message } => message.clone(),
        InteractionEnding::DeadlineExceeded { timeout_ms, of_task, waiting_for } => {
            let waited = if waiting_for.is_empty() { "an answer" } else { waiting_for };
            format!("given up at {}, waiting for: {waited}", deadline(*timeout_ms, *of_task))
        }
        InteractionEnding::Interrupted => "given up, because the run was interrupted".to_owned(),
    }
}

/// Returns the image and the state of a container.
pub(crate) fn container(facts: &ContainerFacts) -> String {
    let digest = facts.image_digest.as_ref().map_or_else(String::new, |digest| format!(" ({digest})"));
    let code = facts.exit_code.map_or_else(String::new, |code| format!(" with exit code {code}"));
    format!("{}{digest}, {}{code}", facts.image, facts.state)
}

fn service(facts: &ServiceFacts) -> String {
    let port = facts.port.map_or_else(|| "its port".to_owned(), |port| format!("port {port}"));
    match &facts.readiness {
        Readiness::Ready { after_ms } => format!("ready after {}", duration::short(*after_ms)),
        Readiness::PortTaken => format!("not started: another process listens on {port}"),
        Readiness::ForeignPort => format!("not ready: {port} is held by a process that is not its own"),
        Readiness::Ended { ending } => format!("ended before it was ready: {}", self::ending(ending)),
        Readiness::DeadlineExceeded { timeout_ms, of_task } => {
            format!("not ready within {}", deadline(*timeout_ms, *of_task))
        }
        Readiness::Interrupted => "given up, because the run was interrupted".to_owned(),
        Readiness::CouldNotStart { message, .. } => message.clone(),
    }
}
