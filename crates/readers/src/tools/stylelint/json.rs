//! The JSON report: a list of sources, each with its warnings, whose text ends in the rule:
//! `[{"source":"a.css","warnings":[{"line":1,"column":3,"rule":"block-no-empty","severity":"error","text":"… (block-no-empty)"}]}]`.

use std::io::{self, BufRead};

use referee_model::limit;
use referee_model::reading::{Diagnostic, Origin};
use referee_model::record::Stream;
use serde_json::{Map, Value};

use crate::claim::{Claim, DocumentReader, Standing, name};
use crate::document::{Extent, Opening};
use crate::json::{self, ANY, Path, Record, Records};
use crate::tally::Tally;
use crate::{pattern, text};

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening { compact: &["[{\"source\":"], keys: &["\"source\":"], empty: Some("[]") };

const PATHS: &[Path] = &[&[ANY, "warnings", ANY]];

/// Gathers what the documents of one stream report.
pub(crate) struct Report {
    stream: Stream,
    is_hinted: bool,
    is_complete: bool,
    tally: Tally,
    sources: u64,
}

impl Report {
    pub(crate) fn new(stream: Stream, is_hinted: bool) -> Self {
        Self { stream, is_hinted, is_complete: true, tally: Tally::new("stylelint"), sources: 0 }
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
        let is_clean = self.is_complete && are_all && (0 < self.sources || self.is_hinted);
        (0 < self.tally.read || is_clean).then(|| self.tally.claim("json", Standing::Certain))
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let rule = "stylelint/json".to_owned();
        let origin = Origin { rule, stream: self.stream, start: record.start, end: record.end };
        let file = record.around("source").and_then(Value::as_str);
        if let Some(found) = finding(&record.value, file, origin) {
            self.tally.add(found);
        }
    }

    fn closed(&mut self, depth: usize, members: &Map<String, Value>) {
        self.sources += u64::from(depth == 1 && members.contains_key("errored"));
    }
}

/// Makes a finding of a warning.
fn finding(value: &Value, file: Option<&str>, origin: Origin) -> Option<Diagnostic> {
    let level = pattern::level(value.get("severity")?.as_str()?)?;
    let rule = value.get("rule")?.as_str();
    let said = value.get("text")?.as_str()?;
    let message = rule.and_then(|rule| said.strip_suffix(')')?.strip_suffix(rule)?.strip_suffix(" (")).unwrap_or(said);
    let number = |key: &str| value.get(key)?.as_u64().and_then(|at| u32::try_from(at).ok()).filter(|at| 0 < *at);
    // A plugin may report a range that ends before it begins.
    let (line, end_line) = match (number("line"), number("endLine")) {
        (Some(line), Some(end)) if end < line => (Some(end), Some(line)),
        lines => lines,
    };
    Some(Diagnostic {
        tool: "stylelint".to_owned(),
        file: file.map(|file| name(&text::path(file))),
        line,
        column: number("column"),
        end_line,
        end_column: number("endColumn"),
        code: rule.map(name),
        level,
        message: text::beginning(&text::plain(message), limit::MESSAGE_BYTES).to_owned(),
        fixable: value.get("fix").is_some_and(Value::is_object),
        suggestion: None,
        source: None,
        related: Vec::new(),
        origin,
    })
}
