//! TSTyche, a type testing tool.
//!
//! ```text
//! fail ./typetests/b.tst.ts
//!
//! Error: Type 'number' is not the same as type 'string'.
//!
//!   2 | test("is a string", () => { expect<number>().type.toBe<string>(); });
//!     |                                                       ~~~~~~
//!
//!      at ./typetests/b.tst.ts:2:56 ❭ is a string
//!
//! Test files: 1 failed, 1 passed, 2 total
//! Tests:      1 failed, 1 passed, 1 skipped, 1 todo, 4 total
//! Assertions: 1 failed, 1 passed, 1 skipped, 3 total
//! Duration:   11s
//! ```

use crate::prelude::*;
use crate::test_rows::{TestRows, count, failed, part, suites, sum, within};

/// Failures are on standard error, which does not name the tool. They are recognized by their end and by the
/// mark below the source, as the end alone is too far below the beginning.
const PREFILTER: &[&str] = &["TSTyche ", "Targets:    ", "Assertions: ", " ❭ ", ".tst.ts:", " ~~~"];

pub(crate) static TOOL: Tool =
    Tool::new("tstyche", &[], Role::Test).lines(&[LineFormat::tests(PREFILTER, &TEXT)]).merge(runs::one_run);

static TEXT: TestRows = TestRows::new("tstyche", "text").details(Language::PLAIN, 2).rows(&[
    suites(r"^Test files: +(?<list>\d+ [a-z]+(?:, \d+ [a-z]+)*)$").enters("files"),
    count(r"^Tests: +(?<list>\d+ [a-z]+(?:, \d+ [a-z]+)*)$").first().enters("tests"),
    count(r"^Assertions: +(?<list>\d+ [a-z]+(?:, \d+ [a-z]+)*)$").below("files").first(),
    // No tests are counted for files that could not be checked.
    sum(r"^Duration: ").below("files").counts(|_, _| Some(TestCounts::default())),
    sum(r"^Duration: "),
    failed(r"^Error: (?<message>.*)$").listed(),
    // `     at ./typetests/b.tst.ts:2:56 ❭ add ❭ is a string`.
    part(r"^ +at (?:\.[/\\])?(?<file>\S.*?):(?<line>\d+):(?<column>\d+)(?: ❭ (?<names>\S.*))?$")
        .then(|at, found| {
            let Some(mut failing) = at.runs.open.take() else { return };
            let names = found.get("names");
            failing.failure.suite = names.is_none();
            failing.failure.file = found.file("file");
            failing.failure.name = name(&names.unwrap_or(found.text("file")).replace(" ❭ ", " > "));
            at.runs.failure(failing.finish());
        })
        .names_tool(),
    // The source, and the marks below it.
    part(r"^(?: *\d* \| |  )"),
    within(r"^Assertions: ").inside("tests"),
]);

#[cfg(test)]
mod tests {
    use crate::trial::counts;

    #[test]
    fn a_summary_counts_only_whole() {
        let summary = "Targets:    1 passed, 1 total\nTest files: 1 passed, 1 total\n";
        for (rest, expected) in [
            (
                "Tests:      1 passed, 1 skipped, 1 todo, 3 total\nAssertions: 1 passed, 1 total\nDuration:   11s\n",
                Some((1, 0, 2)),
            ),
            ("Assertions: 2 passed, 2 total\nDuration:   1s\n", Some((2, 0, 0))),
            ("Tests:      1 passed, 9 total\nDuration:   1s\n", None),
            ("Tests:      1 passed, 1 total\n", None),
            ("Duration:   1s\n", Some((0, 0, 0))),
        ] {
            assert_eq!(counts(&format!("{summary}{rest}")), expected, "{rest}");
        }
    }
}
