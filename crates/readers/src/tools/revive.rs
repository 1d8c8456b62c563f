//! revive: JSON (a list of failures, one failure per line, or an object of files), `friendly`
//! (`  ⚠  https://revive.run/r#exported  message`, with the location below), `stylish`, `unix`
//! (`main.go:10:6: [exported] message`), `plain` and the default format, which names no rule.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("revive", &["revive-json"], Role::Lint)
    .lines(&[LineFormat::rows(&["https://revive.run/r#", ".go:"], &TEXT)])
    .documents(&[
        DocumentFormat::json(&["[{\"Severity\":\""], &["\"Severity\":"], &JSON).or_empty("[]"),
        DocumentFormat::json(&[], &["\""], &BY_FILE),
    ]);

static TEXT: Rows = Rows::new("revive", "text").level(Level::Warning).rows(&[
    // `friendly`, with the location below.
    head(r"^ *(?<level>⚠|✘) +https://revive\.run/r#(?<code>[a-z0-9-]+) +(?<message>\S.*)$")
        .levels(&[("✘", Level::Error)]),
    part(r"^ +(?<file>\S.*\.go):(?<line>\d+):(?<column>\d+)$").last(),
    finding(r"^ *\((?<line>\d+), (?<column>\d+)\) +https://revive\.run/r#(?<code>[a-z0-9-]+) +(?<message>\S.*)$"),
    finding(r"^(?<file>\S[^:]*\.go):(?<line>\d+):(?<column>\d+): (?:\[(?<code>[a-z][a-z0-9-]+)\] )?(?<message>\S.*?) https://revive\.run/r#(?<code2>[a-z0-9-]+)$"),
    // Without the link to a rule, many tools print such a line.
    finding(r"^(?<file>\S[^:]*\.go):(?<line>\d+):(?<column>\d+): (?:\[(?<code>[a-z][a-z0-9-]+)\] )?(?<message>\S.*)$")
        .hinted(),
    heading(r"^(?<file>\S.*\.go)$").tentative(),
]);

static JSON: JsonFindings = JsonFindings { is_strict: true, ..JsonFindings::of(&MEMBERS) };

/// A failure in revive's own JSON format.
const MEMBERS: Members = Members {
    tool: "revive",
    message: "Failure",
    file: "Position/Start/Filename",
    line: "Position/Start/Line",
    column: "Position/Start/Column",
    end_line: "Position/End/Line",
    end_column: "Position/End/Column",
    code: "RuleName",
    level: "Severity",
    otherwise: Level::Warning,
    needs: &["RuleName"],
    ..Members::MESSAGE
};

/// Failures grouped by file. The start of such a document does not identify it as revive's.
static BY_FILE: JsonFindings =
    JsonFindings { paths: &[&[ANY, ANY]], is_any: true, is_strict: true, ..JsonFindings::of(&OF_FILE) };

/// A failure below the name of its file.
const OF_FILE: Members = Members {
    tool: "revive",
    file: "@",
    line: "line",
    column: "column",
    code: "rule",
    level: "severity",
    otherwise: Level::Warning,
    needs: &["rule"],
    check: |_, record| record.key.is_some_and(|path| text::has_extension(path, &["go"])),
    ..Members::MESSAGE
};
