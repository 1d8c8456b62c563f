//! Text of tools, made fit for one line of a prompt.

/// What stands for what was cut off.
const ELLIPSIS: char = '…';

/// Returns a text as one line: control sequences, control characters and characters that hide or turn around others are
/// taken out, and what separates words becomes one space. At most so many characters, the ellipsis of a cut included.
pub(crate) fn one_line(text: &str, characters: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut is_space_due = false;
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        if next == '\u{1b}' && rest.next_if_eq(&'[').is_some() {
            while rest.next_if(|inner| ('\u{20}'..='\u{3f}').contains(inner)).is_some() {}
            rest.next_if(|inner| ('\u{40}'..='\u{7e}').contains(inner));
        } else if next.is_whitespace() {
            is_space_due = length > 0;
        } else if !is_hidden(next) {
            let needed = 1 + usize::from(is_space_due);
            if length + needed > characters {
                return ended(line, characters);
            }
            if is_space_due {
                line.push(' ');
            }
            line.push(next);
            length += needed;
            is_space_due = false;
        }
    }
    line
}

/// Ends a line that goes on with the ellipsis.
fn ended(mut line: String, characters: usize) -> String {
    if characters == 0 {
        return String::new();
    }
    if line.chars().count() == characters {
        line.pop();
    }
    line.push(ELLIPSIS);
    line
}

/// Returns the end of a path as one line, at most so many characters: its end tells more than its beginning.
pub(super) fn path(path: &str, characters: usize) -> String {
    let line = one_line(path, usize::MAX);
    let length = line.chars().count();
    if length <= characters {
        return line;
    }
    let kept = line.chars().skip(length - characters.saturating_sub(1));
    std::iter::once(ELLIPSIS).chain(kept).take(characters).collect()
}

/// Returns the beginning of a text, lines and all, at most so many characters.
pub(super) fn beginning(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some(_) => ended(text.chars().take(characters).collect(), characters),
    }
}

/// Control characters, and those that hide or turn around what stands beside them.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
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
            ("\u{1b}]0;title\u{7}", "]0;title"),
            ("a\u{0}b\u{202e}c\u{200b}d\u{2028}e", "abcd e"),
            ("\u{1b}[31", ""),
            ("", ""),
        ] {
            assert_eq!(one_line(text, 80), line, "{text:?}");
        }
    }

    #[test]
    fn texts_are_cut_between_characters() {
        for (text, characters, line) in [
            ("Größe", 5, "Größe"),
            ("Größe", 4, "Grö…"),
            ("a b c", 3, "a …"),
            ("a b c", 2, "a…"),
            ("ab", 1, "…"),
            ("ab", 0, ""),
        ] {
            assert_eq!(one_line(text, characters), line, "{text} {characters}");
        }
        assert_eq!(beginning("ä\nö\nü", 3), "ä\n…");
        assert_eq!(beginning("ä\nö", 3), "ä\nö");
        assert_eq!(path("packages/größe/src/a.ts", 9), "…src/a.ts");
        assert_eq!([path("a.ts", 4), path("a.ts", 3), path("a.ts", 0)], ["a.ts", "…ts", ""]);
    }
}
