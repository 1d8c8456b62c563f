//! Failed tests: one case each (ruling 19).

use std::collections::BTreeMap;

use referee_model::debt::{DebtCase, FailedKind, FailedTest, Place};
use referee_model::fingerprint::Fingerprint;
use referee_model::limit::{DEBT_PLACES_KEPT, MESSAGE_BYTES};
use referee_model::outcome::{Outcome, Rule};
use referee_model::reading::{ChosenBecause, TestFailure, TestResults};
use referee_syntax::cut::{first_line, head};

use super::cases::{Subject, Told};
use super::guidance::{self, quoted, what};
use crate::fingerprint::{self, is_in_project};
use crate::frames;
use crate::wording::full_stop;

/// Returns a case for each failed test and for each suite that never ran, and how many failed tests were counted and not
/// named. None: the action is not judged by its tests, or its output names none that failed.
pub(super) fn cases(subject: &Subject<'_>) -> Option<(Vec<DebtCase>, u64)> {
    let results = results(subject)?;
    let mut groups: BTreeMap<Fingerprint, Vec<&TestFailure>> = BTreeMap::new();
    for failure in &results.failures {
        groups.entry(fingerprint::of_test(subject.action, &results.framework, failure)).or_default().push(failure);
    }
    let named = results.failures.iter().filter(|failure| !failure.suite).count() as u64;
    let cases = groups
        .into_iter()
        .filter_map(|(fingerprint, failures)| Some(case(subject, results, fingerprint, failures.first()?, &failures)));
    Some((cases.collect(), results.counts.failed.saturating_sub(named.max(results.failures.len() as u64))))
}

/// The results that account for the failure. Lines without a summary are taken only from the runner's own reader, where its
/// exit code says that tests failed: they explain which.
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

fn case(
    subject: &Subject<'_>,
    results: &TestResults,
    fingerprint: Fingerprint,
    first: &TestFailure,
    all: &[&TestFailure],
) -> DebtCase {
    let kind = if first.suite { "Failed Suite" } else { "Failed Test" };
    let mut case = subject.case(Told {
        fingerprint,
        title: format!("{kind}: {}", first_line(name(first), 160)),
        description: description(results, first, all.len()),
        severity: subject.item.severity,
        places: all.iter().filter_map(|failure| place(failure)).take(DEBT_PLACES_KEPT).collect(),
        occurrences: all.len() as u64,
        log_ranges: ranges(all),
        error_type: error_type(results, first),
        message: first.message.clone(),
        expected: first.expected.clone(),
        received: first.received.clone(),
        files: files(subject, first),
        steps: vec![step(first)],
        acceptance: vec![acceptance(subject, first)],
    });
    case.test_failure = Some(FailedTest {
        kind: if first.suite { FailedKind::Suite } else { FailedKind::Test },
        file: first.file.clone(),
        name: name(first).to_owned(),
        message: first.message.clone(),
        stack: first.stack.as_deref().map(|stack| head(stack, MESSAGE_BYTES).to_owned()),
        expected: first.expected.clone(),
        actual: first.received.clone(),
    });
    case
}

/// A test's name; of one without a name its file.
fn name(failure: &TestFailure) -> &str {
    match (failure.name.trim(), failure.file.as_deref()) {
        ("", Some(file)) => file,
        ("", None) => "(a test without a name)",
        (name, _) => name,
    }
}

fn description(results: &TestResults, first: &TestFailure, times: usize) -> String {
    let by = if results.framework.is_empty() { String::new() } else { format!(" ({})", results.framework) };
    let what = if first.suite { "suite" } else { "test" };
    let deed = if first.suite { "failed to run" } else { "failed" };
    let place = first.file.as_deref().map(|file| format!(" in {file}")).unwrap_or_default();
    let said = full_stop(&first.message);
    let colon = if said.is_empty() { "." } else { ": " };
    let often = if times > 1 { format!(" It is there {times} times.") } else { String::new() };
    format!("The {what} {}{place} {deed}{by}{colon}{said}{often}", quoted(name(first)))
}

fn place(failure: &TestFailure) -> Option<Place> {
    Some(Place { file: failure.file.clone()?, line: failure.line, column: failure.column })
}

fn ranges(all: &[&TestFailure]) -> Vec<(u64, u64)> {
    let origins = all.iter().filter_map(|failure| failure.origin.as_ref()).filter(|origin| origin.start < origin.end);
    origins.map(|origin| (origin.start, origin.end)).take(DEBT_PLACES_KEPT).collect()
}

/// The name of the error that the message begins with, such as `AssertionError`; else the runner.
fn error_type(results: &TestResults, first: &TestFailure) -> String {
    let head = first.message.trim_start().split([':', '\n', ' ']).next().unwrap_or_default();
    let is_name = ["Error", "Exception", "Failure", "Warning"].iter().any(|end| head.ends_with(end));
    let is_plain = head.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte));
    match () {
        () if is_name && is_plain => head.to_owned(),
        () if results.framework.is_empty() => "test".to_owned(),
        () => results.framework.clone(),
    }
}

/// The test's file, and the project's files that its stack names.
fn files(subject: &Subject<'_>, first: &TestFailure) -> Vec<String> {
    let own = first.file.iter().filter(|file| is_in_project(file)).cloned();
    let stack = first.stack.as_deref().unwrap_or_default();
    guidance::distinct(own.chain(frames::of_project(subject.plan, stack)))
}

fn step(first: &TestFailure) -> String {
    let what = if first.suite { "Let the suite" } else { "Make the test" };
    let deed = if first.suite { "run" } else { "pass" };
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
    format!("{what} {} {deed}{place}{said}", quoted(name(first)))
}

fn acceptance(subject: &Subject<'_>, first: &TestFailure) -> String {
    let what = what(subject.action);
    if first.suite {
        return format!("{what}: the suite {} runs, and its tests pass", quoted(name(first)));
    }
    format!("{what}: the test {} passes", quoted(name(first)))
}
