//! Reports of findings in XML and JSON: the common steps from the bytes of a document to a candidate.

use std::io::{self, BufRead};
use std::marker::PhantomData;

use crate::candidate::diagnostic_at;
use crate::json::{self, Closed, Path, Records};
use crate::prelude::*;

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

/// The documents of one stream.
#[derive(Default)]
pub(super) struct Report {
    findings: Findings,
    /// Number of documents that were read completely.
    whole: u64,
    is_cut: bool,
}

impl Report {
    /// Adds the contents of a document.
    pub(super) fn add(&mut self, findings: Findings, is_known: bool, mut extent: Extent) -> Extent {
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

    pub(super) fn candidate(self, format: &'static str) -> Option<Candidate> {
        let has_result = 0 < self.whole || 0 < self.findings.counts.total();
        let notes =
            if self.is_cut { vec![format!("a report in the format {format} is cut short")] } else { Vec::new() };
        has_result.then(|| Candidate::of(format, self.findings).notes(notes))
    }
}

/// Reads the JSON documents of one stream.
struct JsonReport<D> {
    stream: Stream,
    is_hinted: bool,
    report: Report,
    dialect: PhantomData<D>,
}

/// Creates the reader of one stream.
pub(super) fn reader<D: JsonDialect + 'static>(stream: Stream, is_hinted: bool) -> Box<dyn DocumentReader> {
    Box::new(JsonReport { stream, is_hinted, report: Report::default(), dialect: PhantomData::<D> })
}

impl<D: JsonDialect> DocumentReader for JsonReport<D> {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let mut document = JsonDocument {
            stream: self.stream,
            dialect: D::default(),
            findings: Findings::default(),
            is_of_format: true,
            records: 0,
        };
        let extent = json::read(reader, start, D::PATHS, &mut document)?;
        let is_told = 0 < document.records || self.is_hinted;
        let is_known = document.dialect.end(&mut document.findings) && document.is_of_format && is_told;
        Ok(self.report.add(document.findings, is_known, extent))
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Candidate> {
        self.report.candidate(D::FORMAT)
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
