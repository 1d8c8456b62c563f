//! Streams the elements of an XML document one at a time, whatever the size of the document.
//!
//! Entities declared by a document are not expanded, so that a small document stays small.

use std::io::{self, BufRead, Read};

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::document::Extent;

/// Maximum text kept of one element, in bytes.
const TEXT_BYTES: usize = 64 * 1024;

/// Maximum length kept of one attribute value, in bytes.
const ATTRIBUTE_BYTES: usize = 16 * 1024;

/// Maximum length, in bytes, of one piece of a document that is processed at once: a tag or a text.
const PIECE_BYTES: u64 = 16 * 1024 * 1024;

const DEPTH: usize = 256;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Element {
    /// Name of the element, without its namespace prefix.
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    /// Text directly in the element read so far, with entities resolved.
    pub(crate) text: String,
    /// Offset of the element's first byte in the stream.
    pub(crate) start: u64,
}

impl Element {
    /// Returns the value of an attribute.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Receives the elements of a document.
pub(crate) trait Elements {
    /// Called when an element begins, with its name and attributes, and with its enclosing elements, outermost
    /// first.
    fn open(&mut self, _element: &Element, _around: &[Element]) {}

    /// Called when an element is closed, with its text; `end` is the offset after its last byte in the stream.
    fn close(&mut self, element: Element, around: &[Element], end: u64);
}

/// Reads one document, whose root element begins at the reader's next byte, at offset `start` of the stream.
pub(crate) fn read(reader: &mut dyn BufRead, start: u64, elements: &mut dyn Elements) -> io::Result<Extent> {
    let bytes = Bytes {
        inner: reader,
        chunk: Vec::new(),
        taken: 0,
        carried: 0,
        position: start,
        piece: 0,
        lines: Lines::default(),
        failure: None,
    };
    let mut reader = Reader::from_reader(bytes);
    reader.config_mut().allow_dangling_amp = true;
    let mut open: Vec<Element> = Vec::new();
    let mut buffer = Vec::new();
    let is_complete = loop {
        buffer.clear();
        let begins = reader.get_mut().begin_piece();
        let Ok(event) = reader.read_event_into(&mut buffer) else {
            break false;
        };
        let end = reader.get_ref().position;
        match event {
            Event::Start(tag) => {
                let element = element(&tag, begins);
                elements.open(&element, &open);
                open.push(element);
                if DEPTH < open.len() {
                    break false;
                }
            }
            Event::Empty(tag) => {
                let element = element(&tag, begins);
                elements.open(&element, &open);
                elements.close(element, &open, end);
                if open.is_empty() {
                    break true;
                }
            }
            Event::End(_) => {
                let Some(element) = open.pop() else {
                    break false;
                };
                elements.close(element, &open, end);
                if open.is_empty() {
                    break true;
                }
            }
            Event::Text(text) => add_text(&mut open, &text),
            Event::CData(text) => add_text(&mut open, &text),
            Event::GeneralRef(reference) => add_text(&mut open, &resolved(&reference)),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            Event::Eof => break false,
        }
    };
    let bytes = reader.into_inner();
    match bytes.failure {
        Some(failure) => Err(failure),
        None => Ok(Extent { start, end: bytes.position, lines: bytes.lines.number, is_complete }),
    }
}

fn element(tag: &BytesStart<'_>, start: u64) -> Element {
    let local = |name: &str| name.rsplit(':').next().unwrap_or(name).to_owned();
    let mut attributes = tag.html_attributes();
    let attributes = attributes.with_checks(false).flatten().map(|attribute| {
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or_else(|_| attribute.value.clone());
        let value = referee_syntax::cut::head(&value, ATTRIBUTE_BYTES).to_owned();
        (local(attribute.key.as_ref()), value)
    });
    Element { name: local(tag.name().as_ref()), attributes: attributes.collect(), text: String::new(), start }
}

fn add_text(open: &mut [Element], text: &str) {
    if let Some(element) = open.last_mut() {
        // A line end is one character in any notation (XML 1.0, 2.11).
        let text = text.replace("\r\n", "\n");
        let text = text.as_str();
        let room = TEXT_BYTES.saturating_sub(element.text.len());
        element.text.push_str(referee_syntax::cut::head(text, room));
    }
}

/// Resolves a reference to a character or to one of the five predefined entities; others stay as written.
fn resolved(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    let name: &str = reference;
    match name {
        "lt" => "<".to_owned(),
        "gt" => ">".to_owned(),
        "amp" => "&".to_owned(),
        "quot" => "\"".to_owned(),
        "apos" => "'".to_owned(),
        other => format!("&{other};"),
    }
}

/// Counts the lines of a document that are not blank.
#[derive(Debug, Default)]
struct Lines {
    number: u64,
    has_content: bool,
}

impl Lines {
    fn take(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        loop {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            if !self.has_content && !rest[..end].iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
                self.has_content = true;
                self.number += 1;
            }
            if end == rest.len() {
                return;
            }
            self.has_content = false;
            rest = &rest[end + 1..];
        }
    }
}

/// Converts the bytes of a document to text: each invalid UTF-8 byte becomes a question mark, so that offsets
/// are unchanged. No byte is taken from the underlying reader before it is consumed, except for the current
/// character.
struct Bytes<'a> {
    inner: &'a mut dyn BufRead,
    chunk: Vec<u8>,
    taken: usize,
    /// Number of bytes of the chunk that were already consumed from the underlying reader: the beginning of a
    /// character.
    carried: usize,
    /// Offset of the next byte in the stream.
    position: u64,
    /// Number of bytes since the current piece began.
    piece: u64,
    lines: Lines,
    /// The error of the underlying reader.
    failure: Option<io::Error>,
}

impl Bytes<'_> {
    fn begin_piece(&mut self) -> u64 {
        self.piece = 0;
        self.position
    }

    /// Fills the chunk with the bytes that the underlying reader has buffered.
    fn fill(&mut self) -> io::Result<()> {
        self.chunk.clear();
        (self.taken, self.carried) = (0, 0);
        loop {
            let at_hand = match self.inner.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            let is_over = at_hand.is_empty();
            self.chunk.extend_from_slice(at_hand);
            let (whole, is_split) = make_text(&mut self.chunk, is_over);
            if 0 < whole || !is_split {
                self.chunk.truncate(whole);
                return Ok(());
            }
            // A character continues in the next bytes of the underlying reader.
            self.inner.consume(self.chunk.len() - self.carried);
            self.carried = self.chunk.len();
        }
    }
}

/// Replaces invalid UTF-8; returns how many bytes are complete characters, and whether an incomplete one
/// follows.
fn make_text(bytes: &mut [u8], is_over: bool) -> (usize, bool) {
    let mut valid = 0;
    loop {
        match std::str::from_utf8(&bytes[valid..]) {
            Ok(_) => return (bytes.len(), false),
            Err(error) => {
                valid += error.valid_up_to();
                let junk = match error.error_len() {
                    Some(length) => length,
                    None if is_over => bytes.len() - valid,
                    None => return (valid, true),
                };
                bytes[valid..valid + junk].fill(b'?');
                valid += junk;
            }
        }
    }
}

impl Read for Bytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Bytes<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if PIECE_BYTES < self.piece {
            return Err(io::Error::other("a piece of the document is too long"));
        }
        if self.taken == self.chunk.len()
            && let Err(error) = self.fill()
        {
            let told = io::Error::new(error.kind(), error.to_string());
            self.failure = Some(error);
            return Err(told);
        }
        Ok(&self.chunk[self.taken..])
    }

    fn consume(&mut self, bytes: usize) {
        self.lines.take(&self.chunk[self.taken..self.taken + bytes]);
        let carried = bytes.min(self.carried);
        self.carried -= carried;
        self.inner.consume(bytes - carried);
        self.taken += bytes;
        self.position += bytes as u64;
        self.piece += bytes as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    #[derive(Default)]
    struct ElementLog(Vec<String>);

    impl Elements for ElementLog {
        fn open(&mut self, element: &Element, around: &[Element]) {
            self.0.push(format!("{}<{} {:?}", around.len(), element.name, element.attributes));
        }

        fn close(&mut self, element: Element, around: &[Element], end: u64) {
            self.0.push(format!("{}>{} {:?} {}..{end}", around.len(), element.name, element.text, element.start));
        }
    }

    fn told(bytes: &[u8], capacity: usize) -> (Vec<String>, Extent, u64) {
        let mut told = ElementLog::default();
        let mut reader = BufReader::with_capacity(capacity, bytes);
        let extent = read(&mut reader, 0, &mut told).unwrap();
        let left = io::copy(&mut reader, &mut io::sink()).unwrap();
        (told.0, extent, bytes.len() as u64 - left)
    }

    #[test]
    fn elements_are_told_with_their_texts_and_places() {
        let text = "<a x='1 &lt; 2'>\n<p:b/>t&amp;<![CDATA[<c>]]>&#233;&nbsp;</a> rest";
        let (told, extent, consumed) = told(text.as_bytes(), 7);
        assert_eq!(told, ["0<a [(\"x\", \"1 < 2\")]", "1<b []", "1>b \"\" 17..23", "0>a \"\\nt&<c>é&nbsp;\" 0..60"]);
        assert_eq!(extent, Extent { start: 0, end: 60, lines: 2, is_complete: true });
        assert_eq!(consumed, 60);
    }

    #[test]
    fn broken_documents_are_not_complete() {
        for text in ["<a>", "<a><b></a>", "<a x=", "", "text", "<a>&bomb;", "<!DOCTYPE a [<!ENTITY b 'c'>]>"] {
            assert!(!told(text.as_bytes(), 8).1.is_complete, "{text}");
        }
    }

    #[test]
    fn junk_bytes_are_question_marks() {
        let (told, extent, _) = told(b"<a b='\xff'>caf\xe9 \xc3\xa9</a>", 3);
        assert!(extent.is_complete);
        assert_eq!(told[0], "0<a [(\"b\", \"?\")]");
        assert!(told[1].starts_with("0>a \"caf? é\""), "{}", told[1]);
    }

    proptest! {
        #[test]
        fn nothing_panics_and_places_are_those_of_the_stream(
            bytes in "[<>/a-c ='\"&;!\\[\\]é\n-]{0,80}",
            capacity in 1_usize..9,
        ) {
            let (_, extent, consumed) = told(bytes.as_bytes(), capacity);
            prop_assert!(extent.end <= bytes.len() as u64);
            prop_assert!(!extent.is_complete || consumed == extent.end);
        }
    }
}
