//! Failed tests: one case each (ruling 19).

use referee_model::debt::{FailedKind, FailedTest};
use referee_model::limit::MESSAGE_BYTES;
use referee_model::outcome::{Outcome, Rule};
use referee_model::reading::{ChosenBecause, TestFailure, TestResults};
use referee_syntax::cut::{first_line, head};

use super::cases::{Subject, Words};
use super::guidance::{self, quoted, what};
use crate::finding::{Occurrence, Origin};
use crate::fingerprint::is_in_project;
use crate::frames;
use crate::wording::full_stop;

/// Returns the failed tests and the suites that never ran, and the number of failed tests that were counted but
/// not named. None: the action is not judged by its tests, or its output names no failed test.
pub(super) fn failures<'a>(
    subject: &Subject<'_>,
    shown: &'a [Occurrence<'a>],
) -> Option<(Vec<&'a Occurrence<'a>>, u64)> {
    let results = results(subject)?;
    let failed = shown.iter().filter(|found| matches!(found.origin, Origin::Test(_))).collect();
    Some((failed, results.counts.failed.saturating_sub(results.failures.len() as u64)))
}

/// Returns the results that explain the failure. Lines without a summary are used only from the runner's own
/// reader, if its exit code reports failed tests.
fn results<'a>(subject: &Subject<'a>) -> Option<&'a TestResults> {
    let (judgement, reading) = (&subject.ran.judgement, &subject.ran.reading);
    let is_own = reading.reader.as_ref().is_some_and(|reader| reader.because == ChosenBecause::Command);
    let accounts = match judgement.rule {
        Rule::TestsFailed | Rule::TestsFailedExitZero => true,
        Rule::TestsFailedByExitCode => is_own,
        _ => false,
    };
    let results = reading.tests.as_ref().filter(|results| !results.failures.is_empty())?;
    (judgement.outcome == Outcome::TestFailure && accounts).then_some(results)
}

/// Returns the words for a failed test that is listed this many times.
pub(super) fn words(subject: &Subject<'_>, framework: &str, first: &TestFailure, times: usize) -> Words {
    let kind = if first.suite { "Failed Suite" } else { "Failed Test" };
    Words {
        title: format!("{kind}: {}", first_line(name(first), 160)),
        description: description(framework, first, times),
        error_type: error_type(framework, first),
        message: first.message.clone(),
        expected: first.expected.clone(),
        received: first.received.clone(),
        files: files(subject, first),
        steps: vec![step(first)],
        acceptance: vec![acceptance(subject, first)],
    }
}

/// Returns a failed test in the form of debt items.
pub(super) fn failed(first: &TestFailure) -> FailedTest {
    FailedTest {
        kind: if first.suite { FailedKind::Suite } else { FailedKind::Test },
        file: first.file.clone(),
        name: name(first).to_owned(),
        message: first.message.clone(),
        stack: first.stack.as_deref().map(|stack| head(stack, MESSAGE_BYTES).to_owned()),
        expected: first.expected.clone(),
        actual: first.received.clone(),
    }
}

/// Returns the name of a test, or its file if it has no name.
fn name(failure: &TestFailure) -> &str {
    match (failure.name.trim(), failure.file.as_deref()) {
        ("", Some(file)) => file,
        ("", None) => "(a test without a name)",
        (name, _) => name,
    }
}

fn description(framework: &str, first: &TestFailure, times: usize) -> String {
    let by = if framework.is_empty() { String::new() } else { format!(" ({framework})") };
    let what = if first.suite { "suite" } else { "test" };
    let operation = if first.suite { "failed to run" } else { "failed" };
    let place = first.file.as_deref().map(|file| format!(" in {file}")).unwrap_or_default();
    let said = full_stop(&first.message);
    let colon = if said.is_empty() { "." } else { ": " };
    let often = guidance::often(times);
    format!("The {what} {}{place} {operation}{by}{colon}{said}{often}", quoted(name(first)))
}

/// Returns the name of the error at the beginning of the message, such as `AssertionError`; else the runner.
fn error_type(framework: &str, first: &TestFailure) -> String {
    let head = first.message.trim_start().split([':', '\n', ' ']).next().unwrap_or_default();
    let is_name = ["Error", "Exception", "Failure", "Warning"].iter().any(|end| head.ends_with(end));
    let is_plain = head.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte));
    match () {
        () if is_name && is_plain => head.to_owned(),
        () if framework.is_empty() => "test".to_owned(),
        () => framework.to_owned(),
    }
}

/// Returns the test's file, and the project's files in its stack.
fn files(subject: &Subject<'_>, first: &TestFailure) -> Vec<String> {
    let own = first.file.iter().filter(|file| is_in_project(file)).cloned();
    let stack = first.stack.as_deref().unwrap_or_default();
    guidance::distinct(own.chain(frames::of_project(subject.plan, stack)))
}

fn step(first: &TestFailure) -> String {
    let what = if first.suite { "Let the suite" } else { "Make the test" };
    let operation = if first.suite { "run" } else { "pass" };
    let place = match (first.file.as_deref(), first.line) {
        (Some(file), Some(line)) => format!(" (line {line} of {file})"),
        (Some(file), None) => format!(" ({file})"),
        (None, _) => String::new(),
    };
    let said = match (first.expected.as_deref(), first.received.as_deref()) {
        (Some(expected), Some(received)) => {
            format!(": {} is expected, and {} came", quoted(expected), quoted(received))
        }
        _ => match first_line(&first.message, guidance::QUOTED_CHARACTERS) {
            said if said.is_empty() => String::new(),
            said => format!(": {said}"),
        },
    };
    format!("{what} {} {operation}{place}{said}", quoted(name(first)))
}

fn acceptance(subject: &Subject<'_>, first: &TestFailure) -> String {
    let what = what(subject.action);
    if first.suite {
        return format!("{what}: the suite {} runs, and its tests pass", quoted(name(first)));
    }
    format!("{what}: the test {} passes", quoted(name(first)))
}
