//! Records as they are stored, told of and judged.

use referee_ledger::redact::looks_secret;
use referee_model::record::http::HttpEnding;
use referee_model::record::service::{PortCheck, Readiness};
use referee_model::record::{
    CommandFacts, Ending, Executable, Facts, FileFacts, Found, HttpFacts, LeakedProcess, Record, SchemaObservation,
    ServiceFacts, ServiceRecord, SyntaxObservation,
};

use super::{Redact, is_credential, text, texts, variables};

/// Redacts a record before it is stored or told of.
pub(crate) fn record(record: &mut Record, redact: Redact<'_>) {
    for notice in &mut record.notices {
        text(&mut notice.message, redact);
    }
    match &mut record.facts {
        Facts::Command(facts) => command_facts(facts, redact),
        Facts::File(facts) => file_facts(facts, redact),
        Facts::Glob(facts) => {
            text(&mut facts.pattern, redact);
            facts.failure.iter_mut().for_each(|failure| text(failure, redact));
            facts.files.iter_mut().for_each(|file| file_facts(file, redact));
        }
        Facts::Http(facts) => http_facts(facts, redact),
        Facts::Service(facts) => service_facts(facts, redact),
        Facts::NotExecuted => {}
    }
}

/// Redacts what became of a service before it is stored or told of.
pub(crate) fn service_record(service: &mut ServiceRecord, redact: Redact<'_>) {
    ending(&mut service.ending, redact);
    leaked(&mut service.leaked, redact);
}

fn file_facts(facts: &mut FileFacts, redact: Redact<'_>) {
    text(&mut facts.path, redact);
    match &mut facts.found {
        Found::Outside { target } => text(target, redact),
        Found::Unreadable { message } => text(message, redact),
        Found::File(file) => {
            if let Some(SyntaxObservation::Malformed { message }) = &mut file.syntax {
                text(message, redact);
            }
            if let Some(observed) = &mut file.schema {
                schema_observation(observed, redact);
            }
        }
        Found::Missing | Found::Folder | Found::Other | Found::DeadlineExceeded(_) => {}
    }
}

fn schema_observation(observed: &mut SchemaObservation, redact: Redact<'_>) {
    match observed {
        SchemaObservation::Invalid { errors, .. } => texts(errors, redact),
        SchemaObservation::Malformed { message } | SchemaObservation::Unusable { message } => text(message, redact),
        SchemaObservation::Valid | SchemaObservation::TooLarge => {}
    }
}

fn http_facts(facts: &mut HttpFacts, redact: Redact<'_>) {
    text(&mut facts.request.url, redact);
    headers(&mut facts.request.headers, redact);
    facts.request.body.iter_mut().for_each(|body| text(body, redact));
    facts.redirects.iter_mut().for_each(|redirect| text(&mut redirect.to, redact));
    if let Some(check) = &mut facts.port_check {
        port_check(check, redact);
    }
    if let Some(resolution) = &mut facts.resolution {
        text(&mut resolution.host, redact);
    }
    if let Some(check) = &mut facts.health_check {
        text(&mut check.url, redact);
        text(&mut check.result, redact);
    }
    match &mut facts.ending {
        HttpEnding::Answered(answer) => {
            headers(&mut answer.headers, redact);
            for observation in &mut answer.assertions {
                text(&mut observation.found, redact);
                if let Some(observed) = &mut observation.schema {
                    schema_observation(observed, redact);
                }
            }
        }
        HttpEnding::NoAnswer(no_answer) => text(&mut no_answer.message, redact),
        HttpEnding::DeadlineExceeded { .. } | HttpEnding::Interrupted => {}
    }
}

fn headers(headers: &mut [(String, String)], redact: Redact<'_>) {
    for (name, value) in headers {
        *value = if looks_secret(name) || is_credential(name) { "*".repeat(value.len()) } else { redact(value) };
    }
}

fn service_facts(facts: &mut ServiceFacts, redact: Redact<'_>) {
    if let Some(start) = &mut facts.started {
        texts(&mut start.argv, redact);
        text(&mut start.directory, redact);
        executables(&mut start.executables, redact);
        variables(&mut start.environment, redact);
    }
    for probe in &mut facts.probes {
        text(&mut probe.probe, redact);
        text(&mut probe.last, redact);
    }
    if let Some(check) = &mut facts.port_check {
        port_check(check, redact);
    }
    match &mut facts.readiness {
        Readiness::Ended(ended) => ending(ended, redact),
        Readiness::CouldNotStart { message, .. } => text(message, redact),
        Readiness::Ready { .. }
        | Readiness::PortTaken
        | Readiness::ForeignPort
        | Readiness::DeadlineExceeded { .. }
        | Readiness::Interrupted => {}
    }
    leaked(&mut facts.leaked, redact);
}

fn port_check(check: &mut PortCheck, redact: Redact<'_>) {
    for holder in &mut check.holders {
        text(&mut holder.name, redact);
        text(&mut holder.command, redact);
    }
}

fn executables(executables: &mut [Executable], redact: Redact<'_>) {
    for executable in executables {
        text(&mut executable.name, redact);
        text(&mut executable.path, redact);
    }
}

fn ending(ending: &mut Ending, redact: Redact<'_>) {
    if let Ending::CouldNotStart { message, .. } = ending {
        text(message, redact);
    }
}

fn leaked(leaked: &mut [LeakedProcess], redact: Redact<'_>) {
    for process in leaked {
        text(&mut process.command, redact);
    }
}

fn command_facts(facts: &mut CommandFacts, redact: Redact<'_>) {
    texts(&mut facts.argv, redact);
    text(&mut facts.directory, redact);
    executables(&mut facts.executables, redact);
    variables(&mut facts.environment, redact);
    ending(&mut facts.ending, redact);
    leaked(&mut facts.leaked, redact);
}
