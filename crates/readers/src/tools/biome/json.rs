//! The JSON report: `{"summary":{…},"diagnostics":[…],"command":"lint"}`.
//!
//! Since version 2.4 a finding has lines and columns; before, it had a byte range in the source, which is
//! included, and its message in pieces. Findings beyond the maximum shown are counted in the summary.

use std::io::{self, BufRead};

use referee_syntax::position;
use serde_json::Map;

use crate::json::{self, Path, Records};
use crate::level::level as level_of;
use crate::prelude::*;

pub(crate) const OPENING: Opening =
    Opening { compact: &["{\"summary\":{\"changed\":"], keys: &["\"summary\": {"], empty: None };

const PATHS: &[Path] = &[&["diagnostics", ANY]];

/// Maximum length of a source in which positions are located, in bytes; longer sources are cut when read.
const SOURCE_BYTES: usize = 16 * 1024;

/// Collects the reports in the documents of one stream.
pub(crate) struct Report {
    stream: Stream,
    tally: Tally,
    is_recognized: bool,
}

impl Report {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, tally: Tally::new("biome"), is_recognized: false }
    }
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        json::read(reader, start, PATHS, self)
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Candidate> {
        (self.is_recognized || 0 < self.tally.read).then(|| self.tally.candidate("json", Confidence::Certain))
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let origin =
            Origin { rule: "biome/json".to_owned(), stream: self.stream, start: record.start, end: record.end };
        if let Some(found) = finding(&record.value, origin) {
            self.tally.add(found);
        }
    }

    fn closed(&mut self, depth: usize, members: &Map<String, Value>) {
        let Some(summary) = members.get("summary").filter(|summary| depth == 0 && summary.get("changed").is_some())
        else {
            return;
        };
        self.is_recognized = true;
        // No tool counts more findings; a larger number is forged or corrupt.
        let number = |key: &str| summary.get(key).and_then(Value::as_u64).filter(|number| *number < 1_000_000_000);
        // Infos were not counted before they had their own number.
        self.tally.sum_up(Sum {
            errors: number("errors"),
            warnings: number("warnings"),
            infos: number("infos"),
            ..Sum::default()
        });
    }
}

/// Converts a record to a finding.
fn finding(value: &Value, origin: Origin) -> Option<Diagnostic> {
    let severity = value.get("severity")?.as_str()?;
    let level = level_of(severity)?;
    let message = match value.get("message") {
        Some(Value::String(message)) => message.clone(),
        Some(Value::Array(pieces)) => {
            pieces.iter().filter_map(|piece| piece.get("content")?.as_str()).collect::<String>()
        }
        _ => String::new(),
    };
    let message = match value.get("description").and_then(Value::as_str) {
        Some(description) if message.is_empty() => description.to_owned(),
        _ => message,
    };
    let location = value.get("location");
    let path = location.and_then(|location| location.get("path"));
    let file = path.and_then(|path| path.as_str().or_else(|| path.get("file")?.as_str()));
    let (start, end) = location.map(places).unwrap_or_default();
    let tags = value.get("tags").and_then(Value::as_array);
    Some(Diagnostic {
        tool: "biome".to_owned(),
        file: file.map(|file| name(&text::path(file))),
        line: start.map(|place| place.0),
        column: start.map(|place| place.1),
        end_line: end.map(|place| place.0),
        end_column: end.map(|place| place.1),
        code: value.get("category").and_then(Value::as_str).map(name),
        level: level.min(Level::Info),
        message: cut::head(&ansi::strip(&message), limit::MESSAGE_BYTES).to_owned(),
        fixable: tags.is_some_and(|tags| tags.iter().any(|tag| tag == "fixable")),
        suggestion: None,
        source: None,
        edits: Vec::new(),
        related: Vec::new(),
        origin,
    })
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
        finding(value, Origin { rule: String::new(), stream: Stream::Stdout, start: 0, end: 0 })
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
