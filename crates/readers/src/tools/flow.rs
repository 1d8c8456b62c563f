//! Flow: `flow check` and `flow status`, as text and as JSON. The text consists of a heading as wide as the
//! terminal, the message followed by its code, and source code.
//!
//! ```text
//! Error ------------------------------------------------- src/a.js:6:3
//!
//! Cannot get `x.length` because property `length` is missing in `null` [1]. [incompatible-use]
//!
//!    src/a.js:6:3
//!    6| x.length;
//!         ^^^^^^
//! ```

use crate::prelude::*;
use crate::shapes::members::{file, position};

pub(crate) static TOOL: Tool = Tool::new("flow", &["flow-json"], Role::Typecheck)
    .lines(&[LineFormat::rows(&["Error ---", "Warning ---", "Error ┈┈┈", "Warning ┈┈┈", "No errors!"], &HUMAN)])
    .documents(&[DocumentFormat::new(
        &[
            "{\"flowVersion\":",
            "{\"errors\":[{\"error_codes\":",
            "{\"errors\":[{\"kind\":",
            "{\"errors\":[],\"flowVersion\":",
        ],
        &["\"flowVersion\":", "\"errors\": ["],
        |stream, _| JSON.reader(stream, false),
    )]);

static HUMAN: Rows = Rows::new("flow", "human")
    .spans_blank_lines()
    .complete(|found| {
        static CODE: Pattern = Pattern::new(r"^(?<message>(?s:.*?)) ?\[(?<code>[a-z][a-z0-9-]*)\]$");
        let ends = CODE.find(&found.message).map(|ends| (ends.text("message").to_owned(), ends.code()));
        if let Some((message, code)) = ends {
            (found.message, found.code) = (message, code);
        }
        true
    })
    .rows(&[
        head(r"^(?<level>Error|Warning) (?:-{3,}|┈{3,}) (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$").enters("message"),
        sum(r"^Found (?<errors>\d+) errors?(?: and (?<warnings>\d+) warnings?)?$").clean(),
        // Other tools print the same line.
        known("^No errors!$").hinted(),
        part("^References:$").enters("references"),
        related(r"^   (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$").inside("references"),
        part("^ ").inside("references"),
        part(r"^[ >\[\]0-9]{0,8}? *(?<number>\d+)[|│] ?(?<source>.*)$")
            .enters("code")
            .check(|made, found| made.source.is_none() && found.position("number") == made.line),
        part("^   ").enters("code"),
        part("^ ").inside("code"),
        // Messages are wrapped to fit the terminal.
        part("^(?<message>.*)$").inside("message").joined(),
    ]);

/// Messages are in pieces, and keys are sorted in some versions:
/// `{"flowVersion":"…","errors":[{"level":"error","message":[…]}],"passed":false}`.
static JSON: JsonFindings = JsonFindings {
    paths: &[&["errors", ANY]],
    is_own: |members| members.contains_key("passed") && members.contains_key("flowVersion"),
    ..JsonFindings::of(&MEMBERS)
};

const MEMBERS: Members = Members {
    tool: "flow",
    message: "",
    code: "error_codes/0",
    level: "level",
    needs: &["level", "message"],
    complete: join,
    ..Members::MESSAGE
};

/// Joins the pieces of a message. The location is that of the first piece that has one.
fn join(made: &mut Diagnostic, record: &Record<'_>) {
    let pieces = record.value.get("message").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let words: Vec<&str> = pieces.iter().filter_map(|piece| said(piece, "descr")).collect();
    made.message = words.join(" ");
    // The code is repeated at the end of the message.
    if let Some(code) = &made.code
        && let Some(message) = made.message.strip_suffix(&format!(" [{code}]")).map(str::to_owned)
    {
        made.message = message;
    }
    if let Some(place) = pieces.iter().find_map(|piece| piece.get("loc").filter(|loc| loc.is_object())) {
        made.file = file(place, "source");
        (made.line, made.column) = (position(place, "start/line"), position(place, "start/column"));
        // The end is the position of the last character.
        made.end_line = position(place, "end/line");
        made.end_column = position(place, "end/column").and_then(|column| column.checked_add(1));
    }
}
