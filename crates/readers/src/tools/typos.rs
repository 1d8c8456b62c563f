//! typos: long (``error: `teh` should be `the` ``, below it `╭▸ a.txt:1:6` or `--> a.txt:1:6`), brief
//! (``a.txt:1:6: `teh` -> `the` ``) and JSON, one object per line
//! (`{"type":"typo","path":"a.txt","line_num":1,…}`).

use crate::prelude::*;
use crate::rows::at_line;

pub(crate) static TOOL: Tool = Tool::new("typos", &[], Role::Lint).lines(&[
    LineFormat::rows(&["` should be `", "` -> `", "` is disallowed"], &TEXT),
    LineFormat::new(&["\"type\":\"typo\""], |_| JSON.reader()),
]);

static TEXT: Rows = Rows::new("typos", "text").rows(&[
    // ``error: `teh` should be `the`, `tea` ``; a finding in a file name has no line.
    lead(r"^error: (?<message>`[^`]+` (?:should be (?<right>`[^`]+`(?:, `[^`]+`)*)|is disallowed))$")
        .rule("typos/long")
        .then(propose),
    rest(r"^ *(?:╭▸|-->|╭─\[?) ?(?<file>\S.*?)(?::(?<line>\d+):(?<column>\d+))?\]?$")
        .check(|made, _| made.file.is_none()),
    // ``a.txt:1:6: `teh` -> `the` ``.
    finding(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>`[^`]+` (?:-> (?<right>`[^`]+`(?:, `[^`]+`)*)|is disallowed))$")
        .rule("typos/brief")
        .then(propose),
    part(r"^ *(?<number>\d+) *[|│] ?(?<source>.*)$").check(at_line),
    part(r"^ *(?:\d+ *)?(?:[|│]|╰╴|╰─)"),
]);

/// Sets the suggestion from the corrections of a finding: ``"`the`, `tea`"`` gives `the, tea`.
fn propose(made: &mut Diagnostic, found: &Groups<'_, '_>) {
    made.suggestion = found.get("right").map(|right| name(&right.replace('`', "")));
    // typos applies a correction only if there is just one.
    made.fixable = made.suggestion.as_deref().is_some_and(|right| !right.contains(", "));
}

static JSON: JsonLines = JsonLines::of("json", &["\"type\":\"typo\""], &MEMBERS);

const MEMBERS: Members = Members {
    tool: "typos",
    message: "typo",
    file: "path",
    line: "line_num",
    column: "byte_offset+1",
    complete: |made, record| {
        let right = record.value.get("corrections").and_then(Value::as_array).into_iter().flatten();
        let right: Vec<&str> = right.filter_map(Value::as_str).collect();
        made.message = match right.as_slice() {
            [] => format!("`{}` is disallowed", made.message),
            right => format!("`{}` should be `{}`", made.message, right.join("`, `")),
        };
        made.fixable = right.len() == 1;
        made.suggestion = (!right.is_empty()).then(|| name(&right.join(", ")));
    },
    ..Members::MESSAGE
};
