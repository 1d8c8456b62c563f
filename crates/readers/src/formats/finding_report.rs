//! Reports of findings in XML and JSON: the common steps from the bytes of a document to a candidate.

use std::io::{self, BufRead};
use std::marker::PhantomData;

use crate::candidate::diagnostic_at;
use crate::json::{self, Closed, Path, Records};
use crate::prelude::*;
use crate::xml::{self, Element, Elements};

/// Interprets the XML elements of one report format.
pub(super) trait XmlDialect: Default {
    /// Name of the format.
    const FORMAT: &'static str;
    /// The rule that findings are attributed to.
    const RULE: &'static str;

    /// Returns whether a document has this format, judging by its root element.
    fn is_root(root: &Element) -> bool;

    /// Handles an element that is closed; `at` is its position in the stream.
    fn close(&mut self, element: Element, around: &[Element], at: Origin, findings: &mut Findings);

    /// Returns whether the part read so far is certainly in this format.
    fn is_known(&self) -> bool {
        true
    }
}

/// Interprets the JSON records of one report format.
pub(super) trait JsonDialect: Default {
    /// Name of the format.
    const FORMAT: &'static str;
    /// The rule that findings are attributed to.
    const RULE: &'static str;
    /// Paths of the records.
    const PATHS: &'static [Path];

    /// Handles a record; `at` is its position in the stream. Returns false if the record is not in this format.
    fn record(&mut self, record: Record<'_>, at: Origin, findings: &mut Findings) -> bool;

    /// Handles a list or an object around records, once it is closed.
    fn closed(&mut self, _around: &Closed<'_>, _findings: &mut Findings) {}

    /// Ends a document. Returns false if it was not in this format.
    fn end(&mut self, _findings: &mut Findings) -> bool {
        true
    }
}

/// Reads the documents of one stream.
pub(super) struct Report<D> {
    stream: Stream,
    is_hinted: bool,
    findings: Findings,
    /// Number of documents that were read completely.
    whole: u64,
    is_cut: bool,
    dialect: PhantomData<D>,
}

impl<D> Report<D> {
    pub(super) fn new(stream: Stream, is_hinted: bool) -> Self {
        Self { stream, is_hinted, findings: Findings::default(), whole: 0, is_cut: false, dialect: PhantomData }
    }

    /// Adds the contents of a document.
    fn add(&mut self, findings: Findings, is_known: bool, mut extent: Extent) -> Extent {
        let is_empty = findings.counts.total() == 0;
        if !is_known {
            extent.is_complete = false;
        } else if extent.is_complete {
            // While it is empty, a document of another tool may look like this.
            self.whole += 1;
        } else if !is_empty {
            self.is_cut = true;
        }
        if is_known {
            self.findings.append(findings);
        }
        extent
    }

    fn candidate(self, format: &'static str) -> Option<Candidate> {
        let has_result = 0 < self.whole || 0 < self.findings.counts.total();
        let notes =
            if self.is_cut { vec![format!("a report in the format {format} is cut short")] } else { Vec::new() };
        has_result.then(|| Candidate::of(format, self.findings).notes(notes))
    }
}

pub(super) struct XmlReport<D>(pub(super) Report<D>);

impl<D: XmlDialect> DocumentReader for XmlReport<D> {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let mut document = XmlDocument {
            stream: self.0.stream,
            dialect: D::default(),
            findings: Findings::default(),
            is_of_format: false,
        };
        let extent = xml::read(reader, start, &mut document)?;
        let is_known = document.is_of_format && document.dialect.is_known();
        Ok(self.0.add(document.findings, is_known, extent))
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Candidate> {
        self.0.candidate(D::FORMAT)
    }
}

/// State while one XML document is read.
struct XmlDocument<D> {
    stream: Stream,
    dialect: D,
    findings: Findings,
    is_of_format: bool,
}

impl<D: XmlDialect> Elements for XmlDocument<D> {
    fn open(&mut self, element: &Element, around: &[Element]) {
        if around.is_empty() {
            self.is_of_format = D::is_root(element);
        }
    }

    fn close(&mut self, element: Element, around: &[Element], end: u64) {
        if self.is_of_format {
            let at = Origin { rule: D::RULE.to_owned(), stream: self.stream, start: element.start, end };
            self.dialect.close(element, around, at, &mut self.findings);
        }
    }
}

pub(super) struct JsonReport<D>(pub(super) Report<D>);

impl<D: JsonDialect> DocumentReader for JsonReport<D> {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let mut document = JsonDocument {
            stream: self.0.stream,
            dialect: D::default(),
            findings: Findings::default(),
            is_of_format: true,
            records: 0,
        };
        let extent = json::read(reader, start, D::PATHS, &mut document)?;
        let is_told = 0 < document.records || self.0.is_hinted;
        let is_known = document.dialect.end(&mut document.findings) && document.is_of_format && is_told;
        Ok(self.0.add(document.findings, is_known, extent))
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Candidate> {
        self.0.candidate(D::FORMAT)
    }
}

/// State while one JSON document is read.
struct JsonDocument<D> {
    stream: Stream,
    dialect: D,
    findings: Findings,
    is_of_format: bool,
    records: u64,
}

impl<D: JsonDialect> Records for JsonDocument<D> {
    fn record(&mut self, record: Record<'_>) {
        self.records += 1;
        let at = Origin { rule: D::RULE.to_owned(), stream: self.stream, start: record.start, end: record.end };
        self.is_of_format &= self.dialect.record(record, at, &mut self.findings);
    }

    fn closed(&mut self, around: &Closed<'_>) {
        self.dialect.closed(around, &mut self.findings);
    }
}

/// Creates a finding read from a document.
pub(super) fn finding(tool: &str, at: Origin, level: Level, message: &str) -> Diagnostic {
    diagnostic_at(tool, at, level, &ansi::strip(message.trim()))
}

/// Reads a 1-based number from a JSON value, which may be a string.
pub(super) fn position(value: Option<&serde_json::Value>) -> Option<u32> {
    match value? {
        serde_json::Value::String(digits) => text::position(digits),
        value => value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| 0 < *number),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::BufReader;

    use super::*;

    /// Reads one document.
    pub(in crate::formats) fn told(mut reader: Box<dyn DocumentReader>, document: &str) -> Option<Candidate> {
        reader.document(&mut BufReader::new(document.as_bytes()), 0).unwrap();
        reader.finish(true)
    }

    /// Formats each finding as one line.
    pub(crate) fn shown(candidate: Candidate) -> Vec<String> {
        let show = |found: Diagnostic| {
            let number = |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
            let place = [found.line, found.column, found.end_line, found.end_column].map(number).join(":");
            let (file, code) = (found.file.as_deref().unwrap_or("-"), found.code.as_deref().unwrap_or("-"));
            format!("{:?} {file} {place} {code}: {}", found.level, found.message)
        };
        candidate.findings.kept.into_items().into_iter().map(show).collect()
    }
}
