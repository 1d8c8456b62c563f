//! Compilers that print the source line and a caret below the message, such as javac, kotlinc and scalac:
//!
//! ```text
//! src/App.java:14: error: cannot find symbol
//!         undefined(a);
//!         ^
//!   symbol:   method undefined(int)
//! ```
//!
//! The lines between the heading and the source line belong to the message; javac also adds text below the
//! caret.

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;

use crate::candidate::{Candidate, Confidence, Findings, LineReader, Use};
use crate::pattern::Groups;
use crate::scan::Line;
use crate::text;

/// Maximum number of lines between the heading and the caret.
const LINES_TO_CARET: usize = 16;

/// A finding whose lines are being read.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) diagnostic: Diagnostic,
    /// Lines read before the caret.
    waiting: Vec<String>,
    has_caret: bool,
    /// Whether the message may continue below the caret.
    goes_on: bool,
    /// End offset of the last line before the caret.
    end: u64,
}

impl Open {
    /// Creates a finding from its heading; `goes_on` says that the message may continue below the caret.
    pub(crate) fn new(diagnostic: Diagnostic, goes_on: bool) -> Self {
        let end = diagnostic.origin.end;
        Self { diagnostic, waiting: Vec::new(), has_caret: false, goes_on, end }
    }

    /// Processes a line below the heading; returns whether it may belong to the finding.
    pub(crate) fn line(&mut self, text: &str, line: &Line<'_>) -> bool {
        if text.trim().is_empty() {
            return false;
        }
        if self.has_caret {
            let trimmed = text.trim_start();
            let is_said = text::indent(text) >= 2 || ["symbol", "location"].iter().any(|it| trimmed.starts_with(it));
            if self.goes_on && is_said {
                text::add_line(&mut self.diagnostic.message, text.trim_end(), limit::MESSAGE_BYTES);
                self.diagnostic.origin.end = line.end;
                return true;
            }
            return false;
        }
        if is_caret(text) {
            self.has_caret = true;
            self.diagnostic.source =
                self.waiting.pop().map(|source| cut::head(&source, limit::MESSAGE_BYTES).to_owned());
            for said in self.waiting.drain(..) {
                text::add_line(&mut self.diagnostic.message, said.trim_end(), limit::MESSAGE_BYTES);
            }
            self.diagnostic.origin.end = line.end;
            return true;
        }
        if self.waiting.len() == LINES_TO_CARET || !is_part(text) {
            return false;
        }
        self.waiting.push(cut::head(text, limit::MESSAGE_BYTES).to_owned());
        self.end = line.end;
        true
    }

    /// Returns whether the caret was found.
    pub(crate) fn has_caret(&self) -> bool {
        self.has_caret
    }

    /// Ends the finding. If no caret was found, the lines belong to the message if they are indented.
    pub(crate) fn close(mut self) -> Diagnostic {
        if !self.has_caret && self.waiting.iter().all(|line| line.starts_with(' ')) && !self.waiting.is_empty() {
            for said in self.waiting {
                text::add_line(&mut self.diagnostic.message, said.trim_end(), limit::MESSAGE_BYTES);
            }
            self.diagnostic.origin.end = self.end;
        }
        self.diagnostic
    }
}

/// A compiler whose findings all have this layout, with the groups of [`pattern`].
pub(crate) struct Format {
    pub(crate) tool: &'static str,
    pub(crate) rule: &'static str,
    /// Parses a heading. The flag says that layouts shared with other tools may be accepted: with a hint, or
    /// among findings.
    pub(crate) heading: fn(&str, bool) -> Option<Groups<'static, '_>>,
    /// Returns whether a line is a closing count of errors or warnings.
    pub(crate) closing: fn(&str) -> bool,
}

/// Reads the findings of such a compiler.
pub(crate) struct Careted {
    format: &'static Format,
    is_hinted: bool,
    findings: Findings,
    open: Option<Open>,
    /// Whether only blank lines have followed the last finding so far, and no closing count.
    is_among: bool,
}

impl Careted {
    pub(crate) fn new(format: &'static Format, is_hinted: bool) -> Self {
        Self { format, is_hinted, findings: Findings::default(), open: None, is_among: false }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.findings.add(open.close());
        }
    }
}

impl LineReader for Careted {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        let Format { tool, rule, heading, closing } = self.format;
        if let Some(captures) = heading(text, self.is_hinted || self.is_among) {
            self.close();
            let mut found = captures.diagnostic(tool, rule, line, Level::Error);
            if captures.text("level") == "exception" {
                found.level = Level::Error;
            }
            self.open = Some(Open::new(found, false));
            self.is_among = true;
            return Use::Line;
        }
        if self.is_among && closing(text) {
            self.close();
            self.is_among = false;
            return Use::Line;
        }
        if self.open.as_mut().is_some_and(|open| open.line(text, line)) {
            return Use::Line;
        }
        self.close();
        self.is_among &= line.is_blank();
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let found = 0 < self.findings.counts.total();
        let confidence = Confidence::Certain;
        found.then(|| Candidate::of("text", self.findings).confidence(confidence))
    }
}

/// Returns whether a line contains nothing but a caret, which may be extended by tildes.
pub(crate) fn is_caret(text: &str) -> bool {
    let trimmed = text.trim();
    trimmed.starts_with('^') && trimmed.bytes().all(|byte| matches!(byte, b'^' | b'~'))
}

/// Returns whether a line can stand between heading and caret: it does not begin like the output of other
/// programs.
fn is_part(text: &str) -> bool {
    const OTHERS: &[&str] =
        &["> Task ", "FAILURE: ", "BUILD ", "[INFO]", "[ERROR]", "[WARN", "Note: ", "* What went wrong"];
    !OTHERS.iter().any(|other| text.starts_with(other))
}

#[cfg(test)]
mod tests {
    use referee_model::reading::Level;
    use referee_model::record::Stream;

    use super::*;
    use crate::candidate::diagnostic;

    fn read(lines: &[&str]) -> (usize, Diagnostic) {
        let shown = |text: &'static str| Line::new(text, Stream::Stdout, 0..9);
        let mut open = Open::new(diagnostic("javac", "javac/text", &shown("x"), Level::Error, "no"), true);
        let taken = lines.iter().take_while(|text| open.line(text, &shown(""))).count();
        (taken, open.close())
    }

    #[test]
    fn the_line_above_the_caret_is_the_source() {
        let (taken, found) = read(&["  int a = b;", "          ^", "  symbol: variable b", "1 error"]);
        assert_eq!((taken, found.source.as_deref()), (3, Some("  int a = b;")));
        assert_eq!(found.message, "no\n  symbol: variable b");
        let (_, found) = read(&[" found   : Int", " required: String", "  def f = a", "          ^"]);
        assert_eq!(found.message, "no\n found   : Int\n required: String");
        assert_eq!(read(&["> Task :test"]).0, 0);
        let (taken, found) = read(&["no caret here", ""]);
        assert_eq!((taken, found.message.as_str(), found.source), (1, "no", None));
    }
}
