//! The words and numbers of test results.

use referee_model::reading::{TestCase, TestCounts, TestStatus};

use crate::candidate::name;
use crate::pattern::Groups;
use crate::text;

/// Adds tests of one status to counts.
pub(crate) fn add(counts: &mut TestCounts, status: TestStatus, number: u64) {
    let of_status = match status {
        TestStatus::Passed => &mut counts.passed,
        TestStatus::Failed => &mut counts.failed,
        TestStatus::Skipped => &mut counts.skipped,
    };
    *of_status += number;
    counts.total += number;
}

/// Returns the status for a word or symbol of a runner. A test that neither passed nor failed counts as
/// skipped.
pub(crate) fn status(word: &str) -> TestStatus {
    match word.to_ascii_lowercase().as_str() {
        "ok" | "pass" | "passed" | "success" | "✓" | "✔" | "√" => TestStatus::Passed,
        "fail" | "failed" | "failure" | "error" | "cancelled" | "✗" | "✘" | "✖" | "×" | "x" => {
            TestStatus::Failed
        }
        _ => TestStatus::Skipped,
    }
}

/// Parses counts with their words: `1 failed, 2 passed, 3 total`, `Tests: 3, Failures: 1`, `failures=1`. Returns
/// `None` for other text, and if the total contradicts the other numbers.
pub(crate) fn listed(text: &str) -> Option<TestCounts> {
    let (mut passed, mut total, mut sum) = (None, None, TestCounts::default());
    for part in text.split(',').map(str::trim) {
        let (one, other) = part.split_once(['=', ':']).or_else(|| part.split_once(' '))?;
        let is_first = one.starts_with(|first: char| first.is_ascii_digit());
        let (number, word) = if is_first { (one, other) } else { (other, one) };
        let number = text::count(number.trim())?;
        match word.trim().to_ascii_lowercase().trim_end_matches('s') {
            "total" | "test" | "doctest" | "property" | "propertie" | "feature" => {
                *total.get_or_insert_default() += number;
            }
            "pa" | "passed" | "expected fail" | "flaky" | "warning" | "warn" | "risky" | "deprecated" | "notice" => {
                *passed.get_or_insert_default() += number;
            }
            "fail" | "failed" | "failure" | "error" | "invalid" => add(&mut sum, TestStatus::Failed, number),
            "skip" | "skipped" | "excluded" | "cancelled" | "canceled" | "todo" | "fixme" | "pending" | "queued"
            | "incomplete" | "incompleted" => {
                add(&mut sum, TestStatus::Skipped, number);
            }
            "assertion" => {}
            _ => return None,
        }
    }
    match (passed, total) {
        (None, Some(total)) => Some(out_of(total, sum.failed, sum.skipped)),
        (passed, total) => {
            let all = counts(passed.unwrap_or_default(), sum.failed, sum.skipped);
            total.is_none_or(|total| total == all.total).then_some(all)
        }
    }
}

/// Creates counts from the number of passed, failed and skipped tests.
pub(crate) fn counts(passed: u64, failed: u64, skipped: u64) -> TestCounts {
    TestCounts { passed, failed, skipped, total: passed + failed + skipped }
}

/// Creates counts for a runner that gives the total instead of the number of passed tests. If more tests failed
/// or were skipped than the total, all of those count.
pub(crate) fn out_of(total: u64, failed: u64, skipped: u64) -> TestCounts {
    counts(total.saturating_sub(failed + skipped), failed, skipped)
}

pub(crate) fn case(ancestors: &[&str], title: &str, file: Option<&str>, status: TestStatus) -> TestCase {
    TestCase {
        ancestors: ancestors.iter().map(|group| name(group)).collect(),
        title: name(title),
        file: file.map(name),
        status,
        duration_ms: None,
    }
}

/// Rounds a time to whole milliseconds; returns `None` for negative values and for more than a century.
pub(crate) fn milliseconds(time: f64) -> Option<u64> {
    let time = time.round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
    (0.0..=3.2e12).contains(&time).then_some(time as u64)
}

/// Converts seconds to whole milliseconds.
pub(crate) fn seconds(time: f64) -> Option<u64> {
    milliseconds(time * 1_000.0)
}

impl Groups<'_, '_> {
    /// Returns the test status given by the group `status`.
    pub(crate) fn status(&self) -> TestStatus {
        status(self.text("status"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_also_where_a_summary_contradicts_itself() {
        for (total, failed, skipped, passed) in [(3, 1, 1, 1), (0, 0, 1, 0), (1, 2, 0, 0), (0, 0, 0, 0)] {
            let counts = out_of(total, failed, skipped);
            assert_eq!((counts.passed, counts.failed, counts.skipped), (passed, failed, skipped));
            assert_eq!(counts.total, counts.passed + counts.failed + counts.skipped);
        }
    }
}
