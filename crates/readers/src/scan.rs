//! Splits a stream into lines, each with its position, and keeps the head and tail of the stream.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::io::{self, Read};
use std::ops::Range;

use aho_corasick::Span;
use aho_corasick::packed::Searcher;
use referee_model::limit;
use referee_model::reading::Excerpt;
use referee_model::record::Stream;

use crate::text;

const BUFFER_BYTES: usize = 128 * 1024;

/// Number of lines behind one with a sign that are not searched: signs come together, and a search takes long to start.
const LINES_ASSUMED: u8 = 16;

// No line within the buffer is too long.
const _: () = assert!(BUFFER_BYTES <= limit::LINE_BYTES);

/// One line as it appears on a terminal.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pub(crate) text: Cow<'a, str>,
    /// Offset of the text's first byte in the stream; `None` if the text differs from the raw bytes.
    pub(crate) text_start: Option<u64>,
    pub(crate) stream: Stream,
    /// Offset of the line's first byte in the stream.
    pub(crate) start: u64,
    /// Offset after the line's last byte in the stream, including the line end.
    pub(crate) end: u64,
    /// Whether the line is longer than [`limit::LINE_BYTES`], in which case `text` holds only its beginning.
    pub(crate) is_cut: bool,
    /// Whether the text is nothing but white space.
    pub(crate) is_blank: bool,
    /// Whether the line may contain one of the texts that [`Lines`] looks for.
    pub(crate) has_sign: bool,
    /// Whether the text may contain a bracket that begins a document: `[`, `{` or `<`.
    pub(crate) has_bracket: bool,
    /// Whether the text may contain a tab.
    pub(crate) has_tab: bool,
    /// The text as such a heading, once a reader asked for it.
    pub(crate) heading: OnceCell<Option<HeadingParts>>,
}

/// Where the parts of a heading in the style of GCC stand in a text: `file:line:column: word: message [code]`.
#[derive(Debug)]
pub(crate) struct HeadingParts {
    pub(crate) file: Part,
    pub(crate) line: Part,
    pub(crate) column: Option<Part>,
    pub(crate) word: Part,
    pub(crate) message: Part,
    pub(crate) code: Option<Part>,
}

/// Where a part of a line's text stands, in few bytes: lines are moved often.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    start: u32,
    end: u32,
}

impl Part {
    pub(crate) fn new(part: &str, text: &str) -> Self {
        let start = part.as_ptr().addr() - text.as_ptr().addr();
        let number = |at: usize| u32::try_from(at).expect("lines are cut");
        Self { start: number(start), end: number(start + part.len()) }
    }

    pub(crate) fn of(self, text: &str) -> &str {
        &text[self.start as usize..self.end as usize]
    }
}

impl<'a> Line<'a> {
    /// Creates a whole line whose text is not known to be the raw bytes.
    pub(crate) fn new(text: impl Into<Cow<'a, str>>, stream: Stream, place: Range<u64>) -> Self {
        let (text, Range { start, end }) = (text.into(), place);
        let is_blank = text.trim_ascii().is_empty();
        let heading = OnceCell::new();
        Self {
            text,
            text_start: None,
            stream,
            start,
            end,
            is_cut: false,
            is_blank,
            has_sign: true,
            has_bracket: true,
            has_tab: true,
            heading,
        }
    }

    /// Returns the line without its first `at` bytes, which are a prefix.
    pub(crate) fn rest(&self, at: usize) -> Line<'_> {
        let text_start = self.text_start.map(|start| start + at as u64);
        let Self { is_cut, has_sign, has_bracket, has_tab, .. } = *self;
        Line {
            text_start,
            is_cut,
            has_sign,
            has_bracket,
            has_tab,
            ..Line::new(&self.text[at..], self.stream, self.start..self.end)
        }
    }
}

pub(crate) struct Lines<'s, R> {
    reader: R,
    stream: Stream,
    /// Texts to look for in many lines at once.
    signs: Option<&'s Searcher>,
    buffer: Vec<u8>,
    /// The part of the buffer with bytes not yet returned.
    filled: Range<usize>,
    /// The first carriage return or escape.
    control: Ahead,
    bracket: Ahead,
    tab: Ahead,
    /// Offset of the first sign in these lines, or the end of what is filled.
    sign: usize,
    /// Number of lines since the last sign that were not searched.
    assumed: u8,
    /// A line that spans several reads into the buffer.
    line: Vec<u8>,
    offset: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl<'s, R: Read> Lines<'s, R> {
    pub(crate) fn new(reader: R, stream: Stream) -> Self {
        Self::new_at(reader, stream, 0)
    }

    /// Starts at an offset of the stream, which is the position of the reader's next byte.
    pub(crate) fn new_at(reader: R, stream: Stream, offset: u64) -> Self {
        Self {
            reader,
            stream,
            signs: None,
            buffer: vec![0; BUFFER_BYTES],
            filled: 0..0,
            control: Ahead(0),
            bracket: Ahead(0),
            tab: Ahead(0),
            sign: 0,
            assumed: 0,
            line: Vec::new(),
            offset,
            head: Vec::new(),
            tail: Vec::new(),
        }
    }

    /// Looks for texts without line ends.
    pub(crate) fn signs(self, signs: Option<&'s Searcher>) -> Self {
        Self { signs, ..self }
    }

    /// Returns the next line, or `None` at the end of the stream.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let start = self.offset;
        self.line.clear();
        loop {
            if self.filled.is_empty() && self.fill()? == 0 {
                break;
            }
            let rest = self.filled.clone();
            let end = memchr::memchr(b'\n', &self.buffer[rest.clone()]);
            let taken = rest.start..end.map_or(rest.end, |end| rest.start + end + 1);
            self.filled.start = taken.end;
            self.offset += taken.len() as u64;
            if end.is_some() && self.line.is_empty() {
                let filled = &self.buffer[..self.filled.end];
                let is_plain = !self.control.is_in(&taken, filled, |rest| memchr::memchr2(b'\r', b'\x1b', rest));
                let has_bracket = self.bracket.is_in(&taken, filled, |rest| memchr::memchr3(b'[', b'{', b'<', rest));
                let has_tab = self.tab.is_in(&taken, filled, |rest| memchr::memchr(b'\t', rest));
                let has_sign = !is_plain || self.has_sign(&taken);
                let bytes = &self.buffer[taken];
                let plain = is_plain.then(|| std::str::from_utf8(&bytes[..bytes.len() - 1]).ok()).flatten();
                let place = start..self.offset;
                return Ok(Some(match plain {
                    Some(text) => {
                        let line = Line::new(text, self.stream, place);
                        Line { text_start: Some(start), has_sign, has_bracket, has_tab, ..line }
                    }
                    None => line(self.stream, start, bytes),
                }));
            }
            let room = (limit::LINE_BYTES + 1).saturating_sub(self.line.len());
            let kept = taken.start..taken.start + room.min(taken.len());
            self.line.extend_from_slice(&self.buffer[kept]);
            if end.is_some() {
                break;
            }
        }
        if self.offset == start {
            return Ok(None);
        }
        Ok(Some(Line { end: self.offset, ..line(self.stream, start, &self.line) }))
    }

    /// Returns whether a line of the buffer, which is plain, may contain a sign.
    fn has_sign(&mut self, line: &Range<usize>) -> bool {
        let Some(signs) = self.signs else { return true };
        if self.sign < line.start {
            if self.assumed < LINES_ASSUMED {
                self.assumed += 1;
                return true;
            }
            self.assumed = 0;
            self.sign = sign(signs, &self.buffer[..self.filled.end], line.start);
        }
        self.sign < line.end
    }

    fn fill(&mut self) -> io::Result<usize> {
        let read = loop {
            match self.reader.read(&mut self.buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.filled = 0..read;
        let bytes = &self.buffer[..read];
        (self.control, self.bracket, self.tab) = (Ahead(0), Ahead(0), Ahead(0));
        self.sign = 0;
        let of_head = (limit::EXCERPT_BYTES - self.head.len()).min(read);
        self.head.extend_from_slice(&bytes[..of_head]);
        self.tail.extend_from_slice(&bytes[of_head.max(read.saturating_sub(limit::EXCERPT_BYTES))..]);
        self.tail.drain(..self.tail.len().saturating_sub(limit::EXCERPT_BYTES));
        Ok(read)
    }

    /// Returns the head and tail of the bytes read so far.
    pub(crate) fn excerpt(&self) -> Excerpt {
        // Characters split by the cut are left out rather than shown as damaged.
        let head = if self.tail.is_empty() { &self.head } else { without_split_end(&self.head) };
        let tail = without_split_start(&self.tail);
        Excerpt {
            head: String::from_utf8_lossy(head).into_owned(),
            tail: String::from_utf8_lossy(tail).into_owned(),
            bytes: self.offset,
        }
    }
}

/// Where a byte stands next in the lines of the buffer that are not returned yet: it is searched for once for many lines.
/// Offset in the buffer, or the end of what is filled.
struct Ahead(usize);

impl Ahead {
    /// Returns whether the byte, which `find` finds, is in a line.
    fn is_in(&mut self, line: &Range<usize>, filled: &[u8], find: impl Fn(&[u8]) -> Option<usize>) -> bool {
        if self.0 <= line.start {
            self.0 = find(&filled[line.start..]).map_or(filled.len(), |at| line.start + at);
        }
        self.0 < line.end
    }
}

/// Returns where the first sign from an offset on begins, or the end of the bytes.
fn sign(signs: &Searcher, bytes: &[u8], from: usize) -> usize {
    signs.find_in(bytes, Span::from(from..bytes.len())).map_or(bytes.len(), |found| found.start())
}

fn line(stream: Stream, start: u64, bytes: &[u8]) -> Line<'_> {
    let end = start + bytes.len() as u64;
    let is_cut = limit::LINE_BYTES < bytes.len();
    let shown = if is_cut { &bytes[..limit::LINE_BYTES] } else { bytes };
    let text = text::visible(if is_cut { without_split_end(shown) } else { shown });
    let is_verbatim = matches!(text, Cow::Borrowed(_)) && shown.starts_with(text.as_bytes());
    let text_start = is_verbatim.then_some(start);
    Line { text_start, is_cut, ..Line::new(text, stream, start..end) }
}

fn without_split_end(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

fn without_split_start(bytes: &[u8]) -> &[u8] {
    let continued = bytes.iter().take(3).take_while(|byte| (0x80..0xc0).contains(*byte)).count();
    &bytes[continued..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns at most `step` bytes per call.
    struct Stuttering<'a>(&'a [u8], usize);

    impl Read for Stuttering<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(buffer.len()).min(self.0.len());
            self.0.read(&mut buffer[..length])
        }
    }

    fn all(bytes: &[u8], step: usize) -> (Vec<(String, u64, u64, bool)>, Excerpt) {
        let mut lines = Lines::new(Stuttering(bytes, step), Stream::Stdout);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push((line.text.into_owned(), line.start, line.end, line.is_cut));
        }
        (found, lines.excerpt())
    }

    #[test]
    fn lines_know_their_places() {
        let (lines, excerpt) = all(b"one\r\n\ntwo", 4);
        assert_eq!(
            lines,
            [("one".to_owned(), 0, 5, false), (String::new(), 5, 6, false), ("two".to_owned(), 6, 9, false)]
        );
        assert_eq!((excerpt.head.as_str(), excerpt.tail.as_str(), excerpt.bytes), ("one\r\n\ntwo", "", 9));
    }

    #[test]
    fn a_line_without_end_is_cut_and_the_next_one_found() {
        let mut bytes = vec![b'x'; limit::LINE_BYTES * 3];
        bytes.extend_from_slice(b"\nnext\n");
        let (lines, excerpt) = all(&bytes, BUFFER_BYTES);
        assert_eq!(lines.len(), 2);
        assert_eq!((lines[0].0.len(), lines[0].3), (limit::LINE_BYTES, true));
        assert_eq!(lines[1], ("next".to_owned(), bytes.len() as u64 - 5, bytes.len() as u64, false));
        assert_eq!((excerpt.head.len(), excerpt.tail.len()), (limit::EXCERPT_BYTES, limit::EXCERPT_BYTES));
        assert!(excerpt.tail.ends_with("xx\nnext\n"));
    }

    #[test]
    fn excerpts_are_cut_between_characters() {
        let bytes = "ü".repeat(limit::EXCERPT_BYTES + 1).replacen('ü', "a", 1).into_bytes();
        let (_, excerpt) = all(&bytes, BUFFER_BYTES);
        assert!(!excerpt.head.contains('\u{fffd}') && !excerpt.tail.contains('\u{fffd}'));
        let (_, excerpt) = all(&bytes[..limit::EXCERPT_BYTES + 101], BUFFER_BYTES);
        assert!(excerpt.head.starts_with("aü") && excerpt.tail.ends_with('ü'));
    }

    #[test]
    fn many_lines_without_a_sign_are_told_from_the_one_that_has_it() {
        let signs = Searcher::new(["sign"]).unwrap();
        let text = "no\n".repeat(40) + "a sign\n" + &"no\n".repeat(40);
        let mut lines = Lines::new(text.as_bytes(), Stream::Stdout).signs(Some(&signs));
        let mut have_sign = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            have_sign.push(line.has_sign);
        }
        assert_eq!([have_sign[39], have_sign[40], have_sign[80]], [false, true, false]);
    }

    proptest! {
        #[test]
        fn no_sign_tab_or_bracket_is_missed(
            parts in proptest::collection::vec(prop::sample::select(vec!["sign", "si", "a", "\t", "{", "<", "\n", "\n\n\n", "\r", "\x1b[0m"]), 0..300),
            step in 1_usize..50,
        ) {
            let (signs, text) = (Searcher::new(["sign"]).unwrap(), parts.concat());
            let mut lines = Lines::new(Stuttering(text.as_bytes(), step), Stream::Stdout).signs(Some(&signs));
            while let Some(line) = lines.next().unwrap() {
                prop_assert!(line.has_sign || !line.text.contains("sign"));
                prop_assert!(line.has_tab || !line.text.contains('\t'));
                let has_bracket = line.text.contains(['[', '{', '<']);
                prop_assert!(line.has_bracket || !has_bracket);
            }
        }

        #[test]
        fn reading_is_the_same_however_bytes_arrive(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..400),
            step in 1_usize..50,
        ) {
            let whole = all(&bytes, BUFFER_BYTES);
            prop_assert_eq!(&all(&bytes, step), &whole);
            prop_assert_eq!(whole.0.iter().map(|line| line.2 - line.1).sum::<u64>(), bytes.len() as u64);
        }
    }
}
