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

pub(crate) static TOOL: Tool =
    Tool::new("nunit", &["nunit3-console", "nunit-console", "nunit-xml", "nunit3"], Role::Test)
        .lines(&[LineFormat::new(
            &[
                "Test Count: ",
                "Tests run: ",
                ") Failed : ",
                ") Error : ",
                ") Test Failure : ",
                ") Test Error : ",
                ") Invalid : ",
            ],
            |_| Box::new(NUnit::default()),
        )])
        .documents(crate::formats::nunit::DOCUMENTS)
        .merge(candidate::together);

static FAILED: Pattern = Pattern::new(
    r"^\d+\) (?:SetUp |TearDown |Test )?(?:Failed|Error|Failure|Invalid|(?<other>Warning|Ignored|Explicit|NotRunnable)) ?: (?<name>\S.*?)$",
);

/// The counts of version 3, and those of version 2.
static COUNT: Pattern = Pattern::new(
    r"^(?: *Test Count: (?<total>\d+), Passed: \d+, Failed: (?<failed>\d+)(?:, Warnings: \d+)?, Inconclusive: (?<pending>\d+), Skipped: (?<skipped>\d+)|Tests run: (?<total2>\d+), Errors: (?<errors>\d+), Failures: (?<failed2>\d+), Inconclusive: (?<pending2>\d+), Time: )",
);

/// Tests that version 2 did not run.
static NOT_RUN: Pattern = Pattern::new(r"^ +Not run: (?<skipped>\d+), Invalid: \d+, Ignored: \d+, Skipped: \d+$");

/// Reads the report of the runner.
#[derive(Default)]
struct NUnit {
    runs: Runs,
}

impl NUnit {
    fn sum_up(&mut self, text: &str, line: &Line<'_>) -> bool {
        if let Some(counts) = COUNT.find(text).and_then(|found| found.tests()) {
            self.runs.sum_up_at(line, counts);
            return true;
        }
        let (Some(found), Some(sum)) = (NOT_RUN.find(text), self.runs.summary_mut()) else { return false };
        results::add(&mut sum.tests, TestStatus::Skipped, found.number("skipped"));
        self.runs.end = Some(line.end);
        true
    }
}

impl LineReader for NUnit {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(found) = FAILED.find(text) {
            self.runs.close();
            if !found.has("other") {
                self.runs.open(found.failing("nunit/text", line).told_in(&DOTNET));
            }
            return Use::Line;
        }
        if self.sum_up(text, line) {
            return Use::Line;
        }
        if matches!(text, "Run Settings" | "Test Run Summary") || (text.is_empty() && self.runs.has_stack()) {
            self.runs.close();
        }
        self.runs.add(line, text.trim()).into()
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        self.runs.end?;
        Some(self.runs.candidate("nunit", "text"))
    }
}
