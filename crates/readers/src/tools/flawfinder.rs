//! Flawfinder: `src/bar.c:779:  [5] (buffer) strncat:Easily used incorrectly … (CWE-120).`, on one line (`-S`) or with what
//! is said indented below.

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{Claim, Findings, LineReader, Use, gravest};
use crate::scan::Line;
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Flawfinder.
pub(crate) const TOOL: Tool = Tool {
    name: "flawfinder",
    aliases: &[],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &["Flawfinder version ", ":  [5] (", ":  [4] (", ":  [3] (", ":  [2] (", ":  [1] (", ":  [0] ("],
        reader: |_| Box::new(Flawfinder::default()),
    }],
    documents: &[],
    settle: gravest,
};

static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)?  \[(?<grade>[0-5])\] \((?<code>\w+)\) (?<message>\S.*)$",
    )
});

#[derive(Default)]
struct Flawfinder {
    findings: Findings,
    open: Option<Diagnostic>,
    is_recognized: bool,
}

impl Flawfinder {
    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
    }
}

impl LineReader for Flawfinder {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if let Some(captures) = text.contains(":  [").then(|| FINDING.captures(text)).flatten() {
            self.close();
            let mut found = matched("flawfinder", "flawfinder/text", line, &captures, Level::Info);
            found.level = match &captures["grade"] {
                "4" | "5" => Level::Error,
                "3" => Level::Warning,
                _ => Level::Info,
            };
            self.open = Some(found);
            return Use::Line;
        }
        if let Some(found) = &mut self.open
            && text.starts_with("  ")
            && !line.is_blank()
        {
            let room = limit::MESSAGE_BYTES.saturating_sub(found.message.len() + 1);
            found.message.push(' ');
            found.message.push_str(cut::head(text.trim(), room));
            found.origin.end = line.end;
            return Use::Line;
        }
        self.close();
        let is_talk = text.starts_with("Flawfinder version ");
        self.is_recognized |= is_talk;
        if is_talk { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let found = self.is_recognized || 0 < self.findings.counts.total();
        found.then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
