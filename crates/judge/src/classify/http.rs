//! An HTTP request: rulings 9, 11 and 19 (seed 1, detailed structures 1 and 2).

use referee_model::debt::DebtCategory;
use referee_model::outcome::{AgentAction, Rule};
use referee_model::plan::http::{Assertion, StatusRange};
use referee_model::plan::{Action, HttpRequest, Plan};
use referee_model::record::http::{AssertionObservation, HttpAnswer, HttpEnding};
use referee_model::record::{HttpFacts, SchemaObservation};
use referee_model::severity::Severity;
use referee_syntax::count::times;
use referee_syntax::cut::first_line;
use referee_syntax::duration::exact;

use super::draft::{Deadline, Draft, Item};
use crate::wording::url_path;

pub(crate) mod expectation;
mod no_answer;

/// Maximum length of a quoted value, in characters.
const FOUND_CHARACTERS: usize = 200;

/// Judges a request by its ending.
///
/// | ending                                        | outcome                                 |
/// |-----------------------------------------------|-----------------------------------------|
/// | no whole answer                               | EXECUTION_ERROR                         |
/// | deadline                                      | TIMEOUT                                 |
/// | interrupted with the run                      | EXECUTION_ERROR                         |
/// | a whole answer, with other observations than the plan asks for | EXECUTION_ERROR        |
/// | a whole answer                                | by its status, see [`by_status`]        |
pub(super) fn judge(plan: &Plan, action: &Action, request: &HttpRequest, facts: &HttpFacts) -> Draft {
    match &facts.ending {
        HttpEnding::NoAnswer(none) => no_answer::judge(plan, action, facts, none),
        HttpEnding::DeadlineExceeded { timeout_ms, of_task, waiting_for, status } => {
            deadline(facts, *timeout_ms, *of_task, waiting_for, *status)
        }
        HttpEnding::Interrupted => {
            Draft::execution_error(Rule::Interrupted, "given up: the run was interrupted").advise("Run the task again")
        }
        HttpEnding::Answered(answer) => match misfit(request, answer) {
            Some(misfit) => super::unusable(misfit),
            None => by_status(request, facts, answer),
        },
    }
}

fn deadline(facts: &HttpFacts, timeout_ms: u64, of_task: bool, waiting_for: &str, status: Option<u16>) -> Draft {
    let deadline = Deadline::told(of_task);
    let head = status.map_or_else(String::new, |status| format!("; its head had come, with status {status}"));
    let waited = if waiting_for.is_empty() { "answer" } else { waiting_for };
    let reason = format!(
        "{} was given up at {} of {}, waiting for the {waited}{head}",
        asked(facts),
        deadline.whose(),
        exact(timeout_ms)
    );
    let causes: &[&str] = match waited {
        "connection" => &["the server does not accept connections", "a firewall drops the packets"],
        "body" => &["the server sends its answer slowly, or never ends it"],
        _ => &["the server is slow, or hangs in this request", "it waits for something that does not come"],
    };
    Draft::timeout(deadline, reason)
        .because_of(causes.iter().copied())
        .advise("Make the answer faster, or raise the timeout")
        .leaving(Item {
            title: Some(format!("Operation Timeout: {} exceeded its {} limit", endpoint(facts), exact(timeout_ms))),
            fix: Some("Optimize the endpoint, or increase the timeout value".to_owned()),
            ..Item::default()
        })
}

/// Returns how the observations of an answer differ from those that the plan asks for.
fn misfit(request: &HttpRequest, answer: &HttpAnswer) -> Option<String> {
    let (asserted, observed) = (request.assertions.len(), answer.assertions.len());
    if asserted != observed {
        return Some(format!("the plan asserts {asserted} things of the answer, and {observed} were observed"));
    }
    let wanted = request.captures.iter().map(|capture| &capture.name);
    if !wanted.eq(answer.captures.iter().map(|capture| &capture.name)) {
        return Some("what was captured from the answer is not what the plan captures".to_owned());
    }
    (!(100..=999).contains(&answer.status)).then(|| format!("{} is not an HTTP status", answer.status))
}

/// Judges a complete answer.
///
/// | status       | and                                      | outcome                                               |
/// |--------------|------------------------------------------|-------------------------------------------------------|
/// | not expected | 404                                      | TEST_FAILURE, CRITICAL, debt API_ENDPOINT_MISSING     |
/// | not expected | 500 to 599                               | TEST_FAILURE, CRITICAL, debt BUSINESS_LOGIC_ERROR     |
/// | not expected | any other                                | TEST_FAILURE, HIGH, debt VALIDATION_MISSING           |
/// | expected     | an assertion false, a capture not found  | TEST_FAILURE, HIGH, debt VALIDATION_MISSING           |
/// | expected     | the schema of an assertion is invalid    | SPECIFICATION_ERROR                                   |
/// | expected     | an assertion is undetermined             | EXECUTION_ERROR                                       |
/// | expected     | none of these                            | SUCCESS                                               |
fn by_status(request: &HttpRequest, facts: &HttpFacts, answer: &HttpAnswer) -> Draft {
    if !is_expected(&request.expected_statuses, answer.status) {
        return other_status(request, facts, answer);
    }
    let found = AnswerDifferences::of(request, answer);
    if !found.differences.is_empty() {
        return differs(facts, answer, &found);
    }
    if let Some(unusable) = found.unusable.first() {
        return Draft::specification_error(Rule::SchemaUnusable, unusable.clone())
            .advise("Correct the schema that the specification names");
    }
    if !found.untold.is_empty() {
        let reason = format!("{} was answered, and could not be judged: {}", asked(facts), found.untold.join("; "));
        return Draft::execution_error(Rule::FactsUnusable, reason)
            .because_of(["the body is too large to be looked at", "the evidence is inconsistent"])
            .advise("Let the answer be one that can be looked at, and run the task again");
    }
    let asserted = match request.assertions.len() {
        0 => String::new(),
        1 => ", and is as asserted".to_owned(),
        number => format!(", and is as asserted in all {number} ways"),
    };
    Draft::success(Rule::HttpAsExpected, format!("{} was answered with {}{asserted}", asked(facts), answer.status))
}

/// Returns whether a status is expected: 200 to 399 if the specification lists none.
fn is_expected(expected: &[StatusRange], status: u16) -> bool {
    const DEFAULT: StatusRange = StatusRange { from: 200, to: 399 };
    let expected = if expected.is_empty() { &[DEFAULT] } else { expected };
    expected.iter().any(|range| (range.from..=range.to).contains(&status))
}

fn other_status(request: &HttpRequest, facts: &HttpFacts, answer: &HttpAnswer) -> Draft {
    let status = answer.status;
    let endpoint = endpoint(facts);
    let reason = format!(
        "{} was answered with {status}, and {} is expected",
        asked(facts),
        expectation::statuses(&request.expected_statuses)
    );
    let (severity, category, title, fix) = match status {
        404 => (
            Severity::Critical,
            DebtCategory::ApiEndpointMissing,
            format!("API Endpoint Missing: {endpoint}"),
            format!("Implement {endpoint}, or correct the URL that is asked"),
        ),
        500..=599 => (
            Severity::Critical,
            DebtCategory::BusinessLogicError,
            format!("Server Error {status}: {endpoint}"),
            format!("Find out from the server's log why {endpoint} fails, and fix it"),
        ),
        _ => (
            Severity::High,
            DebtCategory::ValidationMissing,
            format!("Unexpected Status {status}: {endpoint}"),
            format!("Make {endpoint} answer with the status that is expected"),
        ),
    };
    Draft::test_failure(Rule::HttpStatus, reason)
        .grave(severity)
        .because_of(status_causes(status).iter().copied())
        .advise(fix.clone())
        .note(redirected(facts))
        .leaving(Item { category: Some(category), title: Some(title), fix: Some(fix), ..Item::default() })
}

fn status_causes(status: u16) -> &'static [&'static str] {
    match status {
        404 => &["the endpoint is not implemented", "its path is another one", "what it is asked for does not exist"],
        401 | 403 => &["credentials are missing, wrong or expired", "they do not allow this"],
        405 => &["the endpoint is there, and not for this method"],
        400 | 422 => &["the request's parameters or body are not what the endpoint takes"],
        429 => &["the server limits how often it may be asked"],
        500 => &["the code of the endpoint fails: the server's log says where"],
        502..=504 => &["the server behind a proxy is down or slow", "the server is overloaded or still starting"],
        300..=399 => &["the endpoint has moved", "whoever is not signed in is sent elsewhere"],
        200..=299 => &["the endpoint accepts what it should refuse, or answers with another status than agreed"],
        _ => &[],
    }
}

/// Differences of an answer, by kind.
#[derive(Debug, Default)]
struct AnswerDifferences {
    /// Failed assertions.
    differences: Vec<String>,
    /// Invalid schemas.
    unusable: Vec<String>,
    /// Assertions that could not be determined.
    untold: Vec<String>,
}

impl AnswerDifferences {
    fn of(request: &HttpRequest, answer: &HttpAnswer) -> Self {
        let mut found = Self::default();
        for (assertion, observation) in request.assertions.iter().zip(&answer.assertions) {
            found.add(assertion, observation);
        }
        let absent = request.captures.iter().zip(&answer.captures).filter(|(_, observed)| !observed.found);
        found.differences.extend(absent.map(|(capture, _)| expectation::capture(capture)));
        found
    }

    fn add(&mut self, assertion: &Assertion, observation: &AssertionObservation) {
        let wanted = expectation::assertion(assertion);
        let seen = first_line(&observation.found, FOUND_CHARACTERS);
        let seen = if seen.is_empty() { String::new() } else { format!(" ({seen})") };
        match (observation.holds, &observation.schema) {
            (_, Some(SchemaObservation::Unusable { message })) => {
                self.unusable.push(format!("the schema of the answer cannot be used: {message}"));
            }
            (Some(false), _) => self.differences.push(format!("an assertion failed: {wanted}{seen}")),
            (None, _) => self.untold.push(format!("it could not be determined whether {wanted}{seen}")),
            (Some(true), schema) => {
                // A schema assertion passes only if a match was observed.
                let wants_schema = matches!(assertion, Assertion::JsonSchema(_));
                if wants_schema != (schema.as_ref() == Some(&SchemaObservation::Valid)) {
                    self.untold.push(format!("it is said that {wanted}, and was not seen"));
                }
            }
        }
    }
}

fn differs(facts: &HttpFacts, answer: &HttpAnswer, found: &AnswerDifferences) -> Draft {
    let endpoint = endpoint(facts);
    let all = found.differences.join("; ");
    let reason = format!("{} was answered with {}, as expected, but {all}", asked(facts), answer.status);
    let fix = format!("Make the answer of {endpoint} as it is asserted");
    let mut draft = Draft::test_failure(Rule::HttpAnswerDiffers, reason)
        .because_of([
            "the endpoint is not done, or answers in another form",
            "the assertion asks for something else than was agreed",
        ])
        .advise(fix.clone())
        .note(redirected(facts))
        .leaving(Item {
            category: Some(DebtCategory::ValidationMissing),
            title: Some(format!("Wrong Answer: {endpoint}: {}", first_line(&all, 120))),
            fix: Some(fix),
            ..Item::default()
        })
        .ask(AgentAction::ImplementFix);
    draft.notes.extend(found.unusable.iter().chain(&found.untold).cloned());
    draft
}

/// Returns the request as sentences name it.
fn asked(facts: &HttpFacts) -> String {
    format!("{} {}", facts.request.method, first_line(&facts.request.url, FOUND_CHARACTERS))
}

/// Returns the endpoint for titles: `GET /api/v1/quotes`.
fn endpoint(facts: &HttpFacts) -> String {
    format!("{} {}", facts.request.method, first_line(url_path(&facts.request.url), FOUND_CHARACTERS))
}

fn redirected(facts: &HttpFacts) -> Option<String> {
    let last = facts.redirects.last()?;
    let times = times(facts.redirects.len() as u64);
    Some(format!("it was redirected {times}, at last to {}", first_line(&last.to, FOUND_CHARACTERS)))
}
