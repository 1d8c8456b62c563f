//! Cypress: each spec file in Mocha's format, below `Running:  calc.cy.js  (1 of 2)`, and tables of results.
//!
//! ```text
//!   (Run Finished)
//!        Spec                          Tests  Passing  Failing  Pending  Skipped
//!   │ ✖  calc.cy.js         00:02        2        1        1        -        - │
//!     ✖  1 of 1 failed      00:02        2        1        1        -        -
//! ```

use crate::candidate::add_counts;
use crate::prelude::*;
use crate::tools::mocha;

pub(crate) static TOOL: Tool = Tool::new("cypress", &[], Role::Test)
    .lines(&[LineFormat::new(&["(Run Starting)", "(Run Finished)"], |is_hinted| Box::new(Report::new(is_hinted)))])
    .merge(runs::one_run);

const FRAMEWORK: &str = "cypress";

/// `  Running:  calc.cy.js                    (1 of 2)`.
static RUNNING: Pattern = Pattern::new(r"^  Running:  (?<file>\S.*?) +\(\d+ of \d+\)$");

/// `    ✖  1 of 1 failed (100%)    00:02    2    1    1    -    -`.
static TOTAL: Pattern = Pattern::new(
    r"^ +(?:[✖×✔√] +)?(?:\d+ of \d+ failed \(\d+%\)|All specs passed!|\d+ of \d+ passed.*?) +(?:\d[\d:]*|\d+m?s) +(?:\d+|-) +(?:(?<passed>\d{1,9})|-) +(?:(?<failed>\d{1,9})|-) +(?:(?<pending>\d{1,9})|-) +(?:(?<skipped>\d{1,9})|-)$",
);

static TABLE: Pattern = Pattern::new(r"^  (?:│ |[┌└├]─)");

struct Report {
    is_hinted: bool,
    has_run: bool,
    mocha: mocha::text::Report,
    counts: Option<TestCounts>,
    end: Option<u64>,
}

impl Report {
    fn new(is_hinted: bool) -> Self {
        Self { is_hinted, has_run: false, mocha: mocha::text::Report::new(FRAMEWORK, true), counts: None, end: None }
    }

    fn total(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = TOTAL.find(line.text.trim_end()) else { return false };
        add_counts(self.counts.get_or_insert_default(), found.tests().unwrap_or_default());
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
        if let Some(found) = RUNNING.find(text) {
            self.mocha.set_file(found.text("file"));
            return Use::Line;
        }
        (TABLE.is_match(text) || self.total(line) || self.mocha.takes(line)).into()
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let mut runs = self.mocha.into_runs();
        let is_told = self.counts.is_some() || runs.end.is_some();
        if !is_told || !(self.has_run || self.is_hinted) {
            return None;
        }
        if let Some(counts) = self.counts {
            runs.replace(counts);
        }
        runs.end = self.end.or(runs.end);
        Some(runs.candidate(FRAMEWORK, "text"))
    }
}
