//! Removes terminal escape sequences from text (ECMA-48, 5.3 to 5.6).
//!
//! `anstream` and similar crates extend an unterminated sequence to the end of the text, so that a stray
//! introducer hides everything after it. Here only the introducer is removed.

use std::borrow::Cow;

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// Returns the text without escape sequences.
pub fn strip(text: &str) -> Cow<'_, str> {
    match strip_bytes(text.as_bytes()) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// Returns the bytes without escape sequences.
pub fn strip_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    let Some(mut start) = escape(bytes) else { return Cow::Borrowed(bytes) };
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        plain.extend_from_slice(&rest[..start]);
        rest = &rest[start + length(&rest[start..])..];
        match escape(rest) {
            Some(next) => start = next,
            None => break,
        }
    }
    plain.extend_from_slice(rest);
    Cow::Owned(plain)
}

fn escape(bytes: &[u8]) -> Option<usize> {
    memchr::memchr(ESCAPE, bytes)
}

/// Returns the length of the sequence at the start of `bytes`, which must begin with an escape character. Of a
/// sequence that does not end within the line only the introducer counts, so that it hides no text.
fn length(bytes: &[u8]) -> usize {
    match bytes.get(1) {
        Some(b'[') => {
            let parameters = bytes[2..].iter().take_while(|byte| (0x20..=0x3f).contains(*byte)).count();
            match bytes.get(2 + parameters) {
                Some(0x40..=0x7e) => 3 + parameters,
                _ => 2,
            }
        }
        // Operating system commands, such as links, and the other string sequences: up to a bell or `ESC \`.
        Some(b']' | b'P' | b'X' | b'^' | b'_') => bytes[2..]
            .iter()
            .take_while(|byte| **byte != b'\n')
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

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    #[test]
    fn sequences_go_and_text_stays() {
        for (raw, plain) in [
            ("\u{1b}[1;31merror\u{1b}[0m", "error"),
            ("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}(Ba\u{1b}=b", "ab"),
            ("open \u{1b}[31", "open 31"),
            ("open \u{1b}]0;title\nnext\u{7}", "open 0;title\nnext\u{7}"),
            ("\u{1b}", ""),
            ("plain", "plain"),
        ] {
            assert_eq!(strip(raw), plain);
        }
    }

    proptest! {
        #[test]
        fn no_text_keeps_an_escape(text in "(\\PC|\u{1b}|\\[|\\]|\n|m){0,200}") {
            let has_escape = strip(&text).contains('\u{1b}');
            prop_assert!(!has_escape);
        }
    }
}
