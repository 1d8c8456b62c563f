//! Named tests in the expectations of an action (ruling 12).

use referee_model::outcome::{AgentAction, Outcome, Rule};
use referee_model::plan::Expectation;
use referee_model::reading::{TestCase, TestResults, TestStatus};
use referee_syntax::count::{clauses, count};
use referee_syntax::cut::first_line;

use super::super::draft::Draft;
use super::{block, decided};

/// Maximum number of named tests listed in a reason.
const NAMED: usize = 5;

/// Maximum length of a quoted test name, in characters.
const NAME_CHARACTERS: usize = 120;

/// Separators that runners put between group names and test name.
const SEPARATORS: [&str; 5] = [" ", " > ", " › ", "::", "."];

/// Compares a draft with the named tests.
///
/// | outcome                    | the named tests        | becomes                             |
/// |----------------------------|------------------------|-------------------------------------|
/// | passes, in whatever way    | all as expected        | itself, and a note                  |
/// | passes, in whatever way    | one is not, or is absent | TEST_FAILURE, blocking            |
/// | blocks                     | any                    | itself; a note says which are not   |
pub(super) fn apply(mut draft: Draft, expect: &Expectation, red: bool, results: Option<&TestResults>) -> Draft {
    let fail_to_pass = if red { TestStatus::Failed } else { TestStatus::Passed };
    let wanted: Vec<(&str, TestStatus)> = expect
        .fail_to_pass
        .iter()
        .map(|name| (name.as_str(), fail_to_pass))
        .chain(expect.pass_to_pass.iter().map(|name| (name.as_str(), TestStatus::Passed)))
        .collect();
    if wanted.is_empty() {
        return draft;
    }
    let wrong: Vec<String> = wanted.iter().filter_map(|(name, status)| differs(name, *status, results)).collect();
    if wrong.is_empty() {
        draft.notes.push(format!("{} came out as expected", count(wanted.len(), "named test")));
        return draft;
    }
    let said = said(&wrong, wanted.len());
    if draft.blocking {
        draft.notes.push(said);
        return draft;
    }
    draft.notes.push(decided(draft.rule));
    draft.reason = said;
    draft.outcome = Outcome::TestFailure;
    block(&mut draft, Rule::NamedTests);
    advice(results).clone_into(&mut draft.advice);
    draft.remedy = Some(AgentAction::ImplementFix);
    draft
}

fn said(wrong: &[String], wanted: usize) -> String {
    let named = clauses(wrong, NAMED);
    format!("{} of {} did not come out as expected: {named}", wrong.len(), count(wanted, "named test"))
}

fn advice(results: Option<&TestResults>) -> &'static str {
    match results {
        None => "Let a known test runner run the tests, and let it name them (`--verbose`, or its machine report)",
        Some(results) if !is_whole(results) => {
            "Make the named tests come out as expected, and let the runner name every test (`--verbose`, or its machine report)"
        }
        Some(_) => "Make the named tests come out as expected, or correct their names",
    }
}

/// Returns how a named test differs from the expectation. None: it does not.
fn differs(name: &str, wanted: TestStatus, results: Option<&TestResults>) -> Option<String> {
    let quoted = format!("`{}`", first_line(name, NAME_CHARACTERS));
    let Some(results) = results else {
        return Some(format!("{quoted} is not known to have run, as nothing tells which tests ran"));
    };
    let found: Vec<TestStatus> =
        results.cases.iter().filter(|case| is_named(case, name)).map(|case| case.status).collect();
    // A failed test is listed with its message even if the others are not named.
    let failed = results.failures.iter().any(|failure| !failure.suite && same_name(&failure.name, name));
    if found.is_empty() && !failed {
        return Some(if is_whole(results) {
            format!("{quoted} is not among the tests that ran")
        } else {
            format!("{quoted} is not known to have run, as not every test was named")
        });
    }
    let number = found.len().max(1);
    let right = found.iter().filter(|status| **status == wanted).count();
    if right == found.len() && (!failed || wanted == TestStatus::Failed) {
        return None;
    }
    if number > 1 {
        return Some(format!("{quoted} names {number} tests, and {right} of them {}", operation(wanted)));
    }
    let came = if failed { TestStatus::Failed } else { found.first().copied().unwrap_or(TestStatus::Failed) };
    Some(format!("{quoted} {}", operation(came)))
}

fn operation(status: TestStatus) -> &'static str {
    match status {
        TestStatus::Passed => "passed",
        TestStatus::Failed => "failed",
        TestStatus::Skipped => "was skipped",
    }
}

/// Returns whether every counted test is listed by name.
pub fn is_whole(results: &TestResults) -> bool {
    results.cases.len() as u64 >= results.counts.total && results.cases.len() < referee_model::limit::TEST_CASES_KEPT
}

/// Returns whether a test has this name: its title, its title after its group names, or these after its file,
/// in the notation of any runner. Case-sensitive.
pub(crate) fn is_named(case: &TestCase, name: &str) -> bool {
    if case.title == name {
        return true;
    }
    let groups = case.ancestors.iter().map(String::as_str);
    let parts: Vec<&str> = groups.chain([case.title.as_str()]).collect();
    SEPARATORS.iter().any(|separator| {
        let full = parts.join(separator);
        full == name
            || case.file.as_deref().is_some_and(|file| {
                let rest = name.strip_prefix(file).and_then(|rest| rest.strip_prefix(separator));
                rest == Some(full.as_str())
            })
    })
}

/// Returns whether two full names are the same except for their separators.
fn same_name(full: &str, name: &str) -> bool {
    full == name || full.replace(" › ", " > ") == name || full.replace(" › ", " ") == name || {
        let title = full.rsplit(" › ").next();
        title == Some(name)
    }
}
