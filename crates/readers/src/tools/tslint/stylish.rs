//! `stylish`: a file on a line, since version 5.9 with the place of its first finding, below it
//! `ERROR: 1:14  semicolon  Missing semicolon`.

use std::sync::LazyLock;

use referee_model::reading::Level;
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{Claim, Findings, LineReader, NAME_BYTES, Standing, Use, diagnostic, name};
use crate::scan::Line;
use crate::text;
use crate::tools::tslint::is_script_name;

static ROW: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^ *(?<level>ERROR|WARNING): (?<line>\d+):(?<column>\d+)  +(?<code>[a-z][\w/-]*)  +(?<message>\S.*)$",
    )
});

/// Returns a file without the place that may stand behind it.
fn without_place(text: &str) -> &str {
    text.trim_end_matches(|last: char| last.is_ascii_digit() || last == ':')
}

/// Reads `stylish`.
#[derive(Default)]
pub(crate) struct Stylish {
    findings: Findings,
    /// The line before, where it may name the file.
    header: String,
    file: Option<String>,
}

impl LineReader for Stylish {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        let captures = if text.contains(": ") { ROW.captures(text) } else { None };
        let Some(captures) = captures else {
            self.header.clear();
            let file = without_place(text.trim_start());
            if is_script_name(file) {
                self.header.push_str(cut::head(file, NAME_BYTES));
            } else if !text.is_empty() {
                self.file = None;
            }
            return Use::None;
        };
        let used = if self.header.is_empty() { Use::Line } else { Use::WithPrevious };
        if used == Use::WithPrevious {
            self.file = Some(text::path(&self.header));
            self.header.clear();
        }
        if self.file.is_none() {
            return Use::None;
        }
        let level = if &captures["level"] == "ERROR" { Level::Error } else { Level::Warning };
        let mut found = diagnostic("tslint", "tslint/stylish", line, level, &captures["message"]);
        found.file.clone_from(&self.file);
        found.line = text::position(&captures["line"]);
        found.column = text::position(&captures["column"]);
        found.code = Some(name(&captures["code"]));
        self.findings.add(found);
        used
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let found = 0 < self.findings.counts.total();
        found.then(|| Claim {
            format: "stylish",
            standing: Standing::Certain,
            findings: self.findings,
            ..Claim::default()
        })
    }
}
