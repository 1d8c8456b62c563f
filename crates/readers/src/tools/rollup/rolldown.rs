//! Rolldown, which Vite is built on since version 8:
//!
//! ```text
//! Build failed with 1 error:
//!
//! [PARSE_ERROR] Expected `,` or `)` but found `;`
//!    ╭─[ src/broken.js:1:26 ]
//! ```

use crate::prelude::*;

static HEADING: Pattern =
    Pattern::new(r"^\[(?<code>[A-Z][A-Z0-9_]{2,})\] (?:(?<level>Error|Warning): )?(?<message>\S.*)$");

static PLACE: Pattern = Pattern::new(r"^ +╭─+\[ ?(?<file>\S.*?):(?<line>\d+):(?<column>\d+) ?\]$");

static FAILED: Pattern = Pattern::new(r"Build failed with (?<errors>\d+) errors?:$");

/// Reads Rolldown's findings.
pub(crate) struct Rolldown {
    is_hinted: bool,
    tally: Tally,
    open: Option<Open>,
    has_failed: bool,
    is_known: bool,
    errors: u64,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    has_place: bool,
}

impl Rolldown {
    pub(crate) fn new(is_hinted: bool) -> Self {
        let tally = Tally::new("rolldown");
        Self { is_hinted, tally, open: None, has_failed: false, is_known: false, errors: 0 }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take()
            && (open.has_place || self.has_failed)
        {
            self.tally.add(open.diagnostic);
        }
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let Some(captures) = HEADING.find(text) else { return false };
        self.close();
        // A word, a color or the line above tells errors from warnings.
        let level = if self.has_failed { Level::Error } else { Level::Warning };
        let diagnostic = captures.diagnostic("rolldown", "rollup/rolldown", line, level);
        self.open = Some(Open { diagnostic, has_place: false });
        true
    }

    fn failed(&mut self, text: &str) -> bool {
        if !text.contains("Build failed with ") {
            return text == "error during build:" || (text.starts_with("vite v") && text.contains(" building "));
        }
        let Some(captures) = FAILED.find(text) else { return false };
        self.close();
        self.has_failed = true;
        self.errors += captures.number("errors");
        true
    }
}

impl LineReader for Rolldown {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.is_empty() {
            return Use::None;
        }
        if self.heading(line) {
            return Use::Line;
        }
        if self.failed(text) {
            self.is_known = true;
            return Use::Line;
        }
        let Some(open) = &mut self.open else { return Use::None };
        if !open.has_place
            && let Some(captures) = PLACE.find(text)
        {
            open.has_place = true;
            captures.locate(&mut open.diagnostic);
            open.diagnostic.origin.end = line.end;
            return Use::Line;
        }
        let is_frame = open.has_place && (text.contains('│') || text.contains('╯'));
        if is_frame {
            open.diagnostic.origin.end = line.end;
            return Use::Line;
        }
        self.close();
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        if 0 < self.tally.read && 0 < self.errors {
            self.tally.sum_up(Sum::errors(self.errors));
        }
        let confidence = if self.is_known || self.is_hinted { Confidence::Certain } else { Confidence::Likely };
        (0 < self.tally.read).then(|| self.tally.candidate("rolldown", confidence))
    }
}
