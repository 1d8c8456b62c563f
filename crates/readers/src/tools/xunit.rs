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

pub(crate) static TOOL: Tool = Tool::new("xunit", &["xunit-console", "xunit.console", "xunit-xml"], Role::Test)
    .lines(&[LineFormat::new(&["xUnit.net ", " [FAIL]", "  Total: "], |_| Box::new(XUnit::default()))])
    .documents(crate::formats::xunit::DOCUMENTS)
    .merge(candidate::together);

static FAILED: Pattern = Pattern::new(r"^    (?<name>\S.*) \[FAIL\]$");

/// The counts of one assembly. Errors do not belong to a test.
static COUNT: Pattern = Pattern::new(
    r"^ +\S.*?  +Total: *(?<total>\d+), Errors: *(?<errors>\d+), Failed: *(?<failed>\d+), Skipped: *(?<skipped>\d+)(?:, Not Run: *(?<not_run>\d+))?, Time: ",
);

/// Reads the report of the runner.
#[derive(Default)]
struct XUnit {
    runs: Runs,
}

impl LineReader for XUnit {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(found) = FAILED.find(text) {
            self.runs.open(found.failing("xunit/text", line).told_in(&DOTNET));
            return Use::Line;
        }
        if let Some(found) = COUNT.find(text) {
            let (failed, skipped) = (found.number("failed"), found.number("skipped") + found.number("not_run"));
            let passed = found.number("total").saturating_sub(failed + skipped);
            self.runs.sum_up_at(line, results::counts(passed, failed + found.number("errors"), skipped));
            return Use::Line;
        }
        if text::indent(text) < 6 && !text.is_empty() {
            self.runs.close();
        }
        match (text.trim(), &mut self.runs.open) {
            (_, None) => return Use::None,
            ("Output:", _) => self.runs.close(),
            ("Stack Trace:", Some(open)) => open.extend(line),
            (said, _) => return self.runs.add(line, said).into(),
        }
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        self.runs.end?;
        Some(self.runs.candidate("xunit", "text"))
    }
}
