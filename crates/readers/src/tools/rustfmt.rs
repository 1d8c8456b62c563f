//! rustfmt and `cargo fmt --check`: `Diff in /project/src/lib.rs:1:` (before 1.7: `… at line 1:`) and below it the lines
//! to take away and to add. What it cannot parse it reports as rustc does.

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use referee_syntax::cut;
use regex::Regex;

use super::rustc;
use crate::claim::{Claim, Findings, LineReader, Use, diagnostic, name};
use crate::scan::Line;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// The formatter.
pub(crate) const TOOL: Tool = Tool {
    name: "rustfmt",
    aliases: &["cargo-fmt"],
    role: Role::Format,
    lines: &[
        LineFormat { wakes: &["Diff in "], reader: |is_hinted| Box::new(Rustfmt { is_hinted, ..Rustfmt::default() }) },
        rustc::HUMAN_BESIDE_TESTS,
    ],
    documents: &[],
    settle: rustc::settle,
};

/// `Diff in /project/src/lib.rs:1:`.
static DIFF: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^Diff in (?<file>.+?\.rs)(?: at line |:)(?<line>\d+):$"));

/// Reads the differences.
#[derive(Default)]
struct Rustfmt {
    is_hinted: bool,
    findings: Findings,
    open: Option<Diagnostic>,
}

impl Rustfmt {
    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
    }

    fn begin(&mut self, line: &Line<'_>, file: &str, at: Option<u32>) {
        self.close();
        let mut found = diagnostic("rustfmt", "rustfmt/check", line, Level::Warning, "not formatted");
        (found.file, found.line, found.fixable) = (Some(name(&text::path(file))), at, true);
        self.open = Some(found);
    }
}

impl LineReader for Rustfmt {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if text.starts_with("Diff in ")
            && let Some(captures) = DIFF.captures(text)
        {
            self.begin(line, &captures["file"], text::position(&captures["line"]));
            return Use::Line;
        }
        if let Some(found) = &mut self.open
            && (text.starts_with(['+', '-', ' ']) || line.is_blank())
        {
            if let Some(added) = text.strip_prefix('+') {
                match &mut found.suggestion {
                    Some(suggestion) => text::add_line(suggestion, added, limit::MESSAGE_BYTES),
                    None => found.suggestion = Some(cut::head(added, limit::MESSAGE_BYTES).to_owned()),
                }
            }
            found.origin.end = line.end;
            return Use::Line;
        }
        self.close();
        // `--check -l` names the files only.
        if self.is_hinted && text::has_extension(text, &["rs"]) && !text.contains([' ', ':']) {
            self.begin(line, text, None);
            self.close();
            return Use::Line;
        }
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim { format: "check", findings: self.findings, ..Claim::default() })
    }
}
