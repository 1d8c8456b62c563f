//! XCTest and Swift Testing, which `swift test` runs one after the other.
//!
//! ```text
//! /p/Tests/ATests.swift:12: error: ATests.testX : XCTAssertEqual failed: ("1") is not equal to ("2") -
//! Test Case 'ATests.testX' failed (0.1 seconds)
//! ✘ Test adds() recorded an issue at ATests.swift:9:5: Expectation failed: (a → 1) == 2
//! ✘ Test adds() failed after 0.001 seconds with 1 issue.
//! ```

use crate::prelude::*;

/// `Test Case '-[ATests.ATests testX]' failed (0.1 seconds).`
static CASE: Pattern =
    Pattern::new(r"^Test Case '(?:-\[)?(?<test>[^']+?)\]?' (?<status>passed|failed|skipped) \([\d.]+ seconds\)\.?$");

/// `/p/Tests/ATests.swift:12: error: -[ATests.ATests testX] : XCTAssertEqual failed: …`
static ASSERTION: Pattern =
    Pattern::new(r"^(?<file>[^:\s][^:]*\.swift):(?<line>\d+): error: (?:-\[)?(?<test>[^:\]]+?)\]? : (?<message>.*)$");

/// `   Executed 3 tests, with 1 test skipped and 2 failures (0 unexpected) in 0.01 (0.02) seconds`.
static EXECUTED: Pattern = Pattern::new(r"^\s+Executed (?<total>\d+) tests?, with ");

/// `✘ Test adds() failed after 0.001 seconds with 1 issue.`; the sign before it depends on the terminal.
static TEST: Pattern = Pattern::new(
    r#"^\S{1,3} +Test (?<test>"[^"]+"|[\w.`]+\([^)]*\)) (?<status>passed|failed|skipped)(?: after [\d.]+ seconds.*|: .*|\.)?$"#,
);

/// `✘ Test adds() recorded an issue at ATests.swift:9:5: Expectation failed: …`
static ISSUE: Pattern = Pattern::new(
    r#"^\S{1,3} +Test (?<test>"[^"]+"|[\w.`]+\([^)]*\)) recorded an issue(?: with .*?)? at (?<file>\S+?):(?<line>\d+):(?<column>\d+): (?<message>.*)$"#,
);

/// `✘ Test run with 3 tests in 1 suite failed after 0.002 seconds with 1 issue.`
static RUN: Pattern =
    Pattern::new(r"^\S{1,3} +Test run with (?<total>\d+) tests?(?: in \d+ suites?)? (?:passed|failed) after ");

#[derive(Default)]
pub(super) struct Tests {
    results: Results,
    failed: Vec<TestFailure>,
    summaries: u64,
}

impl Tests {
    /// Reads a failure within a test, whose result follows.
    fn issue(&mut self, line: &Line<'_>, captures: &Groups<'_, '_>) {
        let failure = self.failure(captures.text("test"), line);
        let Some(failure) = failure else { return };
        let message = captures.text("message");
        if failure.message.is_empty() {
            cut::head(message.trim_end_matches(" -").trim_end(), limit::MESSAGE_BYTES).clone_into(&mut failure.message);
            failure.file = captures.file("file");
            failure.line = captures.position("line");
            failure.column = captures.position("column");
        } else {
            text::add_line(&mut failure.message, message, limit::MESSAGE_BYTES);
        }
    }

    /// Returns the failure of a test.
    fn failure(&mut self, test: &str, line: &Line<'_>) -> Option<&mut TestFailure> {
        let test = name(test.trim_matches('"'));
        let known = self.failed.iter().position(|failure| failure.name == test);
        let at = known.unwrap_or_else(|| {
            if self.failed.len() < limit::FINDINGS_KEPT {
                let origin = Some(origin("swift-test/text", line));
                self.failed.push(TestFailure { name: test, origin, ..TestFailure::default() });
            }
            self.failed.len() - 1
        });
        self.failed.get_mut(at)
    }

    fn result(&mut self, line: &Line<'_>, captures: &Groups<'_, '_>) {
        let status = captures.status();
        let test = captures.text("test").trim_matches('"').to_owned();
        self.results.case(results::case(&[], &test, None, status));
        if status == TestStatus::Failed {
            self.failure(&test, line);
        }
    }
}

impl LineReader for Tests {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if text.starts_with("Test Case '") {
            if let Some(captures) = CASE.find(text) {
                self.result(line, &captures);
            }
            return Use::Line;
        }
        if text.contains(": error: ")
            && let Some(captures) = ASSERTION.find(text)
        {
            self.issue(line, &captures);
            return Use::Line;
        }
        if text.contains("Executed ") && EXECUTED.is_match(text) {
            self.summaries += 1;
            return Use::Line;
        }
        if !text.contains(" Test ") {
            return if text.starts_with("Test Suite '") { Use::Line } else { Use::None };
        }
        if RUN.is_match(text) {
            self.summaries += 1;
        } else if let Some(captures) = ISSUE.find(text) {
            self.issue(line, &captures);
        } else if let Some(captures) = TEST.find(text) {
            self.result(line, &captures);
        } else {
            return Use::None;
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        if self.summaries == 0 && self.results.seen.total == 0 {
            return None;
        }
        for failure in self.failed {
            self.results.failure(failure);
        }
        let mut tests = self.results.finish("swift-test", CountAuthority::Summary);
        if 0 < self.summaries {
            tests.authority = CountAuthority::Summary;
        }
        Some(Candidate { format: "text", tests: Some(tests), ..Candidate::default() })
    }
}

#[cfg(test)]
mod unit {
    use referee_model::record::Stream;

    use super::*;

    #[test]
    fn both_runners_are_read() {
        let text = "Test Suite 'All tests' started at 2026-01-01 10:00:00.000\nTest Case 'ATests.testX' started at x\n/p/ATests.swift:12: error: ATests.testX : XCTAssertEqual failed: (\"1\") is not equal to (\"2\") - \nTest Case 'ATests.testX' failed (0.1 seconds)\nTest Case '-[A.ATests testY]' passed (0.0 seconds).\n\t Executed 2 tests, with 1 failure (0 unexpected) in 0.1 (0.1) seconds\n◇ Test run started.\n◇ Test adds() started.\n✘ Test adds() recorded an issue at ATests.swift:9:5: Expectation failed: (a → 1) == 2\n✘ Test adds() failed after 0.001 seconds with 1 issue.\n✔ Test \"named\" passed after 0.001 seconds.\n✘ Test run with 2 tests failed after 0.001 seconds with 1 issue.\n";
        let mut reader = Box::new(Tests::default());
        for text in text.lines() {
            let end = text.len() as u64;
            reader.line(&Line::new(text, Stream::Stdout, 0..end));
        }
        let tests = reader.finish().and_then(|candidate| candidate.tests).unwrap();
        assert_eq!((tests.counts.passed, tests.counts.failed), (2, 2));
        let places: Vec<_> = tests.failures.iter().map(|failure| (failure.name.as_str(), failure.line)).collect();
        assert_eq!(places, [("ATests.testX", Some(12)), ("adds()", Some(9))]);
    }
}
