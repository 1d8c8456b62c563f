//! Findings as printed by the Scala 3 compiler, on its own or under sbt:
//!
//! ```text
//! -- [E007] Type Mismatch Error: a.scala:3:26 ----------------------------------
//! 3 |  def f(a: Int): String = a
//!   |                          ^
//!   |                          Found:    (a : Int)
//!   |                          Required: String
//! ```

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;

use crate::candidate::{diagnostic, name};
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::caret::is_caret;
use crate::text;

/// The heading: code and kind, location, and a ruler to the end of the line.
static HEADING: Pattern = Pattern::new(
    r"^-- (?:\[(?<code>E\d+)\] )?(?<kind>(?:[A-Z]\w* )*?(?<level>Error|Warning|Info)): (?<file>\S.*?\.\w+):(?<line>\d+):(?<column>\d+) ?-*$",
);

/// A line below the heading: its number if it is a source line, and the text after the bar.
static BELOW: Pattern = Pattern::new(r"^ *(?<number>\d+)? *\|(?<rest>.*)$");

/// A finding whose lines are being read.
#[derive(Debug)]
pub(crate) struct Finding {
    diagnostic: Diagnostic,
    kind: String,
    has_caret: bool,
    is_over: bool,
}

impl Finding {
    /// Begins a finding of a tool.
    pub(crate) fn begin(tool: &str, rule: &str, text: &str, line: &Line<'_>) -> Option<Self> {
        if !text.starts_with("-- ") {
            return None;
        }
        let captures = HEADING.find(text.trim_end())?;
        let level = match captures.text("level") {
            "Error" => Level::Error,
            "Warning" => Level::Warning,
            _ => Level::Info,
        };
        let mut found = diagnostic(tool, rule, line, level, "");
        found.file = captures.file("file");
        found.line = captures.position("line");
        // Columns are counted from 0.
        found.column = captures.text("column").parse::<u32>().ok().and_then(|column| column.checked_add(1));
        found.code = captures.get("code").map(name);
        Some(Self { diagnostic: found, kind: name(captures.text("kind")), has_caret: false, is_over: false })
    }

    /// Processes a line below the heading; returns whether it belongs to the finding.
    pub(crate) fn line(&mut self, text: &str, line: &Line<'_>) -> bool {
        let Some(captures) = BELOW.find(text) else { return false };
        let rest = captures.text("rest");
        self.diagnostic.origin.end = line.end;
        if captures.has("number") {
            self.diagnostic.source.get_or_insert_with(|| cut::head(rest, limit::MESSAGE_BYTES).to_owned());
        } else if is_caret(rest) {
            self.has_caret = true;
        } else if rest.trim().is_empty() || rest.trim().bytes().all(|byte| byte == b'-') {
            self.is_over |= !self.diagnostic.message.is_empty();
        } else if self.has_caret && !self.is_over {
            let said = rest.trim();
            if self.diagnostic.message.is_empty() {
                cut::head(said, limit::MESSAGE_BYTES).clone_into(&mut self.diagnostic.message);
            } else {
                text::add_line(&mut self.diagnostic.message, said, limit::MESSAGE_BYTES);
            }
        }
        true
    }

    /// Ends the finding. Without a message, the kind becomes the message.
    pub(crate) fn close(mut self) -> Diagnostic {
        if self.diagnostic.message.is_empty() {
            self.diagnostic.message = self.kind;
        }
        self.diagnostic
    }
}
