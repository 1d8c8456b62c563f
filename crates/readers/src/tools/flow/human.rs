//! What Flow prints for people: a heading as wide as the terminal, the message with its code behind it, and code.
//!
//! ```text
//! Error ------------------------------------------------- src/a.js:6:3
//!
//! Cannot get `x.length` because property `length` is missing in `null` [1]. [incompatible-use]
//!
//!    src/a.js:6:3
//!    6| x.length;
//!         ^^^^^^
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, RelatedPlace};
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{Claim, LineReader, Standing, Use, diagnostic, name};
use crate::scan::Line;
use crate::shapes::tally::{Sum, Tally};
use crate::text;

/// Places that are kept of those that belong to one finding.
const RELATED_KEPT: usize = 8;

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<level>Error|Warning) (?:-{3,}|┈{3,}) (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$")
});

/// The code that ends a message.
static CODE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?<rest>.*?) ?\[(?<code>[a-z][a-z0-9-]*)\]$"));

static PLACE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^   (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$"));

static SOURCE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^[ >\[\]0-9]{0,8}? *(?<number>\d+)[|│] ?(?<source>.*)$"));

/// `Found 6 errors and 1 warning`.
static FOUND: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^Found (?<errors>\d+) errors?(?: and (?<warnings>\d+) warnings?)?$"));

/// Reads it.
pub(crate) struct Human {
    is_hinted: bool,
    tally: Tally,
    open: Option<Open>,
    is_clean: bool,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    part: Part,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Heading,
    Message,
    Code,
    References,
}

impl Human {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, tally: Tally::new("flow"), open: None, is_clean: false }
    }

    fn close(&mut self) {
        if let Some(mut open) = self.open.take() {
            open.take_code();
            self.tally.add(open.diagnostic);
        }
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if !text.starts_with("Error ") && !text.starts_with("Warning ") {
            return false;
        }
        let Some(captures) = HEADING.captures(text) else {
            return false;
        };
        self.close();
        let level = if &captures["level"] == "Error" { Level::Error } else { Level::Warning };
        let mut found = diagnostic("flow", "flow/human", line, level, "");
        found.file = Some(name(&text::path(&captures["file"])));
        found.line = text::position(&captures["line"]);
        found.column = text::position(&captures["column"]);
        self.open = Some(Open { diagnostic: found, part: Part::Heading });
        true
    }

    fn closing(&mut self, text: &str) -> bool {
        if text == "No errors!" {
            self.is_clean = true;
            return true;
        }
        if !text.starts_with("Found ") {
            return false;
        }
        let Some(captures) =
            FOUND.captures(text).filter(|_| self.is_hinted || 0 < self.tally.read || self.open.is_some())
        else {
            return false;
        };
        self.close();
        let number = |group: &str| captures.name(group).and_then(|digits| text::count(digits.as_str()));
        self.tally.sum_up(Sum { errors: number("errors"), warnings: number("warnings"), ..Sum::default() });
        true
    }
}

impl LineReader for Human {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if self.heading(line) || self.closing(text) {
            return Use::Line;
        }
        let Some(open) = &mut self.open else {
            return Use::None;
        };
        if text.is_empty() {
            if open.part == Part::Message {
                open.take_code();
                open.part = Part::Code;
            }
            return Use::None;
        }
        if !open.line(text) {
            self.close();
            return Use::None;
        }
        open.diagnostic.origin.end = line.end;
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        // Others say that there are no errors, too.
        let is_clean = self.is_clean || 0 < self.tally.sums;
        (0 < self.tally.read || (self.is_hinted && is_clean)).then(|| self.tally.claim("human", Standing::Certain))
    }
}

impl Open {
    /// Takes a line that may belong to the finding; returns whether it does.
    fn line(&mut self, text: &str) -> bool {
        let message = &mut self.diagnostic.message;
        match self.part {
            Part::Heading => {
                cut::head(text, limit::MESSAGE_BYTES).clone_into(message);
                self.part = Part::Message;
                true
            }
            // A message is broken to fit into the terminal.
            Part::Message => {
                if message.len() + text.len() < limit::MESSAGE_BYTES {
                    message.push(' ');
                    message.push_str(text);
                }
                true
            }
            Part::Code | Part::References => {
                if text == "References:" {
                    self.part = Part::References;
                    return true;
                }
                self.code(text);
                text.starts_with(' ')
            }
        }
    }

    /// Takes the code from the end of the message.
    fn take_code(&mut self) {
        let captures = CODE.captures(&self.diagnostic.message);
        let Some((rest, code)) = captures.map(|captures| (captures["rest"].to_owned(), captures["code"].to_owned()))
        else {
            return;
        };
        self.diagnostic.message = rest;
        self.diagnostic.code = Some(code);
    }

    fn code(&mut self, text: &str) {
        let found = &mut self.diagnostic;
        if self.part == Part::References {
            if let Some(captures) = PLACE.captures(text)
                && found.related.len() < RELATED_KEPT
            {
                let file = Some(name(&text::path(&captures["file"])));
                let (line, column) = (text::position(&captures["line"]), text::position(&captures["column"]));
                found.related.push(RelatedPlace { file, line, column, message: String::new() });
            }
            return;
        }
        if let Some(captures) = SOURCE.captures(text)
            && found.source.is_none()
            && text::position(&captures["number"]) == found.line
        {
            found.source = Some(cut::head(&captures["source"], limit::MESSAGE_BYTES).to_owned());
        }
    }
}
