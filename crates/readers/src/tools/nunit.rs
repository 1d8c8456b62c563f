//! The console runner of `NUnit`, version 3, and the counts of version 2.
//!
//! ```text
//! 1) Failed : Tests.Calc.AddsWrong
//!   Expected: 4
//!   But was:  3
//! at Tests.Calc.AddsWrong() in /src/CalcTests.cs:line 12
//!
//! Test Run Summary
//!   Overall result: Failed
//!   Test Count: 9, Passed: 5, Failed: 2, Warnings: 0, Inconclusive: 1, Skipped: 1
//! ```

use crate::prelude::*;
use crate::shapes::dotnet::DOTNET;
use crate::test_rows::{TestRows, failed, heading, more, sum};

pub(crate) static TOOL: Tool =
    Tool::new("nunit", &["nunit3-console", "nunit-console", "nunit-xml", "nunit3"], Role::Test)
        .lines(&[LineFormat::tests(
            &[
                "Test Count: ",
                "Tests run: ",
                ") Failed : ",
                ") Error : ",
                ") Test Failure : ",
                ") Test Error : ",
                ") Invalid : ",
            ],
            &TEXT,
        )])
        .documents(crate::formats::nunit::DOCUMENTS)
        .merge(candidate::together);

static TEXT: TestRows = TestRows::new("nunit", "text").details(&DOTNET, 0).trimmed().rows(&[
    failed(r"^\d+\) (?:SetUp |TearDown |Test )?(?:Failed|Error|Failure|Invalid) ?: (?<name>\S.*)$"),
    heading(r"^\d+\) (?:SetUp |TearDown |Test )?(?:Warning|Ignored|Explicit|NotRunnable) ?: \S"),
    heading(r"^(?:Run Settings|Test Run Summary)$"),
    // Version 3.
    sum(
        r"^ *Test Count: (?<total>\d+), Passed: \d+, Failed: (?<failed>\d+)(?:, Warnings: \d+)?, Inconclusive: (?<pending>\d+), Skipped: (?<skipped>\d+)",
    ),
    // Version 2, and the tests that it did not run.
    sum(
        r"^Tests run: (?<total>\d+), Errors: (?<errors>\d+), Failures: (?<failed>\d+), Inconclusive: (?<pending>\d+), Time: ",
    ),
    more(r"^ +Not run: (?<skipped>\d+), Invalid: \d+, Ignored: \d+, Skipped: \d+$"),
]);
