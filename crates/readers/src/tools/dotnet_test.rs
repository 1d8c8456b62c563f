//! `dotnet test`: output of `VSTest` for any framework, and of its successor, Microsoft.Testing.Platform.
//!
//! ```text
//!   Failed Tests.Calc.AddsWrong [4 ms]
//!   Error Message:
//!    Assert.Equal() Failure
//!   Stack Trace:
//!      at Tests.Calc.AddsWrong() in /src/CalcTests.cs:line 12
//! Failed!  - Failed:     1, Passed:     7, Skipped:     1, Total:     9, Duration: 12 ms - tests.dll (net8.0)
//! ```
//!
//! | closing counts                                             | printed by                               |
//! |------------------------------------------------------------|------------------------------------------|
//! | `Failed!  - Failed:     1, Passed:     7, …`               | `VSTest`, one line per assembly          |
//! | `Total tests: 9`, and `     Passed: 7` and so on below     | `VSTest` with higher verbosity           |
//! | `Total tests: 9. Passed: 7. Failed: 1. Skipped: 1.`        | `VSTest` before version 16               |
//! | `Test summary: total: 9, failed: 1, succeeded: 7, …`       | the terminal logger, once                |
//! | `Test run summary: Failed!`, and `  total: 9` and so on    | Microsoft.Testing.Platform               |

use crate::prelude::*;
use crate::shapes::dotnet::DOTNET;
use crate::tools::msbuild::{self, MsBuild};

/// `dotnet test`. Compiler errors are findings of the build.
pub(crate) static TOOL: Tool = Tool::new("dotnet-test", &["vstest", "mstest"], Role::Test)
    .lines(&[
        LineFormat::new(
            &[
                "Total tests: ",
                "!  - Failed:",
                "! - Failed:",
                "Test summary: total:",
                "Test run summary:",
                "Test run for ",
                "VSTest version ",
                "Running tests from ",
                "  Error Message:",
                "error TESTERROR:",
            ],
            |_| Box::new(DotnetTest::default()),
        ),
        LineFormat::new(msbuild::PREFILTER, |_| Box::new(MsBuild::new("msbuild", SIGNS, false))),
    ])
    .merge(candidate::together);

/// Texts that identify a build for tests.
const SIGNS: &[&str] =
    &["Test run for ", "VSTest version ", "Failed!  - ", "Passed!  - ", "Test summary: ", "Test run summary: "];

/// A test by name, with its time.
static TEST: Pattern = Pattern::new(
    r"^(?:  (?<word>Failed|Passed|Skipped|X|√|✓|!) (?<name>\S.*?)(?: \[(?:< )?[\d.,]+ ?(?:ms|s|m|h)[^\]]*\])?|(?<lower>failed|passed|skipped) (?<name2>\S.*?) \((?:\d+h )?(?:\d+m )?(?:\d+s )?[\d.,]+ ?m?s\))$",
);

/// A failed test below an entry of the terminal logger.
static IN_BUILD: Pattern =
    Pattern::new(r"^ {6}(?<name>\S.*?) \((?:< ?)?[\d.,]+ ?(?:ms|s|m|h)[^)]*\): Error Message: ?(?<message>.*)$");

/// The counts of one assembly.
static ASSEMBLY: Pattern = Pattern::new(
    r"^(?:Failed|Passed|Skipped)! +- Failed: *(?<failed>\d+), Passed: *(?<passed>\d+), Skipped: *(?<skipped>\d+), Total: *\d+",
);

/// Other formats of counts on one line.
static ONE_LINE: Pattern = Pattern::new(
    r"^(?:Test summary: total: \d+, failed: (?<failed>\d+), succeeded: (?<passed>\d+), skipped: (?<skipped>\d+)|Total tests: \d+\. Passed: (?<passed2>\d+)\. Failed: (?<failed2>\d+)\. Skipped: (?<skipped2>\d+)\.)",
);

/// One of several lines with counts.
static ONE_COUNT: Pattern =
    Pattern::new(r"^ {1,9}(?<what>Passed|Failed|Skipped|total|failed|succeeded|skipped|error): (?<number>\d+)$");

/// Headings of the parts of a failure, which belong to no message.
const PARTS: &[&str] = &["Error Message:", "Stack Trace:"];

/// Headings of the output that a test printed.
const PRINTED: &[&str] = &[
    "Standard Output Messages:",
    "Standard Error Messages:",
    "Debug Traces Messages:",
    "Additional Info Messages:",
    "Standard output",
    "Error output",
];

/// Reads the tests of all assemblies.
#[derive(Default)]
struct DotnetTest {
    runs: Runs,
    /// Whether the output of the open failure's test follows.
    is_printed: bool,
    /// Indentation of the open failure's lines, in spaces.
    indent: usize,
    /// Counts below `Total tests:` or `Test run summary:`.
    block: Option<TestCounts>,
    has_vstest: bool,
}

impl DotnetTest {
    fn close_block(&mut self) {
        if let Some(block) = self.block.take().filter(|block| 0 < block.total) {
            self.runs.add_up(block);
        }
    }

    /// Handles a line that names a test.
    fn test(&mut self, text: &str, line: &Line<'_>) -> bool {
        let Some(found) = TEST.find(text).or_else(|| IN_BUILD.find(text)) else { return false };
        let is_bare = found.has("lower");
        // Without its time, a line of this shape may be anything.
        if found.has("word") && !text.ends_with(']') && self.runs.open.is_none() && !self.has_vstest {
            return false;
        }
        let status = match found.get("word").or(found.get("lower")) {
            Some("Failed" | "failed" | "X") | None => TestStatus::Failed,
            Some("Skipped" | "skipped" | "!") => TestStatus::Skipped,
            _ => TestStatus::Passed,
        };
        self.runs.close();
        self.runs.case(results::case(&[], found.text("name"), None, status));
        if status == TestStatus::Failed {
            self.runs.open(found.failing("dotnet-test/text", line).told_in(&DOTNET));
            self.is_printed = false;
            self.indent = if is_bare { 2 } else { 6 * usize::from(!found.has("word")) };
        }
        true
    }

    fn sum_up(&mut self, text: &str, line: &Line<'_>) -> bool {
        let begins_block = text.starts_with("Total tests: ") || text.starts_with("Test run summary: ");
        let counts = ASSEMBLY.find(text).or_else(|| ONE_LINE.find(text)).and_then(|found| found.tests());
        if begins_block || counts.is_some() {
            self.runs.close();
            self.close_block();
            match counts {
                Some(counts) => self.runs.add_up(counts),
                None => self.block = Some(TestCounts::default()),
            }
            self.runs.end = Some(line.end);
            return true;
        }
        let Some(block) = &mut self.block else { return false };
        let Some(found) = ONE_COUNT.find(text) else {
            if !text.trim_start().starts_with("Total time") && !text.trim_start().starts_with("duration:") {
                self.close_block();
            }
            return false;
        };
        let status = match found.text("what") {
            "Passed" | "succeeded" => Some(TestStatus::Passed),
            "Failed" | "failed" => Some(TestStatus::Failed),
            "Skipped" | "skipped" => Some(TestStatus::Skipped),
            _ => None,
        };
        if let Some(status) = status {
            results::add(block, status, found.number("number"));
        }
        self.runs.end = Some(line.end);
        true
    }

    /// Handles a line below a failed test.
    fn detail(&mut self, text: &str, line: &Line<'_>) -> bool {
        let trimmed = text.trim();
        let is_over = text::indent(text) < self.indent
            || (trimmed.is_empty() && self.runs.has_stack())
            || text.starts_with("[xUnit.net ");
        if is_over {
            self.runs.close();
        }
        let Some(open) = &mut self.runs.open else { return false };
        let is_heading = PARTS.contains(&trimmed);
        self.is_printed = PRINTED.iter().any(|part| trimmed.starts_with(part)) || self.is_printed && !is_heading;
        if is_heading || self.is_printed || trimmed.starts_with("from ") {
            open.extend(line);
            return true;
        }
        self.runs.add(line, trimmed)
    }
}

impl LineReader for DotnetTest {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if ["Test run for ", "VSTest version ", "Running tests from "].iter().any(|start| text.starts_with(start)) {
            self.runs.close();
            self.close_block();
            self.has_vstest = true;
            return Use::Line;
        }
        if self.sum_up(text, line) || self.test(text, line) {
            return Use::Line;
        }
        let is_verdict = matches!(text, "Test Run Failed." | "Test Run Successful." | "Test Run Aborted.");
        if is_verdict || text.ends_with("error TESTERROR:") {
            self.runs.close();
            self.has_vstest |= is_verdict;
            return Use::Line;
        }
        self.detail(text, line).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.runs.close();
        self.close_block();
        let is_told = self.has_vstest || self.runs.is_summed_up();
        (is_told && !self.runs.is_empty()).then(|| self.runs.candidate("dotnet-test", "vstest"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::claimed;
    use referee_model::reading::TestResults;

    fn read(text: &str) -> TestResults {
        claimed(Box::new(DotnetTest::default()), text).and_then(|candidate| candidate.tests).unwrap_or_default()
    }

    #[test]
    fn closing_counts_have_many_forms() {
        for text in [
            "Failed!  - Failed:     1, Passed:     7, Skipped:     2, Total:    10, Duration: 12 ms - tests.dll (net8.0)\n",
            "Total tests: 10\n     Passed: 7\n     Failed: 1\n    Skipped: 2\n Total time: 1.2 Seconds\n",
            "Total tests: 10. Passed: 7. Failed: 1. Skipped: 2.\nTest Run Failed.\n",
            "Test summary: total: 10, failed: 1, succeeded: 7, skipped: 2, duration: 3.0s\n",
            "Test run summary: Failed! - bin/tests.dll (net8.0|x64)\n  total: 10\n  failed: 1\n  succeeded: 7\n  skipped: 2\n  duration: 232ms\n",
        ] {
            let tests = read(text);
            assert_eq!((tests.counts, tests.authority), (results::counts(7, 1, 2), CountAuthority::Summary), "{text}");
        }
        let two =
            "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 9 ms - a.dll (net8.0)\n"
                .repeat(2);
        assert_eq!(read(&two).counts, results::counts(6, 0, 0));
    }

    #[test]
    fn failures_have_message_and_place() {
        for text in [
            "Test run for /a/t.dll (.NETCoreApp,Version=v8.0)\n  Failed T.Calc.Adds(a: 1) [4 ms]\n  Error Message:\n   Assert.Equal() Failure\nExpected: 4\nActual:   3\n  Stack Trace:\n     at T.Calc.Adds(Int32 a) in /src/C.cs:line 12\n   at System.X()\n  Standard Output Messages:\n   Failed x\n\nFailed!  - Failed:     1, Passed:     0, Skipped:     0, Total:     1, Duration: 9 ms - a.dll (net8.0)\n",
            "Running tests from /a/t.dll (net8.0|x64)\nfailed T.Calc.Adds(a: 1) (12ms)\n  Assert.Equal() Failure\n  Expected: 4\n  Actual:   3\n    at T.Calc.Adds(Int32 a) in /src/C.cs:12\n\nTest run summary: Failed! - t.dll\n  total: 1\n  failed: 1\n  succeeded: 0\n  skipped: 0\n",
            "  t test failed with 1 error(s) (0.9s)\n    /src/C.cs(12): error TESTERROR: \n      T.Calc.Adds(a: 1) (2ms): Error Message: Assert.Equal() Failure\n      Expected: 4\n      Actual:   3\n      Stack Trace:\n         at T.Calc.Adds(Int32 a) in /src/C.cs:line 12\n\nTest summary: total: 1, failed: 1, succeeded: 0, skipped: 0, duration: 0.9s\n",
        ] {
            let tests = read(text);
            assert_eq!(tests.counts, results::counts(0, 1, 0), "{text}");
            let failure = &tests.failures[0];
            assert_eq!(failure.name, "T.Calc.Adds(a: 1)");
            assert_eq!((failure.file.as_deref(), failure.line), (Some("/src/C.cs"), Some(12)));
            assert_eq!(failure.message, "Assert.Equal() Failure\nExpected: 4\nActual:   3");
        }
    }

    #[test]
    fn other_lines_are_no_tests() {
        for text in ["  Failed to load x\n", "failed to do it (3ms)\n", "  Passed it on [really]\n"] {
            assert_eq!(read(text), TestResults::default(), "{text}");
        }
    }
}
