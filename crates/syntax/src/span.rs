//! Byte ranges of a text.

use std::ops::Range;

/// A byte range of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// The empty span at the beginning of a text.
    pub const BEGINNING: Self = Self { start: 0, end: 0 };

    /// Returns whether another span lies within this one.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self { start: range.start, end: range.end }
    }
}
