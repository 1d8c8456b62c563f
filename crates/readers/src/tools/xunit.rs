//! The console runner of xUnit.net:
//!
//! ```text
//!     Tests.Calc.AddsWrong [FAIL]
//!       Assert.Equal() Failure
//!       Stack Trace:
//!         /src/CalcTests.cs(12,0): at Tests.Calc.AddsWrong()
//! === TEST EXECUTION SUMMARY ===
//!    tests  Total: 9, Errors: 0, Failed: 1, Skipped: 1, Time: 0.210s
//! ```

use crate::prelude::*;
use crate::shapes::dotnet::DOTNET;
use crate::test_rows::{TestRows, failed, heading, part, sum};

pub(crate) static TOOL: Tool = Tool::new("xunit", &["xunit-console", "xunit.console", "xunit-xml"], Role::Test)
    .lines(&[LineFormat::tests(&["xUnit.net ", " [FAIL]", "  Total: "], &TEXT)])
    .documents(crate::formats::xunit::DOCUMENTS)
    .merge(candidate::together);

static TEXT: TestRows = TestRows::new("xunit", "text").details(&DOTNET, 6).trimmed().rows(&[
    failed(r"^    (?<name>\S.*) \[FAIL\]$"),
    // The counts of one assembly. Errors do not belong to a test.
    sum(
        r"^ +\S.*?  +Total: *(?<total>\d+), Errors: *(?<errors>\d+), Failed: *(?<failed>\d+), Skipped: *(?<skipped>\d+)(?:, Not Run: *(?<pending>\d+))?, Time: ",
    )
    .counts(|_, sum| {
        let failed = sum.failed.unwrap_or_default();
        let of_tests = results::out_of(sum.total?, failed, sum.skipped());
        Some(results::counts(of_tests.passed, sum.failed(), sum.skipped()))
    }),
    heading(r"^ {6,}Output:$"),
    part(r"^ {6,}Stack Trace:$"),
]);
