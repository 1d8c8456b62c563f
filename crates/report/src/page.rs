//! The only way to the output: lines of styled text, escaped on the way in and fitted to the width on the way out.

use std::io::{self, Write};

use unicode_width::UnicodeWidthChar;

use crate::style::{Signs, Style, Tone, Verbosity};
use crate::untrusted;

/// A line under construction. Every added text is escaped, so no escape sequence of a text gets through.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    spans: Vec<(Tone, String)>,
}

impl Line {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Begins a line with this many spaces.
    pub(crate) fn indented(columns: usize) -> Self {
        Self { spans: vec![(Tone::Plain, " ".repeat(columns))] }
    }

    /// Appends a text.
    pub(crate) fn then(mut self, tone: Tone, text: &str) -> Self {
        self.spans.push((tone, untrusted::line(text)));
        self
    }

    /// Appends a text after one space.
    pub(crate) fn word(self, tone: Tone, text: &str) -> Self {
        self.then(Tone::Plain, " ").then(tone, text)
    }

    pub(crate) fn followed_by(mut self, other: Self) -> Self {
        self.spans.extend(other.spans);
        self
    }

    /// Pads the line with spaces to this column.
    pub(crate) fn padded_to(self, column: usize) -> Self {
        let missing = column.saturating_sub(self.width());
        self.then(Tone::Plain, &" ".repeat(missing))
    }

    pub(crate) fn width(&self) -> usize {
        self.spans.iter().map(|(_, text)| width(text)).sum()
    }

    /// Cuts the line to a number of columns, with an ellipsis in place of what was cut.
    fn cut(mut self, columns: usize, ellipsis: &str) -> Self {
        if self.width() <= columns {
            return self;
        }
        let mut left = columns.saturating_sub(width(ellipsis));
        for (_, text) in &mut self.spans {
            let kept = prefix(text, left);
            left -= width(kept);
            let kept = kept.len();
            if kept < text.len() {
                left = 0;
                text.truncate(kept);
            }
        }
        self.then(Tone::Faint, ellipsis)
    }

    /// Writes the line without a line end and without trailing spaces.
    fn render(&self, color: bool, out: &mut dyn Write) -> io::Result<()> {
        let full = self.spans.iter().rposition(|(_, text)| !text.trim_end().is_empty()).map_or(0, |last| last + 1);
        for (index, (tone, text)) in self.spans[..full].iter().enumerate() {
            let text = if index + 1 == full { text.trim_end() } else { text };
            let looks = tone.looks();
            if color && *tone != Tone::Plain && !text.is_empty() {
                write!(out, "{looks}{text}{looks:#}")?;
            } else {
                out.write_all(text.as_bytes())?;
            }
        }
        Ok(())
    }
}

pub(crate) struct Page<'page> {
    style: Style,
    out: &'page mut dyn Write,
}

impl<'page> Page<'page> {
    pub(crate) fn new(style: Style, out: &'page mut dyn Write) -> Self {
        Self { style, out }
    }

    pub(crate) fn style(&self) -> Style {
        self.style
    }

    pub(crate) fn signs(&self) -> &'static Signs {
        self.style.signs()
    }

    pub(crate) fn columns(&self) -> usize {
        self.style.columns()
    }

    pub(crate) fn blank(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    /// Writes one line, cut to the width.
    pub(crate) fn line(&mut self, line: Line) -> io::Result<()> {
        line.cut(self.columns(), self.signs().ellipsis).render(self.style.color, self.out)?;
        self.blank()
    }

    /// Writes one line without cutting it, for output that is searched or also read by programs.
    pub(crate) fn whole(&mut self, line: &Line) -> io::Result<()> {
        line.render(self.style.color, self.out)?;
        self.blank()
    }

    /// Writes JSON that Referee formatted, escaped in such a way that it stays the same JSON.
    pub(crate) fn json(&mut self, laid_out: &str) -> io::Result<()> {
        self.out.write_all(untrusted::json(laid_out.trim_end()).as_bytes())?;
        self.blank()
    }

    /// Writes one line with a second part at the right edge; the first part is cut where both do not fit.
    pub(crate) fn line_and_right(&mut self, left: Line, right: Line) -> io::Result<()> {
        let edge = self.columns().saturating_sub(right.width());
        let left = left.cut(edge.saturating_sub(1), self.signs().ellipsis).padded_to(edge);
        self.line(left.followed_by(right))
    }

    /// Writes a text over as many lines as it needs, `lines_max` at most. The lead stands before the first line;
    /// the others are indented by `indent` columns. Line breaks of the text are kept.
    pub(crate) fn paragraph(
        &mut self,
        lead: Line,
        indent: usize,
        tone: Tone,
        text: &str,
        lines_max: usize,
    ) -> io::Result<()> {
        let columns = self.columns();
        let indent = indent.min(columns / 2);
        let mut lines = Wrapped::new(columns, indent, lead.width());
        let mut given = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        for line in given.by_ref().take(lines_max) {
            lines.add(&untrusted::line(line), lines_max);
        }
        let is_cut = lines.is_cut || given.next().is_some() || untrusted::is_cut(text);
        if lines.done.is_empty() {
            return self.line(lead);
        }
        let mut lines = lines.done.into_iter().enumerate().peekable();
        while let Some((index, text)) = lines.next() {
            let start = if index == 0 { lead.clone() } else { Line::indented(indent) };
            if is_cut && lines.peek().is_none() {
                let ellipsis = self.signs().ellipsis;
                let room = columns.saturating_sub(start.width() + 1 + width(ellipsis));
                self.line(start.then(tone, whole_words(&text, room)).word(Tone::Faint, ellipsis))?;
            } else {
                self.line(start.then(tone, &text))?;
            }
        }
        Ok(())
    }

    /// Writes a text behind a sign, with its further lines below its first word.
    pub(crate) fn item(
        &mut self,
        indent: usize,
        (sign_tone, sign): (Tone, &str),
        tone: Tone,
        text: &str,
        lines_max: usize,
    ) -> io::Result<()> {
        let lead = Line::indented(indent).then(sign_tone, sign).then(Tone::Plain, " ");
        self.paragraph(lead, indent + 2, tone, text, lines_max)
    }

    /// Returns how many of a list are shown: `most`, and all of it with `--verbose`.
    pub(crate) fn shown(&self, all: usize, most: usize) -> usize {
        if self.style.verbosity == Verbosity::Verbose { all } else { all.min(most) }
    }

    /// Writes that not all of a list is shown, where that is so.
    pub(crate) fn left_to_report(&mut self, indent: usize, all: usize, shown: usize) -> io::Result<()> {
        if all <= shown {
            return Ok(());
        }
        let text = format!("and {} more in the report", all - shown);
        self.line(Line::indented(indent).then(Tone::Faint, self.signs().ellipsis).word(Tone::Faint, &text))
    }

    /// Replaces the last line of the terminal, without ending it.
    pub(crate) fn redraw(&mut self, line: Line) -> io::Result<()> {
        self.erase()?;
        line.cut(self.columns() - 1, self.signs().ellipsis).render(self.style.color, self.out)?;
        self.out.flush()
    }

    /// Erases the last line of the terminal.
    pub(crate) fn erase(&mut self) -> io::Result<()> {
        self.out.write_all(b"\r\x1b[2K")
    }
}

/// Text wrapped between words, or within a word that is longer than a line.
struct Wrapped {
    columns: usize,
    indent: usize,
    /// Current column of the line under construction.
    column: usize,
    done: Vec<String>,
    is_cut: bool,
}

impl Wrapped {
    fn new(columns: usize, indent: usize, column: usize) -> Self {
        Self { columns, indent, column, done: Vec::new(), is_cut: false }
    }

    /// Adds one line of text, wrapped where necessary.
    fn add(&mut self, text: &str, lines_max: usize) {
        let own_indent = text.len() - text.trim_start().len();
        self.begin(prefix(&text[..own_indent], self.columns / 4));
        let mut space = "";
        for word in text.split_whitespace() {
            let fits_here = self.column + space.len() + width(word) <= self.columns;
            let fits_below = self.indent + width(word) <= self.columns;
            if fits_here || (space.is_empty() && !fits_below) {
                self.put(space);
            } else {
                self.begin("");
            }
            self.put_word(word);
            space = " ";
            if self.done.len() > lines_max {
                self.done.truncate(lines_max);
                self.is_cut = true;
                return;
            }
        }
    }

    /// Begins a line. The first one of all follows the lead.
    fn begin(&mut self, start: &str) {
        if !self.done.is_empty() {
            self.column = self.indent;
        }
        self.done.push(String::new());
        self.put(start);
    }

    fn put(&mut self, text: &str) {
        if let Some(line) = self.done.last_mut() {
            line.push_str(text);
            self.column += width(text);
        }
    }

    fn put_word(&mut self, mut word: &str) {
        while self.column + width(word) > self.columns {
            let part = prefix(word, self.columns.saturating_sub(self.column));
            word = &word[part.len()..];
            self.put(part);
            self.begin("");
        }
        self.put(word);
    }
}

/// Returns the number of columns that a text takes, never fewer than on a terminal, so that a line never overflows:
/// an emoji joined from several counts as several.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Returns the longest prefix of a text that takes at most `columns` columns.
pub(crate) fn prefix(text: &str, columns: usize) -> &str {
    let mut taken = 0;
    let end = text.char_indices().find(|(_, character)| {
        taken += columns_of(*character);
        taken > columns
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// Returns the longest prefix of a text that takes at most `columns` columns, ending at a space where there is one.
fn whole_words(text: &str, columns: usize) -> &str {
    let kept = prefix(text, columns);
    if kept.len() == text.len() {
        return text;
    }
    kept.trim_start().rfind(' ').map_or(kept, |space| &kept[..kept.len() - kept.trim_start().len() + space])
}

/// Returns a text as one escaped line of at most `columns` columns.
pub(crate) fn fitted(text: &str, columns: usize, ellipsis: &str) -> String {
    let text = untrusted::line(text);
    if width(&text) <= columns {
        return text;
    }
    format!("{}{ellipsis}", prefix(&text, columns.saturating_sub(width(ellipsis))))
}

fn columns_of(character: char) -> usize {
    /// Variation selector that requests the wide emoji presentation of the preceding character.
    const WIDE_PICTURE: char = '\u{fe0f}';
    if character == WIDE_PICTURE { 1 } else { character.width().unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(width: usize, color: bool, write: impl FnOnce(&mut Page<'_>) -> io::Result<()>) -> String {
        let style = Style { color, unicode: true, width, interactive: false, verbosity: Verbosity::Normal };
        let mut out = Vec::new();
        write(&mut Page::new(style, &mut out)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_are_cut_to_the_width_by_columns_not_by_bytes() {
        for (text, shown) in [
            ("twenty columns: exact", "twenty columns: exa…\n"),
            ("twenty columns exact", "twenty columns exact\n"),
            ("数数数数数数数数数数", "数数数数数数数数数数\n"),
            ("数数数数数数数数数数数", "数数数数数数数数数…\n"),
            ("trailing spaces   ", "trailing spaces\n"),
        ] {
            assert_eq!(written(20, false, |page| page.line(Line::new().then(Tone::Plain, text))), shown);
        }
    }

    #[test]
    fn paragraphs_break_between_words_and_say_what_they_leave_out() {
        let text = "one two three four five six\n  own indent\nanextremelylongwordthatfitsnowhere end";
        let lead = || Line::new().then(Tone::Place, "note:").then(Tone::Plain, " ");
        let all = written(20, false, |page| page.paragraph(lead(), 6, Tone::Plain, text, 9));
        insta::assert_snapshot!(all, @r"
        note: one two three
              four five six
                own indent
              anextremelylon
              gwordthatfitsn
              owhere end
        ");
        let some = written(20, false, |page| page.paragraph(lead(), 6, Tone::Plain, text, 2));
        insta::assert_snapshot!(some, @r"
        note: one two three
              four five …
        ");
    }

    proptest! {
        #[test]
        fn nothing_runs_over_the_width_or_carries_an_escape(text in "\\PC{0,200}|[\\x00-\\x7f]{0,200}|.{0,200}", width in 20usize..90) {
            let line = Line::new().then(Tone::Bad, &text).word(Tone::Plain, &text);
            let all = written(width, false, |page| {
                page.line(line.clone())?;
                page.line_and_right(line.clone(), Line::new().then(Tone::Plain, "1.2 s"))?;
                page.paragraph(Line::indented(4), 4, Tone::Plain, &text, 5)
            });
            for written in all.lines() {
                prop_assert!(super::width(written) <= width, "{:?}", written);
                prop_assert_eq!(written.find('\x1b'), None);
            }
        }
    }
}
