//! Stylelint: `string` and `verbose` (a file on its own line, below it a table of its findings, at the end
//! their number), `compact`, `unix` and JSON.
//!
//! A clean run prints nothing, except with `verbose`.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("stylelint", &["stylelint-json"], Role::Lint)
    .lines(&[
        LineFormat::rows(&[", error - ", ", warning - "], &COMPACT),
        LineFormat::rows(&[") [error]", ") [warning]"], &UNIX).named(&[" problem"]),
        // The same final count ends `unix`. This format is listed after it, and so does not take precedence.
        LineFormat::rows(
            &["  ✖  ", "  ⚠  ", "  ×  ", "  ‼  ", "  ℹ  ", " sources checked", " source checked"],
            &STRING,
        )
        .named(&[" problem"]),
    ])
    .documents(&[DocumentFormat::json(&["[{\"source\":"], &["\"source\":"], &JSON).or_empty("[]")]);

static COMPACT: Rows = Rows::new("stylelint", "compact").confidence(Confidence::Likely).rows(&[
    // `css/a.css: line 1, col 3, error - Unexpected unit (length-zero-no-unit)`. HTMLHint prints the same
    // for other files.
    finding(r"^(?<file>\S.*?\.(?:css|scss|sass|less|sss|pcss|postcss|styl|vue|svelte|astro)|<input css 1>): line (?<line>\d+), col (?<column>\d+), (?<level>error|warning) - (?<message>.*?)(?: \((?<code>[\w@/-]+)\))?$"),
]);

static UNIX: Rows = Rows::new("stylelint", "unix").rows(&[
    // `css/a.css:1:3: Unexpected unit (length-zero-no-unit) [error]`.
    finding(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*?) \((?<code>[\w@/-]+)\) \[(?<level>error|warning)\]$",
    ),
    sum(PROBLEMS),
]);

/// `✖ 21 problems (19 errors, 2 warnings)`, before version 15 without a mark.
const PROBLEMS: &str = r"^(?:[✖×⚠‼] )?\d+ problems? \((?<errors>\d+) errors?, (?<warnings>\d+) warnings?\)$";

/// A row below its file: `  1:3  ✖  Unexpected unit  length-zero-no-unit`; `verbose` adds the number of
/// findings for each rule. Without the final count, other tools could have printed the marks.
static STRING: Rows = Rows::new("stylelint", "string").level(Level::Info).confidence(Confidence::Likely).rows(&[
    head(r"^ +(?<line>\d+):(?<column>\d+) +(?<level>[✖×⚠‼ℹi])  +(?<message>\S.*?)(?:  +(?<code>[a-zA-Z@][\w@/-]*))?$")
        .levels(MARKS),
    // A line of a message wrapped to the width of the terminal.
    part(r"^        (?<message>.*)$").joined(),
    sum(PROBLEMS).clean(),
    // The number of findings that `--fix` could fix.
    within(r#"^ +(?:(?<fixable_errors>\d+) errors?)?(?: and )?(?:(?<fixable_warnings>\d+) warnings?)? potentially fixable with the "--fix" option\.$"#)
        .known(),
    known(r"^\d+ sources? checked$").hinted(),
    within(r"^\d+ sources? checked$"),
    within(r"^  \S+(?: \d+(?: \(maybe fixable\))?)?$|^\d+ (?:problem|error|warning)s? found$").known(),
    heading(r"^(?<file>[^\s].*[/\\.<].*|[/\\.<].*)$").tentative(),
]);

const MARKS: &[(&str, Level)] =
    &[("✖", Level::Error), ("×", Level::Error), ("⚠", Level::Warning), ("‼", Level::Warning)];

/// A list of sources, each with its warnings, whose text ends with the rule:
/// `[{"source":"a.css","warnings":[{"line":1,"column":3,"rule":"block-no-empty","severity":"error","text":"… (block-no-empty)"}]}]`.
static JSON: JsonFindings = JsonFindings {
    paths: &[&[ANY, "warnings", ANY]],
    is_own: |members| members.contains_key("errored"),
    ..JsonFindings::of(&MEMBERS)
};

const MEMBERS: Members = Members {
    tool: "stylelint",
    message: "text",
    file: "^source",
    line: "line",
    column: "column",
    end_line: "endLine",
    end_column: "endColumn",
    code: "rule",
    fix: "fix",
    level: "severity",
    needs: &["severity"],
    check: |made, record| {
        let rule = made.code.as_deref().unwrap_or_default();
        if let Some(said) = made.message.strip_suffix(&format!(" ({rule})")) {
            made.message = said.to_owned();
        }
        // A plugin may report a range whose end precedes its start.
        if made.end_line.is_some() && made.end_line < made.line {
            std::mem::swap(&mut made.line, &mut made.end_line);
        }
        record.value.get("rule").is_some()
    },
    ..Members::MESSAGE
};

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;
    use crate::candidate::Candidate;
    use crate::scan::Line;

    fn candidate(text: &str) -> Option<Candidate> {
        let mut table = STRING.reader(false);
        for text in text.lines() {
            let stream = Stream::Stdout;
            table.line(&Line::new(text, stream, 0..0));
        }
        table.finish()
    }

    #[test]
    fn rows_are_taken_apart() {
        let text = "css/a.css\n  1:3   ✖  Expected \"a\"  to be \"b\"   some/rule-name\n  1:12  ⚠  Unclosed\n\n\
                    2 problems (1 error, 1 warning)\n";
        let candidate = candidate(text).unwrap();
        assert_eq!(candidate.confidence, Confidence::Certain);
        let found = candidate.findings.kept.into_items();
        let facts: Vec<_> =
            found.iter().map(|it| (it.file.as_deref(), it.column, it.code.as_deref(), it.message.as_str())).collect();
        let file = Some("css/a.css");
        assert_eq!(
            facts,
            [
                (file, Some(3), Some("some/rule-name"), "Expected \"a\"  to be \"b\""),
                (file, Some(12), None, "Unclosed")
            ]
        );
    }

    #[test]
    fn a_broken_message_is_put_together() {
        let text = "a.css\n 1:3  ✖  Expected modern       color-rule\n         notation\n\n✖ 1 problem (1 error, 0 warnings)\n";
        let found = candidate(text).unwrap().findings.kept.into_items();
        assert_eq!(
            (found[0].message.as_str(), found[0].code.as_deref()),
            ("Expected modern notation", Some("color-rule"))
        );
    }

    #[test]
    fn marks_alone_are_no_findings() {
        assert!(candidate("  ✖  npm run lint\n").is_none());
        assert!(candidate("✖ 1 problem (1 error, 0 warnings)\n").is_none());
    }
}
