//! Text formats of test runners as rows: a pattern for each kind of line that a runner prints, and the role of
//! such a line.
//!
//! ```text
//! a_test.c:                                            heading   (file)
//!   adds ... ok                                        test      (name, status)
//!   divides ... FAILED                                 failed    (name)
//!     a_test.c:7: expected 2, not 3                    part      (file, line, message)
//! 1 passed, 1 failed                                   sum       (passed, failed)
//! ```
//!
//! Rows are tried in order; the first that matches takes the line. A line that none matches belongs to the open
//! failure, if the format has [details](TestRows::details). Groups of a pattern have fixed names:
//!
//! | group                           | meaning                                                                   |
//! |---------------------------------|---------------------------------------------------------------------------|
//! | `name`                          | the test; in a part, only if the failure has no name yet                  |
//! | `suite`                         | the suite or class; in a heading it applies to all tests below            |
//! | `broken`                        | instead of a name: a suite or file that did not run                       |
//! | `status`, `ms`                  | the result, in the words of [`results::status`], and the time             |
//! | `number`                        | the number of a failure: those of a section are counted from 1            |
//! | `file`, `line`, `column`        | the location; the file of a heading applies to all tests below            |
//! | `message`                       | the message, which further lines may continue                             |
//! | `expected`, `received`          | the compared values                                                       |
//! | `passed`, `failed`, `skipped`   | in a sum: number of tests; in another line: number so far                 |
//! | `errors`, `pending`             | further failed and skipped tests                                          |
//! | `outside`                       | in a sum: number of suites that did not run                               |
//! | `warnings`                      | in a sum: number of tests with a warning, which some runners count failed |
//! | `version`                       | in a heading: the major version of the runner                             |
//! | `total`, `ran`                  | number of all tests, with and without those that were skipped             |
//! | `list`                          | such numbers, each with its word: `1 failed, 2 passed, 3 total`           |
//!
//! Where alternatives mean the same, their groups are numbered from 2: `line`, `line2`.
//!
//! [`results::status`]: crate::shapes::results::status

mod numbers;
mod progress;
mod reader;
mod row;

use std::sync::OnceLock;

use crate::candidate::LineReader;
use crate::pattern::ends::EndTable;
use crate::row_declaration::with_options;
use crate::shapes::failing::Language;
pub(crate) use progress::Progress;
pub(crate) use row::{
    TestRow, count, failed, frame, heading, more, part, place, run, skipped, started, suites, sum, test, within,
};

with_options! {
    /// A text format of a test runner.
    TestRows {
        tool: &'static str,
        format: &'static str,
        // The rule that failures are attributed to, `tool/format`.
        rule: String,
        list: Vec<TestRow>,
        // The rows that a line may match by its ends.
        by_ends: OnceLock<EndTable>,
        details: Option<Details>,
    }
    flags {
        /// Removes all indentation from details.
        trimmed,
        /// Leaves blank lines out of messages.
        skips_blank_lines,
        /// Allows blank lines below the stack of a failure.
        spans_blank_lines,
        /// Lets the format yield to CTest, of whose tests it is often the output.
        within_ctest,
        /// Accepts only output with a sum, even if the command identifies the tool: other tools print the other lines
        /// too.
        needs_sum,
    }
    values {
        /// Sets the text between a suite and the name of a test in it, if it is not ` > `.
        joint: &'static str,
        /// Sets a function that completes each run at its end.
        end: fn(&mut Progress),
    }
}

/// How lines below the heading of a failure are read.
#[derive(Clone, Copy)]
pub(crate) struct Details {
    language: &'static Language,
    /// Minimum indentation, which is removed.
    indent: usize,
}

impl TestRows {
    pub(crate) fn new(tool: &'static str, format: &'static str) -> Self {
        Self::of(tool, format, format!("{tool}/{format}"), Vec::new(), OnceLock::new(), None)
    }

    /// Sets the rule that failures are attributed to, if it is not the tool's with this format.
    pub(crate) fn rule(mut self, rule: &str) -> Self {
        rule.clone_into(&mut self.rule);
        self
    }

    /// Sets the rows, in the order in which they are tried.
    pub(crate) fn rows(mut self, rows: impl Into<Vec<TestRow>>) -> Self {
        self.list = rows.into();
        self
    }

    /// Adds lines that no row matches to the failure above them: its message and stack in a language, indented by
    /// at least as many columns. A blank line below a stack ends the failure.
    pub(crate) fn details(mut self, language: &'static Language, indent: usize) -> Self {
        self.details = Some(Details { language, indent });
        self
    }

    /// Returns the rows that a text may match by its first and last byte, in their order.
    fn admitted(&self, text: &str) -> impl Iterator<Item = &TestRow> {
        let table = self.by_ends.get_or_init(|| EndTable::new(self.list.iter().map(|row| row.pattern.ends())));
        table.admitted(text).map(|row| &self.list[row])
    }

    /// Creates the reader of one stream.
    pub(crate) fn reader(&'static self, is_hinted: bool) -> Box<dyn LineReader> {
        Box::new(reader::Reader::new(self, is_hinted))
    }
}
