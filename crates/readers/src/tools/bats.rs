//! Bats: its pretty formatter, and TAP that is known to come from Bats.
//!
//! ```text
//!  ✓ passes
//!  ✗ fails on status
//!    (in test file t.bats, line 4)
//!      `[ "$status" -eq 0 ]' failed
//!  - skipped (skipped: no network)
//!
//! 4 tests, 2 failures, 1 skipped
//! ```

use crate::prelude::*;
use crate::test_rows::{Progress, TestRow, TestRows, heading, part, run, skipped, sum, test, within};

pub(crate) static TOOL: Tool = Tool::new("bats", &["bats-core"], Role::Test).lines(&[
    LineFormat::tests(PRETTY_SIGNS, &PRETTY),
    LineFormat::tests(&["in test file ", "ok 1 ", " failed with status "], &TAP),
]);

/// A mark stands behind one blank, or behind a number or time that was printed before it on the same line.
#[rustfmt::skip]
const PRETTY_SIGNS: &[&str] = &[
    "\n ✓ ", "\n ✗ ", "sec ✓ ", "sec ✗ ", " tests, ", "1 test, ",
    "0 ✓ ", "1 ✓ ", "2 ✓ ", "3 ✓ ", "4 ✓ ", "5 ✓ ", "6 ✓ ", "7 ✓ ", "8 ✓ ", "9 ✓ ",
    "0 ✗ ", "1 ✗ ", "2 ✗ ", "3 ✗ ", "4 ✗ ", "5 ✗ ", "6 ✗ ", "7 ✗ ", "8 ✗ ", "9 ✗ ",
];

/// `(in test file t.bats, line 4)`, or a function called by the test, with the location of the test below it.
const fn location() -> TestRow {
    part(r"^ *#? *(?<message>.*in test file (?<file>.+?), line (?<line>\d+)\)?)$").names_tool()
}

static PRETTY: TestRows = TestRows::new("bats", "pretty").rule("bats/text").details(Language::PLAIN, 3).trimmed().rows(&[
    test(r"^ (?<status>[✓✗]) (?<name>\S.*?)(?: \[\d+\])?$"),
    skipped(r"^ - (?<name>\S.*) \(skipped.*$"),
    // With overwritten terminal output before it: `   passes1/4 ✓ passes`.
    test(r"^   .*?\d+/\d+(?: in \d+ sec)? (?<status>[✓✗]) (?<name>\S.*?)(?: \[\d+\])?$"),
    skipped(r"^   .*?\d+/\d+(?: in \d+ sec)? - (?<name>\S.*) \(skipped.*$"),
    // `4 tests, 2 failures, 1 skipped, 1 not run`. Other runners print the same line, so it must agree with the
    // listed tests.
    sum(
        r"^(?<total>\d+) tests?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) skipped)?(?:, (?<pending>\d+) not run)?(?: in \d+ seconds?)?$",
    )
    .counts(|at, sum| {
        let (seen, counts) = (at.runs.seen, results::out_of(sum.total?, sum.failed(), sum.skipped()));
        let agrees = (seen.failed, seen.passed) == (counts.failed, counts.passed) && 0 < seen.total;
        (agrees || at.is_hinted).then_some(counts)
    })
    .last(),
    heading(r"^(?<file>[^\s].*\.(?:bats|sh))$"),
    location(),
]);

static TAP: TestRows =
    TestRows::new("bats", "tap").rule("bats/text").details(Language::PLAIN, 2).trimmed().end(end).rows(&[
        run(r"^1\.\.(?<total>\d+)$"),
        // With TAP 13, Bats marks skipped tests as not ok.
        skipped(r"^(?:not )?ok \d+ (?:- )?(?<name>.*?)(?: in \d+ ?m?s(?:ec)?)? # (?i:skip|todo)\b.*$"),
        test(r"^ok \d+ (?:- )?(?<name>.*?)(?: in \d+ ?m?s(?:ec)?)?$").status(TestStatus::Passed),
        test(r"^not ok \d+ (?:- )?(?<name>.*?)(?: in \d+ ?m?s(?:ec)?)?$").status(TestStatus::Failed),
        within(r"^TAP version "),
        location(),
        part(r"^# *(?<message>.*)$"),
    ]);

/// Ends a run with a plan: tests that were not reported count as failed.
fn end(at: &mut Progress) {
    if let Some(planned) = at.numbers.total.take() {
        let mut run = at.runs.seen;
        let missing = planned.saturating_sub(run.total);
        results::add(&mut run, TestStatus::Failed, missing);
        at.runs.sum_up(run);
    }
}

#[cfg(test)]
mod tests {
    use referee_model::reading::TestStatus::{Failed, Passed, Skipped};

    use crate::trial::results;

    #[test]
    fn tests_are_read_with_what_is_written_over_them() {
        let text = " ✓ passes\n   passes1/4 ✓ passes too\n   fails1/4 in 0 sec ✗ fails [8]\n - skipped (skipped: no network)\n✓ another's\n\n4 tests, 1 failure, 1 skipped\n";
        let tests = results(text).unwrap();
        let names: Vec<_> = tests.cases.iter().map(|case| (case.status, case.title.as_str())).collect();
        assert_eq!(names, [(Passed, "passes"), (Passed, "passes too"), (Failed, "fails"), (Skipped, "skipped")]);
    }
}
