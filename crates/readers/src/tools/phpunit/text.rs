//! PHPUnit's own printer: progress, numbered errors and failures, and the final counts below the duration. With
//! testdox the details follow each test instead.

use crate::prelude::*;
use crate::shapes::locate::Frame;
use crate::test_rows::{Progress, TestRow, TestRows, failed, frame, heading, part, sum, within};
use crate::tools::phpunit::{PLACE, choose, place};

/// Texts one of which is in every output.
pub(super) const PREFILTER: &[&str] = &["PHPUnit ", ", Memory: ", "FAILURES!", "ERRORS!", ", Assertions: "];

/// Lines of a stack may stand within a message.
const PHP: Language = Language {
    takes_frame: |failing, text| {
        if PLACE.is_match(text.trim()) {
            failing.trace(&text::path(text.trim()));
        } else {
            failing.append(text);
        }
        true
    },
    complete,
    ..*Language::PLAIN
};

/// `1) CalcTest::testAdd with data set #0 (1, 2)`, a file with a test, or only `Warning`.
const ENTRY: &str = r"^(?<number>\d+)\) (?<name>[\w\\]+::\S.*|\S*/\S+\.phpt|\S.*::\w+.*|Warning)$";

/// The rows for lines that are PHPUnit's own wherever they appear.
const CLOSING: &[TestRow] = &[
    heading(r"^PHPUnit (?<version>\d+)\..* by Sebastian Bergmann").enters(""),
    // `Time: 00:00.009, Memory: 4.00 MB`.
    heading(r"^Time: [\d.:]+(?: (?:ms|seconds?|minutes?|hours?))?.*, Memory: ?[\d.]+ ?\w+$").announces().enters(""),
    heading(r"^(?:FAILURES!|ERRORS!|WARNINGS!|OK, but).*[!.]$|^(?:FAILURES|ERRORS|WARNINGS)!$").enters("verdict"),
    sum(r"^No tests executed!$")
        .check(|at, _| at.version.is_some() || at.is_hinted)
        .counts(|_, _| Some(TestCounts::default())),
    sum(r"^OK \((?<total>\d+) tests?, \d+ assertions?\)$").check(is_own),
    // Up to version 9 a warning is a failed test; later it is only a remark about a test. A class whose setup fails
    // counts as an error in addition to its tests, none of which ran.
    sum(
        r"^Tests: (?<total>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, Failures: (?<failed>\d+))?(?:, PHPUnit Warnings: \d+)?(?:, Warnings: (?<warnings>\d+))?(?:, (?:PHPUnit )?(?:Deprecations|Notices): \d+)*(?:, Skipped: (?<skipped>\d+))?(?:, Incomplete: (?<pending>\d+))?(?:, Risky: \d+)?\.$",
    )
    .check(|at, found| is_own(at, found) && (at.section == "verdict" || !at.is_announced))
    .counts(|at, sum| {
        let warnings = sum.warnings.filter(|_| warnings_fail(at)).unwrap_or_default();
        Some(results::out_of(sum.total?, sum.failed() + warnings, sum.skipped()))
    }),
    // `.FES   4 / 10 ( 40%)`.
    within(r"^[.FESIRWDN]+ +\d+ / \d+ \( ?\d+%\)$"),
];

/// Returns whether final counts are PHPUnit's own: below the duration. If the beginning of the log is missing, the
/// counts alone must do.
fn is_own(at: &Progress, _: &Groups<'_, '_>) -> bool {
    at.is_announced || (at.is_hinted && at.version.is_none() && at.runs.failures() == 0)
}

fn warnings_fail(at: &Progress) -> bool {
    at.version.is_some_and(|major| major < 10)
}

/// Returns whether a heading is genuine: it follows the duration or another list, and is not part of a message.
fn is_heading(at: &Progress, _: &Groups<'_, '_>) -> bool {
    at.is_announced || 0 < at.number
}

pub(super) static TEXT: TestRows =
    TestRows::new("phpunit", "text").details(&PHP, 0).spans_blank_lines().rows(CLOSING).and(&[
        heading(r"^There (?:was|were) \d+ (?:error|failure)s?:$").check(is_heading).enters("failures"),
        heading(r"^There (?:was|were) \d+ warnings?:$")
            .check(|at, found| is_heading(at, found) && warnings_fail(at))
            .enters("failures"),
        // `2 tests triggered 1 warning:` since version 10.
        heading(r"^(?:There (?:was|were) \d+|\d+ tests? triggered \d+) [A-Za-z ]+:$")
            .check(is_heading)
            .enters("others"),
        heading(r"^--$").check(|at, _| matches!(at.section, "failures" | "others")).enters("others"),
        failed(ENTRY).inside("failures").names_tool(),
        within(r"^").inside("others"),
    ]);

/// With testdox the details follow each test, with marks in a frame.
pub(super) static TESTDOX: TestRows = TestRows::new("phpunit", "testdox")
    .rule("phpunit/text")
    .joint("::")
    .details(&PHP, 3)
    .spans_blank_lines()
    .rows(CLOSING)
    .and(&[
        failed(r"^ ✘ (?<name>\S.*?)(?: \[[\d.,]+ ms\])?$"),
        within(r"^ [✔↩∅☢⚠] \S").then(|at, _| at.runs.close()),
        frame(r"^   +[│├┐┊╵┴╷] *(?<message>(?:/|phar://|[A-Za-z]:).*\.(?:php|phpt|inc):\d+)$"),
        part(r"^   +[│├┐┊╵┴╷] ?(?<message>.*)$"),
        // `Calc (App\Tests\CalcTest)` names the class, `Calc` alone is only a description of it.
        heading(r"^(?:\S.* \((?<suite>[^()]+)\)|(?<suite2>\S.*))$").tentative(),
    ]);

/// Sets the location and the compared values of a failure.
fn complete(failing: &mut Failing) {
    let failure = &mut failing.failure;
    failure.message = text::trimmed(&failure.message);
    let places: Vec<Frame> = failure.stack.iter().flat_map(|stack| stack.lines()).filter_map(place).collect();
    let class = failure.name.split("::").next().unwrap_or_default();
    if let Some(Frame { file, line, .. }) = choose(&places, class) {
        (failure.file, failure.line) = (Some(name(file)), *line);
    }
    let diff = |mark: char| {
        let mut lines = failure.message.lines().skip_while(|line| *line != "@@ @@").skip(1);
        lines.find_map(|line| line.strip_prefix(mark)).map(|line| name(line.trim_start()))
    };
    (failure.expected, failure.received) = (diff('-'), diff('+'));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::claimed;

    #[test]
    fn closing_lines_of_all_versions_are_read() {
        let nine =
            "Tests: 10, Assertions: 6, Errors: 1, Failures: 3, Warnings: 1, Skipped: 1, Incomplete: 1, Risky: 1.";
        let eleven = "Tests: 4, Assertions: 3, PHPUnit Deprecations: 1, Deprecations: 2, Skipped: 1.";
        for (version, verdict, line, counts) in [
            (9, "", "OK (1 test, 1 assertion)", Some((1, 0, 0))),
            (9, "FAILURES!\n", nine, Some((3, 5, 2))),
            (10, "FAILURES!\n", nine, Some((4, 4, 2))),
            (11, "OK, but there were issues!\n", eleven, Some((3, 0, 1))),
            (9, "OK, but incomplete, skipped, or risky tests!\n", eleven, Some((3, 0, 1))),
            (9, "ERRORS!\n", "Tests: 0, Assertions: 0, Errors: 1.", Some((0, 1, 0))),
            (9, "FAILURES!\n", "Tests: 3, Failures: 1.", None),
            (9, "FAILURES!\n", "Tests: 3, Assertions: 4", None),
            (9, "FAILURES of others\n", eleven, None),
            (9, "", "OK (many tests, 1 assertion)", None),
        ] {
            let time = "Time: 00:00.010, Memory: 8.00 MB";
            let text =
                format!("PHPUnit {version}.6.7 by Sebastian Bergmann and contributors.\n{time}\n\n{verdict}{line}\n");
            let tests = claimed(TEXT.reader(false), &text).and_then(|candidate| candidate.tests);
            let found = tests.map(|tests| (tests.counts.passed, tests.counts.failed, tests.counts.skipped));
            assert_eq!(found, counts, "{text}");
        }
    }
}
