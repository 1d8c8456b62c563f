//! Extracts documents from a stream that contains other text before and after them.
//!
//! [`Finder`] finds the positions at which documents may begin. For JSON, [`Document`] sits between the stream
//! and the deserializer. It ends where the outermost bracket of the document closes, so that text after it is
//! not an error; it tracks how far it was read; and it shortens long strings as they are read, so that no
//! document, however hostile, is held in memory.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use serde::de::DeserializeSeed;

use crate::scan::Line;
use crate::text;

/// Maximum length, in bytes, of a string inside a document; longer ones are cut. The message and stack of a
/// finding fit into it.
const TEXT_BYTES: usize = 16 * 1024;

/// Maximum number of possible document starts examined per stream.
const PLACES: usize = 4096;

/// Number of lines below a lone bracket within which the first key of a document must appear.
const LINES_TO_KEY: u8 = 3;

/// The beginnings of a tool's documents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening {
    /// Beginnings of documents printed on one line; each includes a bracket.
    pub(crate) compact: &'static [&'static str],
    /// First keys of documents printed over several lines.
    pub(crate) keys: &'static [&'static str],
    /// A complete document that is too generic to be recognized without a hint.
    pub(crate) empty: Option<&'static str>,
}

/// A position at which a document may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DocumentStart {
    pub(crate) start: u64,
    /// Whether the position is the start of a line.
    pub(crate) begins_line: bool,
}

/// Finds the positions in a stream at which a document may begin.
#[derive(Debug)]
pub(crate) struct Finder {
    opening: Opening,
    places: Vec<DocumentStart>,
    bracket: Option<(u64, u8)>,
    /// Whether there were more positions than the limit.
    has_more: bool,
}

impl Finder {
    /// Creates a finder for documents with this opening. `empty` is honored only with a hint: without one, a
    /// document must identify its tool.
    pub(crate) fn new(opening: Opening, is_hinted: bool) -> Self {
        let empty = opening.empty.filter(|_| is_hinted);
        Self { opening: Opening { empty, ..opening }, places: Vec::new(), bracket: None, has_more: false }
    }

    /// Processes the next line that is not blank. Returns whether a document may begin in it, or began above.
    pub(crate) fn line(&mut self, line: &Line<'_>) -> bool {
        let Some(start) = line.text_start else { return false };
        let before = self.places.len();
        let text = line.text.trim_end();
        if self.opening.empty == Some(text) {
            self.found(start, true);
        } else if matches!(text, "[" | "{" | "[{") {
            self.bracket = Some((start, LINES_TO_KEY));
            // Brackets alone do not identify a document.
            return false;
        } else if let Some((bracket, left)) = self.bracket.take() {
            let text = text.trim_start();
            if self.opening.keys.iter().any(|key| text.starts_with(key)) {
                self.found(bracket, true);
            } else if 1 < left {
                self.bracket = Some((bracket, left - 1));
            }
        }
        // A document may follow other text on its line, which may lack a line end. Text that is indented, or
        // that follows a quotation mark, a diff marker or the location of a search result, is a quotation.
        if let Some(place) = self.compact(text)
            && (place == 0 || !is_quoting(&text[..place]))
        {
            self.found(start + place as u64, place == 0);
        }
        before < self.places.len()
    }

    /// Returns the offset of the first one-line document in a text.
    fn compact(&self, text: &str) -> Option<usize> {
        let begins_with = |compact: &&str, place: usize| text[place..].starts_with(compact);
        memchr::memchr3_iter(b'[', b'{', b'<', text.as_bytes())
            .find(|place| self.opening.compact.iter().any(|compact| begins_with(compact, *place)))
    }

    fn found(&mut self, start: u64, begins_line: bool) {
        if self.places.len() < PLACES {
            self.places.push(DocumentStart { start, begins_line });
        } else {
            self.has_more = true;
        }
    }

    /// Returns the positions in order, and whether the list is complete.
    pub(crate) fn places(self) -> (Vec<DocumentStart>, bool) {
        (self.places, !self.has_more)
    }
}

/// Returns whether the text before a document on its line shows that the document is quoted.
fn is_quoting(before: &str) -> bool {
    let before = match before.split_once("<?xml") {
        Some(("", _)) => return false,
        Some((before, _)) => before,
        None => before,
    };
    let is_code = before.ends_with(['"', '`', '\'']) || before.starts_with(['+', '-', '>', '<', '#']);
    before.trim_ascii().is_empty() || is_code || (!before.contains('"') && text::is_quotation(before))
}

/// Offset in the stream up to which a document was read. It is shared with the deserializer's visitors, which
/// use it to determine positions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cursor(Rc<Cell<u64>>);

impl Cursor {
    pub(crate) fn offset(&self) -> u64 {
        self.0.get()
    }
}

/// The extent of a document in its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Offset of its first byte in the stream.
    pub(crate) start: u64,
    /// Offset after the last byte that was read.
    pub(crate) end: u64,
    /// Number of lines that contain part of the document and are not blank.
    pub(crate) lines: u64,
    /// Whether the document was complete and had the expected shape.
    pub(crate) is_complete: bool,
}

/// Reads one document that begins at the reader's next byte, which is at offset `start` of the stream. If the
/// document breaks off, `seed` keeps what it collected so far. Fails only if the reader fails.
pub(crate) fn read<'de, R, S>(reader: R, start: u64, seed: impl FnOnce(Cursor) -> S) -> io::Result<Extent>
where
    R: BufRead,
    S: DeserializeSeed<'de, Value = ()>,
{
    let cursor = Cursor(Rc::new(Cell::new(start)));
    let mut document = Document::new(reader, cursor.clone());
    let mut deserializer = serde_json::Deserializer::from_reader(&mut document);
    let result = seed(cursor.clone()).deserialize(&mut deserializer);
    if let Err(error) = &result
        && error.is_io()
    {
        return Err(io::Error::new(
            error.io_error_kind().unwrap_or(io::ErrorKind::Other),
            format!("the document at byte {start} cannot be read: {error}"),
        ));
    }
    let is_complete = result.is_ok() && document.depth == 0 && document.has_begun;
    Ok(Extent { start, end: cursor.offset(), lines: document.lines, is_complete })
}

struct Document<R> {
    reader: R,
    cursor: Cursor,
    lines: u64,
    line_has_content: bool,
    depth: u64,
    has_begun: bool,
    /// The string that is currently open, if any.
    text: Option<Text>,
}

impl<R: BufRead> Document<R> {
    fn new(reader: R, cursor: Cursor) -> Self {
        Self { reader, cursor, lines: 0, line_has_content: false, depth: 0, has_begun: false, text: None }
    }

    fn next_byte(&mut self) -> io::Result<Option<u8>> {
        let byte = loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(bytes) => break bytes.first().copied(),
            }
        };
        let Some(byte) = byte else { return Ok(None) };
        self.reader.consume(1);
        self.cursor.0.set(self.cursor.offset() + 1);
        Ok(Some(byte))
    }

    /// Returns whether a byte is passed on to the deserializer.
    fn admits(&mut self, byte: u8) -> bool {
        match (byte, self.line_has_content) {
            (b'\n', _) => self.line_has_content = false,
            (b' ' | b'\t' | b'\r', _) | (_, true) => {}
            (_, false) => {
                self.line_has_content = true;
                self.lines += 1;
            }
        }
        if let Some(text) = &mut self.text {
            let (is_admitted, is_closed) = text.take(byte);
            if is_closed {
                self.text = None;
            }
            return is_admitted;
        }
        match byte {
            b'"' => self.text = Some(Text::default()),
            b'[' | b'{' => {
                self.depth += 1;
                self.has_begun = true;
            }
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        true
    }
}

impl<R: BufRead> Read for Document<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut given = 0;
        while given < buffer.len() && !(self.has_begun && self.depth == 0) {
            let Some(byte) = self.next_byte()? else { break };
            if self.admits(byte) {
                buffer[given] = byte;
                given += 1;
            }
        }
        Ok(given)
    }
}

/// An open string of a document: how much of it was passed on, and the current position in it. It is shortened
/// only between characters, so that the result is still valid JSON.
#[derive(Debug, Default)]
struct Text {
    admitted: usize,
    is_shortened: bool,
    unit: Unit,
}

#[derive(Debug, Default, Clone, Copy)]
enum Unit {
    /// At a character that is not part of an escape sequence.
    #[default]
    Plain,
    Escape,
    /// After `\u` and some of its digits.
    Digits {
        seen: u8,
        value: u32,
    },
    /// After the first half of a surrogate pair; the second must follow.
    HighSurrogate,
}

impl Text {
    /// Processes the next byte. Returns whether it is passed on, and whether it closes the string.
    fn take(&mut self, byte: u8) -> (bool, bool) {
        let begins_character = !(0x80..0xc0).contains(&byte);
        if matches!(self.unit, Unit::Plain) && begins_character && TEXT_BYTES <= self.admitted {
            self.is_shortened = true;
        }
        let is_closed = matches!(self.unit, Unit::Plain | Unit::HighSurrogate) && byte == b'"';
        self.unit = match (self.unit, byte) {
            (Unit::Plain | Unit::HighSurrogate, b'\\') => Unit::Escape,
            (Unit::Escape, b'u') => Unit::Digits { seen: 0, value: 0 },
            (Unit::Digits { seen, value }, _) => {
                let value = value << 4 | char::from(byte).to_digit(16).unwrap_or(0);
                match (seen, value) {
                    (3, 0xd800..=0xdbff) => Unit::HighSurrogate,
                    (3, _) => Unit::Plain,
                    _ => Unit::Digits { seen: seen + 1, value },
                }
            }
            (Unit::Plain | Unit::Escape | Unit::HighSurrogate, _) => Unit::Plain,
        };
        let is_admitted = is_closed || !self.is_shortened;
        self.admitted += usize::from(is_admitted);
        (is_admitted, is_closed)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserializer;
    use serde_json::Value;

    use super::*;

    struct Whole<'a>(&'a mut Option<Value>);

    impl<'de> DeserializeSeed<'de> for Whole<'_> {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            *self.0 = Some(serde::Deserialize::deserialize(deserializer)?);
            Ok(())
        }
    }

    fn parse(bytes: &[u8], start: usize) -> (Option<Value>, Extent) {
        let mut value = None;
        let extent = read(&bytes[start..], start as u64, |_| Whole(&mut value)).unwrap();
        (value, extent)
    }

    #[test]
    fn a_document_ends_where_its_bracket_closes() {
        let (value, extent) = parse(b"> lint\n[{\"a\": \"]}\\\"\"},\n\n 2]\nnpm error code 1\n", 7);
        assert_eq!(value, Some(serde_json::json!([{"a": "]}\""}, 2])));
        assert_eq!(extent, Extent { start: 7, end: 27, lines: 2, is_complete: true });
    }

    #[test]
    fn half_a_document_is_not_complete() {
        for half in ["[{\"a\": 1", "[", "[\"text", "{\"a\"", "", "[1] x", "nonsense"] {
            let (value, extent) = parse(half.as_bytes(), 0);
            let is_whole = half == "[1] x";
            assert_eq!((value.is_some(), extent.is_complete), (is_whole, is_whole), "{half}");
        }
    }

    #[test]
    fn documents_are_found_where_they_begin() {
        let opening = Opening { compact: &["[{\"filePath\":"], keys: &["\"filePath\":"], empty: Some("[]") };
        let places = |text: &str, is_hinted| {
            let mut finder = Finder::new(opening, is_hinted);
            let mut start = 0;
            for line in text.split_inclusive('\n') {
                let end = start + line.len() as u64;
                let shown = line.trim_end_matches('\n');
                let stream = referee_model::record::Stream::Stdout;
                finder.line(&Line { text_start: Some(start), ..Line::new(shown, stream, start..end) });
                start = end;
            }
            let (places, are_all) = finder.places();
            (places.iter().map(|place| place.start).collect::<Vec<_>>(), are_all)
        };
        assert_eq!(places("[{\"filePath\":1}]\nnoise[{\"filePath\":2}]", false), (vec![0, 22], true));
        assert_eq!(places("x\n[\n  {\n    \"filePath\": 1", false), (vec![2], true));
        assert_eq!(places("[\n  {\n    \"name\": 1,\n    \"filePath\": 1", false).0.len(), 1);
        assert_eq!(places("    [{\"filePath\":1}]\n{\n  \"name\": 1\n", false), (vec![], true));
        for quoting in ["r#\"", "let text = \"", "'", "/// `", "+", "-    ", "a.rs:12:", "a.rs:12:5:  "] {
            assert_eq!(places(&format!("{quoting}[{{\"filePath\":1}}]\n"), false), (vec![], true), "{quoting}");
        }
        assert_eq!((places("[]", true).0.len(), places("[]", false).0.len()), (1, 0));
        let (places, are_all) = places(&"[{\"filePath\":\n".repeat(PLACES + 1), false);
        assert!(places.len() == PLACES && !are_all);
    }

    #[test]
    fn every_document_on_one_line_begins_with_a_bracket() {
        for format in crate::registry::TOOLS.iter().flat_map(|tool| tool.documents) {
            for compact in format.opening.compact {
                assert!(compact.starts_with(['[', '{', '<']), "{compact}");
            }
        }
    }

    #[test]
    fn a_reader_that_fails_is_an_error() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("disk on fire"))
            }
        }
        let mut value = None;
        let error = read(io::BufReader::new(Failing), 3, |_| Whole(&mut value)).unwrap_err();
        assert!(error.to_string().contains("disk on fire"), "{error}");
    }

    proptest! {
        #[test]
        fn long_texts_are_shortened_between_characters(
            unit in prop::sample::select(vec!["x", "ü", "😀", "\\ud83d\\ude00", "\\n", "\\\\", "\\u00e9", "\\\""]),
            shift in 0_usize..12,
        ) {
            let text = "-".repeat(shift) + &unit.repeat(2 * TEXT_BYTES);
            let (value, extent) = parse(format!("[\"{text}\", \"next\"]").as_bytes(), 0);
            prop_assert!(extent.is_complete);
            let value = value.unwrap();
            prop_assert!(value[0].as_str().unwrap().len() <= TEXT_BYTES + 12);
            prop_assert!(TEXT_BYTES / 12 <= value[0].as_str().unwrap().len());
            prop_assert_eq!(&value[1], "next");
        }

        #[test]
        fn junk_is_no_document_and_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let (_, extent) = parse(&bytes, 0);
            prop_assert!(extent.end <= bytes.len() as u64);
        }
    }
}
