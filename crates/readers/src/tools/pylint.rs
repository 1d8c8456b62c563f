//! pylint: `text`, `parseable`, `msvs` and similar templates, and `json` and `json2`.
//!
//! ```text
//! ************* Module app
//! app.py:38:0: C0301: Line too long (116/100) (line-too-long)
//! app.py:38: [C0301(line-too-long), f] Line too long (116/100)
//! app.py(38): [C0301(line-too-long)f] Line too long (116/100)
//! ```

use crate::prelude::*;
use crate::shapes::python::is_source;

pub(crate) static TOOL: Tool = Tool::new("pylint", &["pylint-json"], Role::Lint)
    .lines(&[LineFormat::rows(
        &[
            "************* Module ",
            "Your code has been rated at ",
            ": [C",
            ": [R",
            ": [W",
            ": [E",
            ": [F",
            ": [I",
            ": C0",
            ": R0",
            ": W0",
            ": E0",
            ": F0",
            ": I0",
            ": C1",
            ": R1",
            ": W1",
            ": E1",
            ": C2",
            ": C3",
            ": C4",
            ": R2",
            ": R3",
            ": W2",
            ": W3",
            ": W4",
            ": W6",
            ": E2",
            ": E3",
            ": E4",
            ": E6",
            ": R5",
            ": R6",
            ": W9",
            ": R9",
        ],
        &TEXT,
    )])
    .documents(&[
        DocumentFormat::json(&["[{\"type\":"], &["\"type\":"], &JSON).or_empty("[]"),
        DocumentFormat::json(&["{\"messages\":"], &["\"messages\":"], &JSON2),
    ])
    .merge(candidate::together);

static JSON: JsonFindings = JsonFindings::of(&MEMBERS);

static JSON2: JsonFindings = JsonFindings {
    format: "json2",
    paths: &[&["messages", ANY]],
    is_own: |members| members.get("statistics").is_some_and(|it| it.get("messageTypeCount").is_some()),
    ..JSON
};

/// Members of a message; `json2` has names of its own for some. Columns are 0-based.
const MEMBERS: Members = Members {
    tool: "pylint",
    file: "path|absolutePath",
    line: "line",
    column: "column+1",
    end_line: "endLine",
    end_column: "endColumn+1",
    code: "messageId|message-id|symbol",
    level: "type",
    levels: &[("statement", Level::Info)],
    needs: &["type"],
    check: |_, record| record.value.get("module").is_some(),
    ..Members::MESSAGE
};

static TEXT: Rows = Rows::new("pylint", "text").confidence(Confidence::Likely).rows(&[
    within(r"^\*{13} Module ").vouches(),
    // Findings may also be printed as annotations of GitHub, which another reader handles.
    within("^::(?:error|warning|notice)").fails(),
    known("^Your code has been rated at "),
    within("^-+$").known(),
    finding(LOCATED).level_of(level).check(|made, found| is_of_python(made, found) && found.has("symbol")).vouches(),
    finding(LOCATED).level_of(level).check(is_of_python),
    finding(LOCATED).level_of(level).check(symbolize).hinted(),
]);

/// A finding after its location. Columns are 0-based.
const LOCATED: &str = r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:()]*?)(?::[A-Za-z_][\w.]*)?(?::(?<line>\d+)(?::(?<column0>\d+))?|\((?<line2>\d+)\)): (?:(?<letter>(?<code>[CRWEFI]\d{4})): (?<message>.*?)(?: \((?<symbol>[a-z][a-z-]+)\))?|\[(?<letter2>(?<code2>[CRWEFI]\d{4})|[CRWEFI])(?:\((?<symbol2>[\w-]+)\))?(?:, ?[^\]]*|[A-Za-z_<][^\],]*)?\] (?<message2>.*?(?: \((?<symbol3>[a-z][a-z-]+)\))?))$";

fn level(found: &Groups<'_, '_>) -> Level {
    match found.text("letter").bytes().next() {
        Some(b'E' | b'F') => Level::Error,
        Some(b'W') => Level::Warning,
        _ => Level::Info,
    }
}

fn is_of_python(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    symbolize(made, found) && is_source(found.text("file"))
}

/// Takes the symbol of a message as its code if there is no other.
fn symbolize(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    made.code = made.code.take().or_else(|| found.get("symbol").map(name));
    true
}
