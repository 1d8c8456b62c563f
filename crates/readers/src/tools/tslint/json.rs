//! The JSON report, whose lines and columns count from 0:
//! `[{"endPosition":{…},"failure":"Missing semicolon","name":"a.ts","ruleName":"semicolon","ruleSeverity":"ERROR","startPosition":{…}}]`.

use std::io::{self, BufRead};

use referee_model::limit;
use referee_model::reading::{Diagnostic, Origin};
use referee_model::record::Stream;
use serde_json::Value;

use crate::claim::{Claim, DocumentReader, Standing, name};
use crate::document::{Extent, Opening};
use crate::json::{self, ANY, Path, Record, Records};
use crate::tally::Tally;
use crate::{pattern, text};

/// How the documents begin.
pub(crate) const OPENING: Opening =
    Opening { compact: &["[{\"endPosition\":"], keys: &["\"endPosition\":"], empty: None };

const PATHS: &[Path] = &[&[ANY]];

/// Gathers what the documents of one stream report.
pub(crate) struct Report {
    stream: Stream,
    tally: Tally,
}

impl Report {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, tally: Tally::new("tslint") }
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
        let rule = "tslint/json".to_owned();
        let origin = Origin { rule, stream: self.stream, start: record.start, end: record.end };
        if let Some(found) = finding(&record.value, origin) {
            self.tally.add(found);
        }
    }
}

/// Makes a finding of a record.
fn finding(value: &Value, origin: Origin) -> Option<Diagnostic> {
    let said = |key: &str| value.get(key).and_then(Value::as_str);
    let number = |end: &str, key: &str| {
        let at = value.get(end)?.get(key)?.as_u64().and_then(|at| u32::try_from(at).ok())?;
        at.checked_add(1)
    };
    Some(Diagnostic {
        tool: "tslint".to_owned(),
        file: Some(name(&text::path(said("name")?))),
        line: number("startPosition", "line"),
        column: number("startPosition", "character"),
        end_line: number("endPosition", "line"),
        end_column: number("endPosition", "character"),
        code: Some(name(said("ruleName")?)),
        // Before version 5 every finding was an error.
        level: pattern::level(said("ruleSeverity").unwrap_or("error"))?,
        message: text::beginning(said("failure")?, limit::MESSAGE_BYTES).to_owned(),
        fixable: value.get("fix").is_some_and(|fix| !fix.is_null()),
        suggestion: None,
        source: None,
        related: Vec::new(),
        origin,
    })
}
