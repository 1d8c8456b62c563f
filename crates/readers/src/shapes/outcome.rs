//! What a build tool says of the build as a whole, beside what compilers and test runners say in it: the reason why it
//! failed, or that its tests passed.

use referee_model::reading::{CountAuthority, TestResults};
use referee_model::record::Stream;

use crate::candidate::{Candidate, together};

/// Merges the candidates of both streams. Those of a format that says how the build ended yield to the others: the
/// reason why it failed is a finding only if there is no other.
pub(crate) fn merge(candidates: Vec<(Stream, Candidate)>, format: &str) -> Option<Candidate> {
    let (mut outcomes, others): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|(_, candidate)| candidate.format == format);
    let said = outcomes.iter_mut().find_map(|(_, candidate)| candidate.tests.take());
    if others.iter().any(|(_, candidate)| 0 < candidate.gravity().0) {
        outcomes.clear();
    }
    let mut candidate = together(others.into_iter().chain(outcomes).collect())?;
    candidate.tests = or_said(candidate.tests, said);
    Some(candidate)
}

/// Returns the results of a build whose tests passed: without a number, or `none` if there were no tests.
pub(crate) fn passed(framework: &str, none: bool) -> TestResults {
    let authority = if none { CountAuthority::Summary } else { CountAuthority::Unnumbered };
    TestResults { framework: framework.to_owned(), authority, ..TestResults::default() }
}

/// Combines tests that were read one by one with the final statement of a build that all of them passed, where
/// the runner prints no summary of its own. If a test failed, the statement is ignored.
fn or_said(tests: Option<TestResults>, said: Option<TestResults>) -> Option<TestResults> {
    match (tests, said) {
        (Some(tests), Some(_)) if tests.authority == CountAuthority::Lines && tests.counts.failed == 0 => {
            Some(TestResults { authority: CountAuthority::Unnumbered, ..tests })
        }
        (tests, said) => tests.or(said),
    }
}
