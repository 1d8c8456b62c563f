//! markdownlint-cli, markdownlint-cli2 and the older `mdl`: one finding a line, in all their spellings, and the JSON of
//! the first. markdownlint-cli2 says how many there are before, and in the other stream.

pub(crate) mod json;

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use};
use crate::scan::Line;
use crate::shapes::pattern::matched;
use crate::text;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// The linters of Markdown.
pub(crate) const TOOL: Tool = Tool {
    name: "markdownlint",
    aliases: &["markdownlint-cli2", "markdownlint-json", "mdl"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[" MD0", "markdownlint-cli2 v", "Summary: "],
        reader: |is_hinted| Box::new(Markdownlint::new(is_hinted)),
    }],
    documents: &[DocumentFormat { opening: json::OPENING, reader: |stream, _| json::FORMAT.reader(stream, false) }],
    settle: claim::gravest,
};

/// `README.md:1:1 error MD018/no-missing-space-atx No space after hash [Context: "#Title"]`; without a level before
/// version 0.46, with colons and spaces behind file and line in old ones.
static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?): ?(?<line>\d+)(?::(?<column>\d+))?:? (?:(?<level>error|warning) )?(?<code>MD\d{3})(?:/[\w/-]+)? (?<message>\S.*)$",
    )
});

/// A rule that is not built in, which only the word before it shows.
static CUSTOM: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?\.(?:md|mdx|markdown)):(?<line>\d+)(?::(?<column>\d+))? (?<level>error|warning) (?<code>[A-Za-z][\w-]*)(?:/[\w/-]+)? (?<message>\S.*)$",
    )
});

/// `Summary: 11 error(s)`.
static SUMMARY: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^Summary: (?<errors>\d+) error\(s\)(?:, (?<warnings>\d+) warning\(s\))?$"));

/// Reads the lines.
struct Markdownlint {
    is_hinted: bool,
    findings: Findings,
    is_known: bool,
    errors_summed_up: u64,
    was_summed_up: bool,
}

impl Markdownlint {
    fn new(is_hinted: bool) -> Self {
        let findings = Findings::default();
        Self { is_hinted, findings, is_known: false, errors_summed_up: 0, was_summed_up: false }
    }

    fn finding(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let captures = if text.contains(" MD") {
            FINDING.captures(text)
        } else if text.contains(" error ") || text.contains(" warning ") {
            CUSTOM.captures(text).filter(|_| self.is_hinted || self.is_known)
        } else {
            None
        };
        let Some(captures) = captures else {
            return false;
        };
        self.findings.add(matched("markdownlint", "markdownlint/text", line, &captures, Level::Error));
        true
    }

    fn frame(&mut self, text: &str) -> bool {
        if text.starts_with("markdownlint-cli2 v") {
            self.is_known = true;
            return true;
        }
        if let Some(captures) = SUMMARY.captures(text).filter(|_| self.is_known || self.is_hinted) {
            let number = |group: &str| captures.name(group).and_then(|digits| text::count(digits.as_str()));
            self.errors_summed_up += number("errors").unwrap_or_default();
            self.was_summed_up = true;
            return true;
        }
        self.is_known && (text.starts_with("Finding: ") || text.starts_with("Linting: ") || text.starts_with("Found:"))
    }
}

impl LineReader for Markdownlint {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if self.finding(line) || self.frame(line.text.trim_end()) { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let says_something =
            0 < self.findings.counts.total() || (self.is_known || self.is_hinted) && self.was_summed_up;
        // A summary counts warnings as errors.
        let errors_summed_up = self.errors_summed_up.saturating_sub(self.findings.counts.warnings);
        says_something.then(|| Claim {
            format: "text",
            standing: Standing::Certain,
            findings: self.findings,
            errors_summed_up,
            ..Claim::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_read_in_their_spellings() {
        for (text, line, column, code) in [
            ("README.md:1:1 error MD018/no-missing-space-atx No space [Context: \"#T\"]", "1", Some("1"), "MD018"),
            ("README.md:3 MD032/blanks-around-lists Lists should be surrounded", "3", None, "MD032"),
            ("docs/a b.md: 3: MD009/no-trailing-spaces Trailing spaces", "3", None, "MD009"),
            ("README.md:1: MD002 First header should be a top level header", "1", None, "MD002"),
        ] {
            let captures = FINDING.captures(text).unwrap();
            assert_eq!((&captures["line"], &captures["code"]), (line, code), "{text}");
            assert_eq!(captures.name("column").map(|column| column.as_str()), column, "{text}");
        }
        assert!(!FINDING.is_match("see rule MD018 No space"));
    }
}
