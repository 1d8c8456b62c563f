//! markdownlint-cli, markdownlint-cli2 and the older `mdl`: one finding per line, in all their variants, and
//! the JSON of the first. markdownlint-cli2 prints the number of findings before them, in the other stream.

use crate::prelude::*;
use crate::shapes::members::position;

pub(crate) static TOOL: Tool =
    Tool::new("markdownlint", &["markdownlint-cli2", "markdownlint-json", "mdl"], Role::Lint)
        .lines(&[LineFormat::new(&[" MD0", "markdownlint-cli2 v", "Summary: "], |is_hinted| {
            Box::new(Markdownlint { is_hinted, ..Markdownlint::default() })
        })])
        .documents(&[DocumentFormat::new(&["[{\"fileName\":"], &["\"fileName\":"], |stream, _| {
            JSON.reader(stream, false)
        })]);

static FINDINGS: [Pattern; 2] = [
    // `README.md:1:1 error MD018/no-missing-space-atx No space after hash [Context: "#Title"]`; no level before
    // version 0.46; in old versions colons and spaces follow the file and the line.
    Pattern::new(
        r"^(?<file>\S.*?): ?(?<line>\d+)(?::(?<column>\d+))?:? (?:(?<level>error|warning) )?(?<code>MD\d{3})(?:/[\w/-]+)? (?<message>\S.*)$",
    ),
    // A custom rule, which only the level before it identifies.
    Pattern::new(
        r"^(?<file>\S.*?\.(?:md|mdx|markdown)):(?<line>\d+)(?::(?<column>\d+))? (?<level>error|warning) (?<code>[A-Za-z][\w-]*)(?:/[\w/-]+)? (?<message>\S.*)$",
    ),
];

static SUMMARY: Pattern = Pattern::new(r"^Summary: (?<errors>\d+) error\(s\)(?:, \d+ warning\(s\))?$");

#[derive(Default)]
struct Markdownlint {
    is_hinted: bool,
    findings: Findings,
    is_known: bool,
    errors_summed_up: u64,
    was_summed_up: bool,
}

impl Markdownlint {
    fn frame(&mut self, text: &str) -> bool {
        if text.starts_with("markdownlint-cli2 v") {
            self.is_known = true;
            return true;
        }
        if let Some(found) = SUMMARY.find(text).filter(|_| self.is_known || self.is_hinted) {
            self.errors_summed_up += found.number("errors");
            self.was_summed_up = true;
            return true;
        }
        self.is_known && ["Finding: ", "Linting: ", "Found:"].iter().any(|start| text.starts_with(start))
    }
}

impl LineReader for Markdownlint {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        let patterns = if self.is_hinted || self.is_known { &FINDINGS[..] } else { &FINDINGS[..1] };
        if let Some(found) = patterns.iter().find_map(|pattern| pattern.find(text)) {
            self.findings.add(found.diagnostic("markdownlint", "markdownlint/text", line, Level::Error));
            return Use::Line;
        }
        if self.frame(text) { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let says_something =
            0 < self.findings.counts.total() || (self.is_known || self.is_hinted) && self.was_summed_up;
        // A summary counts warnings as errors.
        let errors_summed_up = self.errors_summed_up.saturating_sub(self.findings.counts.warnings);
        let findings = self.findings;
        says_something.then(|| Candidate { format: "text", findings, errors_summed_up, ..Candidate::default() })
    }
}

/// `[{"fileName":"README.md","lineNumber":1,"ruleNames":["MD018","no-missing-space-atx"],"ruleDescription":"…"}]`.
static JSON: JsonFindings = JsonFindings::of(&MEMBERS);

const MEMBERS: Members = Members {
    tool: "markdownlint",
    message: "ruleDescription",
    file: "fileName",
    line: "lineNumber",
    column: "errorRange/0",
    code: "ruleNames/0",
    source: "errorContext",
    fix: "fixInfo",
    level: "severity",
    needs: &["ruleNames/0"],
    check: |made, record| {
        if let Some(detail) = said(&record.value, "errorDetail") {
            made.message = format!("{} [{detail}]", made.message);
        }
        let length = position(&record.value, "errorRange/1");
        made.end_column = made.column.zip(length).and_then(|(column, length)| column.checked_add(length));
        made.end_line = made.line.filter(|_| made.end_column.is_some());
        true
    },
    ..Members::MESSAGE
};

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
            let found = FINDINGS[0].find(text).unwrap();
            assert_eq!((found.text("line"), found.text("code"), found.get("column")), (line, code, column), "{text}");
        }
        assert!(!FINDINGS[0].is_match("see rule MD018 No space"));
    }
}
