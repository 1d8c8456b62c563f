//! Reads the complete lines of a file from an offset on, in constant memory. A last line without a line break,
//! and lines that are too long, are skipped.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Number of bytes read at a time, and length of the longest line that is returned.
pub(crate) const LINE_BYTES: usize = 64 * 1024;

pub(crate) struct Lines<'file> {
    file: &'file File,
    buffer: Vec<u8>,
    /// Offset of the buffer in the file.
    offset: u64,
    /// Number of bytes at the beginning of the buffer that were returned already.
    given: usize,
    /// Whether the following bytes belong to a line that is skipped.
    is_skipping: bool,
    /// Offset of the end of the last complete line, returned or skipped.
    end: Option<u64>,
}

pub(crate) struct Line<'buffer> {
    pub(crate) start: u64,
    pub(crate) bytes: &'buffer [u8],
}

impl<'file> Lines<'file> {
    /// Starts reading at an offset. If it is in the middle of a line, reading starts with the next line.
    pub(crate) fn from(file: &'file File, offset: u64) -> Self {
        // The byte before the offset tells whether a line begins there.
        let (offset, is_skipping) = offset.checked_sub(1).map_or((0, false), |before| (before, true));
        Self { file, buffer: Vec::new(), offset, given: 0, is_skipping, end: None }
    }

    /// Returns the next line. None: there are no more lines.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let rest = self.buffer.get(self.given..).unwrap_or_default();
            if let Some(length) = memchr::memchr(b'\n', rest) {
                let (start, skipped) = (self.given, self.is_skipping);
                self.given += length + 1;
                self.end = Some(self.offset + self.given as u64);
                self.is_skipping = false;
                if skipped {
                    continue;
                }
                let bytes = self.buffer.get(start..start + length).unwrap_or_default();
                return Ok(Some(Line { start: self.offset + start as u64, bytes }));
            }
            if rest.len() >= LINE_BYTES || self.is_skipping {
                self.is_skipping = true;
                self.given = self.buffer.len();
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Returns the offset at which the last line that was read ended. None: no line was read.
    pub(crate) fn end(&self) -> Option<u64> {
        self.end
    }

    /// Reads more bytes, dropping those that were returned. Returns false at the end of the file.
    fn fill(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.given);
        self.offset += self.given as u64;
        self.given = 0;
        let kept = self.buffer.len();
        self.buffer.resize(kept + LINE_BYTES, 0);
        let length = loop {
            match self.file.read_at(self.buffer.get_mut(kept..).unwrap_or_default(), self.offset + kept as u64) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buffer.truncate(kept + length.as_ref().map_or(0, |&length| length));
        Ok(length? > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(content: &[u8], from: u64) -> Vec<(u64, usize)> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lines");
        std::fs::write(&path, content).unwrap();
        let file = File::open(path).unwrap();
        let mut lines = Lines::from(&file, from);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push((line.start, line.bytes.len()));
        }
        found
    }

    #[test]
    fn whole_lines_are_given_from_any_place_on() {
        let content = b"one\n\nthree\nhalf";
        assert_eq!(lines(content, 0), [(0, 3), (4, 0), (5, 5)]);
        assert_eq!(lines(content, 1), [(4, 0), (5, 5)]);
        assert_eq!(lines(content, 4), [(4, 0), (5, 5)]);
        assert_eq!(lines(content, 5), [(5, 5)]);
        assert_eq!(lines(content, 6), []);
        assert_eq!(lines(content, 99), []);
        assert_eq!(lines(b"", 0), []);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_in_little_memory() {
        let mut content = b"one\n".to_vec();
        content.extend(vec![b'x'; 5 * LINE_BYTES]);
        content.extend(b"\nthree\n");
        assert_eq!(lines(&content, 0), [(0, 3), (5 * LINE_BYTES as u64 + 5, 5)]);
    }

    #[test]
    fn a_line_across_what_is_read_at_once_is_whole() {
        let content = [vec![b'x'; LINE_BYTES - 2], b"\nsecond line\n".to_vec()].concat();
        assert_eq!(lines(&content, 0), [(0, LINE_BYTES - 2), (LINE_BYTES as u64 - 1, 11)]);
    }
}
