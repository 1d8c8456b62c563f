//! Statistics about the lines of a stream: their number, the last of them, and those that were too long.

use std::collections::VecDeque;
use std::ops::Range;

use referee_model::limit;
use referee_model::record::Stream;

use crate::document::Extent;
use crate::scan::Line;

/// Number of last lines of a stream that are searched for unrecognized ones before the whole stream is read
/// again.
const LAST_LINES: usize = 1024;

/// Maximum number of overlong lines whose positions are kept, to determine which of them are part of a
/// document.
const LONG_LINES_KEPT: usize = 1024;

/// The lines of one stream that are not blank.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) number: u64,
    /// Byte ranges of the last of them.
    pub(crate) last: VecDeque<Range<u64>>,
}

impl Seen {
    pub(crate) fn line(&mut self, line: &Line<'_>) {
        if line.is_blank {
            return;
        }
        self.number += 1;
        if self.last.len() == LAST_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line.start..line.end);
    }
}

/// Lines of one stream that were too long to be read completely.
#[derive(Clone)]
pub(crate) struct LongLines {
    pub(crate) stream: Stream,
    pub(crate) number: u64,
    pub(crate) places: Vec<Range<u64>>,
}

impl LongLines {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, number: 0, places: Vec::new() }
    }

    pub(crate) fn line(&mut self, line: &Line<'_>) {
        if line.is_cut {
            self.number += 1;
            if self.places.len() < LONG_LINES_KEPT {
                self.places.push(line.start..line.end);
            }
        }
    }
}

/// Returns notes on how many lines were read only in part, not counting those that are part of a document.
pub(crate) fn long_line_notes(long_lines: &[LongLines], documents: &[(Stream, Extent)]) -> Vec<String> {
    let mut notes = Vec::new();
    for LongLines { stream, number, places } in long_lines {
        let is_of_document = |place: &&Range<u64>| {
            let meets = |extent: &Extent| extent.start < place.end && place.start < extent.end;
            documents.iter().any(|(of, extent)| of == stream && meets(extent))
        };
        let cut = number - places.iter().filter(is_of_document).count() as u64;
        if 0 < cut {
            let stream = match stream {
                Stream::Stdout => "standard output",
                Stream::Stderr => "standard error",
            };
            let bytes = limit::LINE_BYTES;
            notes.push(format!("{cut} lines of {stream} are longer than {bytes} bytes; their ends were not read"));
        }
    }
    notes
}
