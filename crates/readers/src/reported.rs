//! Reports with one finding a record: JSON documents whose records are read one by one, and JSON lines.
//!
//! A format says where its records stand and what finding a record is; all else is the same for every tool.

use std::io::{self, BufRead};

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, Origin};
use referee_model::record::Stream;
use serde_json::{Map, Value};

use crate::claim::{Claim, DocumentReader, Findings, LineReader, Use, name, origin};
use crate::document::Extent;
use crate::json::{self, Path, Record, Records};
use crate::scan::Line;
use crate::text;

/// A format whose documents hold findings as records.
pub(crate) struct Reported {
    pub(crate) tool: &'static str,
    pub(crate) format: &'static str,
    /// The rule that findings are said to come from.
    pub(crate) rule: &'static str,
    /// Where the records stand.
    pub(crate) paths: &'static [Path],
    /// Makes a finding of a record. None: the record is none of this tool's, or tells of no finding.
    pub(crate) finding: fn(&Record<'_>) -> Option<Diagnostic>,
    /// Whether an object around the records, without them, is the tool's: then a document without findings is a clean
    /// run.
    pub(crate) is_own: fn(&Map<String, Value>) -> bool,
}

impl Reported {
    /// Makes the reader of one stream.
    pub(crate) fn reader(&'static self, stream: Stream, is_hinted: bool) -> Box<dyn DocumentReader> {
        let findings = Findings::default();
        Box::new(Report {
            format: self,
            stream,
            is_hinted,
            findings,
            is_own: false,
            is_complete: true,
            is_foreign: false,
        })
    }
}

/// What was read of the documents of one stream.
struct Report {
    format: &'static Reported,
    stream: Stream,
    is_hinted: bool,
    findings: Findings,
    is_own: bool,
    is_complete: bool,
    /// Whether a record came that tells no finding.
    is_foreign: bool,
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let Some(mut found) = (self.format.finding)(&record) else {
            self.is_foreign = true;
            return;
        };
        self.format.tool.clone_into(&mut found.tool);
        let (start, end) = (record.start, record.end);
        found.origin = Origin { rule: self.format.rule.to_owned(), stream: self.stream, start, end };
        self.findings.add(found);
    }

    fn closed(&mut self, _depth: usize, members: &Map<String, Value>) {
        self.is_own |= (self.format.is_own)(members);
    }
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let paths = self.format.paths;
        let extent = json::read(reader, start, paths, self)?;
        self.is_complete &= extent.is_complete;
        Ok(extent)
    }

    /// A document without findings is a clean run only where all of it was there, and it is surely the tool's.
    fn finish(self: Box<Self>, are_all: bool) -> Option<Claim> {
        let has_findings = 0 < self.findings.counts.total();
        let is_clean = self.is_complete && are_all && !self.is_foreign && (self.is_own || self.is_hinted);
        let format = self.format.format;
        (has_findings || is_clean).then(|| Claim { format, findings: self.findings, ..Claim::default() })
    }
}

/// A format with one JSON object a line.
pub(crate) struct ReportedLines {
    pub(crate) tool: &'static str,
    pub(crate) format: &'static str,
    pub(crate) rule: &'static str,
    /// Texts that every object holds.
    pub(crate) keys: &'static [&'static str],
    /// Makes a finding of an object. None: it is none of this tool's.
    pub(crate) finding: fn(&Value) -> Option<Diagnostic>,
}

impl ReportedLines {
    /// Makes the reader of one stream.
    pub(crate) fn reader(&'static self) -> Box<dyn LineReader> {
        Box::new(Lines { format: self, findings: Findings::default() })
    }
}

struct Lines {
    format: &'static ReportedLines,
    findings: Findings,
}

impl LineReader for Lines {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim();
        if !text.starts_with('{') || !self.format.keys.iter().all(|key| text.contains(key)) {
            return Use::None;
        }
        let value: Option<Value> = serde_json::from_str(text).ok();
        let Some(mut found) = value.as_ref().and_then(self.format.finding) else {
            return Use::None;
        };
        self.format.tool.clone_into(&mut found.tool);
        found.origin = origin(self.format.rule, line);
        self.findings.add(found);
        Use::Line
    }

    fn sleeps(&self) -> bool {
        true
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let format = self.format.format;
        (0 < self.findings.counts.total()).then(|| Claim { format, findings: self.findings, ..Claim::default() })
    }
}

/// Begins a finding; its tool and origin are filled in by the report.
pub(crate) fn finding(level: Level, message: &str) -> Diagnostic {
    Diagnostic {
        tool: String::new(),
        file: None,
        line: None,
        column: None,
        end_line: None,
        end_column: None,
        code: None,
        level,
        message: text::beginning(message.trim(), limit::MESSAGE_BYTES).to_owned(),
        fixable: false,
        suggestion: None,
        source: None,
        related: Vec::new(),
        origin: Origin { rule: String::new(), stream: Stream::Stdout, start: 0, end: 0 },
    }
}

/// Returns a member that is a text and not empty.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

/// Returns a member that is a path.
pub(crate) fn file(value: &Value, key: &str) -> Option<String> {
    text(value, key).map(|file| name(&text::path(file)))
}

/// Returns the 1-based position at a pointer such as `/range/start/line`, where the tool counts from `base`.
pub(crate) fn position(value: &Value, pointer: &str, base: u64) -> Option<u32> {
    let number = value.pointer(pointer)?.as_u64()?.checked_add(1)?.checked_sub(base)?;
    u32::try_from(number).ok().filter(|number| 0 < *number)
}
