//! Failed tests that are in the baseline.

use referee_model::baseline::{BaselineStanding, KnownTests, Tally};
use referee_model::outcome::{Outcome, Rule};
use referee_model::plan::Role;
use referee_model::reading::TestResults;
use referee_model::record::Ending;
use referee_model::severity::Severity;
use referee_syntax::count::count;
use referee_syntax::cut::first_line;

use super::case::Case;
use super::draft::Draft;
use super::exit_code;
use super::test_run::{is_code_of_runner, summary};
use crate::baseline::{self, SortedTests, sort_tests};

/// Maximum number of new failures named in a reason.
const NAMED: usize = 5;

/// Maximum length of a quoted test name, in characters.
const NAME_CHARACTERS: usize = 120;

/// Excuses failed tests that are in the baseline.
///
/// | drafted                                    | the failures                         | becomes                            |
/// |--------------------------------------------|--------------------------------------|------------------------------------|
/// | tests failed, by the runner's own summary  | all are in the baseline              | TEST_FAILURE, not blocking, LOW    |
/// | tests failed, by the runner's own summary  | some are, and some are new           | itself; the reason names the new   |
/// | tests failed, by the runner's own summary  | all are, and there is a doubt        | itself, and a note                 |
/// | anything else, also what is expected       | any                                  | itself                             |
/// | any, where SUCCESS is expected by word     | any                                  | itself                             |
///
/// For the doubts see [`doubt`].
pub(super) fn excuse(draft: Draft, case: Option<&Case<'_>>) -> Draft {
    let is_failed = matches!(draft.rule, Rule::TestsFailed | Rule::TestsFailedExitZero) && draft.blocking;
    let Some(case) = case.filter(|case| is_failed && !draft.expected && !must_succeed(case)) else { return draft };
    let Some(known) = case.known.and_then(|known| known.tests.as_ref()) else { return draft };
    let summary = summary(case.reading, Some(Role::Test), case.tool()).filter(|summary| summary.own);
    let Some(summary) = summary else { return draft };
    let sorted = sort_tests(known, summary.results);
    if sorted.known == 0 {
        return draft;
    }
    let doubt = doubt(case, known, summary.results);
    if sorted.new.is_empty()
        && let Some(doubt) = doubt
    {
        let failed = count(sorted.known, "failed test");
        return draft.note(Some(format!("{failed} stood in the baseline, which excuses nothing here: {doubt}")));
    }
    let standing = BaselineStanding {
        known: Tally { failed_tests: sorted.known, ..Tally::default() },
        new: Tally { failed_tests: sorted.new.len() as u64, ..Tally::default() },
        new_findings: Vec::new(),
        new_tests: sorted.new.clone(),
    };
    if sorted.new.is_empty() { all_known(draft, &summary.failed()) } else { some_new(draft, &sorted, summary.results) }
        .standing(Some(standing))
}

/// Returns whether success is expected explicitly: then no failure is excused.
fn must_succeed(case: &Case<'_>) -> bool {
    case.action.expect.as_ref().is_some_and(|expect| expect.outcome == Some(Outcome::Success))
}

/// Returns why a failed test run cannot be compared with the baseline. None: it can.
///
/// | doubt                                                                                             |
/// |---------------------------------------------------------------------------------------------------|
/// | the output was read less whole than the baseline's                                                |
/// | not every failed test is named                                                                    |
/// | more suites failed than in the baseline                                                           |
/// | fewer tests ran than in the baseline                                                              |
/// | the exit code is neither the runner's own for failed tests nor that of the baseline's run         |
/// | something else in the line can have set the exit code, or a launcher or shell did                 |
fn doubt(case: &Case<'_>, known: &KnownTests, results: &TestResults) -> Option<String> {
    let action = case.known?;
    let Ending::Exited { code } = case.facts.ending else { return Some("it did not exit by itself".to_owned()) };
    let named = results.failures.iter().filter(|failure| !failure.suite).count() as u64;
    let ran = results.counts.passed.saturating_add(results.counts.failed);
    let suites = results.suites.map_or(0, |suites| suites.failed);
    if !baseline::is_as_whole(action, case.reading) {
        return Some("the output may not have been read whole".to_owned());
    }
    if named < results.counts.failed {
        return Some(format!("{} failed, and {named} of them are named", count(results.counts.failed, "test")));
    }
    if suites > known.suites_failed {
        return Some(format!("{} failed, and {} then", count(suites, "suite"), known.suites_failed));
    }
    if ran < known.ran {
        return Some(format!("{} ran, fewer than the {} of the baseline", count(ran, "test"), known.ran));
    }
    let is_code_for_failures = exit_code::says_tests_failed(case.tool(), code).is_some();
    if code != action.exit_code && !is_code_for_failures {
        return Some(format!("it exited with {code}, and with {} then", action.exit_code));
    }
    if code != 0 && (exit_code::says_not_done(case.tool(), code) || !is_code_of_runner(case)) {
        return Some(format!("not only failed tests can have made it exit with {code}"));
    }
    None
}

fn all_known(draft: Draft, failed: &str) -> Draft {
    let reason = format!("{failed}; all of them stood in the baseline");
    Draft {
        rule: Rule::TestsFailedKnown,
        reason,
        blocking: false,
        severity: Severity::Low,
        advice: String::new(),
        causes: Vec::new(),
        ..draft
    }
}

fn some_new(mut draft: Draft, sorted: &SortedTests, results: &TestResults) -> Draft {
    let new = sorted.new.iter().filter_map(|at| results.failures.get(*at));
    let mut names: Vec<String> =
        new.take(NAMED).map(|failure| format!("`{}`", first_line(&failure.name, NAME_CHARACTERS))).collect();
    if sorted.new.len() > NAMED {
        names.push(format!("and {} more", sorted.new.len() - NAMED));
    }
    let verb = if sorted.new.len() == 1 { "is" } else { "are" };
    draft.reason = format!(
        "{} {verb} new ({}); {} stood in the baseline: {}",
        count(sorted.new.len(), "failure"),
        names.join(", "),
        sorted.known,
        draft.reason
    );
    draft
}
