//! Fields of actions: meaning and source of the value.
//!
//! | field                                        | of             | value                                                      |
//! |----------------------------------------------|----------------|------------------------------------------------------------|
//! | success, failed                              | all            | whether the outcome is SUCCESS, or another                 |
//! | skipped                                      | all            | whether it never ran; known also where it did not          |
//! | outcome                                      | all            | the outcome's name; PREREQUISITE_FAILURE in a prerequisite |
//! | duration                                     | all            | milliseconds                                               |
//! | exitCode                                     | command        | where it ended by itself                                   |
//! | exitCode                                     | service        | where it ended by itself                                   |
//! | stdout, stderr                               | both           | all of it, where it is kept                                |
//! | errorCount, warningCount                     | both           | findings by level, where the tool did its work             |
//! | status                                       | service        | `started`, where it is ready                               |
//! | initialized, background, pid                 | service        | whether it is ready, whether it was started here, its id   |
//! | status, statusCode, responseStatus           | HTTP           | the status of a whole answer                               |
//! | statusText                                   | HTTP           | the phrase that belongs to it (RFC 9110, 15)               |
//! | body                                         | HTTP           | its JSON value, else its text; as it is stored             |
//! | headers                                      | HTTP           | an object whose keys have no case                          |
//! | responseTime                                 | HTTP           | milliseconds until all of the answer was there             |
//! | url, method                                  | HTTP           | as they were sent                                          |
//! | expectedStatus                               | HTTP           | the expected one, or a list of them                        |
//!
//! Those of files are in [`super::file_field`], those of queries and browser actions in
//! [`super::interaction_field`]. Where there were several attempts, the last one counts.

use std::borrow::Cow;

use referee_model::condition::{Field, PathStep};
use referee_model::outcome::Outcome;
use referee_model::plan::Work;
use referee_model::record::http::{HttpAnswer, HttpEnding};
use referee_model::record::service::Readiness;
use referee_model::record::{CommandFacts, Ending, Facts, HttpFacts, Log, ServiceFacts, SkipReason, Stream};
use referee_model::report::ActionHistory;
use referee_syntax::count::count;
use referee_syntax::cut::first_line;
use referee_syntax::duration::exact;
use serde_json::Value as Json;

use super::content::Parsed;
use super::query::Query;
use super::value::{Known, StreamText, Value};
use super::{Evaluator, file_field, interaction_field};
use crate::skip;

/// Maximum length of an explanation, in characters.
const EXPLANATION_CHARACTERS: usize = 240;

impl Evaluator<'_> {
    pub(super) fn field<'v>(&'v self, field: &Field) -> Value<'v> {
        let action = match self.subjects.resolve(&field.of) {
            Ok(action) => action,
            Err(why) => return Value::Unknown(why),
        };
        let id = &action.id;
        let Some(report) = self.reports.get(id) else {
            return Value::unknown(format!("nothing is known of {id}"));
        };
        let (first, rest) = match field.path.split_first() {
            Some((PathStep::Key(first), rest)) => (Some(first.as_str()), rest),
            Some((PathStep::Index(index), _)) => return Value::unknown(format!("{id} has no `[{index}]`")),
            None => (None, &[][..]),
        };
        let value = match &report.history {
            ActionHistory::Skipped(SkipReason::LeftOut(left_out)) => {
                return Value::NotJudged(format!(
                    "{id} was left out: {}",
                    skip::because(&SkipReason::LeftOut(*left_out))
                ));
            }
            ActionHistory::Skipped(_) if first == Some("skipped") => Value::boolean(true),
            ActionHistory::Skipped(reason) => {
                return Value::unknown(format!("{id} was skipped: {}", skip::because(reason)));
            }
            ActionHistory::Ran(ran) => match first {
                None => Value::boolean(true),
                Some(first) => Query { evaluator: self, action, ran }.field(first),
            },
        };
        value.walk(rest, &first.map_or_else(|| id.to_string(), |first| format!("{id}.{first}")))
    }

    /// Explains the value of a field that is not the expected one: the findings of the tool, or the reason of
    /// the outcome.
    pub(super) fn explanation(&self, field: &Field) -> Option<String> {
        let action = self.subjects.resolve(&field.of).ok()?;
        let ran = self.reports.get(&action.id)?.ran()?;
        let [PathStep::Key(name)] = field.path.as_slice() else { return None };
        let tells_little = matches!(name.as_str(), "exitCode" | "success" | "failed" | "outcome");
        if !tells_little || ran.judgement.outcome == Outcome::Success {
            return None;
        }
        let counts = &ran.reading.counts;
        let tool = ran.judgement.tool.as_deref();
        let found = match (counts.errors, counts.warnings) {
            (0, 0) => None,
            (errors, 0) => Some(count(errors, "error")),
            (0, warnings) => Some(count(warnings, "warning")),
            (errors, warnings) => Some(format!("{} and {}", count(errors, "error"), count(warnings, "warning"))),
        };
        Some(match (tool, found) {
            (Some(tool), Some(found)) => format!("{tool} found {found}"),
            _ => first_line(&ran.judgement.reason, EXPLANATION_CHARACTERS),
        })
    }
}

impl Evaluator<'_> {
    /// Returns the text of a complete body that is JSON.
    pub(super) fn text_of_body(&self, field: &Field) -> Option<&str> {
        let [PathStep::Key(name)] = field.path.as_slice() else { return None };
        let action = self.subjects.resolve(&field.of).ok()?;
        match self.contents.get(&action.id)? {
            Parsed::Json { text, .. } if name == "body" => Some(text),
            _ => None,
        }
    }
}

impl<'e> Query<'e> {
    fn field(self, name: &str) -> Value<'e> {
        let judgement = &self.ran.judgement;
        match name {
            "success" => Value::boolean(judgement.outcome == Outcome::Success),
            "failed" => Value::boolean(judgement.outcome != Outcome::Success),
            "skipped" => Value::boolean(false),
            "outcome" => Value::text(judgement.outcome.as_str()),
            "duration" => Value::number(self.ran.record.span.duration_ms),
            _ => match &self.ran.record.facts {
                Facts::Command(facts) => self.of_command(name, facts),
                Facts::Service(facts) => self.of_service(name, facts),
                Facts::Http(facts) => self.of_http(name, facts),
                Facts::File(facts) => file_field::of_file(self, name, facts),
                Facts::Glob(facts) => file_field::of_glob(self, name, facts),
                Facts::Interaction(facts) => interaction_field::of_interaction(self, name, facts),
                Facts::NotExecuted => self.unknown("was not executed"),
            },
        }
    }

    pub(super) fn unknown(self, what: &str) -> Value<'e> {
        Value::Unknown(format!("{} {what}", self.action.id))
    }

    /// Returns the value for a field that actions of this kind do not have.
    pub(super) fn no_field(self, name: &str, kind: &str) -> Value<'e> {
        self.unknown(&format!("has no `{name}`: it is {kind}"))
    }

    fn of_command(self, name: &str, facts: &'e CommandFacts) -> Value<'e> {
        match name {
            "exitCode" => self.exit_code(&facts.ending),
            "stdout" => self.stream(Stream::Stdout, facts.log.as_ref()),
            "stderr" => self.stream(Stream::Stderr, facts.log.as_ref()),
            "errorCount" | "warningCount" => self.findings(name),
            _ => self.no_field(name, "a command"),
        }
    }

    fn exit_code(self, ending: &Ending) -> Value<'e> {
        let why = match ending {
            Ending::Exited { code } => return Value::Known(Known::Number(f64::from(*code))),
            Ending::Signaled { signal } => format!("was ended by {}", referee_model::signal::shown(*signal)),
            Ending::DeadlineExceeded { timeout_ms, .. } => {
                format!("was stopped at its deadline of {}", exact(*timeout_ms))
            }
            Ending::Interrupted { .. } => "was stopped".to_owned(),
            Ending::OutputLimitExceeded { .. } => "was stopped, because it printed too much".to_owned(),
            Ending::ProcessLimitExceeded { .. } => "was stopped, because it ran too many processes".to_owned(),
            Ending::MemoryLimitExceeded { .. } => "was stopped, because it took too much memory".to_owned(),
            Ending::CouldNotStart { message, .. } => format!("could not be started: {}", first_line(message, 200)),
        };
        self.unknown(&format!("has no exit code: it {why}"))
    }

    fn stream(self, stream: Stream, log: Option<&'e Log>) -> Value<'e> {
        let (kept, name) = match stream {
            Stream::Stdout => (self.action.evidence.stdout, "standard output"),
            Stream::Stderr => (self.action.evidence.stderr, "standard error"),
        };
        if !kept {
            return self.unknown(&format!("keeps no {name}: `evidenceCapture` turns it off"));
        }
        let Some(log) = log else { return self.unknown(&format!("left no {name}")) };
        let material = self.evaluator.context.materials.get(&self.action.id);
        let material = material.and_then(|material| material.streams.get(&stream));
        Value::Known(Known::Stream(StreamText { bytes: log.streams.stream_bytes(stream), material }))
    }

    /// Returns the number of findings; unknown for a tool that did not work.
    fn findings(self, name: &str) -> Value<'e> {
        let judgement = &self.ran.judgement;
        let outcome = judgement.cause.unwrap_or(judgement.outcome);
        if !matches!(outcome, Outcome::Success | Outcome::TestFailure | Outcome::ValidationFailure) {
            let reason = first_line(&judgement.reason, EXPLANATION_CHARACTERS);
            return self.unknown(&format!("did not do its work ({}): {reason}", outcome.as_str()));
        }
        let counts = &self.ran.reading.counts;
        Value::number(if name == "errorCount" { counts.errors } else { counts.warnings })
    }

    fn of_service(self, name: &str, facts: &'e ServiceFacts) -> Value<'e> {
        let ready = matches!(facts.readiness, Readiness::Ready { .. });
        let services = &self.evaluator.context.run.services;
        let ended = services.iter().find(|service| service.action == self.action.id);
        match name {
            "exitCode" => match (&facts.readiness, ended) {
                (Readiness::Ended { ending }, _) => self.exit_code(ending),
                (_, Some(service)) => self.exit_code(&service.ending),
                _ => self.unknown("has no exit code: it did not end by itself"),
            },
            "stdout" | "stderr" => {
                let stream = if name == "stdout" { Stream::Stdout } else { Stream::Stderr };
                self.stream(stream, ended.and_then(|service| service.log.as_ref()).or(facts.log.as_ref()))
            }
            "errorCount" | "warningCount" => self.findings(name),
            "status" if ready => Value::text("started"),
            "status" => self.unknown("did not become ready"),
            "initialized" => Value::boolean(ready),
            "background" => Value::boolean(facts.started.is_some()),
            "pid" => match facts.started.as_ref().and_then(|started| started.pid) {
                Some(pid) => Value::Known(Known::Number(f64::from(pid))),
                None => self.unknown("was not started here, and so has no `pid`"),
            },
            _ => self.no_field(name, "a service"),
        }
    }

    fn of_http(self, name: &str, facts: &'e HttpFacts) -> Value<'e> {
        match name {
            "url" => Value::text(&facts.request.url),
            "method" => Value::text(&facts.request.method),
            "expectedStatus" => self.expected_status(),
            "status" | "statusCode" | "responseStatus" | "statusText" | "headers" | "responseTime" | "body" => {
                let why = match &facts.ending {
                    HttpEnding::Answered(answer) => return self.of_answer(name, answer),
                    HttpEnding::NoAnswer(no_answer) => first_line(&no_answer.error.message, 200),
                    HttpEnding::DeadlineExceeded { timeout_ms, .. } => {
                        format!("it was stopped at its deadline of {}", exact(*timeout_ms))
                    }
                    HttpEnding::Interrupted => "the run was interrupted".to_owned(),
                };
                self.unknown(&format!("got no whole answer: {why}"))
            }
            _ => self.no_field(name, "an HTTP request"),
        }
    }

    fn of_answer(self, name: &str, answer: &'e HttpAnswer) -> Value<'e> {
        match name {
            "statusText" => Value::text(phrase(answer.status)),
            "headers" => Value::Known(Known::Headers(&answer.headers)),
            "responseTime" => Value::number(answer.total_ms),
            "body" => self.content("the body of its answer", "exchange"),
            _ => Value::Known(Known::Number(f64::from(answer.status))),
        }
    }

    /// Returns the body of an answer, the rows of a query or the content of a file, as it is stored.
    pub(super) fn content(self, what: &str, switch: &str) -> Value<'e> {
        match self.evaluator.contents.get(&self.action.id) {
            Some(Parsed::Json { value: json, .. }) => match Known::of_json(json) {
                Some(known) => Value::Known(known),
                None => self.unknown(&format!("holds a number that is too large in {what}")),
            },
            Some(Parsed::Rows(Ok(rows))) => match Known::of_json(rows) {
                Some(rows) => Value::Known(rows),
                None => self.unknown(&format!("holds no list in {what}")),
            },
            Some(Parsed::Rows(Err(why))) => self.unknown(why),
            Some(Parsed::Text(text)) => Value::text(*text),
            Some(Parsed::TooLong { bytes }) => {
                self.unknown(&format!("has {} in {what}, more than conditions look at", count(*bytes, "byte")))
            }
            None => self.unknown(&format!("did not keep {what} as evidence (`evidenceCapture`, {switch})")),
        }
    }

    fn expected_status(self) -> Value<'e> {
        let Work::Http(request) = &self.action.work else { return self.no_field("expectedStatus", "no HTTP request") };
        match request.expected_statuses.as_slice() {
            [only] if only.from == only.to => Value::Known(Known::Number(f64::from(only.from))),
            [] => self.unknown("expects no status in particular"),
            several => {
                let statuses = several.iter().flat_map(|range| range.from..=range.to).map(Json::from).collect();
                Value::Known(Known::List(Cow::Owned(statuses)))
            }
        }
    }
}

/// Returns the reason phrase of a status (RFC 9110, section 15, and its registry); empty if there is none.
fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        203 => "Non-Authoritative Information",
        204 => "No Content",
        205 => "Reset Content",
        206 => "Partial Content",
        300 => "Multiple Choices",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "Length Required",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        417 => "Expectation Failed",
        418 => "I'm a teapot",
        422 => "Unprocessable Content",
        423 => "Locked",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "",
    }
}
