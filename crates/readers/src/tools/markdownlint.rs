//! markdownlint-cli, markdownlint-cli2 and the older `mdl`: one finding per line, in all their variants, and
//! the JSON of the first. markdownlint-cli2 prints the number of findings before them, in the other stream.

use crate::prelude::*;
use crate::shapes::members::position;

pub(crate) static TOOL: Tool =
    Tool::new("markdownlint", &["markdownlint-cli2", "markdownlint-json", "mdl"], Role::Lint)
        .lines(&[LineFormat::rows(&[" MD0", "markdownlint-cli2 v", "Summary: "], &TEXT)])
        .documents(&[DocumentFormat::new(&["[{\"fileName\":"], &["\"fileName\":"], |stream, _| {
            JSON.reader(stream, false)
        })]);

static TEXT: Rows = Rows::new("markdownlint", "text").sums_across_streams().rows(&[
    // `README.md:1:1 error MD018/no-missing-space-atx No space after hash [Context: "#Title"]`; no level before
    // version 0.46; in old versions colons and spaces follow the file and the line.
    finding(r"^(?<file>\S.*?): ?(?<line>\d+)(?::(?<column>\d+))?:? (?:(?<level>error|warning) )?(?<code>MD\d{3})(?:/[\w/-]+)? (?<message>\S.*)$"),
    // A custom rule, which only the level before it identifies.
    finding(r"^(?<file>\S.*?\.(?:md|mdx|markdown)):(?<line>\d+)(?::(?<column>\d+))? (?<level>error|warning) (?<code>[A-Za-z][\w-]*)(?:/[\w/-]+)? (?<message>\S.*)$")
        .known(),
    sum(r"^Summary: (?<errors>\d+) error\(s\)(?:, \d+ warning\(s\))?$").known().clean(),
    within("^markdownlint-cli2 v").vouches(),
    within("^(?:Finding: |Linting: |Found:)").known(),
]);

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
    complete: |made, record| {
        if let Some(detail) = said(&record.value, "errorDetail") {
            made.message = format!("{} [{detail}]", made.message);
        }
        let length = position(&record.value, "errorRange/1");
        made.end_column = made.column.zip(length).and_then(|(column, length)| column.checked_add(length));
        made.end_line = made.line.filter(|_| made.end_column.is_some());
    },
    ..Members::MESSAGE
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    #[test]
    fn findings_are_read_in_their_spellings() {
        for (text, line, column, code) in [
            ("README.md:1:1 error MD018/no-missing-space-atx No space [Context: \"#T\"]", 1, Some(1), "MD018"),
            ("README.md:3 MD032/blanks-around-lists Lists should be surrounded", 3, None, "MD032"),
            ("docs/a b.md: 3: MD009/no-trailing-spaces Trailing spaces", 3, None, "MD009"),
            ("README.md:1: MD002 First header should be a top level header", 1, None, "MD002"),
        ] {
            let found = trial::claimed(TEXT.reader(false), text).unwrap().findings.kept.into_items().remove(0);
            assert_eq!((found.line, found.code.as_deref(), found.column), (Some(line), Some(code), column), "{text}");
        }
        assert!(trial::claimed(TEXT.reader(false), "see rule MD018 No space").is_none());
    }
}
