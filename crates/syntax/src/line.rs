//! Conversion of text to a single line, and detection of deceptive characters.

use crate::{ansi, cut};

/// Returns a text as one line: whitespace becomes single spaces, escape sequences and deceptive characters are
/// removed.
pub fn one_line(text: &str) -> String {
    let plain = ansi::strip(text);
    let mut line = String::with_capacity(plain.len());
    for word in plain.split_whitespace() {
        if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
        line.extend(word.chars().filter(|character| !is_deceptive(*character)));
    }
    line.truncate(line.trim_end().len());
    line
}

/// Returns a text as one line of at most `most` characters, including the ellipsis.
pub fn bounded(text: &str, most: usize) -> String {
    cut::characters(&one_line(text), most)
}

/// Returns whether a character is a control character, or hides or reorders the text next to it.
pub fn is_deceptive(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_one_line_without_what_a_reader_would_obey() {
        for (text, line) in [
            ("  plain, naïve 数 🦀  ", "plain, naïve 数 🦀"),
            ("one\r\ntwo\n\n\tthree", "one two three"),
            ("\u{1b}[1;31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}", ""),
            ("a\u{0}b\u{202e}c\u{200b}d\u{2028}e", "abcd e"),
            ("a \u{202e} b \u{200b}", "a b"),
            ("", ""),
        ] {
            assert_eq!(one_line(text), line, "{text:?}");
        }
    }
}
