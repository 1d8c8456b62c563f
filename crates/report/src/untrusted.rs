//! Escapes text of tools and specifications: a control sequence is shown instead of being obeyed by a terminal.
//!
//! Color sequences are removed. Every other control character, and every character that changes the order or the
//! visibility of others, is written as its escape, so that a person reads what is really there.

use std::fmt::Write as _;

use referee_syntax::cut::{self, head};
use referee_syntax::line::is_deceptive;
use unicode_width::UnicodeWidthChar;

/// Number of bytes of one text that are processed: more than any line or paragraph shows, and a bound on the cost
/// of a line of many megabytes.
const TEXT_BYTES: usize = 16 * 1024;

/// Replacement of a tab.
const TAB: &str = "    ";

/// Maximum number of consecutive characters without a width; further ones are dropped, so that no line consists of
/// marks only.
const MARKS_IN_A_ROW: usize = 8;

/// Returns a text as one escaped line. Line ends become spaces; a caller that wants several lines splits the text
/// first.
pub fn line(text: &str) -> String {
    let bounded = head(text, TEXT_BYTES);
    let mut harmless = String::with_capacity(bounded.len());
    let mut marks = 0;
    let mut rest = bounded;
    while let Some(character) = rest.chars().next() {
        if let Some(sequence) = control_sequence(rest) {
            rest = &rest[sequence..];
            continue;
        }
        let pair = if rest.starts_with("\r\n") { 2 } else { character.len_utf8() };
        rest = &rest[pair..];
        match character {
            '\t' => harmless.push_str(TAB),
            '\n' | '\r' => harmless.push(' '),
            _ if is_deceptive(character) => harmless.extend(character.escape_unicode()),
            _ => {
                marks = if character.width() == Some(0) { marks + 1 } else { 0 };
                if marks <= MARKS_IN_A_ROW {
                    harmless.push(character);
                }
            }
        }
    }
    harmless
}

/// Escapes JSON that Referee formatted, in such a way that it stays the same JSON: only its strings and keys can
/// hold control characters, which become JSON escapes.
pub(crate) fn json(laid_out: &str) -> String {
    let mut harmless = String::with_capacity(laid_out.len());
    for character in laid_out.chars() {
        if character == '\n' || !is_deceptive(character) {
            harmless.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(harmless, "\\u{unit:04x}");
        }
    }
    harmless
}

/// Returns the beginning of a text as escaped lines.
pub(crate) fn lines(text: &str, bytes_max: usize) -> String {
    cut::bytes(text, bytes_max).lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Escapes a text for HTML, as content of an element and as the value of a quoted attribute. Control characters stay:
/// [`line`] shows them.
pub(crate) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Whether a text is longer than the part that [`line`] processes.
pub(crate) fn is_cut(text: &str) -> bool {
    text.len() > TEXT_BYTES
}

/// Returns the length of the control sequence (CSI, ECMA-48 §5.4) at the start of a text. None: there is none.
fn control_sequence(text: &str) -> Option<usize> {
    let introduced = text.strip_prefix("\u{1b}[").or_else(|| text.strip_prefix('\u{9b}'))?;
    let parameters = introduced.bytes().take_while(|byte| (0x20..=0x3f).contains(byte)).count();
    let last = *introduced.as_bytes().get(parameters)?;
    (0x40..=0x7e).contains(&last).then(|| text.len() - introduced.len() + parameters + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_or_taken_out() {
        for (raw, harmless) in [
            ("plain text, naïve 数 🦀", "plain text, naïve 数 🦀"),
            ("\u{1b}[1;31mred\u{1b}[0m", "red"),
            ("\u{1b}[2J\u{1b}[Hgone", "gone"),
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("\u{1b}[31", "\\u{1b}[31"),
            ("\u{9b}31mred", "red"),
            ("a\r\nb\nc\rd", "a b c d"),
            ("\ta", "    a"),
            ("\0\u{8}\u{7f}\u{85}", "\\u{0}\\u{8}\\u{7f}\\u{85}"),
            ("safe\u{202e}txt.exe", "safe\\u{202e}txt.exe"),
            ("in\u{200b}visible\u{feff}", "in\\u{200b}visible\\u{feff}"),
        ] {
            assert_eq!(line(raw), harmless, "{raw:?}");
        }
    }

    #[test]
    fn what_one_text_costs_is_bounded() {
        assert_eq!(line(&"x".repeat(1 << 20)).len(), TEXT_BYTES);
        assert_eq!(line(&format!("a{}", "\u{301}".repeat(1000))).chars().count(), 1 + MARKS_IN_A_ROW);
        assert!(is_cut(&"x".repeat(TEXT_BYTES + 1)) && !is_cut("x"));
    }

    #[test]
    fn json_stays_the_same_json() {
        let value = serde_json::json!({ "a\u{202e}\u{9b}31m": "x\u{1b}[2J\u{e0041}\n", "b": ["\u{7f}", 1] });
        let shown = json(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
        assert!(
            shown.lines().count() > 3 && !shown.chars().any(|character| character != '\n' && is_deceptive(character))
        );
    }

    proptest! {
        #[test]
        fn no_text_keeps_a_control_character(characters in prop::collection::vec(any::<char>(), 0..80)) {
            let text: String = characters.into_iter().collect();
            prop_assert!(!line(&text).chars().any(is_deceptive));
        }

        #[test]
        fn making_harmless_twice_changes_nothing(text in "[\\x00-\\x7f]{0,80}") {
            let once = line(&text);
            prop_assert_eq!(line(&once), once);
        }
    }
}
