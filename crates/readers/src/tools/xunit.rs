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
    name: "xunit",
    aliases: &["xunit-console", "xunit.console", "xunit-xml"],
    role: Role::Test,
    lines: &[LineFormat { prefilter: &["xUnit.net ", " [FAIL]", "  Total: "], reader: |_| Box::new(XUnit::default()) }],
    documents: crate::formats::xunit::DOCUMENTS,
    merge: candidate::together,
};

/// The counts of one assembly.
static COUNT: Pattern = Pattern::new(
    r"^ +\S.*?  +Total: *(?<total>\d+), Errors: *(?<errors>\d+), Failed: *(?<failed>\d+), Skipped: *(?<skipped>\d+)(?:, Not Run: *(?<not_run>\d+))?, Time: ",
);

/// Reads what the runner reports.
#[derive(Default)]
struct XUnit {
    results: Results,
    open: Option<(TestFailure, Body)>,
    summary_end: Option<u64>,
}

impl XUnit {
    fn close(&mut self) {
        if let Some((mut failure, body)) = self.open.take() {
            body.fill(&mut failure);
            self.results.failure(failure);
        }
    }
}

impl LineReader for XUnit {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(test) = text
            .strip_prefix("    ")
            .and_then(|rest| rest.strip_suffix(" [FAIL]"))
            .filter(|test| !test.starts_with(' '))
        {
            self.close();
            let failure =
                TestFailure { name: name(test), origin: Some(origin("xunit/text", line)), ..TestFailure::default() };
            self.open = Some((failure, Body::default()));
            return Use::Line;
        }
        if let Some(captures) = text.contains(" Total: ").then(|| COUNT.captures(text)).flatten() {
            let number =
                |group: &str| captures.name(group).and_then(|digits| text::count(digits.as_str())).unwrap_or(0);
            self.close();
            let skipped = number("skipped") + number("not_run");
            let passed = number("total").saturating_sub(number("failed") + skipped);
            // What an assembly itself does wrong is none of its tests.
            self.results.sum_up(results::counts(passed, number("failed") + number("errors"), skipped));
            self.summary_end = Some(line.end);
            return Use::Line;
        }
        let Some((failure, body)) = &mut self.open else {
            return Use::None;
        };
        if text::indent(text) < 6 && !text.is_empty() {
            self.close();
            return Use::None;
        }
        let trimmed = text.trim();
        if trimmed == "Output:" {
            self.close();
            return Use::Line;
        }
        if trimmed != "Stack Trace:" && !body.line(text) {
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
        let tests = self.results.finish("xunit", CountAuthority::Summary);
        Some(Candidate { format: "text", tests: Some(tests), summary_end: self.summary_end, ..Candidate::default() })
    }
}
