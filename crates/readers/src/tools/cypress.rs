//! Cypress: each spec file as Mocha lists it, below `Running:  calc.cy.js  (1 of 2)`, and tables of results.
//!
//! ```text
//!   (Run Finished)
//!        Spec                          Tests  Passing  Failing  Pending  Skipped
//!   │ ✖  calc.cy.js         00:02        2        1        1        -        - │
//!     ✖  1 of 1 failed      00:02        2        1        1        -        -
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use regex::Regex;

use crate::claim::{Claim, LineReader, Use};
use crate::scan::Line;
use crate::shapes::results;
use crate::shapes::runs;
use crate::text;
use crate::tool::{LineFormat, Tool};
use crate::tools::mocha;

/// Cypress.
pub(crate) const TOOL: Tool = Tool {
    name: "cypress",
    aliases: &[],
    role: Role::Test,
    lines: &[LineFormat {
        wakes: &["(Run Starting)", "(Run Finished)"],
        reader: |is_hinted| Box::new(Report::new(is_hinted)),
    }],
    documents: &[],
    settle: runs::one_run,
};

const FRAMEWORK: &str = "cypress";

/// `  Running:  calc.cy.js                    (1 of 2)`.
static RUNNING: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^  Running:  (?<file>\S.*?) +\((?<number>\d+) of (?<total>\d+)\)$"));

/// `    ✖  1 of 1 failed (100%)    00:02    2    1    1    -    -`.
static TOTAL: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^ +(?:[✖×✔√] +)?(?:\d+ of \d+ failed \(\d+%\)|All specs passed!|\d+ of \d+ passed.*?) +(?:\d[\d:]*|\d+m?s) +(?<tests>\d+|-) +(?<passing>\d+|-) +(?<failing>\d+|-) +(?<pending>\d+|-) +(?<skipped>\d+|-)$",
    )
});

struct Report {
    is_hinted: bool,
    has_run: bool,
    mocha: mocha::text::Report,
    counts: Option<referee_model::reading::TestCounts>,
    end: Option<u64>,
}

impl Report {
    fn new(is_hinted: bool) -> Self {
        Self { is_hinted, has_run: false, mocha: mocha::text::Report::new(FRAMEWORK, true), counts: None, end: None }
    }

    fn total(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = TOTAL.captures(line.text.trim_end()) else {
            return false;
        };
        let number = |group: &str| match &captures[group] {
            "-" => Some(0),
            digits => text::count(digits),
        };
        let (Some(passing), Some(failing), Some(pending), Some(skipped)) =
            (number("passing"), number("failing"), number("pending"), number("skipped"))
        else {
            return false;
        };
        let sum = self.counts.get_or_insert_default();
        crate::claim::add_counts(sum, results::counts(passing, failing, pending + skipped));
        self.end = Some(line.end);
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if matches!(text, "  (Run Starting)" | "  (Run Finished)") {
            self.has_run = true;
            return Use::Line;
        }
        if let Some(captures) = text.starts_with("  Running:  ").then(|| RUNNING.captures(text)).flatten() {
            self.mocha.set_file(&captures["file"]);
            return Use::Line;
        }
        let is_table = text.starts_with("  │ ")
            || text.starts_with("  ┌─")
            || text.starts_with("  └─")
            || text.starts_with("  ├─");
        if is_table || self.total(line) || self.mocha.takes(line) { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let (mut runs, mocha_end) = self.mocha.into_runs();
        let is_told = self.counts.is_some() || mocha_end.is_some();
        if !is_told || !(self.has_run || self.is_hinted) {
            return None;
        }
        if let Some(counts) = self.counts {
            runs.replace(counts);
        }
        let (tests, notes) = runs.finish(FRAMEWORK);
        Some(Claim {
            format: "text",
            tests: Some(tests),
            notes,
            summary_end: self.end.or(mocha_end),
            ..Claim::default()
        })
    }
}
