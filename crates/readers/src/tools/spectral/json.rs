//! The JSON report, whose lines and columns count from 0:
//! `[{"code":"info-contact","path":["info"],"message":"…","severity":1,"range":{"start":{"line":1,"character":5}},"source":"…"}]`.

use std::io::{self, BufRead};

use referee_model::reading::{Diagnostic, Level};
use referee_model::record::Stream;
use serde_json::Value;

use crate::claim::{Claim, DocumentReader, Standing, name};
use crate::document::{Extent, Opening};
use crate::json::{self, ANY, Path, Record, Records};
use crate::shapes::json_findings::{finding, place};
use crate::shapes::members::{file, position_from_zero, said};
use crate::shapes::pattern;
use crate::shapes::tally::Tally;

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening { compact: &["[{\"code\":\""], keys: &["\"code\": \""], empty: Some("[]") };

const PATHS: &[Path] = &[&[ANY]];

/// Gathers what the documents of one stream report.
pub(crate) struct Report {
    stream: Stream,
    is_hinted: bool,
    is_complete: bool,
    tally: Tally,
    has_others: bool,
}

impl Report {
    pub(crate) fn new(stream: Stream, is_hinted: bool) -> Self {
        Self { stream, is_hinted, is_complete: true, tally: Tally::new("spectral"), has_others: false }
    }
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let extent = json::read(reader, start, PATHS, self)?;
        self.is_complete &= extent.is_complete;
        Ok(extent)
    }

    /// An empty list is a clean run only where all of it was there, and the command is known.
    fn finish(self: Box<Self>, are_all: bool) -> Option<Claim> {
        let is_clean = self.is_hinted && self.is_complete && are_all;
        let says_something = 0 < self.tally.read || is_clean;
        (says_something && !self.has_others).then(|| self.tally.claim("json", Standing::Certain))
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let is_first = self.tally.read == 0;
        match of_object(&record.value) {
            // A finding without a place is one only among others of the right shape.
            Some(mut found) if !is_first || record.value.get("range").is_some() => {
                found.origin = place("spectral/json", self.stream, &record);
                self.tally.add(found);
            }
            _ => self.has_others = true,
        }
    }
}

/// Makes a finding of a record.
fn of_object(value: &Value) -> Option<Diagnostic> {
    let level = match value.get("severity")? {
        Value::Number(number) => match number.as_u64()? {
            0 => Level::Error,
            1 => Level::Warning,
            2 | 3 => Level::Info,
            _ => return None,
        },
        Value::String(word) => pattern::level(word)?,
        _ => return None,
    };
    let mut found = finding("spectral", level, said(value, "message")?);
    found.file = file(value, "source");
    found.line = position_from_zero(value, "range/start/line");
    found.column = position_from_zero(value, "range/start/character");
    found.end_line = position_from_zero(value, "range/end/line");
    found.end_column = position_from_zero(value, "range/end/character");
    found.code = said(value, "code").map(name);
    Some(found)
}
