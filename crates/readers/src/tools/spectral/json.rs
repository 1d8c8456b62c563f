//! The JSON report, whose lines and columns count from 0:
//! `[{"code":"info-contact","path":["info"],"message":"…","severity":1,"range":{"start":{"line":1,"character":5}},"source":"…"}]`.

use std::io::{self, BufRead};

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, Origin};
use referee_model::record::Stream;
use serde_json::Value;

use crate::claim::{Claim, DocumentReader, Standing, name};
use crate::document::{Extent, Opening};
use crate::json::{self, ANY, Path, Record, Records};
use crate::tally::Tally;
use crate::{pattern, text};

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
        let rule = "spectral/json".to_owned();
        let origin = Origin { rule, stream: self.stream, start: record.start, end: record.end };
        let is_first = self.tally.read == 0;
        match finding(&record.value, origin) {
            // A finding without a place is one only among others of the right shape.
            Some(found) if !is_first || record.value.get("range").is_some() => self.tally.add(found),
            _ => self.has_others = true,
        }
    }
}

/// Makes a finding of a record.
fn finding(value: &Value, origin: Origin) -> Option<Diagnostic> {
    let said = |key: &str| value.get(key).and_then(Value::as_str);
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
    let range = value.get("range");
    let number = |end: &str, key: &str| {
        let at = range?.get(end)?.get(key)?.as_u64().and_then(|at| u32::try_from(at).ok())?;
        at.checked_add(1)
    };
    Some(Diagnostic {
        tool: "spectral".to_owned(),
        file: said("source").filter(|file| !file.is_empty()).map(|file| name(&text::path(file))),
        line: number("start", "line"),
        column: number("start", "character"),
        end_line: number("end", "line"),
        end_column: number("end", "character"),
        code: said("code").map(name),
        level,
        message: text::beginning(&text::plain(said("message")?), limit::MESSAGE_BYTES).to_owned(),
        fixable: false,
        suggestion: None,
        source: None,
        related: Vec::new(),
        origin,
    })
}
