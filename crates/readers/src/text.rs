//! Raw bytes as the text that a person would see.

use std::borrow::Cow;

use regex::Regex;

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// Compiles a pattern that is written in this crate.
///
/// # Panics
/// Panics on a pattern that is none; every pattern is a literal that the tests of its reader compile.
pub(crate) fn pattern(literal: &'static str) -> Regex {
    Regex::new(literal).expect("patterns are literals of this crate")
}

/// Returns the text of one line without its end: decoded leniently, escape sequences removed, and of a line that was
/// written over by carriage returns what was written last.
pub(crate) fn visible(line: &[u8]) -> Cow<'_, str> {
    let end = line.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    let line = &line[..end];
    let line = match line.iter().rposition(|byte| *byte == b'\r') {
        Some(overwritten) => &line[overwritten + 1..],
        None => line,
    };
    if line.contains(&ESCAPE) {
        return Cow::Owned(String::from_utf8_lossy(&without_escapes(line)).into_owned());
    }
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(line),
    }
}

/// Removes escape sequences from a text that a tool embedded in a document.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.as_bytes().contains(&ESCAPE) {
        Cow::Owned(String::from_utf8_lossy(&without_escapes(text.as_bytes())).into_owned())
    } else {
        Cow::Borrowed(text)
    }
}

fn without_escapes(line: &[u8]) -> Vec<u8> {
    let mut visible = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.iter().position(|byte| *byte == ESCAPE) {
        visible.extend_from_slice(&rest[..start]);
        rest = &rest[start + escape_length(&rest[start..])..];
    }
    visible.extend_from_slice(rest);
    visible
}

/// Returns the length of the sequence at the start of `bytes`, which begin with an escape character (ECMA-48, 5.3 to
/// 5.6). A sequence that does not end within the line is taken to be only its introducer, so that it hides no text.
fn escape_length(bytes: &[u8]) -> usize {
    match bytes.get(1) {
        Some(b'[') => {
            let parameters = bytes[2..].iter().take_while(|byte| (0x20..=0x3f).contains(*byte)).count();
            match bytes.get(2 + parameters) {
                Some(0x40..=0x7e) => 3 + parameters,
                _ => 2,
            }
        }
        // Operating system commands, links among them, and the other strings: up to a bell or `ESC \`.
        Some(b']' | b'P' | b'X' | b'^' | b'_') => bytes[2..]
            .iter()
            .enumerate()
            .find_map(|(index, byte)| match (byte, bytes.get(index + 3)) {
                (&BELL, _) => Some(index + 3),
                (&ESCAPE, Some(b'\\')) => Some(index + 4),
                _ => None,
            })
            .unwrap_or(2),
        Some(0x20..=0x2f) => {
            let intermediates = bytes[1..].iter().take_while(|byte| (0x20..=0x2f).contains(*byte)).count();
            match bytes.get(1 + intermediates) {
                Some(0x30..=0x7e) => 2 + intermediates,
                _ => 1,
            }
        }
        Some(0x30..=0x7e) => 2,
        _ => 1,
    }
}

/// Returns at most `bytes` of the beginning of a text, cut between characters.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Adds a line to a text of several, as far as the text stays within `bytes`.
pub(crate) fn add_line(text: &mut String, line: &str, bytes: usize) {
    let room = bytes.saturating_sub(text.len() + 1);
    if room == 0 {
        return;
    }
    text.push('\n');
    text.push_str(beginning(line, room));
}

/// Returns the number of spaces that a line begins with.
pub(crate) fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

/// Returns a path with forward slashes.
pub(crate) fn path(printed: &str) -> String {
    printed.replace('\\', "/")
}

/// Reads a 1-based number; 0 and what is no such number say nothing.
pub(crate) fn position(digits: &str) -> Option<u32> {
    digits.parse().ok().filter(|number| *number > 0)
}

/// Reads a number of findings or tests. One of more than nine digits is no tool's; so sums of them cannot overflow.
pub(crate) fn count(digits: &str) -> Option<u64> {
    if 9 < digits.len() { None } else { digits.parse().ok() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_is_what_a_person_would_see_of_it() {
        for (raw, seen) in [
            (&b"plain\n"[..], "plain"),
            (b"windows\r\n", "windows"),
            (b"\x1b[0m\x1b[7m\x1b[1m\x1b[31m FAIL \x1b[39m\x1b[22m\x1b[27m\x1b[0m \x1b[2m./\x1b[22mx\n", " FAIL  ./x"),
            (b"see \x1b]8;;https://example.org/a\x1b\\the docs\x1b]8;;\x07!", "see the docs!"),
            (b"10%\r50%\r100% done\n", "100% done"),
            (b"50%\rdone\r\r\n", "done"),
            (b"\x1b[38;5;196mred\x1b[m \x1b(Bnormal", "red normal"),
            (b"caf\xe9", "caf\u{fffd}"),
            (b"half \x1b[", "half "),
            (b"half \x1b", "half "),
            (b"\x1b]0;a title that never ends: src/a.ts", "0;a title that never ends: src/a.ts"),
            (b"", ""),
        ] {
            assert_eq!(visible(raw), seen);
        }
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(beginning("grüße", 3), "gr");
        assert_eq!(beginning("grüße", 99), "grüße");
        let mut text = "one".to_owned();
        add_line(&mut text, "grüße", 7);
        add_line(&mut text, "never", 7);
        assert_eq!(text, "one\ngr");
    }

    proptest! {
        #[test]
        fn no_escape_is_left_and_nothing_panics(line in proptest::collection::vec(any::<u8>(), 0..200)) {
            let has_escape = visible(&line).bytes().any(|byte| byte == ESCAPE);
            prop_assert!(!has_escape);
        }
    }
}
