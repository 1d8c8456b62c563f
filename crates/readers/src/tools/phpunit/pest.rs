//! The printer of Pest and of `artisan test`: files and tests with their marks, the failures, and the final
//! counts.
//!
//! ```text
//!    FAIL  Tests\Unit\CalcTest
//!   ⨯ it adds                                   0.01s
//!   ─────────────────────────────────────────────────
//!    FAILED  Tests\Unit\CalcTest > it adds
//!   Failed asserting that 3 is identical to 4.
//!
//!   at tests/Unit/CalcTest.php:4
//!
//!   Tests:    1 failed, 2 passed (3 assertions)
//!   Duration: 0.05s
//! ```
//! Version 1 marks a failure with `• Tests\Unit\CalcTest > it adds`.

use crate::prelude::*;
use crate::test_rows::{TestRow, TestRows, count, failed, frame, sum};

/// Texts one of which is in every output.
pub(super) const PREFILTER: &[&str] = &[" FAILED  ", "  Tests:  ", "  • "];

pub(super) static PEST: TestRows = format("pest");

pub(super) static PHPUNIT: TestRows = format("phpunit");

const fn format(tool: &'static str) -> TestRows {
    let details = TestRows::new(tool, "pest").rule("pest/text").details(Language::PLAIN, 2);
    details.trimmed().spans_blank_lines().needs_sum().rows(ROWS)
}

const ROWS: &[TestRow] = &[
    count(r"^ {2}Tests: {2,}(?<list>\d.*?)(?: \(.*)?$").first(),
    sum(r"^  (?:Duration|Time): "),
    // Its duration or its exception follows the name.
    failed(r"^ {2,3}(?:FAILED {2}|• )(?<name>\S.*? [>›] \S.*?)(?:\s{2,}\S+)?$").then(|at, _| {
        at.runs.open.iter_mut().for_each(|open| open.failure.name = open.failure.name.replace(" › ", " > "));
    }),
    frame(r"^ {2,4}at (?<file>\S.*?):(?<line>\d+)$"),
];

#[cfg(test)]
mod tests {
    use crate::shapes::results::listed;

    #[test]
    fn closing_counts_are_read() {
        let read = |text| listed(text).map(|counts| (counts.passed, counts.failed, counts.skipped, counts.total));
        assert_eq!(read("1 failed, 1 skipped, 2 passed"), Some((2, 1, 1, 4)));
        assert_eq!(read("1 todo, 2 passed"), Some((2, 0, 1, 3)));
        assert_eq!(read("4 passed"), Some((4, 0, 0, 4)));
        assert_eq!(read("1 failed, 3 of 4 total"), None);
    }
}
