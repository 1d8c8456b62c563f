//! The JSON report: `[{"fileName":"README.md","lineNumber":1,"ruleNames":["MD018","no-missing-space-atx"],"ruleDescription":"…"}]`.

use std::io::{self, BufRead};

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, Origin};
use referee_model::record::Stream;
use serde_json::Value;

use crate::claim::{Claim, DocumentReader, Standing, name};
use crate::document::{Extent, Opening};
use crate::json::{self, ANY, Path, Record, Records};
use crate::tally::Tally;
use crate::text;

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening { compact: &["[{\"fileName\":"], keys: &["\"fileName\":"], empty: None };

const PATHS: &[Path] = &[&[ANY]];

/// Gathers what the documents of one stream report.
pub(crate) struct Report {
    stream: Stream,
    tally: Tally,
}

impl Report {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, tally: Tally::new("markdownlint") }
    }
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        json::read(reader, start, PATHS, self)
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Claim> {
        (0 < self.tally.read).then(|| self.tally.claim("json", Standing::Certain))
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let rule = "markdownlint/json".to_owned();
        let origin = Origin { rule, stream: self.stream, start: record.start, end: record.end };
        if let Some(found) = finding(&record.value, origin) {
            self.tally.add(found);
        }
    }
}

/// Makes a finding of a record.
fn finding(value: &Value, origin: Origin) -> Option<Diagnostic> {
    let said = |key: &str| value.get(key).and_then(Value::as_str);
    let code = value.get("ruleNames")?.as_array()?.first()?.as_str()?;
    let line = value.get("lineNumber")?.as_u64().and_then(|line| u32::try_from(line).ok()).filter(|line| 0 < *line);
    let range = value.get("errorRange").and_then(Value::as_array);
    let number = |at: usize| range?.get(at)?.as_u64().and_then(|number| u32::try_from(number).ok());
    let column = number(0).filter(|column| 0 < *column);
    let mut message = said("ruleDescription")?.to_owned();
    if let Some(detail) = said("errorDetail") {
        message = format!("{message} [{detail}]");
    }
    Some(Diagnostic {
        tool: "markdownlint".to_owned(),
        file: said("fileName").map(|file| name(&text::path(file))),
        line,
        column,
        end_line: column.and(number(1)).and(line),
        end_column: column.zip(number(1)).and_then(|(column, length)| column.checked_add(length)),
        code: Some(name(code)),
        level: if said("severity") == Some("warning") { Level::Warning } else { Level::Error },
        message: text::beginning(&message, limit::MESSAGE_BYTES).to_owned(),
        fixable: value.get("fixInfo").is_some_and(Value::is_object),
        suggestion: None,
        source: said("errorContext").map(name),
        related: Vec::new(),
        origin,
    })
}
