//! What a tool is to its readers: its names, and its formats.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::record::Stream;

use crate::candidate::{Candidate, DocumentReader, LineReader, gravest};
use crate::document::Opening;
use crate::rows::Rows;
use crate::shapes::json_findings::JsonFindings;

/// One tool. A hint makes its readers trust forms that alone say nothing.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) role: Role,
    pub(crate) lines: &'static [LineFormat],
    pub(crate) documents: &'static [DocumentFormat],
    /// Makes one candidate of what its readers found in both streams.
    pub(crate) merge: fn(Vec<(Stream, Candidate)>) -> Option<Candidate>,
}

impl Tool {
    /// Names a tool that has no format yet. Of what its readers found, the most severe is believed.
    pub(crate) const fn new(name: &'static str, aliases: &'static [&'static str], role: Role) -> Self {
        Self { name, aliases, role, lines: &[], documents: &[], merge: gravest }
    }

    pub(crate) const fn lines(self, lines: &'static [LineFormat]) -> Self {
        Self { lines, ..self }
    }

    pub(crate) const fn documents(self, documents: &'static [DocumentFormat]) -> Self {
        Self { documents, ..self }
    }

    /// Says how one candidate is made, where not the most severe is believed.
    pub(crate) const fn merge(self, merge: fn(Vec<(Stream, Candidate)>) -> Option<Candidate>) -> Self {
        Self { merge, ..self }
    }
}

/// A format that is read line by line.
pub(crate) struct LineFormat {
    /// Texts one of which is in every line at which this format can begin. A reader is made, and shown the lines just
    /// before too, when one of them comes; with a hint it is there from the first line on.
    pub(crate) prefilter: &'static [&'static str],
    reader: LineReaderOf,
}

#[derive(Clone, Copy)]
enum LineReaderOf {
    Rows(&'static LazyLock<Rows>),
    Own(fn(is_hinted: bool) -> Box<dyn LineReader>),
}

impl LineFormat {
    pub(crate) const fn new(
        prefilter: &'static [&'static str],
        reader: fn(is_hinted: bool) -> Box<dyn LineReader>,
    ) -> Self {
        Self { prefilter, reader: LineReaderOf::Own(reader) }
    }

    pub(crate) const fn rows(prefilter: &'static [&'static str], rows: &'static LazyLock<Rows>) -> Self {
        Self { prefilter, reader: LineReaderOf::Rows(rows) }
    }

    /// Makes the reader of one stream.
    pub(crate) fn reader(&self, is_hinted: bool) -> Box<dyn LineReader> {
        match self.reader {
            LineReaderOf::Rows(rows) => rows.reader(is_hinted),
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
    /// Documents that begin as one of `compact` on one line, or with one of `keys` below a bracket.
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

    /// Documents in JSON that list findings.
    pub(crate) const fn json(
        compact: &'static [&'static str],
        keys: &'static [&'static str],
        findings: &'static JsonFindings,
    ) -> Self {
        Self { opening: Opening { compact, keys, empty: None }, reader: DocumentReaderOf::Json(findings) }
    }

    /// Makes the reader of one stream.
    pub(crate) fn reader(&self, stream: Stream, is_hinted: bool) -> Box<dyn DocumentReader> {
        match self.reader {
            DocumentReaderOf::Json(findings) => findings.reader(stream, is_hinted),
            DocumentReaderOf::Own(reader) => reader(stream, is_hinted),
        }
    }

    /// Takes a document that says too little, too, where the command says that it is this tool's.
    pub(crate) const fn or_empty(self, empty: &'static str) -> Self {
        Self { opening: Opening { empty: Some(empty), ..self.opening }, ..self }
    }
}
