//! JSON documents that list findings, one record each, as most linters print them.
//!
//! A tool says where its records stand and what finding one makes; reading, counting and places are the same for all.

use std::io::{self, BufRead};

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, Origin};
use referee_model::record::Stream;
use serde_json::{Map, Value};

use crate::claim::{Claim, DocumentReader, Findings, Standing, name};
use crate::document::Extent;
use crate::json::{self, Path, Record, Records};
use crate::text;

/// What a record is.
pub(crate) enum Told {
    Finding(Box<Diagnostic>),
    /// Something of the tool that is no finding, as one that it has mended.
    Nothing,
    /// None of this tool's.
    Stranger,
}

impl From<Option<Diagnostic>> for Told {
    fn from(found: Option<Diagnostic>) -> Self {
        found.map_or(Self::Stranger, |found| Self::Finding(Box::new(found)))
    }
}

/// A format whose documents list findings.
pub(crate) struct Listed {
    /// The format, such as `json`.
    pub(crate) format: &'static str,
    /// The rule that findings are said to come from, such as `flake8/json`.
    pub(crate) rule: &'static str,
    /// Where findings stand.
    pub(crate) paths: &'static [Path],
    /// Tells what a record is.
    pub(crate) record: fn(&Record<'_>) -> Told,
    /// Whether a document without findings is this tool's, by the members of its outermost object.
    pub(crate) is_report: fn(&Map<String, Value>) -> bool,
    /// How sure a claim of these findings is.
    pub(crate) standing: Standing,
}

impl Listed {
    /// Makes the reader of one stream.
    pub(crate) fn reader(&'static self, stream: Stream, is_hinted: bool) -> Box<dyn DocumentReader> {
        Box::new(Report {
            format: self,
            stream,
            findings: Findings::default(),
            is_complete: true,
            is_recognized: is_hinted,
            has_strangers: false,
            documents: 0,
        })
    }
}

/// What the documents of one stream list.
struct Report {
    format: &'static Listed,
    stream: Stream,
    findings: Findings,
    is_complete: bool,
    is_recognized: bool,
    /// Whether a record was none of this tool.
    has_strangers: bool,
    documents: u64,
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let mut found = match (self.format.record)(&record) {
            Told::Finding(found) => found,
            Told::Nothing => return,
            Told::Stranger => {
                self.has_strangers = true;
                return;
            }
        };
        let Record { start, end, .. } = record;
        found.origin = Origin { rule: self.format.rule.to_owned(), stream: self.stream, start, end };
        self.findings.add(*found);
        self.is_recognized = true;
    }

    fn closed(&mut self, depth: usize, members: &Map<String, Value>) {
        self.is_recognized |= depth == 0 && (self.format.is_report)(members);
    }
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let extent = json::read(reader, start, self.format.paths, self)?;
        self.is_complete &= extent.is_complete;
        self.documents += 1;
        Ok(extent)
    }

    fn finish(self: Box<Self>, are_all: bool) -> Option<Claim> {
        let has_findings = 0 < self.findings.counts.total();
        let is_clean = self.is_complete && are_all && 0 < self.documents && !self.has_strangers;
        let Listed { format, standing, .. } = *self.format;
        (self.is_recognized && (has_findings || is_clean)).then(|| Claim {
            format,
            standing,
            findings: self.findings,
            ..Claim::default()
        })
    }
}

/// Begins a finding that stands in a document; its origin is filled in by the reader.
pub(crate) fn finding(tool: &str, level: Level, message: &str) -> Diagnostic {
    Diagnostic {
        tool: tool.to_owned(),
        file: None,
        line: None,
        column: None,
        end_line: None,
        end_column: None,
        code: None,
        level,
        message: text::beginning(&text::plain(message), limit::MESSAGE_BYTES).trim_end().to_owned(),
        fixable: false,
        suggestion: None,
        source: None,
        related: Vec::new(),
        origin: Origin { rule: String::new(), stream: Stream::Stdout, start: 0, end: 0 },
    }
}

/// Returns a member that is a text.
pub(crate) fn said<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// Returns a member that is a name or a path, as it is kept; an empty one says nothing.
pub(crate) fn named(value: &Value, key: &str) -> Option<String> {
    said(value, key).filter(|text| !text.is_empty()).map(name)
}

/// Returns a member that is a path.
pub(crate) fn file(value: &Value, key: &str) -> Option<String> {
    said(value, key).filter(|text| !text.is_empty()).map(|path| name(&text::path(path)))
}

/// Returns a member that is a 1-based line or column, as a number or in digits.
pub(crate) fn position(value: &Value, key: &str) -> Option<u32> {
    match value.get(key)? {
        Value::String(digits) => text::position(digits),
        number => number.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| 0 < *number),
    }
}

/// Whether a member is true.
pub(crate) fn is_true(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Listed = Listed {
        format: "json",
        rule: "tool/json",
        paths: &[&["found", json::ANY]],
        record: |record| {
            if record.value.is_null() {
                return Told::Nothing;
            }
            said(&record.value, "message").map(|message| finding("tool", Level::Error, message)).into()
        },
        is_report: |members| members.contains_key("tool"),
        standing: Standing::Certain,
    };

    fn claim(text: &str) -> Option<u64> {
        static KEPT: Listed = FORMAT;
        let mut reader = KEPT.reader(Stream::Stdout, false);
        reader.document(&mut text.as_bytes(), 0).unwrap();
        reader.finish(true).map(|claim| claim.findings.counts.errors)
    }

    #[test]
    fn a_document_is_known_by_its_findings_or_by_what_stands_beside_them() {
        assert_eq!(claim(r#"{"found": [{"message": "a"}, {"message": "b"}]}"#), Some(2));
        assert_eq!(claim(r#"{"tool": 1, "found": []}"#), Some(0));
        assert_eq!(claim(r#"{"found": []}"#), None);
        assert_eq!(claim(r#"{"found": [{"text": "a"}]}"#), None);
        assert_eq!(claim(r#"{"tool": 1, "found": [{"text": "a"}]}"#), None);
        assert_eq!(claim(r#"{"tool": 1, "found": ["#), None);
    }

    #[test]
    fn positions_are_one_based_numbers_or_digits() {
        let value = serde_json::json!({"a": 3, "b": "4", "c": 0, "d": -1, "e": null});
        let read = ["a", "b", "c", "d", "e", "f"].map(|key| position(&value, key));
        assert_eq!(read, [Some(3), Some(4), None, None, None, None]);
    }
}
