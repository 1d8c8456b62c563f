//! The default format: a file, below it each line with a finding and, under the place, what is wrong there.
//!
//! ```text
//!    index.html
//!       L2 |<head><title></title></head>
//!                        ^ <title></title> must not be empty. (title-require)
//!
//! Scanned 1 files, found 8 errors in 1 files (31 ms)
//! ```

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::reading::Level;
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{Claim, LineReader, NAME_BYTES, Standing, Use, diagnostic, name};
use crate::scan::Line;
use crate::shapes::tally::{Sum, Tally};
use crate::text;

static SOURCE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?<before> {6}L(?<line>\d+) \|)(?<source>.*)$"));

static FINDING: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<before> +)\^ (?<message>.*) \((?<code>[\w-]+)\)$"));

static SUMMARY: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^Scanned \d+ files?, (?:no errors found|found (?<errors>\d+) errors?(?:,? (?:and )?(?<warnings>\d+) warnings?)? in \d+ files?) \(\d+ ms\)\.?$",
    )
});

/// Reads the default format.
pub(crate) struct Default {
    is_hinted: bool,
    tally: Tally,
    file: Option<String>,
    /// The line of code, and how many columns the place would be too far right.
    source: Option<Source>,
    /// Whether what is printed of a finding begins with another column than the first.
    is_clean: bool,
}

struct Source {
    line: Option<u32>,
    before: usize,
    text: String,
}

impl Default {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, tally: Tally::new("htmlhint"), file: None, source: None, is_clean: false }
    }

    fn finding(&mut self, line: &Line<'_>, text: &str) -> bool {
        let Some(Source { line: at, before, text: source }) = self.source.take() else {
            return false;
        };
        let Some(captures) = FINDING.captures(text) else {
            return false;
        };
        // The level is only a colour: the count below calls all of them errors.
        let mut found = diagnostic("htmlhint", "htmlhint/default", line, Level::Error, &captures["message"]);
        found.file.clone_from(&self.file);
        found.line = at;
        // Of a long line only the surroundings are shown: then nothing says the column.
        let column = captures["before"].len().checked_sub(before).filter(|_| !source.starts_with("..."));
        found.column = column.and_then(|column| u32::try_from(column + 1).ok());
        found.code = Some(name(&captures["code"]));
        found.source = Some(source);
        self.tally.add(found);
        true
    }

    fn summary(&mut self, text: &str) -> bool {
        if !text.starts_with("Scanned ") {
            return false;
        }
        let Some(captures) = SUMMARY.captures(text) else {
            return false;
        };
        let number = |group: &str| captures.name(group).and_then(|digits| text::count(digits.as_str()));
        match number("errors") {
            Some(errors) => self.tally.sum_up(Sum::all(errors + number("warnings").unwrap_or_default())),
            None => self.is_clean = true,
        }
        true
    }
}

impl LineReader for Default {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.is_empty() {
            return Use::None;
        }
        if self.finding(line, text) || self.summary(text) {
            return Use::Line;
        }
        if let Some(captures) = SOURCE.captures(text).filter(|_| self.file.is_some()) {
            let source = cut::head(&captures["source"], limit::MESSAGE_BYTES).to_owned();
            let before = captures["before"].len();
            self.source = Some(Source { line: text::position(&captures["line"]), before, text: source });
            return Use::Line;
        }
        if text::indent(text) == 3 {
            self.file = Some(text::path(cut::head(text.trim_start(), NAME_BYTES)));
            return if self.is_hinted { Use::Line } else { Use::None };
        }
        Use::None
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        (0 < self.tally.read || self.is_clean).then(|| self.tally.claim("default", Standing::Certain))
    }
}
