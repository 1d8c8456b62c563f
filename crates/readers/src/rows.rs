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
//! static TEXT: LazyLock<Rows> = LazyLock::new(|| {
//!     Rows::new("lint", "text").rows([finding(
//!         r"^(?<file>\S.*?):(?<line>\d+): (?<level>error|warning) (?<code>L\d+): (?<message>.*)$",
//!     )])
//! });
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
//! | `fix`                           | its presence means that the tool can fix the finding                      |
//! | `errors`, `warnings`, `infos`   | in a sum: number of findings of this level                                |
//! | `failed`                        | in a sum: number of further errors, such as files that could not be read  |
//! | `all`                           | in a sum: number of findings of the row's level, or of any level          |
//! | `shown`                         | in a sum: number of those findings that were listed and summed up before   |
//! | `fixable_errors`, `fixable_warnings` | in a line within: number of listed findings that the tool can fix    |
//!
//! Where alternatives mean the same, their groups are numbered from 2: `line`, `line2`.

pub(crate) mod caret;
pub(crate) mod dotty;
pub(crate) mod framed;
mod open;
mod reader;
mod row;

use referee_model::reading::{Diagnostic, Level};

use crate::candidate::{Confidence, LineReader};
use crate::pattern::Groups;
use crate::text;
pub(crate) use row::{Row, finding, head, heading, known, lead, part, related, rest, subheading, sum, within};

/// A text format of findings.
pub(crate) struct Rows {
    tool: &'static str,
    format: &'static str,
    /// The rule that findings are attributed to, `tool/format`, unless the row has its own.
    rule: String,
    list: Vec<Row>,
    level: Level,
    confidence: Confidence,
    spans_blank_lines: bool,
    waits_over_blank_lines: bool,
    sleep: Sleep,
    sums_across_streams: bool,
    lists_end: ListsEnd,
    most_lines: u32,
    is_once: bool,
    is_untrimmed: bool,
    signs: &'static [&'static str],
    sure_from: u64,
    complete: Option<fn(&mut Diagnostic) -> bool>,
    without: fn(&str) -> &str,
}

/// Where a heading or a section ends, if no other one begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListsEnd {
    Never,
    /// At a blank line.
    BlankLine,
    /// At a blank line, or at one that no row matches.
    OtherLine,
}

/// Whether a reader sleeps while no finding is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sleep {
    /// If all rows begin or continue a finding.
    Derived,
    Never,
    Outside,
}

impl Rows {
    /// Creates a format whose findings default to the level error, and whose candidates are certain.
    pub(crate) fn new(tool: &'static str, format: &'static str) -> Self {
        Self {
            tool,
            format,
            rule: format!("{tool}/{format}"),
            list: Vec::new(),
            level: Level::Error,
            confidence: Confidence::Certain,
            spans_blank_lines: false,
            waits_over_blank_lines: false,
            sleep: Sleep::Derived,
            sums_across_streams: false,
            lists_end: ListsEnd::Never,
            most_lines: u32::MAX,
            is_once: false,
            is_untrimmed: false,
            signs: &[],
            sure_from: u64::MAX,
            complete: None,
            without: |text| text,
        }
    }

    /// Sets the rows, in the order in which they are tried.
    pub(crate) fn rows(mut self, rows: impl Into<Vec<Row>>) -> Self {
        self.list = rows.into();
        self
    }

    /// Sets the level of findings for which the rows give none.
    pub(crate) fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Sets the confidence of a candidate whose findings come without a sum, a name of the tool or a hint.
    pub(crate) fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    /// Allows blank lines within a finding. Otherwise a blank line ends it.
    pub(crate) fn spans_blank_lines(mut self) -> Self {
        self.spans_blank_lines = true;
        self
    }

    /// Allows a blank line between a lead and the rest, though not within a finding.
    pub(crate) fn waits_over_blank_lines(mut self) -> Self {
        self.waits_over_blank_lines = true;
        self
    }

    /// Keeps the reader awake: the first line of a finding may contain no text that wakes it.
    pub(crate) fn wakeful(mut self) -> Self {
        self.sleep = Sleep::Never;
        self
    }

    /// Lets the reader sleep outside of findings: every line that it uses there contains a text that wakes it.
    pub(crate) fn sleeps(mut self) -> Self {
        self.sleep = Sleep::Outside;
        self
    }

    /// Allows a sum in another stream than the findings that it counts.
    pub(crate) fn sums_across_streams(mut self) -> Self {
        self.sums_across_streams = true;
        self
    }

    /// Ends a heading or a section at the first line that no row matches.
    pub(crate) fn lists(mut self) -> Self {
        self.lists_end = ListsEnd::OtherLine;
        self
    }

    /// Ends a heading or a section at the first blank line.
    pub(crate) fn lists_to_blank_lines(mut self) -> Self {
        self.lists_end = ListsEnd::BlankLine;
        self
    }

    /// Sets the maximum number of further lines of a finding.
    pub(crate) fn most_lines(mut self, lines: u32) -> Self {
        self.most_lines = lines;
        self
    }

    /// Counts findings that are listed again only once.
    pub(crate) fn once(mut self) -> Self {
        self.is_once = true;
        self
    }

    /// Matches lines with the blanks at their end.
    pub(crate) fn untrimmed(mut self) -> Self {
        self.is_untrimmed = true;
        self
    }

    /// Requires one of these texts in some line, unless the command identifies the tool.
    pub(crate) fn signs(mut self, signs: &'static [&'static str]) -> Self {
        self.signs = signs;
        self
    }

    /// Makes the format certain if it has at least this number of findings.
    pub(crate) fn sure_from(mut self, findings: u64) -> Self {
        self.sure_from = findings;
        self
    }

    /// Sets a function that completes each finding when all its lines are read; if it returns false, the
    /// finding is dropped.
    pub(crate) fn complete(mut self, complete: fn(&mut Diagnostic) -> bool) -> Self {
        self.complete = Some(complete);
        self
    }

    /// Sets a function that removes the text which another program writes before each line.
    pub(crate) fn without(mut self, without: fn(&str) -> &str) -> Self {
        self.without = without;
        self
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
