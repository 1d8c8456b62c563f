//! `dotnet test`: what `VSTest` prints of any framework, and what its successor, Microsoft.Testing.Platform, does.
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
//! | `Failed!  - Failed:     1, Passed:     7, …`               | `VSTest`, one line an assembly           |
//! | `Total tests: 9`, and `     Passed: 7` and so on below     | `VSTest` with more words                 |
//! | `Total tests: 9. Passed: 7. Failed: 1. Skipped: 1.`        | `VSTest` before version 16               |
//! | `Test summary: total: 9, failed: 1, succeeded: 7, …`       | the terminal logger, once                |
//! | `Test run summary: Failed!`, and `  total: 9` and so on    | Microsoft.Testing.Platform               |

use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestCounts, TestFailure, TestStatus};

use crate::candidate::{self, Candidate, LineReader, Use, name, origin};
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::dotnet::Body;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};
use crate::tools::msbuild::{self, MsBuild};

/// `dotnet test`. What does not compile is a finding of the build.
pub(crate) const TOOL: Tool = Tool {
    name: "dotnet-test",
    aliases: &["vstest", "mstest"],
    role: Role::Test,
    lines: &[
        LineFormat {
            prefilter: &[
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
            reader: |_| Box::new(DotnetTest::default()),
        },
        LineFormat { prefilter: msbuild::PREFILTER, reader: |_| Box::new(MsBuild::new("msbuild", SIGNS, false)) },
    ],
    documents: &[],
    merge: candidate::together,
};

/// What tells that a build was one for tests.
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

/// Counts on one line in other words.
static ONE_LINE: Pattern = Pattern::new(
    r"^(?:Test summary: total: \d+, failed: (?<failed>\d+), succeeded: (?<passed>\d+), skipped: (?<skipped>\d+)|Total tests: \d+\. Passed: (?<passed2>\d+)\. Failed: (?<failed2>\d+)\. Skipped: (?<skipped2>\d+)\.)",
);

/// One count of several lines.
static ONE_COUNT: Pattern =
    Pattern::new(r"^ {1,9}(?<what>Passed|Failed|Skipped|total|failed|succeeded|skipped|error): (?<number>\d+)$");

/// Lines that head the parts of a failure, and belong to no message.
const PARTS: &[&str] = &["Error Message:", "Stack Trace:"];

/// Lines below which is what a test printed.
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
    results: Results,
    open: Option<Open>,
    /// Counts below `Total tests:` or `Test run summary:`.
    block: Option<TestCounts>,
    has_vstest: bool,
    summary_end: Option<u64>,
}

/// A failed test whose lines are being read.
struct Open {
    failure: TestFailure,
    body: Body,
    /// Whether what the test printed follows.
    is_printed: bool,
    /// How far its lines are indented.
    indent: usize,
}

impl DotnetTest {
    fn close(&mut self) {
        if let Some(Open { mut failure, body, .. }) = self.open.take() {
            body.fill(&mut failure);
            self.results.failure(failure);
        }
    }

    fn close_block(&mut self) {
        if let Some(block) = self.block.take().filter(|block| 0 < block.total) {
            self.results.sum_up(block);
        }
    }

    /// Takes a line that names a test.
    fn test(&mut self, text: &str, line: &Line<'_>) -> bool {
        let (printed, status, message, indent) = if let Some(captures) = TEST.captures(text) {
            let word = captures.name("word").or_else(|| captures.name("lower")).map_or("", |it| it.as_str());
            let status = match word {
                "Failed" | "failed" | "X" => TestStatus::Failed,
                "Skipped" | "skipped" | "!" => TestStatus::Skipped,
                _ => TestStatus::Passed,
            };
            let is_bare = captures.name("lower").is_some();
            let printed = captures.name("name").or_else(|| captures.name("name2")).map_or("", |it| it.as_str());
            // Without its time a line of this shape may be anything.
            if !is_bare && !text.ends_with(']') && self.open.is_none() && !self.has_vstest {
                return false;
            }
            (printed.to_owned(), status, String::new(), if is_bare { 2 } else { 0 })
        } else if let Some(captures) = text.contains(": Error Message:").then(|| IN_BUILD.captures(text)).flatten() {
            (captures["name"].to_owned(), TestStatus::Failed, captures["message"].to_owned(), 6)
        } else {
            return false;
        };
        self.close();
        self.results.case(results::case(&[], &printed, None, status));
        if status == TestStatus::Failed {
            let failure = TestFailure {
                name: name(&printed),
                origin: Some(origin("dotnet-test/text", line)),
                ..TestFailure::default()
            };
            let mut body = Body::default();
            if !message.is_empty() {
                body.line(&message);
            }
            self.open = Some(Open { failure, body, is_printed: false, indent });
        }
        true
    }

    fn sum_up(&mut self, text: &str, line: &Line<'_>) -> bool {
        let captures = match text.as_bytes().first() {
            Some(b'F' | b'P' | b'S') => ASSEMBLY.captures(text),
            Some(b'T') => ONE_LINE.captures(text),
            _ => None,
        };
        if let Some(captures) = captures {
            let number = |one: &str, other: &str| {
                captures.name(one).or_else(|| captures.name(other)).and_then(|it| text::count(it.as_str())).unwrap_or(0)
            };
            self.close();
            self.close_block();
            let (passed, failed, skipped) =
                (number("passed", "passed2"), number("failed", "failed2"), number("skipped", "skipped2"));
            self.results.sum_up(results::counts(passed, failed, skipped));
            self.summary_end = Some(line.end);
            return true;
        }
        if text.starts_with("Total tests: ") || text.starts_with("Test run summary: ") {
            self.close();
            self.close_block();
            self.block = Some(TestCounts::default());
            self.summary_end = Some(line.end);
            return true;
        }
        let Some(block) = &mut self.block else {
            return false;
        };
        let Some(captures) = ONE_COUNT.captures(text) else {
            if !text.trim_start().starts_with("Total time") && !text.trim_start().starts_with("duration:") {
                self.close_block();
            }
            return false;
        };
        let number = text::count(&captures["number"]).unwrap_or(0);
        match &captures["what"] {
            "Passed" | "succeeded" => results::add(block, TestStatus::Passed, number),
            "Failed" | "failed" => results::add(block, TestStatus::Failed, number),
            "Skipped" | "skipped" => results::add(block, TestStatus::Skipped, number),
            _ => {}
        }
        self.summary_end = Some(line.end);
        true
    }
}

impl LineReader for DotnetTest {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.starts_with("Test run for ")
            || text.starts_with("VSTest version ")
            || text.starts_with("Running tests from ")
        {
            self.close();
            self.close_block();
            self.has_vstest = true;
            return Use::Line;
        }
        if self.sum_up(text, line) || self.test(text, line) {
            return Use::Line;
        }
        if text.ends_with("error TESTERROR:") {
            self.close();
            return Use::Line;
        }
        if matches!(text, "Test Run Failed." | "Test Run Successful." | "Test Run Aborted.") {
            self.close();
            self.has_vstest = true;
            return Use::Line;
        }
        let Some(open) = &mut self.open else {
            return Use::None;
        };
        let trimmed = text.trim();
        let is_over = (0 < open.indent && text::indent(text) < open.indent)
            || (trimmed.is_empty() && open.body.has_stack())
            || text.starts_with("[xUnit.net ");
        if is_over {
            self.close();
            return Use::None;
        }
        if PRINTED.iter().any(|part| trimmed.starts_with(part)) {
            open.is_printed = true;
        } else if PARTS.contains(&trimmed) {
            open.is_printed = false;
        } else if !open.is_printed && !trimmed.starts_with("from ") && !open.body.line(text) {
            self.close();
            return Use::None;
        }
        if let Some(origin) =
            self.open.as_mut().and_then(|open| open.failure.origin.as_mut()).filter(|_| !line.is_blank())
        {
            origin.end = line.end;
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        self.close_block();
        if self.results.is_empty() {
            return None;
        }
        let mut notes = Vec::new();
        if self.results.summary.is_none() {
            if !self.has_vstest {
                return None;
            }
            notes.push("the run of tests was not summed up; what its lines say was counted".to_owned());
        }
        let tests = self.results.finish("dotnet-test", CountAuthority::Summary);
        Some(Candidate {
            format: "vstest",
            tests: Some(tests),
            notes,
            summary_end: self.summary_end,
            ..Candidate::default()
        })
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
