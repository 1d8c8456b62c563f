//! The default format: a file on a line, below it a table: place, severity, rule, message and, where it is known, the path
//! within the document: `  2:6  warning  info-contact  Info object must have "contact" object.  info`.

use std::sync::LazyLock;

use referee_model::reading::Level;
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{Claim, LineReader, NAME_BYTES, Standing, Use, diagnostic, name};
use crate::scan::Line;
use crate::shapes::tally::{Sum, Tally};
use crate::text;

static ROW: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^ +(?<line>\d+):(?<column>\d+) +(?<level>error|warning|information|hint)  +(?<code>[A-Za-z][\w-]*)  +(?<message>\S.*?)(?:  +(?<path>\S+(?: \S+)*))?$",
    )
});

/// `✖ 7 problems (1 error, 6 warnings, 0 infos, 0 hints)`.
static PROBLEMS: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^✖ \d+ problems? \((?<errors>\d+) errors?, (?<warnings>\d+) warnings?, (?<infos>\d+) infos?, (?<hints>\d+) hints?\)$",
    )
});

/// Reads the default format.
pub(crate) struct Stylish {
    is_hinted: bool,
    tally: Tally,
    /// The line before, which may name the file; empty where it cannot.
    header: String,
    file: Option<String>,
    is_clean: bool,
}

impl Stylish {
    pub(crate) fn new(is_hinted: bool) -> Self {
        let tally = Tally::new("spectral");
        Self { is_hinted, tally, header: String::new(), file: None, is_clean: false }
    }

    fn row(&mut self, line: &Line<'_>) -> Option<Use> {
        if !line.text.starts_with(' ') {
            return None;
        }
        let captures = ROW.captures(line.text.trim_end())?;
        let used = if self.header.is_empty() { Use::Line } else { Use::WithPrevious };
        if used == Use::WithPrevious {
            self.file = Some(text::path(&self.header));
            self.header.clear();
        }
        let level = match &captures["level"] {
            "error" => Level::Error,
            "warning" => Level::Warning,
            _ => Level::Info,
        };
        let mut found = diagnostic("spectral", "spectral/stylish", line, level, &captures["message"]);
        found.file.clone_from(&self.file);
        found.line = text::position(&captures["line"]);
        found.column = text::position(&captures["column"]);
        found.code = Some(name(&captures["code"]));
        self.tally.add(found);
        Some(used)
    }

    fn closing(&mut self, text: &str) -> bool {
        if text.starts_with("No results with a severity of '") && text.ends_with(" found!") {
            self.is_clean = true;
            return true;
        }
        if !text.starts_with('✖') {
            return false;
        }
        let Some(captures) = PROBLEMS.captures(text) else {
            return false;
        };
        let number = |group: &str| text::count(&captures[group]);
        let infos = number("infos").zip(number("hints")).map(|(infos, hints)| infos + hints);
        self.tally.sum_up(Sum { errors: number("errors"), warnings: number("warnings"), infos, all: None });
        self.file = None;
        true
    }
}

impl LineReader for Stylish {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.is_blank() {
            self.header.clear();
            return Use::None;
        }
        if let Some(used) = self.row(line) {
            return used;
        }
        let text = line.text.trim_end();
        if self.closing(text) {
            return Use::Line;
        }
        self.header.clear();
        if !text.starts_with(' ') && text.contains(['/', '.', '\\']) {
            self.header.push_str(cut::head(text, NAME_BYTES));
        }
        Use::None
    }

    /// ESLint's table is much the same: only the count below tells.
    fn finish(self: Box<Self>) -> Option<Claim> {
        let has_findings = 0 < self.tally.read && (0 < self.tally.sums || self.is_hinted);
        let is_sum = self.is_hinted && 0 < self.tally.sums;
        (has_findings || self.is_clean || is_sum).then(|| self.tally.claim("stylish", Standing::Certain))
    }
}
