//! The JSON report: `{"summary":{…},"diagnostics":[…],"command":"lint"}`.
//!
//! Since version 2.4 a finding has lines and columns; before, it had a byte range in the source, which is
//! included, and its message in pieces. Findings beyond the maximum shown are counted in the summary.

use referee_syntax::position;

use crate::level::level as level_of;
use crate::prelude::*;
use crate::shapes::json_tests::number;
use crate::shapes::members::words;

pub(crate) const FORMAT: DocumentFormat =
    DocumentFormat::new(&["{\"summary\":{\"changed\":"], &["\"summary\": {"], |stream, _| JSON.reader(stream, false));

/// Maximum length of a source in which positions are located, in bytes; longer sources are cut when read.
const SOURCE_BYTES: usize = 16 * 1024;

static JSON: JsonFindings = JsonFindings {
    paths: &[&["diagnostics", ANY]],
    is_own: |members| members.get("summary").is_some_and(|summary| summary.get("changed").is_some()),
    sum: |members| {
        let summary = members.get("summary").filter(|summary| summary.get("changed").is_some())?;
        // Infos were not counted before they had their own number.
        let [errors, warnings, infos] = ["errors", "warnings", "infos"].map(|key| number(summary.get(key)));
        Some(Sum { errors, warnings, infos, ..Sum::default() })
    },
    ..JsonFindings::of(&MEMBERS)
};

const MEMBERS: Members = Members {
    tool: "biome",
    message: "",
    file: "location/path/file|location/path",
    code: "category",
    level: "severity",
    needs: &["severity"],
    check: complete,
    ..Members::MESSAGE
};

/// Fills in the message, which may be in pieces, and the location.
fn complete(made: &mut Diagnostic, record: &Record<'_>) -> bool {
    let value = &record.value;
    let pieces = value.get("message").and_then(Value::as_array).into_iter().flatten();
    let pieces: String = pieces.filter_map(|piece| said(piece, "content")).collect();
    let whole = words(value, "message").unwrap_or(&pieces);
    let message = if whole.is_empty() { words(value, "description").unwrap_or_default() } else { whole };
    cut::head(&ansi::strip(message), limit::MESSAGE_BYTES).clone_into(&mut made.message);
    let (start, end) = value.get("location").map(places).unwrap_or_default();
    (made.line, made.column) = start.unzip();
    (made.end_line, made.end_column) = end.unzip();
    let mut tags = value.get("tags").and_then(Value::as_array).into_iter().flatten();
    made.fixable = tags.any(|tag| tag == "fixable");
    said(value, "severity").is_some_and(|severity| level_of(severity).is_some())
}

type LineAndColumn = (u32, u32);

/// Returns where a finding begins and ends.
fn places(location: &Value) -> (Option<LineAndColumn>, Option<LineAndColumn>) {
    let printed = |key: &str| {
        let place = location.get(key)?;
        let number = |key: &str| place.get(key)?.as_u64().and_then(|number| u32::try_from(number).ok());
        Some((number("line")?, number("column")?)).filter(|(line, column)| 0 < *line && 0 < *column)
    };
    if let Some(start) = printed("start") {
        return (Some(start), printed("end"));
    }
    let Some(source) = location.get("sourceCode").and_then(Value::as_str) else { return (None, None) };
    let span = |at: usize| {
        let offset = location.get("span")?.get(at)?.as_u64().and_then(|offset| usize::try_from(offset).ok())?;
        place_at(source, offset)
    };
    (span(0), span(1))
}

/// Returns the position of a byte in a source.
fn place_at(source: &str, offset: usize) -> Option<LineAndColumn> {
    source.get(..offset).filter(|_| offset < SOURCE_BYTES / 2)?;
    let (line, column) = position::of(source, offset);
    Some((u32::try_from(line).ok()?, u32::try_from(column).ok()?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Option<Diagnostic> {
        let record = Record { path: 0, value: value.clone(), around: &[], key: None, start: 0, end: 0 };
        MEMBERS.finding(&record)
    }

    #[test]
    fn both_shapes_of_a_finding_are_read() {
        let new = json!({"severity": "error", "message": "No.", "category": "lint/a/b", "location":
            {"path": "a.ts", "start": {"line": 2, "column": 3}, "end": {"line": 2, "column": 5}}});
        let old = json!({"severity": "warning", "description": "No.", "category": "lint/a/b", "tags": ["fixable"],
            "message": [{"elements": [], "content": "N"}, {"elements": [], "content": "o."}],
            "location": {"path": {"file": "a.ts"}, "span": [4, 6], "sourceCode": "a\nüü\n"}});
        for (value, level, place, fixable) in
            [(new, Level::Error, (2, 3, 2, 5), false), (old, Level::Warning, (2, 2, 2, 3), true)]
        {
            let found = read(&value).unwrap();
            let at = (found.line.unwrap(), found.column.unwrap(), found.end_line.unwrap(), found.end_column.unwrap());
            assert_eq!((found.level, at, found.fixable, found.message.as_str()), (level, place, fixable, "No."));
            assert_eq!((found.file.as_deref(), found.code.as_deref()), (Some("a.ts"), Some("lint/a/b")));
        }
    }

    #[test]
    fn what_is_not_known_is_not_made_up() {
        let found = read(&json!({"severity": "hint", "category": "format", "location": {"path": {"file": "a.ts"},
            "span": [4, 6], "sourceCode": null}}))
        .unwrap();
        assert_eq!((found.line, found.column, found.level), (None, None, Level::Info));
        assert!(read(&json!({"severity": "loud"})).is_none());
        assert!(read(&json!(3)).is_none());
    }
}
