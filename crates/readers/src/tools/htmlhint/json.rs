//! The JSON report: `[{"file":"index.html","messages":[{"type":"error","message":"…","line":2,"col":14,"rule":{"id":"title-require"}}]}]`.

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
pub(crate) const OPENING: Opening = Opening { compact: &["[{\"file\":"], keys: &["\"file\":"], empty: Some("[]") };

const PATHS: &[Path] = &[&[ANY, "messages", ANY]];

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
        Self { stream, is_hinted, is_complete: true, tally: Tally::new("htmlhint"), has_others: false }
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
        let rule = "htmlhint/json".to_owned();
        let origin = Origin { rule, stream: self.stream, start: record.start, end: record.end };
        let file = record.around("file").and_then(Value::as_str);
        match file.and_then(|file| finding(&record.value, file, origin)) {
            Some(found) => self.tally.add(found),
            None => self.has_others = true,
        }
    }
}

/// Makes a finding of a record.
fn finding(value: &Value, file: &str, origin: Origin) -> Option<Diagnostic> {
    let said = |key: &str| value.get(key).and_then(Value::as_str);
    let number = |key: &str| value.get(key)?.as_u64().and_then(|at| u32::try_from(at).ok()).filter(|at| 0 < *at);
    Some(Diagnostic {
        tool: "htmlhint".to_owned(),
        file: Some(name(&text::path(file))),
        line: number("line"),
        column: number("col"),
        end_line: None,
        end_column: None,
        code: Some(name(value.get("rule")?.get("id")?.as_str()?)),
        level: pattern::level(said("type")?)?,
        message: text::beginning(said("message")?, limit::MESSAGE_BYTES).to_owned(),
        fixable: false,
        suggestion: None,
        source: said("evidence").map(|source| text::beginning(source, limit::MESSAGE_BYTES).to_owned()),
        related: Vec::new(),
        origin,
    })
}
