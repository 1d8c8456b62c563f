//! One line of source code with a mark under a range of it.

use std::io;

use crate::page::{Line, Page, width};
use crate::style::Tone;
use crate::untrusted;

/// A line of source code and a range in it. Columns are 1-based and count characters.
pub(crate) struct Excerpt<'source> {
    pub(crate) text: &'source str,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
    /// Column after the last character. None: it is on another line, or not known.
    pub(crate) end_column: Option<usize>,
    pub(crate) tone: Tone,
}

impl Excerpt<'_> {
    /// Writes the line and, where there is a column, the mark. A long line is shown from a position at which the
    /// mark is visible.
    pub(crate) fn write(&self, page: &mut Page<'_>, indent: usize) -> io::Result<()> {
        let text = self.text.lines().next().unwrap_or_default();
        if text.trim().is_empty() {
            return Ok(());
        }
        let number = self.line.map_or(String::new(), |line| line.to_string());
        let gutter = |number: &str| {
            Line::indented(indent).then(Tone::Faint, number).word(Tone::Faint, page.signs().bar).then(Tone::Plain, " ")
        };
        let (numbered, marked) = (gutter(&number), gutter(&" ".repeat(number.len())));
        let Some(column) = self.column else {
            return page.line(numbered.then(Tone::Plain, text));
        };
        let room = page.columns().saturating_sub(numbered.width());
        let target = offset(text, column);
        let fits = width(&untrusted::line(text)) <= room;
        let start = if fits { 0 } else { visible_start(&text[..target], room * 3 / 4) };
        let ellipsis = if start > 0 { page.signs().ellipsis } else { "" };
        let before = width(ellipsis) + width(&untrusted::line(&text[start..target]));
        let meant = self.end_column.map_or(target, |end| offset(text, end));
        let length = text.get(target..meant).map_or(1, |meant| width(&untrusted::line(meant)).max(1));
        let length = length.min(room.saturating_sub(before).max(1));

        page.line(numbered.then(Tone::Faint, ellipsis).then(Tone::Plain, &text[start..]))?;
        page.line(marked.then(Tone::Plain, &" ".repeat(before)).then(self.tone, &"^".repeat(length)))
    }
}

/// Returns the byte offset of a 1-based column, or the length of a shorter text.
fn offset(text: &str, column: usize) -> usize {
    text.char_indices().nth(column.saturating_sub(1)).map_or(text.len(), |(offset, _)| offset)
}

/// Returns the byte offset from which the end of a text lies within `columns` columns.
fn visible_start(text: &str, columns: usize) -> usize {
    let mut taken = 0;
    let beyond = text.char_indices().rev().find(|(_, character)| {
        let mut bytes = [0; 4];
        // A character without a width counts as one column, so that a line of such characters is not walked through
        // at length.
        taken += width(&untrusted::line(character.encode_utf8(&mut bytes))).max(1);
        taken > columns
    });
    beyond.map_or(0, |(offset, character)| offset + character.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::{Style, Verbosity};

    fn written(width: usize, excerpt: &Excerpt<'_>) -> String {
        let style = Style { color: false, unicode: false, width, interactive: false, verbosity: Verbosity::Normal };
        let mut out = Vec::new();
        excerpt.write(&mut Page::new(style, &mut out), 2).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn excerpt(text: &str, column: usize, end_column: Option<usize>) -> Excerpt<'_> {
        Excerpt { text, line: Some(39), column: Some(column), end_column, tone: Tone::Bad }
    }

    #[test]
    fn the_mark_stands_under_the_place_whatever_stands_before_it() {
        let rows = [
            excerpt("let wide = '数数'; fail()", 18, Some(22)),
            excerpt("\t\tfail()", 3, Some(7)),
            excerpt("\u{1b}[31mred\u{1b}[0m fail()", 14, None),
            excerpt("short", 99, Some(120)),
            excerpt("backwards", 5, Some(2)),
            excerpt("   ", 1, None),
            Excerpt { line: None, column: None, ..excerpt("no place", 1, None) },
        ];
        let all: Vec<String> = rows.iter().map(|row| written(60, row)).collect();
        insta::assert_snapshot!(all.join("\n"));
    }

    #[test]
    fn a_long_line_is_shown_around_its_place() {
        let long = format!("{}here{}", "x = 1; ".repeat(100_000), "; y = 2".repeat(100_000));
        insta::assert_snapshot!(written(50, &excerpt(&long, 700_001, Some(700_005))));
        insta::assert_snapshot!(written(50, &excerpt(&long, 3, Some(900_000))));
    }
}
