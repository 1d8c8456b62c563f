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
use crate::test_rows::{TestRows, heading, more, part, sum, test, within};
use crate::tools::msbuild::{self, MsBuild};
use crate::tools::tsc;

/// `dotnet test`. Compiler errors are findings of the build.
pub(crate) static TOOL: Tool = Tool::new("dotnet-test", &["vstest", "mstest"], Role::Test)
    .lines(&[
        LineFormat::tests(
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
            &TEXT,
        ),
        LineFormat::new(msbuild::PREFILTER, |_| Box::new(MsBuild::new("msbuild", SIGNS, false))).unless(tsc::is_plain),
    ])
    .merge(candidate::together);

/// Texts that identify a build for tests.
const SIGNS: &[&str] =
    &["Test run for ", "VSTest version ", "Failed!  - ", "Passed!  - ", "Test summary: ", "Test run summary: "];

static TEXT: TestRows = TestRows::new("dotnet-test", "vstest").rule("dotnet-test/text").details(&DOTNET, 0).trimmed().rows(&[
    heading(r"^(?:Test run for |VSTest version |Running tests from |Test Run (?:Failed|Successful|Aborted)\.$)")
        .names_tool()
        .enters(""),
    heading(r"error TESTERROR:$"),
    // The counts of one assembly.
    sum(
        r"^(?:Failed|Passed|Skipped)! +- Failed: *(?<failed>\d+), Passed: *(?<passed>\d+), Skipped: *(?<skipped>\d+), Total: *\d+",
    ),
    sum(r"^Test summary: total: \d+, failed: (?<failed>\d+), succeeded: (?<passed>\d+), skipped: (?<skipped>\d+)"),
    sum(r"^Total tests: \d+\. Passed: (?<passed>\d+)\. Failed: (?<failed>\d+)\. Skipped: (?<skipped>\d+)\."),
    sum(r"^(?:Total tests: |Test run summary: )").counts(|_, _| Some(TestCounts::default())).enters("sum"),
    more(
        r"^ {1,9}(?:(?:Passed|succeeded): (?<passed>\d+)|(?:Failed|failed): (?<failed>\d+)|(?:Skipped|skipped): (?<skipped>\d+))$",
    )
    .inside("sum"),
    within(r"^ {1,9}(?:total|error): \d+$").inside("sum"),
    test(r"^  (?<status>Failed|Passed|Skipped|X|√|✓|!) (?<name>\S.*?) \[(?:< )?[\d.,]+ ?(?:ms|s|m|h)[^\]]*\]$")
        .enters("failure"),
    // Without its time, a line of this shape may be anything.
    test(r"^  (?<status>Failed|Passed|Skipped|X|√|✓|!) (?<name>\S.*)$")
        .check(|at, _| at.is_known || at.runs.open.is_some())
        .enters("failure"),
    test(r"^(?<status>failed|passed|skipped) (?<name>\S.*?) \((?:\d+h )?(?:\d+m )?(?:\d+s )?[\d.,]+ ?m?s\)$")
        .enters("failure"),
    // Below an entry of the terminal logger.
    test(r"^ {6}(?<name>\S.*?) \((?:< ?)?[\d.,]+ ?(?:ms|s|m|h)[^)]*\): Error Message: ?(?<message>.*)$")
        .status(TestStatus::Failed)
        .enters("failure"),
    heading(r"^\[xUnit\.net "),
    part(r"^ *(?:Error Message|Stack Trace):$").enters("failure"),
    part(
        r"^ *(?:Standard Output Messages:|Standard Error Messages:|Debug Traces Messages:|Additional Info Messages:|Standard output|Error output)",
    )
    .enters("output"),
    part(r"^").inside("output"),
    part(r"^ *from "),
]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::claimed;
    use referee_model::reading::TestResults;

    fn read(text: &str) -> TestResults {
        claimed(TEXT.reader(false), text).and_then(|candidate| candidate.tests).unwrap_or_default()
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
