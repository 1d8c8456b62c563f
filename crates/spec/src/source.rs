//! A text with positions.

use referee_syntax::cut::characters;
use referee_syntax::line::is_deceptive;

/// A position for people: 1-based line and column, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

#[derive(Debug)]
pub struct Source {
    file: String,
    text: String,
    /// Offset of the first byte of each line; never empty.
    line_starts: Vec<usize>,
}

impl Source {
    /// Creates a source from a text, and the name of its file for complaints.
    pub fn new(file: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let bytes = text.as_bytes();
        // In YAML a lone carriage return ends a line, too.
        let ends = bytes.iter().enumerate().filter(|&(offset, &byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(offset + 1) != Some(&b'\n'),
            _ => false,
        });
        let line_starts = std::iter::once(0).chain(ends.map(|(offset, _)| offset + 1)).collect();
        Self { file: file.into(), text, line_starts }
    }

    pub fn file(&self) -> &str {
        &self.file
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the position of a byte. An offset inside a character refers to the character; one beyond the
    /// end, to the end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.floor(offset);
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line - 1];
        Position { line, column: self.text[start..offset].chars().count() + 1 }
    }

    /// Returns a line without its end; empty if there is no such line.
    pub fn line(&self, number: usize) -> &str {
        let Some(&start) = number.checked_sub(1).and_then(|index| self.line_starts.get(index)) else { return "" };
        let end = self.line_starts.get(number).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// Returns the start of the character at an offset.
    pub fn floor(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset)
    }
}

/// Quotes a text within a message: on one line, in backquotes, shortened, safe for terminals.
pub fn quote(text: &str) -> String {
    let shown: String = characters(text, 60).chars().map(harmless).collect();
    format!("`{shown}`")
}

/// Replaces a character that would control a terminal or change the direction of text.
pub fn harmless(character: char) -> char {
    match character {
        '\t' => ' ',
        '\n' | '\r' => '⏎',
        other if is_deceptive(other) => '\u{fffd}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let source = Source::new("a", "é=1\r\nxy\rz\n");
        for (offset, line, column) in
            [(0, 1, 1), (1, 1, 1), (2, 1, 2), (4, 1, 4), (6, 2, 1), (8, 2, 3), (9, 3, 1), (11, 4, 1), (99, 4, 1)]
        {
            assert_eq!(source.position(offset), Position { line, column }, "offset {offset}");
        }
        assert_eq!(
            [source.line(1), source.line(2), source.line(3), source.line(4), source.line(9)],
            ["é=1", "xy", "z", "", ""]
        );
    }

    #[test]
    fn quoted_texts_are_short_and_harmless() {
        assert_eq!(quote("a\u{1b}[31m\nb"), "`a\u{fffd}[31m⏎b`");
        assert_eq!(quote(&"x".repeat(100)).chars().count(), 62);
    }
}
