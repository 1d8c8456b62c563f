//! The human-readable formats. `human-verbose`, the default, adds three lines of code and progress messages:
//!
//! ```text
//! /project/src/App.svelte:11:8
//! Warn: Unused CSS selector ".unused"
//! https://svelte.dev/e/css_unused_selector (svelte)
//! ```

use crate::candidate::NAME_BYTES;
use crate::prelude::*;

/// Maximum number of lines of a message and the code below it.
const LINES: usize = 60;

static PLACE: Pattern = Pattern::new(r"^(?<file>\S.*):(?<line>\d+):(?<column>\d+)$");

static SAID: Pattern = Pattern::new(r"^(?<level>Error|Warn|Hint): (?<said>.*)$");

/// The end of a message, which names the source of the diagnostic.
static SOURCE: Pattern = Pattern::new(r"^(?<rest>.*?) ?\((?:svelte|ts|js|css|scss|less|sass|html)\)$");

static SUMMARY: Pattern = Pattern::new(
    r"^svelte-check found (?<errors>\d+) errors?(?:,| and) (?<warnings>\d+) warnings?(?:,? and (?<hints>\d+) hints?)?(?: in \d+ files?)?$",
);

/// Reads the human-readable formats.
pub(crate) struct Human {
    is_hinted: bool,
    tally: Tally,
    /// The location given by the previous line.
    place: Option<(String, Option<u32>, Option<u32>)>,
    open: Option<Open>,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    /// Whether the message is complete, and code follows.
    is_said: bool,
    lines: usize,
}

impl Human {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, tally: Tally::new("svelte-check"), place: None, open: None }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.tally.add(open.diagnostic);
        }
    }

    /// Reads the second line of a finding.
    fn begin(&mut self, line: &Line<'_>) -> bool {
        let (Some(captures), Some((file, at, column))) = (SAID.find(&line.text), self.place.take()) else {
            return false;
        };
        self.close();
        let mut found = captures.diagnostic("svelte-check", "svelte-check/human", line, Level::Error);
        found.file = Some(file);
        found.line = at;
        found.column = column;
        let mut open = Open { diagnostic: found, is_said: false, lines: 0 };
        open.add(captures.text("said"), line);
        self.open = Some(open);
        true
    }

    fn place(&mut self, text: &str) {
        self.place = None;
        if let Some(captures) = PLACE.find(text) {
            let file = text::path(cut::head(captures.text("file"), NAME_BYTES));
            self.place = Some((file, captures.position("line"), captures.position("column")));
        }
    }

    fn closing(&mut self, text: &str) -> bool {
        if text.starts_with("====") && text.bytes().all(|byte| byte == b'=') {
            self.close();
            return 0 < self.tally.listed();
        }
        if text.starts_with("Loading svelte-check in workspace: ") || text == "Getting Svelte diagnostics..." {
            self.close();
            return true;
        }
        let Some(captures) = SUMMARY.find(text) else { return false };
        self.close();
        let (errors, warnings, infos) = (captures.count("errors"), captures.count("warnings"), captures.count("hints"));
        self.tally.sum_up(Sum { errors, warnings, infos, ..Sum::default() });
        true
    }
}

impl LineReader for Human {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank() {
            self.close();
            self.place = None;
            return Use::None;
        }
        if self.begin(line) {
            return Use::WithPrevious;
        }
        let text = line.text.trim_end();
        if self.closing(text) {
            return Use::Line;
        }
        if let Some(open) = &mut self.open
            && open.lines < LINES
        {
            open.add(text, line);
            return Use::Line;
        }
        self.close();
        self.place(text);
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let is_sure = self.is_hinted || 0 < self.tally.sums;
        let confidence = if is_sure { Confidence::Certain } else { Confidence::Likely };
        (0 < self.tally.read || 0 < self.tally.sums).then(|| self.tally.candidate("human", confidence))
    }
}

impl Open {
    fn add(&mut self, text: &str, line: &Line<'_>) {
        self.lines += 1;
        self.diagnostic.origin.end = line.end;
        if self.is_said {
            return;
        }
        let captures = SOURCE.find(text).filter(|_| text.ends_with(')'));
        let rest = captures.as_ref().map_or(text, |captures| captures.text("rest"));
        self.is_said = captures.is_some();
        if let Some(code) = rest.strip_prefix("https://svelte.dev/e/") {
            self.diagnostic.code = Some(cut::head(code, NAME_BYTES).to_owned());
            return;
        }
        let message = &mut self.diagnostic.message;
        if message.is_empty() {
            cut::head(rest.trim_end(), limit::MESSAGE_BYTES).clone_into(message);
            // For plain TypeScript files no source is named: the message ends with a space.
            self.is_said |= text.ends_with(' ');
        } else {
            text::add_line(message, rest, limit::MESSAGE_BYTES);
        }
    }
}
