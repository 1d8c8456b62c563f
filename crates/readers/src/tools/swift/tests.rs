//! XCTest and Swift Testing, which `swift test` runs one after the other.
//!
//! ```text
//! /p/Tests/ATests.swift:12: error: ATests.testX : XCTAssertEqual failed: ("1") is not equal to ("2") -
//! Test Case 'ATests.testX' failed (0.1 seconds)
//! ✘ Test adds() recorded an issue at ATests.swift:9:5: Expectation failed: (a → 1) == 2
//! ✘ Test adds() failed after 0.001 seconds with 1 issue.
//! ```

use crate::test_rows::{TestRows, failed, sum, test, within};

pub(super) static TEXT: TestRows = TestRows::new("swift-test", "text").rows(&[
    // `Test Case '-[ATests.ATests testX]' failed (0.1 seconds).`
    test(r"^Test Case '(?:-\[)?(?<name>[^']+?)\]?' (?<status>passed|failed|skipped) \([\d.]+ seconds\)\.?$")
        .once()
        .names_tool(),
    within(r"^Test (?:Case|Suite) '"),
    // `/p/Tests/ATests.swift:12: error: -[ATests.ATests testX] : XCTAssertEqual failed: …`
    failed(
        r"^(?<file>[^:\s][^:]*\.swift):(?<line>\d+): error: (?:-\[)?(?<name>[^:\]]+?)\]? : (?<message>.*?)(?: -)?$",
    )
    .once()
    .listed(),
    // Each suite and each runner sums up its tests, which were counted.
    sum(r"^\s+Executed \d+ tests?, with ").counts(|at, _| Some(at.runs.seen)).last(),
    sum(r"^\S{1,3} +Test run with \d+ tests?(?: in \d+ suites?)? (?:passed|failed) after ")
        .counts(|at, _| Some(at.runs.seen))
        .last(),
    // `✘ Test adds() recorded an issue at ATests.swift:9:5: …`; the sign before it depends on the terminal.
    failed(
        r#"^\S{1,3} +Test (?:"(?<name>[^"]+)"|(?<name2>[\w.`]+\([^)]*\))) recorded an issue(?: with .*?)? at (?<file>\S+?):(?<line>\d+):(?<column>\d+): (?<message>.*)$"#,
    )
    .once()
    .listed(),
    test(
        r#"^\S{1,3} +Test (?:"(?<name>[^"]+)"|(?<name2>[\w.`]+\([^)]*\))) (?<status>passed|failed|skipped)(?: after [\d.]+ seconds.*|: .*|\.)?$"#,
    )
    .once()
    .names_tool(),
]);

#[cfg(test)]
mod unit {
    use super::*;
    use crate::trial::claimed;

    #[test]
    fn both_runners_are_read() {
        let text = "Test Suite 'All tests' started at 2026-01-01 10:00:00.000\nTest Case 'ATests.testX' started at x\n/p/ATests.swift:12: error: ATests.testX : XCTAssertEqual failed: (\"1\") is not equal to (\"2\") - \nTest Case 'ATests.testX' failed (0.1 seconds)\nTest Case '-[A.ATests testY]' passed (0.0 seconds).\n\t Executed 2 tests, with 1 failure (0 unexpected) in 0.1 (0.1) seconds\n◇ Test run started.\n◇ Test adds() started.\n✘ Test adds() recorded an issue at ATests.swift:9:5: Expectation failed: (a → 1) == 2\n✘ Test adds() failed after 0.001 seconds with 1 issue.\n✔ Test \"named\" passed after 0.001 seconds.\n✘ Test run with 2 tests failed after 0.001 seconds with 1 issue.\n";
        let tests = claimed(TEXT.reader(false), text).and_then(|candidate| candidate.tests).unwrap();
        assert_eq!((tests.counts.passed, tests.counts.failed), (2, 2));
        let places: Vec<_> = tests.failures.iter().map(|failure| (failure.name.as_str(), failure.line)).collect();
        assert_eq!(places, [("ATests.testX", Some(12)), ("adds()", Some(9))]);
    }
}
