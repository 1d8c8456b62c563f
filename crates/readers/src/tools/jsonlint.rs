//! jsonlint: a parse error with a mark, or with `--compact` one line.
//!
//! ```text
//! Error: Parse error on line 3:
//! ...a": 1,}
//! ---------^
//! Expecting 'STRING', got '}'
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Use, diagnostic, name};
use crate::scan::Line;
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// jsonlint.
pub(crate) const TOOL: Tool = Tool {
    name: "jsonlint",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat { wakes: &["Parse error on line ", ", found: "], reader: |_| Box::new(Jsonlint::default()) }],
    documents: &[],
    settle: claim::gravest,
};

static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?:File: (?<file>\S.*)|(?:Error: )?(?<message>Parse error on line (?<line>\d+)):)$")
});

/// `a.json: line 3, col 5, found: '}' - expected: 'STRING'.`.
static COMPACT: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<file>\S.*?): line (?<line>\d+), col (?<column>\d+), (?<message>found: .*)$"));

/// Reads one stream.
#[derive(Default)]
struct Jsonlint {
    file: Option<String>,
    open: Option<Diagnostic>,
    findings: Findings,
}

impl LineReader for Jsonlint {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(captures) = COMPACT.captures(text) {
            self.findings.add(matched("jsonlint", "jsonlint/compact", line, &captures, Level::Error));
            return Use::Line;
        }
        if let Some(captures) = HEAD.captures(text) {
            if let Some(file) = captures.name("file") {
                self.file = Some(name(&text::path(file.as_str())));
                return Use::Line;
            }
            let mut found = diagnostic("jsonlint", "jsonlint/text", line, Level::Error, &captures["message"]);
            found.file.clone_from(&self.file);
            found.line = text::position(&captures["line"]);
            self.open = Some(found);
            return Use::Line;
        }
        let Some(open) = &mut self.open else {
            return Use::None;
        };
        open.origin.end = line.end;
        if text.starts_with("Expecting ") {
            text::add_line(&mut open.message, text, limit::MESSAGE_BYTES);
            self.findings.add(open.clone());
            self.open = None;
        } else if !text.ends_with('^') {
            open.source = open.source.take().or_else(|| Some(name(text)));
        }
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let is_recognized = 0 < self.findings.counts.total();
        is_recognized.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
