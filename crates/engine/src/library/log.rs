//! Reads lines of a log, and the lines of its findings, in one pass and with memory that does not grow with the log.

use std::collections::VecDeque;

use memchr::memchr_iter;
use referee_model::limit;
use referee_report::action_log::{Finding, LogFinding, LogLine};

/// Selects lines of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// From this 1-based line on, at most this many lines.
    From(u64, usize),
    /// The first lines, as many as the second number says, of the last lines, as many as the first number says.
    Back(usize, usize),
}

impl Lines {
    /// Selects the last `count` lines.
    pub fn last(count: usize) -> Self {
        Self::Back(count, count)
    }

    /// Returns the number of lines to buffer while the log is read.
    fn kept(self) -> usize {
        let (Self::From(_, count) | Self::Back(count, _)) = self;
        count.clamp(1, limit::LOG_LINES_MAX)
    }

    /// Returns the maximum number of lines to show.
    fn shown(self) -> usize {
        let (Self::From(_, count) | Self::Back(_, count)) = self;
        count.clamp(1, limit::LOG_LINES_MAX)
    }
}

pub(super) struct Read {
    pub(super) line_count: u64,
    pub(super) lines: Vec<LogLine>,
    pub(super) next_line: Option<u64>,
    pub(super) finding_count: u64,
    pub(super) findings: Vec<LogFinding>,
}

pub(super) struct Reading {
    wanted: Lines,
    kept: VecDeque<LogLine>,
    current: Current,
    /// Number of bytes read so far.
    place: u64,
    finding_count: u64,
    findings: Vec<LogFinding>,
    /// Offsets whose lines are to be determined, in order, each with its finding and whether the finding ends there.
    marks: VecDeque<Mark>,
}

#[derive(Default)]
struct Current {
    number: u64,
    text: Vec<u8>,
    left_out: u64,
    has_begun: bool,
}

struct Mark {
    offset: u64,
    finding: usize,
    is_end: bool,
}

impl Reading {
    pub(super) fn new(wanted: Lines, findings: Vec<Finding>) -> Self {
        let finding_count = findings.len() as u64;
        let findings: Vec<LogFinding> = findings
            .into_iter()
            .take(limit::DIAGNOSTICS_LISTED)
            .map(|finding| LogFinding { log_line: None, last_log_line: None, finding })
            .collect();
        let mut marks: Vec<Mark> = Vec::new();
        for (index, found) in findings.iter().enumerate() {
            let origin = &found.finding.origin;
            let last = origin.end.saturating_sub(1).max(origin.start);
            marks.push(Mark { offset: origin.start, finding: index, is_end: false });
            marks.push(Mark { offset: last, finding: index, is_end: true });
        }
        marks.sort_by_key(|mark| mark.offset);
        let current = Current { number: 1, ..Current::default() };
        Self { wanted, kept: VecDeque::new(), current, place: 0, finding_count, findings, marks: marks.into() }
    }

    /// Takes the next bytes of the log.
    pub(super) fn take(&mut self, piece: &[u8]) {
        let mut begin = 0;
        for end in memchr_iter(b'\n', piece) {
            self.add(&piece[begin..end]);
            // The line end belongs to its line.
            self.mark(self.place + end as u64 + 1);
            self.finish();
            begin = end + 1;
        }
        if begin < piece.len() {
            self.add(&piece[begin..]);
            self.mark(self.place + piece.len() as u64);
        }
        self.place += piece.len() as u64;
    }

    pub(super) fn end(mut self) -> Read {
        if self.current.has_begun {
            self.finish();
        }
        let line_count = self.current.number - 1;
        self.kept.truncate(self.wanted.shown());
        let lines: Vec<LogLine> = self.kept.into();
        let next_line = lines.last().map(|line| line.number + 1).filter(|next| *next <= line_count);
        let Self { finding_count, findings, .. } = self;
        Read { line_count, lines, next_line, finding_count, findings }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.current.has_begun = true;
        if !self.is_wanted() {
            return;
        }
        let room = limit::LOG_LINE_BYTES.saturating_sub(self.current.text.len()).min(bytes.len());
        self.current.text.extend_from_slice(&bytes[..room]);
        self.current.left_out += (bytes.len() - room) as u64;
    }

    fn is_wanted(&self) -> bool {
        match self.wanted {
            Lines::From(first, _) => self.current.number >= first && self.kept.len() < self.wanted.kept(),
            Lines::Back(..) => true,
        }
    }

    /// Records the current line for all marks before this offset.
    fn mark(&mut self, beyond: u64) {
        while let Some(mark) = self.marks.pop_front_if(|mark| mark.offset < beyond) {
            if let Some(found) = self.findings.get_mut(mark.finding) {
                let line = if mark.is_end { &mut found.last_log_line } else { &mut found.log_line };
                *line = Some(self.current.number);
            }
        }
    }

    fn finish(&mut self) {
        if self.is_wanted() {
            if self.kept.len() == self.wanted.kept() {
                self.kept.pop_front();
            }
            let mut text = std::mem::take(&mut self.current.text);
            if self.current.left_out == 0 && text.last() == Some(&b'\r') {
                text.pop();
            }
            let text = String::from_utf8_lossy(&text).into_owned();
            self.kept.push_back(LogLine { number: self.current.number, text, left_out: self.current.left_out });
        }
        self.current = Current { number: self.current.number + 1, ..Current::default() };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use referee_model::reading::Level;
    use referee_report::action_log::FindingOrigin;

    use super::*;

    fn finding(start: u64, end: u64) -> Finding {
        Finding {
            tool: "tsc".to_owned(),
            severity: Level::Error,
            message: "wrong".to_owned(),
            code: None,
            file: None,
            line: None,
            column: None,
            origin: FindingOrigin { rule: "rule".to_owned(), start, end },
        }
    }

    fn read(text: &[u8], piece: usize, lines: Lines, findings: Vec<Finding>) -> Read {
        let mut reading = Reading::new(lines, findings);
        text.chunks(piece.max(1)).for_each(|piece| reading.take(piece));
        reading.end()
    }

    #[test]
    fn a_line_beyond_the_bound_says_how_much_is_left_out() {
        let text = vec![b'a'; limit::LOG_LINE_BYTES + 7];
        let read = read(&text, 1000, Lines::From(1, 10), Vec::new());
        assert_eq!((read.line_count, read.lines.len()), (1, 1));
        assert_eq!((read.lines[0].text.len(), read.lines[0].left_out), (limit::LOG_LINE_BYTES, 7));
    }

    #[test]
    fn findings_stand_on_the_lines_that_they_were_read_from_and_beyond_the_end_on_none() {
        let findings = vec![finding(2, 5), finding(5, 6), finding(0, 0), finding(90, 99)];
        let read = read(b"ab\ncd\nef\n", 2, Lines::From(2, 1), findings);
        let places: Vec<_> = read.findings.iter().map(|found| (found.log_line, found.last_log_line)).collect();
        assert_eq!(places, [(Some(1), Some(2)), (Some(2), Some(2)), (Some(1), Some(1)), (None, None)]);
        assert_eq!(read.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), ["cd"]);
        assert_eq!((read.line_count, read.next_line), (3, Some(3)));
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_text_however_it_is_read(
            text in "[ab\r\n]{0,40}", piece in 1..9_usize, first in 0..9_u64, count in 1..5_usize,
        ) {
            let all: Vec<&str> = text.split_terminator('\n').collect();
            let shown = |line: &str| line.strip_suffix('\r').unwrap_or(line).to_owned();
            let page = read(text.as_bytes(), piece, Lines::From(first, count), Vec::new());
            let begin = usize::try_from(first.saturating_sub(1)).unwrap();
            let expected: Vec<_> = all.iter().skip(begin).take(count).map(|line| shown(line)).collect();
            prop_assert_eq!(page.lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>(), expected);
            prop_assert_eq!(page.line_count, all.len() as u64);
            let last = read(text.as_bytes(), piece, Lines::last(count), Vec::new());
            let expected: Vec<_> = all.iter().skip(all.len().saturating_sub(count)).map(|line| shown(line)).collect();
            prop_assert_eq!(last.lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>(), expected);
            prop_assert_eq!(last.next_line, None);
            let one = read(text.as_bytes(), piece, Lines::Back(count, 1), Vec::new());
            prop_assert_eq!(one.lines.first(), last.lines.first());
            prop_assert_eq!(one.lines.len(), last.lines.len().min(1));
        }
    }
}
