//! What a tool is to its readers: its names, and its formats.

use referee_model::plan::Role;
use referee_model::record::Stream;

use crate::candidate::{Candidate, DocumentReader, LineReader};
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

/// A format that is read line by line.
pub(crate) struct LineFormat {
    /// Texts one of which is in every line at which this format can begin. A reader is made, and shown the lines just
    /// before too, when one of them comes; with a hint it is there from the first line on.
    pub(crate) prefilter: &'static [&'static str],
    /// Makes the reader of one stream.
    pub(crate) reader: fn(is_hinted: bool) -> Box<dyn LineReader>,
}

pub(crate) struct DocumentFormat {
    pub(crate) opening: Opening,
    /// Makes the reader of one stream.
    pub(crate) reader: fn(stream: Stream, is_hinted: bool) -> Box<dyn DocumentReader>,
}
