//! HTMLHint: the default format, `compact`, `unix` and JSON.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("htmlhint", &["htmlhint-json"], Role::Lint)
    .lines(&[
        LineFormat::rows(&[", error - ", ", warning - ", ", info - "], &COMPACT),
        LineFormat::rows(&["[error/", "[warning/", "[info/"], &UNIX),
        LineFormat::rows(&["      L", "Scanned "], &DEFAULT),
    ])
    .documents(&[DocumentFormat::json(&["[{\"file\":"], &["\"file\":"], &JSON).or_empty("[]")]);

/// `index.html: line 2, col 14, error - <title></title> must not be empty. (title-require)`.
static COMPACT: Rows = Rows::new("htmlhint", "compact").confidence(Confidence::Likely).rows(&[
    finding(
        r"^(?<file>\S.*?): line (?<line>\d+), col (?<column>\d+), (?<level>error|warning|info) - (?<message>.*) \((?<code>[\w-]+)\)$",
    )
    // Stylelint prints almost the same format for stylesheets.
    .check(|_, found| {
        !text::has_extension(found.text("file"), &["css", "scss", "sass", "less", "sss", "pcss", "styl"])
    }),
    sum(COUNT),
]);

/// `index.html:2:14: <title></title> must not be empty. [error/title-require]`.
static UNIX: Rows = Rows::new("htmlhint", "unix").rows(&[
    finding(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<level>error|warning|info)/(?<code>[\w-]+)\]$",
    ),
    sum(COUNT),
]);

const COUNT: &str = r"^(?<all>\d+) problems?$";

/// The default format: a file, below it each line with a finding and, under the column, the message.
///
/// ```text
///    index.html
///       L2 |<head><title></title></head>
///                        ^ <title></title> must not be empty. (title-require)
///
/// Scanned 1 files, found 8 errors in 1 files (31 ms)
/// ```
static DEFAULT: Rows = Rows::new("htmlhint", "default").rows(&[
    // The level is shown only as a color: the count below calls all findings errors.
    rest(r"^(?<before> +)\^ (?<message>.*) \((?<code>[\w-]+)\)$")
        .then(|made, found| {
            // A long line is shown only in part; the column is then unknown.
            let is_whole = made.source.as_ref().is_some_and(|source| !source.starts_with("..."));
            let gutter = "      L |".len() + made.line.map_or(0, |line| line.to_string().len());
            let column = found.text("before").len().checked_sub(gutter).filter(|_| is_whole);
            made.column = column.and_then(|column| u32::try_from(column + 1).ok());
        })
        .last(),
    lead(r"^ {6}L(?<line>\d+) \|(?<source>.*)$").known(),
    heading(r"^ {3}(?<file>\S.*)$"),
    known(r"^Scanned \d+ files?, no errors found \(\d+ ms\)\.?$"),
    sum(r"^Scanned \d+ files?, found (?<all>\d+) errors?(?:,? (?:and )?\d+ warnings?)? in \d+ files? \(\d+ ms\)\.?$"),
]);

/// `[{"file":"index.html","messages":[{"type":"error","message":"…","line":2,"col":14,"rule":{"id":"title-require"}}]}]`.
static JSON: JsonFindings =
    JsonFindings { paths: &[&[ANY, "messages", ANY]], is_strict: true, ..JsonFindings::of(&MEMBERS) };

const MEMBERS: Members = Members {
    tool: "htmlhint",
    file: "^file",
    line: "line",
    column: "col",
    code: "rule/id",
    source: "evidence",
    level: "type",
    needs: &["^file", "type", "rule/id"],
    ..Members::MESSAGE
};
