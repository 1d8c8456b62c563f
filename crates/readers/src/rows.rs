//! Formats as rows: a pattern for each kind of line that a tool prints, and what such a line is.
//!
//! ```text
//! app/a.rb -- 2 warnings:                              heading   (file)
//!   [3]:IrresponsibleModule: A has no comment          finding   (line, code, message)
//! 2 total warnings                                     sum       (all)
//! ```
//!
//! Rows are tried in their order; the first that matches takes the line. Groups of a pattern have fixed names:
//!
//! | group                           | gives                                                                     |
//! |---------------------------------|---------------------------------------------------------------------------|
//! | `file`                          | the file; of a heading that of all findings below it, as is its `code`    |
//! | `line`, `column`                | the place, 1-based; `line0` and `column0` where they are counted from 0   |
//! | `end_line`, `end_column`        | where it ends; `last_column` is still in it                               |
//! | `level`                         | how bad it is, in the words of [`crate::level`] or of the row             |
//! | `code`, `message`               | the code or rule, and what is said; more of it is added by further lines  |
//! | `source`, `suggestion`          | the line of source, what to write instead; lines are added                |
//! | `caret`                         | a mark below the source: blanks, and the signs under what is meant        |
//! | `fix`                           | its presence says that the tool can fix it                               |
//! | `errors`, `warnings`, `infos`   | of a sum: how many                                                        |
//! | `all`                           | of a sum: how many of the row's level, or of any                          |
//! | `fixable_errors`, `fixable_warnings` | of a line within: how many of what was listed the tool can fix      |
//!
//! Where alternatives say the same thing their groups end in 2 and up: `line`, `line2`.

pub(crate) mod framed;
mod reader;
mod row;

use referee_model::reading::{Diagnostic, Level};

use crate::candidate::{Confidence, LineReader};
use crate::pattern::Groups;
use crate::text;
pub(crate) use row::{Row, finding, head, heading, known, lead, part, related, rest, sum, within};

/// A text format of findings.
pub(crate) struct Rows {
    tool: &'static str,
    format: &'static str,
    /// The rule that findings are said to come from: `tool/format`, where the row has no other.
    rule: String,
    list: Vec<Row>,
    level: Level,
    confidence: Confidence,
    spans_blank_lines: bool,
    waits_over_blank_lines: bool,
    is_wakeful: bool,
    sums_across_streams: bool,
    is_list: bool,
    is_once: bool,
    complete: fn(&mut Diagnostic) -> bool,
    without: fn(&str) -> &str,
}

impl Rows {
    /// Of findings whose level nobody says, errors are made; a claim of them is certain.
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
            is_wakeful: false,
            sums_across_streams: false,
            is_list: false,
            is_once: false,
            complete: |_| true,
            without: |text| text,
        }
    }

    /// The rows, in the order in which they are tried.
    pub(crate) fn rows(mut self, rows: impl Into<Vec<Row>>) -> Self {
        self.list = rows.into();
        self
    }

    /// How bad a finding is of which the rows do not say it.
    pub(crate) fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// How sure a claim is where no sum, no name of the tool and no hint stood beside its findings.
    pub(crate) fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    /// A blank line may stand within a finding. Without this it ends one.
    pub(crate) fn spans_blank_lines(mut self) -> Self {
        self.spans_blank_lines = true;
        self
    }

    /// A blank line may stand between a lead and the rest, though not within a finding.
    pub(crate) fn waits_over_blank_lines(mut self) -> Self {
        self.waits_over_blank_lines = true;
        self
    }

    /// The first line of a finding may hold nothing that wakes the reader.
    pub(crate) fn wakeful(mut self) -> Self {
        self.is_wakeful = true;
        self
    }

    /// A count may stand in another stream than what it counts.
    pub(crate) fn sums_across_streams(mut self) -> Self {
        self.sums_across_streams = true;
        self
    }

    /// A heading and a section end at the first line that no row takes.
    pub(crate) fn lists(mut self) -> Self {
        self.is_list = true;
        self
    }

    /// What is listed again counts once.
    pub(crate) fn once(mut self) -> Self {
        self.is_once = true;
        self
    }

    /// Completes each finding when all its lines are read; false: it is none.
    pub(crate) fn complete(mut self, complete: fn(&mut Diagnostic) -> bool) -> Self {
        self.complete = complete;
        self
    }

    /// Takes off what another program writes before each line.
    pub(crate) fn without(mut self, without: fn(&str) -> &str) -> Self {
        self.without = without;
        self
    }

    /// Makes the reader of one stream.
    pub(crate) fn reader(&'static self, is_hinted: bool) -> Box<dyn LineReader> {
        Box::new(reader::Reader::new(self, is_hinted))
    }
}

/// For a [`part`] with the group `number`: whether it shows the source of the finding's line, which was not shown yet.
pub(crate) fn at_line(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    made.source.is_none() && made.line.is_some() && text::position(found.text("number")) == made.line
}
