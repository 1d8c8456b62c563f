//! Failure of an action as a whole: requests, files, services, tools that did not work, deadlines, and
//! everything without a reading.

use referee_model::debt::{DebtCase, FailedKind, FailedTest, Location};
use referee_model::limit::DEBT_PLACES_KEPT;
use referee_model::outcome::{Outcome, Rule};
use referee_model::plan::{Role, Work};
use referee_model::reading::{Diagnostic, Level};
use referee_model::record::http::HttpEnding;
use referee_model::record::{Ending, Facts, HttpFacts};
use referee_syntax::cut::head;
use referee_syntax::duration::exact;

use super::cases::{Subject, Words};
use super::guidance::{self, quoted};
use crate::classify::expectation;
use crate::fingerprint;
use crate::wording::{sentence, url_path};

/// Creates the case of a whole action, with the title, category and severity of its judgement.
pub(super) fn case(subject: &Subject<'_>) -> DebtCase {
    let judgement = &subject.ran.judgement;
    let (expected, received) = sides(subject);
    let files = files(subject);
    let places = places(subject, &files);
    let words = Words {
        title: subject.item.title.clone(),
        description: description(subject),
        error_type: error_type(subject),
        message: judgement.reason.clone(),
        expected: expected.clone(),
        received: received.clone(),
        files,
        steps: steps(subject),
        acceptance: acceptance(subject),
    };
    let mut case = subject.case(fingerprint::of_action(subject.action, judgement), 1, words);
    case.lie_at(places);
    if let (Facts::Http(facts), Outcome::TestFailure) = (&subject.ran.record.facts, judgement.outcome) {
        case.test_failure = Some(request(subject, facts, expected, received));
    }
    case
}

fn request(subject: &Subject<'_>, facts: &HttpFacts, expected: Option<String>, actual: Option<String>) -> FailedTest {
    FailedTest {
        kind: FailedKind::Request,
        file: None,
        name: format!("{} {}", facts.request.method, url_path(&facts.request.url)),
        message: subject.ran.judgement.reason.clone(),
        stack: None,
        expected,
        actual,
    }
}

fn description(subject: &Subject<'_>) -> String {
    let judgement = &subject.ran.judgement;
    let mut description = sentence(&subject.item.reason);
    if !judgement.possible_causes.is_empty() {
        description = format!("{description} Possible causes: {}.", judgement.possible_causes.join("; "));
    }
    description
}

/// Returns the type of the error: a status, the system's name of the error, or the rule that decided.
fn error_type(subject: &Subject<'_>) -> String {
    let judgement = &subject.ran.judgement;
    let rule = || judgement.rule.as_str().to_owned();
    match &subject.ran.record.facts {
        Facts::Http(facts) => match &facts.ending {
            HttpEnding::Answered(answer) if judgement.rule == Rule::HttpStatus => format!("HTTP {}", answer.status),
            HttpEnding::NoAnswer(none) => none.error.code.clone().unwrap_or_else(rule),
            _ => rule(),
        },
        _ => rule(),
    }
}

/// Returns the expected and the actual value, where they can be said in a word.
fn sides(subject: &Subject<'_>) -> (Option<String>, Option<String>) {
    let judgement = &subject.ran.judgement;
    let cause = judgement.cause.unwrap_or(judgement.outcome);
    if cause == Outcome::Timeout {
        let expected = format!("an end within {}", exact(subject.action.timeout_ms));
        return (Some(expected), Some(format!("none after {}", exact(subject.ran.record.span.duration_ms))));
    }
    match (&subject.action.work, &subject.ran.record.facts) {
        (Work::Http(request), Facts::Http(facts)) => match &facts.ending {
            HttpEnding::Answered(answer) if judgement.rule != Rule::HttpAnswerDiffers => (
                Some(format!("status {}", expectation::statuses(&request.expected_statuses))),
                Some(format!("status {}", answer.status)),
            ),
            HttpEnding::NoAnswer(none) => (
                Some("an answer".to_owned()),
                Some(none.error.code.clone().unwrap_or_else(|| none.error.message.clone())),
            ),
            _ => (None, None),
        },
        (Work::Command(command), Facts::Command(facts)) => match facts.ending {
            Ending::Exited { code } if is_by_exit_code(subject) => {
                let expected: Vec<String> = command.expected_exit_codes.iter().map(ToString::to_string).collect();
                (Some(format!("exit code {}", expected.join(" or "))), Some(format!("exit code {code}")))
            }
            _ => (None, None),
        },
        _ => (None, None),
    }
}

/// Returns whether the exit code alone decided, in any phase.
fn is_by_exit_code(subject: &Subject<'_>) -> bool {
    let judgement = &subject.ran.judgement;
    match judgement.rule {
        Rule::ExitUnexpected => true,
        Rule::PrerequisiteFailed => judgement.role == Some(Role::Other) && !judgement.flaky,
        _ => false,
    }
}

/// Returns the file that the judgement names, and those of errors in the output.
fn files(subject: &Subject<'_>) -> Vec<String> {
    let own = subject.item.file.clone().into_iter();
    guidance::distinct(own.chain(errors(subject).filter_map(|found| found.file.clone())))
}

fn errors<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a Diagnostic> + use<'a> {
    subject.ran.reading.diagnostics.iter().filter(|found| found.level == Level::Error)
}

fn places(subject: &Subject<'_>, files: &[String]) -> Vec<Location> {
    let own = subject.item.file.clone().map(|file| Location { file, line: subject.item.line, column: None });
    let others = files.iter().filter(|file| Some(*file) != subject.item.file.as_ref());
    let others = others.map(|file| Location { file: file.clone(), line: None, column: None });
    own.into_iter().chain(others).take(DEBT_PLACES_KEPT).collect()
}

/// Returns the advice of the judgement, and the message in the output.
fn steps(subject: &Subject<'_>) -> Vec<String> {
    let judgement = &subject.ran.judgement;
    let advice = [&subject.item.suggested_fix, &judgement.advice].map(Clone::clone);
    let mut steps = guidance::distinct(advice.into_iter().filter(|advice| !advice.is_empty()));
    steps.extend(errors(subject).map(guidance::step));
    let failed = subject.ran.reading.tests.iter().flat_map(|tests| &tests.failures);
    steps.extend(failed.map(|failure| format!("The output names {} among what failed", quoted(&failure.name))));
    let last = subject.ran.reading.leftovers.last.iter().rev().find(|line| !line.trim().is_empty());
    if let Some(last) = last.filter(|_| is_about_output(judgement.cause.unwrap_or(judgement.outcome))) {
        steps.push(format!("Its output ends with {}", quoted(head(last, 1_000))));
    }
    steps
}

/// Returns whether the end of the output may explain the failure.
fn is_about_output(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::ExecutionError | Outcome::Timeout | Outcome::TestFailure)
}

fn acceptance(subject: &Subject<'_>) -> Vec<String> {
    let judgement = &subject.ran.judgement;
    let what = guidance::what(subject.action);
    let mut lines = match judgement.cause.unwrap_or(judgement.outcome) {
        Outcome::Timeout if !matches!(subject.action.work, Work::Service(_)) => {
            vec![format!("{what} ends within {}", exact(subject.action.timeout_ms))]
        }
        _ if judgement.flaky => vec![format!("{what} passes at its first attempt")],
        _ if judgement.rule == Rule::UnexpectedSuccess => {
            vec![format!("{what} comes out as the specification expects of it")]
        }
        _ => guidance::works(subject),
    };
    if judgement.outcome == Outcome::PrerequisiteFailure {
        lines.push(format!("the prerequisite {} holds", quoted(&subject.action.name)));
    }
    lines
}
