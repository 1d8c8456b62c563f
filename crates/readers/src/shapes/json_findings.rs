//! Findings as JSON records, the format of most linters: in documents that list them, or as one object per
//! line.
//!
//! A tool declares the paths of its records and how a record becomes a finding; reading, counting and positions
//! are shared.

use std::io::{self, BufRead};

use referee_model::reading::{Diagnostic, Origin};
use referee_model::record::Stream;
use serde_json::{Map, Value};

use crate::candidate::{Candidate, Confidence, DocumentReader, Findings, LineReader, Use, origin};
use crate::document::Extent;
use crate::json::{self, Closed, Path, Record, Records};
use crate::scan::Line;
use crate::shapes::members::Members;
use crate::shapes::record_kind::RecordKind;
use crate::shapes::tally::{Sum, Tally};

/// A format whose documents list findings.
pub(crate) struct JsonFindings {
    /// Name of the format, such as `json`.
    pub(crate) format: &'static str,
    pub(crate) members: &'static Members,
    pub(crate) paths: &'static [Path],
    /// Classifies a record, if its members alone do not.
    pub(crate) record: Option<fn(&Record<'_>) -> RecordKind>,
    /// Returns whether an object around the records is certainly this tool's, judging by its other members; if
    /// so, a document without findings is a clean run.
    pub(crate) is_own: fn(&Map<String, Value>) -> bool,
    /// Returns the count of the records in an object, if its other members give one.
    pub(crate) sum: fn(&Map<String, Value>) -> Option<Sum>,
    /// Returns whether an object around the records lacks a member that the tool always writes: then no run is clean.
    pub(crate) is_half: fn(&Map<String, Value>) -> bool,
    /// Whether any object may begin like a document: one without findings is neither broken nor a clean run.
    pub(crate) is_any: bool,
    /// Whether a single record that is not the tool's shows that none is.
    pub(crate) is_strict: bool,
    /// Confidence of a candidate with these findings.
    pub(crate) confidence: Confidence,
}

impl JsonFindings {
    /// Creates a format of documents that are lists of findings, without identifying members around the
    /// records.
    pub(crate) const fn of(members: &'static Members) -> Self {
        Self {
            format: "json",
            members,
            paths: &[&[json::ANY]],
            record: None,
            is_own: |_| false,
            sum: |_| None,
            is_half: |_| false,
            is_any: false,
            is_strict: false,
            confidence: Confidence::Certain,
        }
    }

    /// Creates the reader of one stream.
    pub(crate) fn reader(&'static self, stream: Stream, is_hinted: bool) -> Box<dyn DocumentReader> {
        Box::new(Documents {
            format: self,
            rule: format!("{}/{}", self.members.tool, self.format),
            stream,
            tally: Tally::new(self.members.tool),
            is_complete: true,
            is_own: is_hinted,
            has_strangers: false,
        })
    }
}

/// Findings in the documents of one stream.
struct Documents {
    format: &'static JsonFindings,
    /// The rule that findings are attributed to.
    rule: String,
    stream: Stream,
    tally: Tally,
    is_complete: bool,
    is_own: bool,
    has_strangers: bool,
}

impl Documents {
    fn add(&mut self, mut found: Diagnostic, record: &Record<'_>) {
        found.origin = place(&self.rule, self.stream, record);
        self.tally.add(found);
    }
}

impl Records for Documents {
    fn record(&mut self, record: Record<'_>) {
        let told = self.format.record.map_or_else(|| self.format.members.told(&record), |read| read(&record));
        match told {
            RecordKind::Finding(found) => self.add(*found, &record),
            RecordKind::Findings(list) => list.into_iter().for_each(|found| self.add(found, &record)),
            RecordKind::Nothing => {}
            RecordKind::Stranger => self.has_strangers = true,
        }
    }

    fn closed(&mut self, around: &Closed<'_>) {
        self.is_own |= (self.format.is_own)(around.members);
        self.is_complete &= !(self.format.is_half)(around.members);
        if let Some(sum) = (self.format.sum)(around.members) {
            self.tally.sum_up(sum);
        }
    }
}

impl DocumentReader for Documents {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let mut extent = json::read(reader, start, self.format.paths, self)?;
        if self.format.is_any && self.tally.findings.counts.total() == 0 {
            (extent.is_complete, extent.lines) = (true, extent.lines.max(1));
        }
        self.is_complete &= extent.is_complete;
        Ok(extent)
    }

    /// Returns a clean run for documents without findings only if they were complete and are certainly the
    /// tool's.
    fn finish(self: Box<Self>, are_all: bool) -> Option<Candidate> {
        let JsonFindings { format, confidence, is_any, is_strict, .. } = *self.format;
        let has_findings = 0 < self.tally.findings.counts.total() && !(is_strict && self.has_strangers);
        let is_clean = !is_any && self.is_complete && are_all && self.is_own && !self.has_strangers;
        (has_findings || is_clean).then(|| self.tally.candidate(format, confidence))
    }
}

/// A format with one object per line.
pub(crate) struct JsonLines {
    /// Name of the format, such as `json-lines`.
    pub(crate) format: &'static str,
    /// The rule that findings are attributed to, if it is not the tool's with this format.
    pub(crate) rule: Option<&'static str>,
    /// Texts that every object contains.
    pub(crate) keys: &'static [&'static str],
    pub(crate) members: &'static Members,
    /// Classifies a record, if its members alone do not.
    pub(crate) record: Option<fn(&Record<'_>) -> RecordKind>,
}

impl JsonLines {
    pub(crate) const fn of(format: &'static str, keys: &'static [&'static str], members: &'static Members) -> Self {
        Self { format, rule: None, keys, members, record: None }
    }

    /// Creates the reader of one stream.
    pub(crate) fn reader(&'static self) -> Box<dyn LineReader> {
        let own = || format!("{}/{}", self.members.tool, self.format);
        let rule = self.rule.map_or_else(own, str::to_owned);
        Box::new(Lines { format: self, rule, findings: Findings::default() })
    }
}

/// Findings in the lines of one stream.
struct Lines {
    format: &'static JsonLines,
    rule: String,
    findings: Findings,
}

impl Lines {
    fn add(&mut self, mut found: Diagnostic, line: &Line<'_>) {
        found.origin = origin(&self.rule, line);
        self.findings.add(found);
    }
}

impl LineReader for Lines {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim();
        if !text.starts_with('{') || !self.format.keys.iter().all(|key| text.contains(key)) {
            return Use::None;
        }
        let Ok(value) = serde_json::from_str::<Value>(text) else { return Use::None };
        let record = Record { path: 0, value, around: &[], key: None, start: line.start, end: line.end };
        let JsonLines { members, record: read, .. } = self.format;
        match read.map_or_else(|| members.told(&record), |read| read(&record)) {
            RecordKind::Finding(found) => self.add(*found, line),
            RecordKind::Findings(list) => list.into_iter().for_each(|found| self.add(found, line)),
            RecordKind::Nothing => {}
            RecordKind::Stranger => return Use::None,
        }
        Use::Line
    }

    fn sleeps(&self) -> bool {
        true
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let format = self.format.format;
        self.findings.candidate(format)
    }
}

/// Returns the origin of a record within its stream.
pub(crate) fn place(rule: &str, stream: Stream, record: &Record<'_>) -> Origin {
    Origin { rule: rule.to_owned(), stream, start: record.start, end: record.end }
}

#[cfg(test)]
mod tests {
    use super::*;

    static FORMAT: JsonFindings = JsonFindings {
        paths: &[&["found", json::ANY]],
        record: Some(|record| if record.value.is_null() { RecordKind::Nothing } else { MEMBERS.told(record) }),
        is_own: |members| members.contains_key("tool"),
        ..JsonFindings::of(&MEMBERS)
    };

    const MEMBERS: Members = Members { tool: "tool", ..Members::MESSAGE };

    static STRICT: JsonFindings = JsonFindings { is_strict: true, ..FORMAT };

    fn candidate(format: &'static JsonFindings, text: &str) -> Option<u64> {
        let mut reader = format.reader(Stream::Stdout, false);
        reader.document(&mut text.as_bytes(), 0).unwrap();
        reader.finish(true).map(|candidate| candidate.findings.counts.errors)
    }

    #[test]
    fn a_document_is_known_by_its_findings_or_by_what_stands_beside_them() {
        for (text, errors, strictly) in [
            (r#"{"found": [{"message": "a"}, {"message": "b"}]}"#, Some(2), Some(2)),
            (r#"{"found": [{"message": "a"}, {"text": "b"}]}"#, Some(1), None),
            (r#"{"tool": 1, "found": []}"#, Some(0), Some(0)),
            (r#"{"tool": 1, "found": [null]}"#, Some(0), Some(0)),
            (r#"{"found": []}"#, None, None),
            (r#"{"found": [{"text": "a"}]}"#, None, None),
            (r#"{"tool": 1, "found": [{"text": "a"}]}"#, None, None),
            (r#"{"tool": 1, "found": ["#, None, None),
        ] {
            assert_eq!((candidate(&FORMAT, text), candidate(&STRICT, text)), (errors, strictly), "{text}");
        }
    }
}
