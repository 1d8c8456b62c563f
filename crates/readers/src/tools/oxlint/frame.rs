//! The default format, in characters of a box or in plain ones:
//!
//! ```text
//!   ! eslint(no-unused-vars): Variable 'y' is declared but never used.
//!    ,-[src/b.ts:1:7]
//!  1 | const y: number = "str";
//!    :       |
//!    :       `-- 'y' is declared here
//!    `----
//!   help: Consider removing this declaration.
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{Claim, LineReader, Standing, Use, diagnostic, name};
use crate::scan::Line;
use crate::shapes::tally::{Sum, Tally};
use crate::text;
use crate::tools::oxlint::{found, is_finished};

/// Lines that one finding may have.
const LINES: usize = 100;

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^  (?<mark>[×x✖⚠!☞>])\u{fe0f}? (?:(?<code>[A-Za-z@][\w@/-]*\([\w@/.-]+\)): )?(?<message>\S.*)$")
});

static PLACE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^ +(?:,-|╭─)\[(?<file>\S.*?):(?<line>\d+):(?<column>\d+)\]$"));

/// The count of a clean run.
const NOTHING: Sum = Sum::errors_and_warnings(0, 0);

/// Reads the default format.
pub(crate) struct Frames {
    is_hinted: bool,
    tally: Tally,
    open: Option<Open>,
    /// Whether a count was read of what was listed, or of nothing.
    has_sum: bool,
    /// Whether it said how long it took, which it does above or below the count.
    was_finished: bool,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    has_place: bool,
    lines: usize,
}

impl Frames {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, tally: Tally::new("oxlint"), open: None, has_sum: false, was_finished: false }
    }

    /// Ends the open finding. What has neither a code nor a place is none.
    fn close(&mut self) {
        if let Some(open) = self.open.take()
            && open.has_place
        {
            self.tally.add(open.diagnostic);
        }
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        if !line.text.starts_with("  ") {
            return false;
        }
        let Some(captures) = HEADING.captures(line.text.trim_end()) else {
            return false;
        };
        self.close();
        let level = match &captures["mark"] {
            "×" | "x" | "✖" => Level::Error,
            "⚠" | "!" => Level::Warning,
            _ => Level::Info,
        };
        let mut found = diagnostic("oxlint", "oxlint/default", line, level, &captures["message"]);
        found.code = captures.name("code").map(|code| name(code.as_str()));
        self.open = Some(Open { diagnostic: found, has_place: false, lines: 0 });
        true
    }

    fn closing(&mut self, text: &str) -> bool {
        if let Some(sum) = found(text) {
            self.close();
            // Below a report for machines the same is said.
            if 0 < self.tally.listed() || sum == NOTHING {
                self.tally.sum_up(sum);
                self.has_sum = true;
            }
            return self.has_sum;
        }
        let is_finished = is_finished(text);
        self.was_finished |= is_finished;
        is_finished
    }
}

impl LineReader for Frames {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank() {
            // A blank line ends a finding, but for one among the paragraphs of a message.
            if self.open.as_ref().is_some_and(|open| open.has_place) {
                self.close();
            }
            return Use::None;
        }
        let text = line.text.trim_end();
        if let Some(open) = &mut self.open {
            if open.line(text) {
                open.diagnostic.origin.end = line.end;
                return Use::Line;
            }
            self.close();
        }
        if self.heading(line) || self.closing(text) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let is_known = self.has_sum && self.was_finished;
        let has_code = self.tally.findings.counts.by_rule.keys().any(|rule| !rule.is_empty());
        let says_something = 0 < self.tally.read || is_known || (self.is_hinted && 0 < self.tally.sums);
        let is_sure = self.is_hinted || is_known || has_code;
        let standing = if is_sure { Standing::Certain } else { Standing::Likely };
        says_something.then(|| self.tally.claim("default", standing))
    }
}

impl Open {
    /// Takes a line that may belong to the finding; returns whether it does.
    fn line(&mut self, text: &str) -> bool {
        self.lines += 1;
        if LINES < self.lines {
            return false;
        }
        if !self.has_place {
            if let Some(captures) = PLACE.captures(text) {
                self.has_place = true;
                self.diagnostic.file = Some(name(&text::path(&captures["file"])));
                self.diagnostic.line = text::position(&captures["line"]);
                self.diagnostic.column = text::position(&captures["column"]);
                return true;
            }
            return self.go_on(text);
        }
        if let Some(help) = text.strip_prefix("  help: ") {
            self.diagnostic.suggestion = Some(cut::head(help, limit::MESSAGE_BYTES).to_owned());
            return true;
        }
        if let (Some(suggestion), Some(rest)) = (&mut self.diagnostic.suggestion, text.strip_prefix("        ")) {
            text::add_line(suggestion, rest, limit::MESSAGE_BYTES);
            return true;
        }
        self.source(text);
        text.starts_with("   ") || text.starts_with("  note: ") || Self::is_numbered(text)
    }

    /// Takes a further line of the message, which was broken to fit.
    fn go_on(&mut self, text: &str) -> bool {
        let rest = ["  | ", "  │ "].into_iter().find_map(|mark| text.strip_prefix(mark));
        if let Some(rest) = rest
            && self.diagnostic.message.len() + rest.len() < limit::MESSAGE_BYTES
        {
            self.diagnostic.message.push(' ');
            self.diagnostic.message.push_str(rest);
        }
        rest.is_some() || text.starts_with("  `->") || text.starts_with("  ╰─▶") || text.starts_with("  ├─▶")
    }

    /// Takes the source line that the place names.
    fn source(&mut self, text: &str) {
        if self.diagnostic.source.is_some() || !Self::is_numbered(text) {
            return;
        }
        let split = text.split_once(" | ").or_else(|| text.split_once(" │ "));
        if let Some((number, source)) = split
            && text::position(number.trim()) == self.diagnostic.line
        {
            self.diagnostic.source = Some(cut::head(source, limit::MESSAGE_BYTES).to_owned());
        }
    }

    fn is_numbered(text: &str) -> bool {
        text.trim_start().starts_with(|first: char| first.is_ascii_digit())
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn claim(text: &str) -> Option<Claim> {
        let mut frames = Box::new(Frames::new(false));
        for text in text.lines() {
            let stream = Stream::Stdout;
            frames.line(&Line { text: text.into(), text_start: None, stream, start: 0, end: 0, is_cut: false });
        }
        frames.finish()
    }

    #[test]
    fn a_finding_is_read_with_its_place() {
        let text = "  ⚠ typescript-eslint(ban-types): Do not use\n  │ this type\n    ╭─[src/a.ts:10:7]\n  9 │ a\n 10 │ const y;\n    ·       ─\n    ╰────\n  help: Remove it.\n";
        let found = claim(text).unwrap().findings.kept.into_items().remove(0);
        assert_eq!((found.line, found.column, found.level), (Some(10), Some(7), Level::Warning));
        assert_eq!(found.message, "Do not use this type");
        assert_eq!(found.code.as_deref(), Some("typescript-eslint(ban-types)"));
        assert_eq!((found.source.as_deref(), found.suggestion.as_deref()), (Some("const y;"), Some("Remove it.")));
    }

    #[test]
    fn what_has_no_place_is_no_finding() {
        assert!(claim("  x something\n  other\n").is_none());
        assert!(claim("  > npm run lint\n\nFound 0 warnings and 0 errors.\n").is_none());
    }
}
