//! Linters of prose that print a heading for each file: Vale, alex and write-good.

use crate::prelude::*;

pub(crate) static VALE: Tool = Tool::new("vale", &["vale-json"], Role::Lint)
    .lines(&[
        LineFormat::rows(&[" suggestions in ", " suggestion in "], &VALE_TEXT),
        LineFormat::rows(&[":Vale.", ":Microsoft.", ":Google.", ":write-good."], &VALE_LINE),
    ])
    .documents(&[DocumentFormat::json(&[], &["\"Action\":"], &VALE_JSON).or_empty("{}")]);

pub(crate) static ALEX: Tool = Tool::new("alex", &["remark", "remark-lint"], Role::Lint)
    .lines(&[LineFormat::rows(&["  warning  ", "  error  ", ": no issues found"], &ALEX_TEXT)]);

pub(crate) static WRITE_GOOD: Tool =
    Tool::new("write-good", &[], Role::Lint).lines(&[LineFormat::rows(&[" at column "], &WRITE_GOOD_TEXT)]);

/// ` docs/a.md`, followed by its findings; wrapped lines are not read.
static VALE_TEXT: Rows = Rows::new("vale", "text").rows(&[
    // ` 1:5   error    Did you really mean 'foo'?  Vale.Spelling`.
    finding(r"^ (?<line>\d+):(?<column>\d+) {2,}(?<level>error|warning|suggestion) {2,}(?<message>\S.*?)(?: {2,}(?<code>[\w-]+(?:\.[\w-]+)+))?$")
        .check(|made, _| made.file.is_some())
        .common(),
    sum(r"^[✖✔] (?<errors>\d+) errors?, (?<warnings>\d+) warnings? and (?<infos>\d+) suggestions? in (?:\d+ files?|stdin)\.$")
        .names_tool()
        .clean(),
    heading(r"^ (?<file>\S+\.\w+)$").tentative(),
]);

static VALE_LINE: Rows = Rows::new("vale", "line").level(Level::Warning).rows(&[
    // `docs/a.md:1:5:Vale.Spelling:Did you really mean 'foo'?`, with `--output=line`.
    finding(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+):(?<code>[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+):(?<message>\S.*)$",
    ),
]);

/// `README.md`, followed by its findings.
static ALEX_TEXT: Rows = Rows::new("alex", "text").rows(&[
    // `  1:5-1:14  warning  `boogeyman` may be insensitive  boogeyman  retext-equality`.
    finding(r"^ +(?<line>\d+):(?<column>\d+)-(?<end_line>\d+):(?<end_column>\d+) {2,}(?<level>error|warning|info) {2,}(?<message>\S.*?)(?: {2,}(?<code>[\w-]+) {2,}[\w:-]+)?$")
        .check(|made, _| made.file.is_some())
        .common(),
    sum(r"^(?:⚠ (?<warnings>\d+) warnings?|✖ (?<errors>\d+) errors?(?:, ⚠ (?<warnings2>\d+) warnings?)?|\d+ messages? \(.*\)|.*: no issues found)$")
        .names_tool()
        .clean(),
    within(r": no issues found$"),
    heading(r"^(?<file>\S+\.\w+)$").tentative(),
]);

/// `In README.md`, followed by its findings.
static WRITE_GOOD_TEXT: Rows = Rows::new("write-good", "text").level(Level::Warning).rows(&[
    // `"So" adds no meaning on line 1 at column 0`.
    finding(r#"^(?<message>".*" .*) on line (?<line>\d+) at column (?<column0>\d+)$"#)
        .check(|made, _| made.file.is_some()),
    known(r"^=+$|^-{10,}$").hinted(),
    within(r"^=+$|^-{10,}$"),
    heading(r"^In (?<file>\S.*)$"),
]);

/// `{"docs/a.md":[{"Check":"Vale.Spelling","Message":…,"Severity":"error","Span":[5,7],"Line":1}]}`.
static VALE_JSON: JsonFindings = JsonFindings { paths: &[&[ANY, ANY]], ..JsonFindings::of(&MEMBERS) };

const MEMBERS: Members = Members {
    tool: "vale",
    message: "Message",
    file: "@",
    line: "Line",
    column: "Span/0",
    code: "Check",
    level: "Severity",
    needs: &["Check", "Severity"],
    ..Members::MESSAGE
};
