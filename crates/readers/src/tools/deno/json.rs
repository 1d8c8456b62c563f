//! The report of `deno lint --json`, whose columns count from 0:
//! `{"version":1,"diagnostics":[{"filename":"file:///a.ts","range":{…},"message":"…","code":"no-var"}],"errors":[]}`.

use std::io::{self, BufRead};

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, Origin};
use referee_model::record::Stream;
use serde_json::{Map, Value};

use crate::claim::{Claim, DocumentReader, Standing, name};
use crate::document::{Extent, Opening};
use crate::json::{self, ANY, Path, Record, Records};
use crate::tally::Tally;
use crate::text;
use crate::tools::deno::path;

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening {
    compact: &["{\"version\":1,\"diagnostics\":["],
    keys: &["\"version\": 1", "\"diagnostics\": ["],
    empty: None,
};

const PATHS: &[Path] = &[&["diagnostics", ANY], &["errors", ANY]];

/// Gathers what the documents of one stream report.
pub(crate) struct Report {
    stream: Stream,
    tally: Tally,
    is_recognized: bool,
    has_others: bool,
}

impl Report {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, tally: Tally::new("deno"), is_recognized: false, has_others: false }
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
        let origin = Origin { rule: "deno/json".to_owned(), stream: self.stream, start: record.start, end: record.end };
        let found = if record.path == 0 { finding(&record.value, origin) } else { broken(&record.value, origin) };
        match found {
            Some(found) => self.tally.add(found),
            None => self.has_others = true,
        }
    }

    fn closed(&mut self, depth: usize, members: &Map<String, Value>) {
        self.is_recognized |= depth == 0 && members.contains_key("version") && members.contains_key("checked_files");
    }
}

fn finding(value: &Value, origin: Origin) -> Option<Diagnostic> {
    let said = |key: &str| value.get(key).and_then(Value::as_str);
    let range = value.get("range")?;
    let number = |end: &str, key: &str| range.get(end)?.get(key)?.as_u64().and_then(|at| u32::try_from(at).ok());
    let column = |end: &str| number(end, "col").and_then(|column| column.checked_add(1));
    let mut found = begin(said("filename")?, said("message")?, origin);
    found.line = number("start", "line").filter(|line| 0 < *line);
    found.column = column("start").filter(|_| found.line.is_some());
    found.end_line = number("end", "line").filter(|line| 0 < *line);
    found.end_column = column("end").filter(|_| found.end_line.is_some());
    found.code = Some(name(said("code")?));
    found.suggestion = said("hint").map(name);
    Some(found)
}

/// Makes a finding of a file that could not be read.
fn broken(value: &Value, origin: Origin) -> Option<Diagnostic> {
    let said = |key: &str| value.get(key).and_then(Value::as_str);
    Some(begin(said("file_path")?, said("message")?, origin))
}

fn begin(file: &str, message: &str, origin: Origin) -> Diagnostic {
    Diagnostic {
        tool: "deno".to_owned(),
        file: Some(name(&path(file))),
        line: None,
        column: None,
        end_line: None,
        end_column: None,
        code: None,
        level: Level::Error,
        message: text::beginning(&text::plain(message), limit::MESSAGE_BYTES).to_owned(),
        fixable: false,
        suggestion: None,
        source: None,
        related: Vec::new(),
        origin,
    }
}
