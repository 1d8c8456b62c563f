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

use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestFailure};

use crate::candidate::{self, Candidate, LineReader, Use, name, origin};
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::dotnet::Body;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "nunit",
    aliases: &["nunit3-console", "nunit-console", "nunit-xml", "nunit3"],
    role: Role::Test,
    lines: &[LineFormat {
        prefilter: &[
            "Test Count: ",
            "Tests run: ",
            ") Failed : ",
            ") Error : ",
            ") Test Failure : ",
            ") Test Error : ",
            ") Invalid : ",
        ],
        reader: |_| Box::new(NUnit::default()),
    }],
    documents: crate::formats::nunit::DOCUMENTS,
    merge: candidate::together,
};

static FAILED: Pattern = Pattern::new(
    r"^\d+\) (?:SetUp |TearDown |Test )?(?<word>Failed|Error|Failure|Invalid|Warning|Ignored|Explicit|NotRunnable) ?: (?<name>\S.*?)$",
);

/// The counts of version 3.
static COUNT: Pattern = Pattern::new(
    r"^ *Test Count: (?<total>\d+), Passed: (?<passed>\d+), Failed: (?<failed>\d+)(?:, Warnings: (?<warnings>\d+))?, Inconclusive: (?<inconclusive>\d+), Skipped: (?<skipped>\d+)",
);

/// The counts of version 2.
static OLD_COUNT: Pattern = Pattern::new(
    r"^Tests run: (?<run>\d+), Errors: (?<errors>\d+), Failures: (?<failed>\d+), Inconclusive: (?<inconclusive>\d+), Time: ",
);

/// Tests that version 2 did not run.
static NOT_RUN: Pattern = Pattern::new(r"^ +Not run: (?<number>\d+), Invalid: \d+, Ignored: \d+, Skipped: \d+$");

/// Reads what the runner reports.
#[derive(Default)]
struct NUnit {
    results: Results,
    open: Option<(TestFailure, Body)>,
    summary_end: Option<u64>,
}

impl NUnit {
    fn close(&mut self) {
        if let Some((mut failure, body)) = self.open.take() {
            body.fill(&mut failure);
            self.results.failure(failure);
        }
    }

    fn sum_up(&mut self, text: &str, line: &Line<'_>) -> bool {
        let Some(captures) =
            COUNT.captures(text).or_else(|| OLD_COUNT.captures(text)).or_else(|| NOT_RUN.captures(text))
        else {
            return false;
        };
        let number = |group: &str| captures.name(group).and_then(|digits| text::count(digits.as_str())).unwrap_or(0);
        let failed = number("failed") + number("errors");
        let counted = if captures.name("total").is_some() {
            results::counts(number("passed") + number("warnings"), failed, number("inconclusive") + number("skipped"))
        } else if captures.name("run").is_some() {
            let passed = number("run").saturating_sub(failed + number("inconclusive"));
            results::counts(passed, failed, number("inconclusive"))
        } else if self.results.summary.is_some() {
            results::counts(0, 0, number("number"))
        } else {
            return false;
        };
        self.close();
        self.results.sum_up(counted);
        self.summary_end = Some(line.end);
        true
    }
}

impl LineReader for NUnit {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(captures) =
            text.starts_with(|first: char| first.is_ascii_digit()).then(|| FAILED.captures(text)).flatten()
        {
            self.close();
            if ["Failed", "Error", "Failure", "Invalid"].contains(&&captures["word"]) {
                let failure = TestFailure {
                    name: name(&captures["name"]),
                    origin: Some(origin("nunit/text", line)),
                    ..TestFailure::default()
                };
                self.open = Some((failure, Body::default()));
            }
            return Use::Line;
        }
        if (text.contains("Test Count: ") || text.contains("un: ")) && self.sum_up(text, line) {
            return Use::Line;
        }
        let Some((failure, body)) = &mut self.open else {
            return Use::None;
        };
        let is_over = matches!(text, "Run Settings" | "Test Run Summary") || (text.is_empty() && body.has_stack());
        if is_over || !body.line(text) {
            self.close();
            return Use::None;
        }
        if let Some(origin) = failure.origin.as_mut().filter(|_| !text.is_empty()) {
            origin.end = line.end;
        }
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        self.results.summary?;
        let tests = self.results.finish("nunit", CountAuthority::Summary);
        Some(Candidate { format: "text", tests: Some(tests), summary_end: self.summary_end, ..Candidate::default() })
    }
}
