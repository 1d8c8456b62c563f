//! The JSON report: `{ "diagnostics": [{"message": "…","code": "eslint(no-debugger)","labels": [{"span": {"line": 2,"column": 1}}]}], "number_of_files": 4 }`.

use std::io::{self, BufRead};

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, Origin, RelatedPlace};
use referee_model::record::Stream;
use serde_json::{Map, Value};

use crate::claim::{Claim, DocumentReader, Standing, name};
use crate::document::{Extent, Opening};
use crate::json::{self, ANY, Path, Record, Records};
use crate::tally::Tally;
use crate::text;

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening {
    compact: &["{ \"diagnostics\": [", "{\"diagnostics\":[{\"message\":"],
    keys: &["\"diagnostics\": ["],
    empty: None,
};

const PATHS: &[Path] = &[&["diagnostics", ANY]];

/// Labels that are kept beside the first.
const RELATED_KEPT: usize = 8;

/// Gathers what the documents of one stream report.
pub(crate) struct Report {
    stream: Stream,
    tally: Tally,
    is_recognized: bool,
    has_others: bool,
}

impl Report {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, tally: Tally::new("oxlint"), is_recognized: false, has_others: false }
    }
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        json::read(reader, start, PATHS, self)
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Claim> {
        let says_something = 0 < self.tally.read || self.is_recognized;
        (says_something && !self.has_others).then(|| self.tally.claim("json", Standing::Certain))
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let origin =
            Origin { rule: "oxlint/json".to_owned(), stream: self.stream, start: record.start, end: record.end };
        match finding(&record.value, origin) {
            Some(found) => self.tally.add(found),
            None => self.has_others = true,
        }
    }

    fn closed(&mut self, depth: usize, members: &Map<String, Value>) {
        self.is_recognized |= depth == 0 && members.contains_key("number_of_files");
    }
}

/// Makes a finding of a record.
fn finding(value: &Value, origin: Origin) -> Option<Diagnostic> {
    let said = |key: &str| value.get(key).and_then(Value::as_str);
    let level = match said("severity")? {
        "error" => Level::Error,
        "warning" => Level::Warning,
        "advice" | "info" => Level::Info,
        _ => return None,
    };
    let file = text::path(said("filename")?);
    let labels = value.get("labels").and_then(Value::as_array)?;
    let mut places = labels.iter().map(|label| place(label, &file));
    let first = places.next();
    let first = first.as_ref();
    Some(Diagnostic {
        tool: "oxlint".to_owned(),
        line: first.and_then(|place| place.line),
        column: first.and_then(|place| place.column),
        end_line: None,
        end_column: None,
        code: said("code").filter(|code| !code.is_empty()).map(name),
        level,
        message: text::beginning(&text::plain(said("message")?), limit::MESSAGE_BYTES).to_owned(),
        fixable: false,
        suggestion: said("help").filter(|help| !help.is_empty()).map(name),
        source: None,
        related: places.take(RELATED_KEPT).collect(),
        file: Some(name(&file)),
        origin,
    })
}

fn place(label: &Value, file: &str) -> RelatedPlace {
    let span = label.get("span");
    let number = |key: &str| span.and_then(|span| span.get(key)?.as_u64()).and_then(|at| u32::try_from(at).ok());
    RelatedPlace {
        file: Some(name(file)),
        line: number("line").filter(|line| 0 < *line),
        column: number("column").filter(|column| 0 < *column),
        message: label.get("label").and_then(Value::as_str).map(name).unwrap_or_default(),
    }
}
