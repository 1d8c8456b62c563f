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

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::candidate::LineReader;
use crate::row_declaration::{RowTable, with_options};
use crate::shapes::failing::Language;
pub(crate) use numbers::Numbers;
pub(crate) use progress::Progress;
pub(crate) use row::{
    TestRow, count, failed, frame, heading, more, part, place, run, skipped, started, suites, sum, test, within,
};

with_options! {
    /// A text format of a test runner.
    TestRows {
        tool: &'static str,
        format: &'static str,
        list: &'static [TestRow],
        // Further rows, tried after the others.
        shared: &'static [TestRow],
        table: OnceLock<RowTable<TestRow>>,
        details: Option<Details>,
    }
    flags {
        /// Removes all indentation from details.
        trimmed,
        /// Leaves blank lines out of messages.
        skips_blank_lines,
        /// Allows blank lines below the stack of a failure.
        spans_blank_lines,
        /// Ends a failure at the first blank line.
        ends_at_blank_lines,
        /// Lets the format yield to CTest, of whose tests it is often the output.
        within_ctest,
        /// Accepts only output with a sum, even if the command identifies the tool: other tools print the other lines
        /// too.
        needs_sum,
    }
    values {
        /// Sets the rule that failures are attributed to, if it is not the tool's with this format.
        rule: &'static str,
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
    pub(crate) const fn new(tool: &'static str, format: &'static str) -> Self {
        Self::of(tool, format, &[], &[], OnceLock::new(), None)
    }

    /// Sets the rows, in the order in which they are tried.
    pub(crate) const fn rows(mut self, rows: &'static [TestRow]) -> Self {
        self.list = rows;
        self
    }

    /// Adds rows, tried after the others: one of both lists may be that of several formats.
    pub(crate) const fn and(mut self, rows: &'static [TestRow]) -> Self {
        self.shared = rows;
        self
    }

    fn all(&self) -> impl Iterator<Item = &'static TestRow> {
        self.list.iter().chain(self.shared)
    }

    /// Adds lines that no row matches to the failure above them: its message and stack in a language, indented by
    /// at least as many columns. A blank line below a stack ends the failure.
    pub(crate) const fn details(mut self, language: &'static Language, indent: usize) -> Self {
        self.details = Some(Details { language, indent });
        self
    }

    /// Returns the rule that failures are attributed to.
    fn origin(&self) -> Cow<'static, str> {
        self.rule.map_or_else(|| format!("{}/{}", self.tool, self.format).into(), Cow::Borrowed)
    }

    /// Returns whether a line can begin anything: a row that needs no open failure matches it.
    pub(crate) fn may_begin(&self, line: &str) -> bool {
        let text = line.trim_end();
        let mut admitted = self.table().admitted(text);
        admitted.any(|(row, pattern)| !row.needs_failure() && pattern.is_match(text))
    }

    fn table(&self) -> &RowTable<TestRow> {
        self.table.get_or_init(|| RowTable::new(self.all(), |row| row.pattern))
    }

    /// Creates the reader of one stream.
    pub(crate) fn reader(&'static self, is_hinted: bool) -> Box<dyn LineReader> {
        Box::new(reader::Reader::new(self, is_hinted))
    }
}
