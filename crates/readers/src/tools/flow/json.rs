//! The JSON report, whose messages are in pieces, and whose keys are sorted in some versions:
//! `{"flowVersion":"…","errors":[{"level":"error","message":[…]}],"passed":false}`.

use referee_model::reading::Diagnostic;
use serde_json::Value;

use crate::claim::{Standing, name};
use crate::document::Opening;
use crate::json::ANY;
use crate::shapes::json_findings::{JsonFindings, finding};
use crate::shapes::members::{file, position, said};
use crate::shapes::pattern;

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening {
    compact: &[
        "{\"flowVersion\":",
        "{\"errors\":[{\"error_codes\":",
        "{\"errors\":[{\"kind\":",
        "{\"errors\":[],\"flowVersion\":",
    ],
    keys: &["\"flowVersion\":", "\"errors\": ["],
    empty: None,
};

/// The format.
pub(crate) static FORMAT: JsonFindings = JsonFindings {
    format: "json",
    rule: "flow/json",
    paths: &[&["errors", ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |members| members.contains_key("passed") && members.contains_key("flowVersion"),
    is_strict: false,
    standing: Standing::Certain,
};

/// Makes a finding of a record: its place is that of its first piece that has one.
fn of_object(value: &Value) -> Option<Diagnostic> {
    let level = pattern::level(said(value, "level")?)?;
    let pieces = value.get("message")?.as_array()?;
    let words: Vec<&str> = pieces.iter().filter_map(|piece| said(piece, "descr")).collect();
    let words = words.join(" ");
    let code = value.get("error_codes").and_then(|codes| codes.get(0)?.as_str());
    // The code ends the message, too.
    let message =
        words.strip_suffix(']').zip(code).and_then(|(said, code)| said.strip_suffix(code)?.strip_suffix(" ["));
    let mut found = finding("flow", level, message.unwrap_or(&words));
    found.code = code.map(name);
    if let Some(place) = pieces.iter().find_map(|piece| piece.get("loc").filter(|loc| loc.is_object())) {
        found.file = file(place, "source");
        found.line = position(place, "start/line");
        found.column = position(place, "start/column");
        found.end_line = position(place, "end/line");
        // It is the last character's.
        found.end_column = position(place, "end/column").and_then(|column| column.checked_add(1));
    }
    Some(found)
}
