//! Bun's test runner, which prints the output of a failure before its name:
//!
//! ```text
//! calc.test.ts:
//! error: expect(received).toBe(expected)
//!       at <anonymous> (/project/calc.test.ts:5:19)
//! (fail) calc > bad [0.14ms]
//!
//!  1 pass
//!  1 fail
//! Ran 2 tests across 1 file. [64.00ms]
//! ```

use crate::prelude::*;
use crate::test_rows::{Progress, TestRows, count, failed, heading, part, sum, test, within};

pub(crate) static TOOL: Tool = Tool::new("bun-test", &[], Role::Test)
    .lines(&[LineFormat::tests(
        &[
            ".test.ts:",
            ".test.tsx:",
            ".test.js:",
            ".spec.ts:",
            "bun test v",
            "(pass) ",
            "(fail) ",
            "\n✓ ",
            "\n✗ ",
            " expect() calls",
            " tests across ",
            " test across ",
        ],
        &TEXT,
    )])
    .merge(runs::one_run);

static TEXT: TestRows = TestRows::new("bun-test", "text").details(Language::JAVASCRIPT, 0).rows(&[
    heading(r"^bun test v").names_tool().then(|at, _| {
        at.runs.begin();
        at.file = None;
    }),
    // `(fail) calc > bad [0.14ms]`; on a terminal, symbols replace the words, but only below the name of a file.
    test(r"^\((?<status>pass|fail|skip|todo)\) (?<name>\S.*?)(?: \[(?:(?<ms>[\d.]+)ms|[\d.]+(?:s|us|µs))\])?$")
        .then(close),
    test(r"^(?<status>[✓✗»✎]) (?<name>\S.*?)(?: \[(?:(?<ms>[\d.]+)ms|[\d.]+(?:s|us|µs))\])?$")
        .check(is_in_file)
        .then(close),
    heading(r"^(?:::group::)?(?<file>[^\s:][^:]*\.[cm]?[jt]sx?):$"),
    count(r"^ ?(?<passed>\d{1,9}) pass$").first(),
    count(r"^ ?(?:(?<skipped>\d{1,9}) skip|(?<pending>\d{1,9}) todo|(?<failed>\d{1,9}) fail)$"),
    heading(r"^ ?\d{1,9} errors?$"),
    within(r" expect\(\) calls$"),
    // Older versions omit the period, and do not include skipped tests in the number that ran.
    sum(r"^Ran (?<total>\d+) tests? across \d+ files?\.? ?(?:\[[\d.]+ ?m?s\])?$").counts(|_, sum| {
        let counts = results::counts(sum.passed.unwrap_or_default(), sum.failed(), sum.skipped());
        let is_whole = [counts.total, counts.passed + counts.failed].contains(&sum.total?);
        is_whole.then_some(counts)
    }),
    // The error of a file stands between two rules.
    failed(r"^# Unhandled error between tests$").listed().enters("error").then(|at, _| {
        let Some(open) = &mut at.runs.open else { return };
        let file = at.file.clone();
        open.failure.name = file.clone().unwrap_or_else(|| "unknown file".to_owned());
        (open.failure.suite, open.failure.file) = (true, file);
    }),
    part(r"^-----").below("error"),
    heading(r"^-----").inside("error").enters(""),
    within(r"^(?: *\d+ \|(?: .*)?| *\^)$").check(is_in_file),
    failed(r"^(?<message>error: .*|[^ ].*Error: .*)$")
        .check(|at, found| at.section != "error" && is_in_file(at, found))
        .listed(),
    within(r"^  \^ (?<message>this test timed out.*)$").then(|at, found| {
        if let Some(last) = at.runs.failures_mut().next_back().filter(|last| last.message.is_empty()) {
            found.text("message").clone_into(&mut last.message);
        }
    }),
    within(r"^::(?:error file=.*|endgroup::)$").check(is_in_file),
]);

/// Ends a failure, whose output stands above the result of its test.
fn close(at: &mut Progress, _: &Groups<'_, '_>) {
    at.runs.close();
}

fn is_in_file(at: &Progress, _: &Groups<'_, '_>) -> bool {
    at.file.is_some()
}

#[cfg(test)]
mod tests {
    use crate::trial::results;

    #[test]
    fn summaries_hold_what_ran() {
        for (text, counts) in [
            ("a.test.ts:\n(pass) x [1ms]\n\n 1 pass\n 0 fail\nRan 1 test across 1 file. [2.00ms]\n", Some((1, 0, 0))),
            (
                "a.test.ts:\n✗ x [1ms]\n» y\n\n 0 pass\n 1 skip\n 1 fail\nRan 2 tests across 1 files. [2.00ms]\n",
                Some((0, 1, 1)),
            ),
            (" 3 pass\n 1 skip\n 0 fail\nRan 3 tests across 1 files. [2.00ms]\n", Some((3, 0, 1))),
            (
                "a.test.ts:\n 9 pass\n 0 fail\nRan 9 tests across 1 file. [1ms]\n(pass) x\n 1 pass\n 0 fail\nRan 1 test across 1 file. [2.00ms]\n",
                Some((10, 0, 0)),
            ),
            (" 1 pass\n 0 fail\nRan 7 tests across 1 file. [2.00ms]\n", None),
            ("(pass) the salt\n", None),
        ] {
            let found = results(text).map(|tests| (tests.counts.passed, tests.counts.failed, tests.counts.skipped));
            assert_eq!(found, counts, "{text}");
        }
    }

    #[test]
    fn a_test_that_takes_too_long_says_so() {
        let tests = results("a.test.ts:\n(fail) x [5001.20ms]\n  ^ this test timed out after 5000ms.\n\n 0 pass\n 1 fail\nRan 1 test across 1 file. [5.00s]\n").unwrap();
        assert_eq!(tests.failures[0].message, "this test timed out after 5000ms.");
    }
}
