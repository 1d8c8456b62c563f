//! staticcheck: `test.go:9:9: empty branch (SA9003)`; stylish (the file, below it
//! `  (9, 9)  SA9003  empty branch`); JSON, one object per line
//! (`{"code":"SA9003","severity":"error","location":{"file":…,"line":9,"column":9},…}`).
//!
//! A package that does not compile is reported as one problem without a file, which quotes the compiler.

use super::go_build::quotation;
use crate::prelude::*;
use crate::shapes::record_kind::RecordKind;

pub(crate) static TOOL: Tool = Tool::new("staticcheck", &["staticcheck-json"], Role::Lint)
    .lines(&[
        LineFormat::rows(&[" (SA", " (S1", " (ST1", " (QF1", " (U1000)", "-: # ", " (compile)", " (config)"], &TEXT),
        LineFormat::rows(&["  SA", "  S1", "  ST1", "  QF1", "  U1000", "  compile  ", "  config  "], &STYLISH),
        LineFormat::new(&["{\"code\":\""], |_| JSON.reader()),
    ])
    .documents(&[DocumentFormat::new(&["[{\"code\":\""], &["\"code\":"], |stream, _| LIST.reader(stream, false))]);

/// The code of quoted compiler errors.
const COMPILE: &str = "compile";

static TEXT: Rows = Rows::new("staticcheck", "text").lists().sleeps().rows(&quotation::rows(r"^-: # ", COMPILE)).and(&[
    finding(r"^(?:-|(?<file>\S[^:]*\.go):(?<line>\d+):(?<column>\d+)): (?<message>.*) \((?<code>(?:SA|S|ST|QF|U)\d{4}|compile|config)\)$"),
]);

static STYLISH: Rows = Rows::new("staticcheck", "stylish")
    .lists()
    .rows(&quotation::rows(r"^ +\(\d+, \d+\) +compile +# ", COMPILE))
    .and(&[
        finding(
            r"^ +\((?<line>\d+), (?<column>\d+)\) +(?<code>(?:SA|S|ST|QF|U)\d{4}|compile|config) +(?<message>\S.*)$",
        ),
        heading(r"^(?<file>\S.*\.go)$").tentative(),
        within(r"^ ✖ \d+ problems? \(\d+ errors?, \d+ warnings?, \d+ ignored\)$").known(),
    ]);

static JSON: JsonLines = JsonLines { record: Some(problem), ..JsonLines::of("json", &["{\"code\":\""], &MEMBERS) };

static LIST: JsonFindings = JsonFindings { is_strict: true, record: Some(problem), ..JsonFindings::of(&MEMBERS) };

const MEMBERS: Members = Members {
    tool: "staticcheck",
    file: "location/file",
    line: "location/line",
    column: "location/column",
    end_line: "end/line",
    end_column: "end/column",
    code: "code",
    needs: &["location/file"],
    check: |made, record| {
        made.level = if said(&record.value, "severity") == Some("error") { Level::Error } else { Level::Warning };
        made.file.is_some() || matches!(made.code.as_deref(), Some(COMPILE | "config"))
    },
    ..Members::MESSAGE
};

fn problem(record: &Record<'_>) -> RecordKind {
    match MEMBERS.told(record) {
        RecordKind::Finding(_) if said(&record.value, "severity") == Some("ignored") => RecordKind::Nothing,
        told => told,
    }
}
