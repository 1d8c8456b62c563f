//! Words within texts.

use referee_syntax::cut::characters;

/// Returns whether a text contains a word (`ruff check`), not as part of a longer one.
pub(super) fn mentions(text: &str, word: &str) -> bool {
    let inner = |character: char| character.is_alphanumeric() || character == '-' || character == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(inner) && !after.is_some_and(inner)
    })
}

/// Returns whether a file name has this extension.
pub(super) fn has_extension(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, found)| found == extension)
}

/// Returns the words of a command line if it is a plain one: nothing in it needs a shell.
pub(super) fn plain_words(line: &str) -> Option<Vec<&str>> {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./:=@%+,*".contains(character);
    let words: Vec<&str> = line.split_whitespace().collect();
    (!words.is_empty() && words.iter().all(|word| word.chars().all(plain))).then_some(words)
}

/// Returns the first number after a marker, such as a port.
pub(super) fn number_after(text: &str, marker: &str) -> Option<u16> {
    text.match_indices(marker).find_map(|(at, _)| {
        let rest = text[at + marker.len()..].trim_start_matches([' ', '=', ':', '\t']);
        let digits: String = rest.chars().take_while(char::is_ascii_digit).take(6).collect();
        digits.parse().ok().filter(|port| *port > 0)
    })
}

/// Replaces characters that would end a comment or control a terminal, and truncates long texts.
pub(super) fn line(text: &str) -> String {
    characters(text.trim(), 160).chars().map(crate::source::harmless).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole() {
        assert!(mentions("run: ruff check .", "ruff check") && mentions("- mypy", "mypy"));
        assert!(!mentions("mypy-extensions", "mypy") && !mentions("pytest-ruff", "ruff"));
        assert_eq!(plain_words("tsc -b --noEmit"), Some(vec!["tsc", "-b", "--noEmit"]));
        assert_eq!(plain_words("tsc && a"), None);
        assert_eq!(number_after("next dev -p 4000", "-p"), Some(4000));
        assert_eq!(number_after("port: 99999", "port"), None);
    }
}
