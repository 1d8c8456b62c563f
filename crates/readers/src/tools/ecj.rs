//! The Eclipse compiler for Java:
//!
//! ```text
//! ----------
//! 1. ERROR in /src/App.java (at line 8)
//!     Integer x = 0.0f;
//!                 ^^^^
//! Type mismatch: cannot convert from float to Integer
//! ----------
//! 1 problem (1 error)
//! ```
//!
//! Versions before 3.3 print the place on a line of its own. Under Maven the place stands behind Maven's level.

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Use, diagnostic, name};
use crate::scan::Line;
use crate::shapes::ant;
use crate::shapes::caret::is_caret;
use crate::text;
use crate::tool::{LineFormat, Tool};
use crate::tools::javac::Flavour;
use crate::tools::maven::compiler::Compiler;

/// The compiler.
pub(crate) const TOOL: Tool = Tool {
    name: "ecj",
    aliases: &["eclipse"],
    role: Role::Compile,
    lines: &[
        LineFormat { wakes: &[". ERROR in ", ". WARNING in ", ". INFO in "], reader: |_| Box::new(Ecj::default()) },
        LineFormat {
            wakes: &["[ERROR] ", "[WARNING] "],
            reader: |is_hinted| Box::new(Compiler::new(&FLAVOUR, is_hinted)),
        },
    ],
    documents: &[],
    settle: claim::together,
};

static FLAVOUR: Flavour =
    Flavour { tool: "ecj", rule: "ecj/maven", signs: &[" problem (1 error)", " problem (1 warning)", " problems ("] };

/// The heading of a finding.
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^\d+\. (?<level>ERROR|WARNING|INFO) in (?<file>\S.*?)(?: \(at line (?<line>\d+)\))?$")
});

/// The place, on a line of its own.
static PLACE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^ *\(at line (?<line>\d+)\)$"));

/// The closing count.
static COUNT: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^\d+ problems? \((?:\d+ \w+(?:, )?){1,3}\)$"));

/// Lines of one finding.
const LINES: usize = 200;

/// Reads the compiler's own report.
#[derive(Default)]
struct Ecj {
    findings: Findings,
    open: Option<Open>,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    has_marks: bool,
    lines: usize,
}

impl Ecj {
    fn close(&mut self) {
        if let Some(Open { diagnostic, .. }) = self.open.take().filter(|open| !open.diagnostic.message.is_empty()) {
            self.findings.add(diagnostic);
        }
    }
}

impl LineReader for Ecj {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = ant::without_task(&line.text);
        if let Some(captures) = text.contains(" in ").then(|| HEADING.captures(text.trim_end())).flatten() {
            self.close();
            let level = match &captures["level"] {
                "ERROR" => Level::Error,
                "WARNING" => Level::Warning,
                _ => Level::Info,
            };
            let mut found = diagnostic("ecj", "ecj/text", line, level, "");
            found.file = Some(name(&text::path(&captures["file"])));
            found.line = captures.name("line").and_then(|digits| text::position(digits.as_str()));
            self.open = Some(Open { diagnostic: found, has_marks: false, lines: 0 });
            return Use::Line;
        }
        if text.starts_with("----------") || COUNT.is_match(text) {
            let is_ours = self.open.is_some() || 0 < self.findings.counts.total();
            self.close();
            return if is_ours { Use::Line } else { Use::None };
        }
        let Some(open) = self.open.as_mut().filter(|open| open.lines < LINES) else {
            return Use::None;
        };
        open.line(text);
        open.diagnostic.origin.end = line.end;
        Use::Line
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}

impl Open {
    fn line(&mut self, text: &str) {
        self.lines += 1;
        let found = &mut self.diagnostic;
        if let Some(place) = found.line.is_none().then(|| PLACE.captures(text.trim_end())).flatten() {
            found.line = text::position(&place["line"]);
        } else if is_caret(text) && !self.has_marks {
            self.has_marks = true;
        } else if found.line.is_some() && !self.has_marks {
            found
                .source
                .get_or_insert_with(|| cut::head(text.trim_start_matches('\t'), limit::MESSAGE_BYTES).to_owned());
        } else if found.message.is_empty() {
            cut::head(text.trim(), limit::MESSAGE_BYTES).clone_into(&mut found.message);
        } else {
            text::add_line(&mut found.message, text.trim_end(), limit::MESSAGE_BYTES);
        }
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    #[test]
    fn the_place_may_stand_on_its_own_line() {
        let mut reader = Box::new(Ecj::default());
        for text in [
            "1. WARNING in /a/B.java",
            " (at line 10)",
            "\timport java.io.*;",
            "\t       ^^^^^^^",
            "It is never used",
            "----------",
            "1 problem (1 warning)",
        ] {
            let line =
                Line { text: text.into(), text_start: None, stream: Stream::Stderr, start: 0, end: 9, is_cut: false };
            assert_eq!(reader.line(&line), Use::Line, "{text}");
        }
        let found = reader.finish().unwrap().findings.kept.into_items();
        assert_eq!((found.len(), found[0].line, found[0].message.as_str()), (1, Some(10), "It is never used"));
        assert_eq!(found[0].source.as_deref(), Some("import java.io.*;"));
    }
}
