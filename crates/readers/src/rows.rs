//! Formats as rows: a pattern for each kind of line that a tool prints, and the role of such a line.
//!
//! ```text
//! app/a.rb -- 2 warnings:                              heading   (file)
//!   [3]:IrresponsibleModule: A has no comment          finding   (line, code, message)
//! 2 total warnings                                     sum       (all)
//! ```
//!
//! A tool whose findings have one line each is declared with one row, and listed in [`crate::registry`]:
//!
//! ```text
//! pub(crate) static TOOL: Tool =
//!     Tool::new("lint", &[], Role::Lint).lines(&[LineFormat::rows(&[": warning "], &TEXT)]);
//!
//! static TEXT: Rows = Rows::new("lint", "text").rows(&[finding(
//!     r"^(?<file>\S.*?):(?<line>\d+): (?<level>error|warning) (?<code>L\d+): (?<message>.*)$",
//! )]);
//! ```
//!
//! Rows are tried in order; the first that matches takes the line. Groups of a pattern have fixed names:
//!
//! | group                           | meaning                                                                   |
//! |---------------------------------|---------------------------------------------------------------------------|
//! | `file`                          | the file; in a heading it applies to all findings below, as other groups do |
//! | `line`, `column`                | the position, 1-based; `line0` and `column0` are 0-based                  |
//! | `end_line`, `end_column`        | the end of the range; `last_column` is inclusive                          |
//! | `level`                         | the severity, in the words of [`crate::level`] or of the row              |
//! | `code`, `message`               | the code or rule, and the message, which further lines may continue       |
//! | `source`, `suggestion`          | the source line, and the suggested text; lines are appended               |
//! | `caret`                         | a marker below the source: blanks, then the signs under the marked range  |
//! | `under`                         | signs aligned with the source line above: the last one ends the range     |
//! | `fix`                           | its presence means that the tool can fix the finding                      |
//! | `errors`, `warnings`, `infos`   | in a sum: number of findings of this level                                |
//! | `failed`                        | in a sum: number of further errors, such as files that could not be read  |
//! | `all`                           | in a sum: number of findings of the row's level, or of any level          |
//! | `shown`                         | in a sum: number of those findings that were listed and summed up before   |
//! | `fixable_errors`, `fixable_warnings` | in a line within: number of listed findings that the tool can fix    |
//!
//! Where alternatives mean the same, their groups are numbered from 2: `line`, `line2`.

mod batch;
pub(crate) mod caret;
pub(crate) mod dotty;
pub(crate) mod framed;
mod open;
mod reader;
mod row;
mod shared;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::sync::OnceLock;

use aho_corasick::packed::Searcher;
use referee_model::reading::{Diagnostic, Level};

use crate::candidate::{Confidence, LineReader};
use crate::pattern::Groups;
use crate::row_declaration::{RowTable, with_options};
use crate::text;
pub(crate) use row::{Row, When, finding, head, heading, known, lead, part, related, rest, subheading, sum, within};

/// Maximum number of lines between a lead and the row that completes it.
const LEAD_LINES: u32 = 60;

with_options! {
    /// A text format of findings.
    Rows {
        tool: &'static str,
        format: &'static str,
        list: &'static [Row],
        // Further rows, tried after the others.
        shared: &'static [Row],
        table: OnceLock<Table>,
    }
    flags {
        /// Allows blank lines within a finding. Otherwise a blank line ends it.
        spans_blank_lines,
        /// Allows a blank line between a lead and the rest, though not within a finding.
        waits_over_blank_lines,
        /// Keeps the reader awake: the first line of a finding may contain no text that wakes it. Otherwise it sleeps
        /// while no finding is open, if all rows begin or continue one.
        wakeful,
        /// Lets the reader sleep outside of findings: every line that it uses there contains a text that wakes it.
        sleeps,
        /// Allows a sum in another stream than the findings that it counts.
        sums_across_streams,
        /// Ends a heading or a section at the first line that no row matches, or at a blank line.
        lists,
        /// Ends a heading or a section at the first blank line.
        lists_to_blank_lines,
        /// Counts findings that are listed again only once.
        once,
        /// Matches lines with the blanks at their end.
        untrimmed,
        /// Counts findings in batches of consecutive lines: rows that are `common` count only with one that is not, or
        /// if the sum below the batch is one of just as many findings.
        in_batches,
        /// Keeps its confidence even if the command identifies the tool.
        yields,
    }
    values {
        /// Sets the rule that findings are attributed to, if it is not `tool/format`.
        rule: &'static str,
        /// Sets the level of findings for which the rows give none, if it is not error.
        level: Level,
        /// Sets the confidence of a candidate whose findings come without a sum, a name of the tool or a hint.
        confidence: Confidence,
        /// Tries rows that begin a finding only on lines with one of these texts, one of which is in the name of every
        /// file that they take, except for rows that apply only with a hint. It saves the match, which a check would
        /// reject.
        files: &'static [&'static str],
        /// Sets the maximum number of further lines of a finding or a lead, if it is not [`LEAD_LINES`] for a lead.
        most_lines: u32,
        /// Requires one of these texts in some line, unless the command identifies the tool.
        signs: &'static [&'static str],
        /// Makes the format certain if it has at least this number of findings.
        sure_from: u64,
        /// Allows blank lines in the first section of each pair, where they begin the second.
        at_blank_lines: &'static [(&'static str, &'static str)],
        /// Sets a function that completes each finding when all its lines are read; if it returns false, the
        /// finding is dropped.
        complete: fn(&mut Diagnostic) -> bool,
        /// Sets a function that removes the text which another program writes before each line.
        without: fn(&str) -> &str,
    }
}

/// The rows, and what is looked for in a line before they are tried.
pub(super) struct Table {
    rows: RowTable<Row>,
    files: Option<Searcher>,
}

impl Table {
    /// Returns whether a line may name a file of the format.
    fn names_file(&self, text: &str) -> bool {
        self.files.as_ref().is_none_or(|files| files.find(text).is_some())
    }
}

impl Rows {
    pub(crate) const fn new(tool: &'static str, format: &'static str) -> Self {
        Self::of(tool, format, &[], &[], OnceLock::new())
    }

    /// Sets the rows, in the order in which they are tried.
    pub(crate) const fn rows(mut self, rows: &'static [Row]) -> Self {
        self.list = rows;
        self
    }

    /// Adds rows, tried after the others: one of both lists may be that of several formats.
    pub(crate) const fn and(mut self, rows: &'static [Row]) -> Self {
        self.shared = rows;
        self
    }

    fn all(&self) -> impl Iterator<Item = &'static Row> {
        self.list.iter().chain(self.shared)
    }

    /// Returns the rule that findings are attributed to, unless their row has its own.
    fn origin(&self) -> Cow<'static, str> {
        self.rule.map_or_else(|| format!("{}/{}", self.tool, self.format).into(), Cow::Borrowed)
    }

    fn table(&self) -> &Table {
        self.table.get_or_init(|| Table {
            rows: RowTable::new(self.all(), |row| row.pattern),
            files: self.files.and_then(Searcher::new),
        })
    }

    /// Returns what is matched of a line.
    fn matched<'t>(&self, line: &'t str) -> &'t str {
        let text = self.without.map_or(line, |without| without(line));
        let trimmed = text.trim_end();
        if self.untrimmed && !trimmed.is_empty() { text } else { trimmed }
    }

    /// Returns whether a line can begin anything without a hint: one of the rows for that matches it.
    pub(crate) fn may_begin(&self, line: &str) -> bool {
        let text = self.matched(line);
        let table = self.table();
        let names_file = LazyCell::new(|| table.names_file(text));
        table.rows.admitted(text).any(|(row, pattern)| {
            !matches!(row.applies(), When::Hinted | When::Open)
                && !row.tentative
                && (!row.needs_file() || *names_file)
                && pattern.is_match(text)
        })
    }

    /// Creates the reader of one stream.
    pub(crate) fn reader(&'static self, is_hinted: bool) -> Box<dyn LineReader> {
        Box::new(reader::Reader::new(self, is_hinted))
    }
}

/// For a [`part`] with the group `number`: returns whether it shows the source of the finding's line, which was
/// not set yet.
pub(crate) fn at_line(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    made.source.is_none() && made.line.is_some() && text::position(found.text("number")) == made.line
}
