//! GoogleTest.
//!
//! ```text
//! [ RUN      ] Add.Fails
//! t.cpp:4: Failure
//! Expected equality of these values: …
//! [  FAILED  ] Add.Fails (0 ms)
//! [==========] 8 tests from 4 test suites ran. (0 ms total)
//! [  PASSED  ] 1 test.
//! [  FAILED  ] 6 tests, listed below:
//! ```

use crate::prelude::*;
use crate::test_rows::{Progress, TestRows, count, failed, part, run, started, test, within};

pub(crate) static TOOL: Tool = Tool::new("gtest", &["googletest"], Role::Test)
    .lines(&[LineFormat::tests(&["[==========] ", "[  FAILED  ] "], &TEXT)]);

static TEXT: TestRows = TestRows::new("gtest", "text").within_ctest().details(Language::PLAIN, 0).end(end).rows(&[
    run(r"^\[==========\] Running \d+ tests? from \d+ test (?:suite|case)s?\.$")
        .check(|at, _| at.runs.open.is_none())
        .names_tool()
        .enters("tests"),
    count(r"^\[==========\] (?<total>\d+) tests? from \d+ test (?:suite|case)s? ran\.(?: \(\d+ ms total\))?$")
        .check(|at, _| at.runs.open.is_none())
        .names_tool()
        .enters("sum"),
    count(r"^\[  PASSED  \] (?<passed>\d+) tests?\.$").inside("sum"),
    count(r"^\[  FAILED  \] (?<failed>\d+) tests?(?:\.|, listed below:)$").inside("sum"),
    count(r"^  YOU HAVE (?<pending>\d+) DISABLED TESTS?$").inside("sum"),
    failed(r"^\[  FAILED  \] (?<broken>[^\s,:]+): SetUpTest(?:Suite|Case) or .*$").inside("sum").once().listed(),
    failed(r"^\[  FAILED  \] (?<name>[^\s,:]+)(?:, where .*)?$").inside("sum").once().listed(),
    within(r"^(?:\[  SKIPPED \] |.* FAILED TESTS?$)").inside("sum"),
    test(r"^\[ +(?<status>OK|FAILED|SKIPPED) +\] (?<name>[^\s,]+\.[^\s,]+)(?:, where .*)? \((?<ms>\d+) ms\)$")
        .enters("tests"),
    started(r"^\[ RUN      \] (?<name>.*\..*)$")
        .check(|at, _| !matches!(at.section, "" | "sum"))
        .enters("test"),
    // With `--gtest_brief` the start of a test is not printed.
    started(r"^(?:(?<file>(?:[A-Za-z]:)?[^:(]+)(?::(?<line>\d+)|\((?<line2>\d+)\))|unknown file): Failure$")
        .check(|at, _| at.runs.open.is_none())
        .enters("failing"),
    part(
        r"^(?:(?<file>(?:[A-Za-z]:)?[^:(]+)(?::(?<line>\d+): |\((?<line2>\d+)\): )(?:Failure|error:(?: (?<message>.*))?)|unknown file: (?:Failure|error: .*))$",
    )
    .enters("failing"),
    // Output before the first failure.
    within(r"^").inside("test"),
    within(r"^\[----------\] "),
]);

/// Sets the summary of a run: the numbers below its last line.
fn end(at: &mut Progress) {
    let sum = std::mem::take(&mut at.numbers);
    if let (Some(total), Some(passed)) = (sum.total, sum.passed) {
        let failed = sum.failed().max(at.runs.seen.failed);
        let skipped = total.saturating_sub(passed + failed) + sum.skipped();
        at.runs.sum_up(results::counts(passed.min(total.saturating_sub(failed)), failed, skipped));
    }
}
