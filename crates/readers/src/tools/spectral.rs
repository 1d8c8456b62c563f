//! Spectral: `stylish`, `text` and JSON.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("spectral", &["spectral-json"], Role::Lint)
    .lines(&[
        LineFormat::rows(
            &["  error  ", "  warning  ", "  information  ", "  hint  ", " infos, ", "No results with a severity"],
            &STYLISH,
        ),
        LineFormat::rows(&[], &TEXT)
            .both(&[" error ", " warning ", " information ", " hint "], &[".yaml:", ".yml:", ".json:"]),
    ])
    .documents(&[DocumentFormat::json(&["[{\"code\":\""], &["\"code\": \""], &JSON).or_empty("[]")]);

static TEXT: Rows = Rows::new("spectral", "text").rows(&[
    // `/project/openapi.yaml:2:6 warning info-contact "Info object must have "contact" object."`.
    finding(
        r#"^(?<file>\S.*?\.(?:ya?ml|json)):(?<line>\d+):(?<column>\d+) (?<level>error|warning|information|hint) (?<code>[\w-]+) "(?<message>.*)"$"#,
    ),
]);

/// The default format: a file on its own line, below it a table with location, severity, rule, message and, if
/// known, the path within the document. ESLint's table is almost the same; only the count below identifies the
/// tool.
static STYLISH: Rows = Rows::new("spectral", "stylish").rows(&[
    // `  2:6  warning  info-contact  Info object must have "contact" object.  info`.
    finding(r"^ +(?<line>\d+):(?<column>\d+) +(?<level>error|warning|information|hint)  +(?<code>[A-Za-z][\w-]*)  +(?<message>\S.*?)(?:  +\S+(?: \S+)*)?$")
        .common(),
    // `✖ 7 problems (1 error, 6 warnings, 0 infos, 0 hints)`.
    sum(r"^✖ \d+ problems? \((?<errors>\d+) errors?, (?<warnings>\d+) warnings?, (?<infos>\d+) infos?, (?<hints>\d+) hints?\)$")
        .names_tool()
        .clean(),
    known(r"^No results with a severity of '.* found!$"),
    heading(r"^(?<file>[^\s].*[./\\].*|[./\\].*)$").tentative(),
]);

/// Lines and columns are 0-based:
/// `[{"code":"info-contact","path":["info"],"message":"…","severity":1,"range":{"start":{"line":1,"character":5}},"source":"…"}]`.
static JSON: JsonFindings = JsonFindings { is_strict: true, ..JsonFindings::of(&MEMBERS) };

const MEMBERS: Members = Members {
    tool: "spectral",
    file: "source",
    line: "range/start/line+1",
    column: "range/start/character+1",
    end_line: "range/end/line+1",
    end_column: "range/end/character+1",
    code: "code",
    level: "severity",
    levels: &[("0", Level::Error), ("1", Level::Warning), ("2", Level::Info), ("3", Level::Info)],
    needs: &["severity", "range|path"],
    ..Members::MESSAGE
};
