//! Records the bytes of a stream that a tool's readers used; the rest is unrecognized.

use std::ops::Range;

/// Maximum number of separate ranges per stream; beyond it ranges are merged, so that memory is bounded.
const STRETCHES: usize = 16 * 1024;

/// A line that is not blank: its number among such lines of its stream, and its byte range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineSpan {
    pub(crate) number: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// The lines of one stream that a tool's readers used.
#[derive(Debug, Clone, Default)]
pub(crate) struct Used {
    lines: u64,
    stretches: Vec<Range<u64>>,
    /// Number of the last recorded line.
    last: Option<u64>,
}

impl Used {
    /// Records a line. Lines arrive in order; a repeated line counts once.
    pub(crate) fn line(&mut self, place: LineSpan) {
        if self.last.is_some_and(|last| place.number <= last) {
            return;
        }
        let follows = self.last.is_some_and(|last| last + 1 == place.number);
        self.last = Some(place.number);
        self.lines += 1;
        let is_full = self.stretches.len() == STRETCHES;
        match self.stretches.last_mut() {
            Some(stretch) if follows || is_full => stretch.end = place.end,
            _ => self.stretches.push(place.start..place.end),
        }
    }

    /// Records a document, from `start` to `end` in the stream.
    pub(crate) fn document(&mut self, start: u64, end: u64, lines: u64) {
        let at = self.stretches.partition_point(|stretch| stretch.end <= start);
        let meets = self.stretches[at..].iter().take_while(|stretch| stretch.start < end).count();
        let met = &self.stretches[at..at + meets];
        let joined =
            met.first().map_or(start, |first| first.start.min(start))..met.last().map_or(end, |last| last.end.max(end));
        self.stretches.splice(at..at + meets, [joined]);
        self.lines += lines;
    }

    /// Adds the ranges used by another tool.
    pub(crate) fn add(&mut self, other: &Self) {
        self.lines += other.lines;
        self.stretches.extend(other.stretches.iter().cloned());
        self.stretches.sort_unstable_by_key(|stretch| stretch.start);
        let stretches = std::mem::take(&mut self.stretches);
        for stretch in stretches {
            match self.stretches.last_mut() {
                Some(last) if stretch.start <= last.end => last.end = last.end.max(stretch.end),
                _ => self.stretches.push(stretch),
            }
        }
    }

    /// Returns the number of lines.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// Returns whether any byte from `start` to `end` was used.
    pub(crate) fn meets(&self, start: u64, end: u64) -> bool {
        let at = self.stretches.partition_point(|stretch| stretch.end <= start);
        self.stretches.get(at).is_some_and(|stretch| stretch.start < end)
    }

    /// Returns whether some bytes are used by both.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        other.stretches.iter().any(|stretch| self.meets(stretch.start, stretch.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(numbers: &[u64]) -> Used {
        let mut used = Used::default();
        for number in numbers {
            used.line(LineSpan { number: *number, start: number * 10, end: number * 10 + 10 });
        }
        used
    }

    #[test]
    fn lines_that_follow_one_another_are_one_stretch() {
        let used = used(&[1, 2, 3, 3, 5]);
        assert_eq!(used.stretches, [10..40, 50..60]);
        assert_eq!(used.lines(), 4);
        assert!(used.meets(35, 36) && used.meets(0, 11) && !used.meets(40, 50) && !used.meets(60, 99));
    }

    #[test]
    fn a_document_takes_in_the_lines_within_it() {
        let mut used = used(&[1, 3, 5, 9]);
        used.document(35, 60, 2);
        assert_eq!(used.stretches, [10..20, 30..60, 90..100]);
        used.document(70, 80, 1);
        assert_eq!(used.stretches, [10..20, 30..60, 70..80, 90..100]);
    }

    #[test]
    fn what_two_tools_used_is_told_apart_or_joined() {
        let (mut one, other) = (used(&[1, 2, 7]), used(&[4, 7]));
        assert!(one.overlaps(&other) && !one.overlaps(&used(&[3, 8])));
        one.add(&other);
        assert_eq!(one.stretches, [10..30, 40..50, 70..80]);
    }

    #[test]
    fn memory_is_bounded() {
        let numbers: Vec<u64> = (0..3 * STRETCHES as u64).map(|number| number * 2).collect();
        let used = used(&numbers);
        assert_eq!((used.stretches.len(), used.lines()), (STRETCHES, numbers.len() as u64));
    }
}
