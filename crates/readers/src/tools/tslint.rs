//! TSLint: `prose` (in its two forms), `verbose`, `msbuild`, `stylish` and JSON.

use crate::prelude::*;
use crate::tools::tsc;

pub(crate) static TOOL: Tool = Tool::new("tslint", &["tslint-json"], Role::Lint)
    .lines(&[
        LineFormat::rows(&["ERROR: ", "WARNING: "], &PROSE),
        LineFormat::rows(&["]: "], &OLD_PROSE),
        LineFormat::rows(&["): warning ", "): error "], &MSBUILD).unless(tsc::is_finding),
        LineFormat::rows(&["ERROR: ", "WARNING: "], &STYLISH),
    ])
    .documents(&[DocumentFormat::new(&["[{\"endPosition\":"], &["\"endPosition\":"], |stream, _| {
        JSON.reader(stream, false)
    })]);

static PROSE: Rows = Rows::new("tslint", "prose").rows(&[
    // `ERROR: src/a.ts:1:7 - Missing semicolon`.
    finding(
        r"^(?<level>ERROR|WARNING): (?:\((?<code>[\w/-]+)\) )?(?<file>\S.*?\.(?:ts|tsx|js|jsx|json|mts|cts)):(?<line>\d+):(?<column>\d+) - (?<message>.*)$",
    ),
]);

static OLD_PROSE: Rows = Rows::new("tslint", "prose").rows(&[
    // `src/a.ts[1, 7]: Missing semicolon`, with a level or, in `verbose`, the rule before it.
    finding(
        r"^(?:(?<level>ERROR|WARNING): )?(?:\((?<code>[\w/-]+)\) )?(?<file>\S.*?\.(?:ts|tsx|js|jsx|json|mts|cts))\[(?<line>\d+), (?<column>\d+)\]: (?<message>.*)$",
    ),
]);

static MSBUILD: Rows = Rows::new("tslint", "msbuild").confidence(Confidence::Likely).rows(&[
    // `src/a.ts(1,7): warning semicolon: Missing semicolon`.
    finding(r"^(?<file>\S.*?\.(?:ts|tsx|js|jsx|json|mts|cts))\((?<line>\d+),(?<column>\d+)\): (?<level>warning|error) (?<code>[a-z][A-Za-z0-9/-]*): (?<message>.*)$"),
]);

/// A file on its own line, since version 5.9 with the location of its first finding, and below it its findings.
static STYLISH: Rows = Rows::new("tslint", "stylish").rows(&[
    // `ERROR: 1:14  semicolon  Missing semicolon`.
    finding(r"^ *(?<level>ERROR|WARNING): (?<line>\d+):(?<column>\d+)  +(?<code>[a-z][\w/-]*)  +(?<message>\S.*)$")
        .check(|made, _| made.file.is_some()),
    heading(r"^ *(?<file>\S.*\.(?:ts|tsx|js|jsx|json|mts|cts))[\d:]*$").tentative(),
]);

/// Lines and columns are 0-based:
/// `[{"endPosition":{…},"failure":"Missing semicolon","name":"a.ts","ruleName":"semicolon","ruleSeverity":"ERROR","startPosition":{…}}]`.
static JSON: JsonFindings = JsonFindings::of(&MEMBERS);

const MEMBERS: Members = Members {
    tool: "tslint",
    message: "failure",
    file: "name",
    line: "startPosition/line+1",
    column: "startPosition/character+1",
    end_line: "endPosition/line+1",
    end_column: "endPosition/character+1",
    code: "ruleName",
    fix: "fix",
    // Before version 5 every finding was an error.
    level: "ruleSeverity",
    needs: &["ruleName", "name"],
    ..Members::MESSAGE
};

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;
    use crate::scan::Line;

    fn reads(rows: &'static Rows, text: &str) -> bool {
        let mut reader = rows.reader(false);
        let stream = Stream::Stdout;
        reader.line(&Line::new(text, stream, 0..0));
        reader.finish().is_some()
    }

    #[test]
    fn findings_are_told_from_other_lines() {
        assert!(reads(&PROSE, "ERROR: src/a.ts:1:7 - Missing semicolon"));
        assert!(reads(&OLD_PROSE, "(semicolon) src/a.ts[15, 11]: missing semicolon"));
        assert!(reads(&OLD_PROSE, "ERROR: src/a.ts[15, 11]: missing semicolon"));
        assert!(!reads(&OLD_PROSE, "list[15, 11]: missing semicolon"));
        assert!(reads(&MSBUILD, "src/a.ts(1,7): warning semicolon: Missing semicolon"));
        assert!(!reads(&MSBUILD, "src/a.ts(1,7): error TS2322: no"));
    }
}
