//! A tool as seen by the readers: its names and formats.

use referee_model::plan::Role;
use referee_model::record::Stream;

use crate::candidate::{Candidate, DocumentReader, LineReader, most_severe};
use crate::document::Opening;
use crate::rows::Rows;
use crate::shapes::json_findings::JsonFindings;
use crate::test_rows::TestRows;

/// A tool. A hint makes its readers accept forms that are not recognizable on their own.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) role: Role,
    pub(crate) lines: &'static [LineFormat],
    pub(crate) documents: &'static [DocumentFormat],
    /// Merges the candidates of both streams into one.
    pub(crate) merge: fn(Vec<(Stream, Candidate)>) -> Option<Candidate>,
    /// Whether the output is read as this tool's only if no other tool claims it.
    pub(crate) is_last_resort: bool,
}

impl Tool {
    /// Creates a tool without formats. By default, the most severe of its candidates is chosen.
    pub(crate) const fn new(name: &'static str, aliases: &'static [&'static str], role: Role) -> Self {
        Self { name, aliases, role, lines: &[], documents: &[], merge: most_severe, is_last_resort: false }
    }

    pub(crate) const fn lines(self, lines: &'static [LineFormat]) -> Self {
        Self { lines, ..self }
    }

    pub(crate) const fn documents(self, documents: &'static [DocumentFormat]) -> Self {
        Self { documents, ..self }
    }

    pub(crate) const fn last_resort(self) -> Self {
        Self { is_last_resort: true, ..self }
    }

    /// Sets how candidates are merged, if not by choosing the most severe.
    pub(crate) const fn merge(self, merge: fn(Vec<(Stream, Candidate)>) -> Option<Candidate>) -> Self {
        Self { merge, ..self }
    }
}

/// A format that is read line by line.
pub(crate) struct LineFormat {
    /// Texts of which every line that can begin this format contains at least one, or, if the text begins with a line
    /// end, begins with it. A reader is created when one
    /// of them appears, and is also shown the lines just before; with a hint, it exists from the first line on.
    pub(crate) prefilter: &'static [&'static str],
    /// Further texts that wake the reader of a named tool: those of lines that only a hint makes recognizable.
    pub(crate) named: &'static [&'static str],
    /// Two lists of texts: a line with one of each wakes the reader, too; if the command names the tool, one of the first
    /// list is enough.
    pub(crate) both: [&'static [&'static str]; 2],
    /// Knows the lines of another tool which hold the texts: they begin nothing.
    unless: Option<fn(&str) -> bool>,
    reader: LineReaderOf,
}

#[derive(Clone, Copy)]
enum LineReaderOf {
    Rows(&'static Rows),
    TestRows(&'static TestRows),
    Own(fn(is_hinted: bool) -> Box<dyn LineReader>),
}

impl LineFormat {
    pub(crate) const fn new(
        prefilter: &'static [&'static str],
        reader: fn(is_hinted: bool) -> Box<dyn LineReader>,
    ) -> Self {
        Self::of(prefilter, LineReaderOf::Own(reader))
    }

    const fn of(prefilter: &'static [&'static str], reader: LineReaderOf) -> Self {
        Self { prefilter, named: &[], both: [&[]; 2], unless: None, reader }
    }

    pub(crate) const fn rows(prefilter: &'static [&'static str], rows: &'static Rows) -> Self {
        Self::of(prefilter, LineReaderOf::Rows(rows))
    }

    /// Creates a format that is read only if the command names the tool: without a hint, that is left to another tool.
    pub(crate) const fn hinted(texts: &'static [&'static str], reader: fn(bool) -> Box<dyn LineReader>) -> Self {
        Self::new(&[], reader).both(texts, &[])
    }

    /// Creates a format of a test runner.
    pub(crate) const fn tests(prefilter: &'static [&'static str], rows: &'static TestRows) -> Self {
        Self::of(prefilter, LineReaderOf::TestRows(rows))
    }

    /// Adds texts that wake the reader if the command names the tool.
    pub(crate) const fn named(self, named: &'static [&'static str]) -> Self {
        Self { named, ..self }
    }

    /// Adds two lists of texts that wake the reader only together.
    pub(crate) const fn both(self, first: &'static [&'static str], second: &'static [&'static str]) -> Self {
        Self { both: [first, second], ..self }
    }

    /// Sets a function that knows the lines of another tool which hold the same texts.
    pub(crate) const fn unless(self, is_other: fn(&str) -> bool) -> Self {
        Self { unless: Some(is_other), ..self }
    }

    /// Returns whether a line with one of the texts can begin anything, if the command does not name the tool.
    pub(crate) fn may_begin(&self, line: &str) -> bool {
        match self.reader {
            _ if self.unless.is_some_and(|is_other| is_other(line)) => false,
            LineReaderOf::Rows(rows) => rows.may_begin(line),
            LineReaderOf::TestRows(rows) => rows.may_begin(line),
            LineReaderOf::Own(_) => true,
        }
    }

    /// Creates the reader of one stream.
    pub(crate) fn reader(&self, is_hinted: bool) -> Box<dyn LineReader> {
        match self.reader {
            LineReaderOf::Rows(rows) => rows.reader(is_hinted),
            LineReaderOf::TestRows(rows) => rows.reader(is_hinted),
            LineReaderOf::Own(reader) => reader(is_hinted),
        }
    }
}

pub(crate) struct DocumentFormat {
    pub(crate) opening: Opening,
    reader: DocumentReaderOf,
}

#[derive(Clone, Copy)]
enum DocumentReaderOf {
    Json(&'static JsonFindings),
    Own(fn(stream: Stream, is_hinted: bool) -> Box<dyn DocumentReader>),
}

impl DocumentFormat {
    /// Creates a format of documents that begin with one of `compact` on one line, or with one of `keys` below
    /// a bracket.
    pub(crate) const fn new(
        compact: &'static [&'static str],
        keys: &'static [&'static str],
        reader: fn(stream: Stream, is_hinted: bool) -> Box<dyn DocumentReader>,
    ) -> Self {
        Self::of(Opening { compact, keys, empty: None }, reader)
    }

    pub(crate) const fn of(
        opening: Opening,
        reader: fn(stream: Stream, is_hinted: bool) -> Box<dyn DocumentReader>,
    ) -> Self {
        Self { opening, reader: DocumentReaderOf::Own(reader) }
    }

    /// Creates a format of JSON documents that list findings.
    pub(crate) const fn json(
        compact: &'static [&'static str],
        keys: &'static [&'static str],
        findings: &'static JsonFindings,
    ) -> Self {
        Self { opening: Opening { compact, keys, empty: None }, reader: DocumentReaderOf::Json(findings) }
    }

    /// Creates the reader of one stream.
    pub(crate) fn reader(&self, stream: Stream, is_hinted: bool) -> Box<dyn DocumentReader> {
        match self.reader {
            DocumentReaderOf::Json(findings) => findings.reader(stream, is_hinted),
            DocumentReaderOf::Own(reader) => reader(stream, is_hinted),
        }
    }

    /// Also accepts this document, which is too generic on its own, if the command identifies the tool.
    pub(crate) const fn or_empty(self, empty: &'static str) -> Self {
        Self { opening: Opening { empty: Some(empty), ..self.opening }, ..self }
    }
}
