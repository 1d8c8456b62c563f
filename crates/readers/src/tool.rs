//! What a tool is to its readers: its names, and its formats.

use referee_model::plan::Role;
use referee_model::record::Stream;

use crate::candidate::{Candidate, DocumentReader, LineReader, gravest};
use crate::document::Opening;

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
    /// Makes the reader of one stream.
    pub(crate) reader: fn(is_hinted: bool) -> Box<dyn LineReader>,
}

impl LineFormat {
    pub(crate) const fn new(
        prefilter: &'static [&'static str],
        reader: fn(is_hinted: bool) -> Box<dyn LineReader>,
    ) -> Self {
        Self { prefilter, reader }
    }
}

pub(crate) struct DocumentFormat {
    pub(crate) opening: Opening,
    /// Makes the reader of one stream.
    pub(crate) reader: fn(stream: Stream, is_hinted: bool) -> Box<dyn DocumentReader>,
}

impl DocumentFormat {
    /// Documents that begin as one of `compact` on one line, or with one of `keys` below a bracket.
    pub(crate) const fn new(
        compact: &'static [&'static str],
        keys: &'static [&'static str],
        reader: fn(stream: Stream, is_hinted: bool) -> Box<dyn DocumentReader>,
    ) -> Self {
        Self { opening: Opening { compact, keys, empty: None }, reader }
    }

    /// Takes a document that says too little, too, where the command says that it is this tool's.
    pub(crate) const fn or_empty(self, empty: &'static str) -> Self {
        Self { opening: Opening { empty: Some(empty), ..self.opening }, ..self }
    }
}
