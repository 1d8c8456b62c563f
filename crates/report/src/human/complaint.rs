//! Errors and warnings about a specification, in the style of a compiler.

use std::io::{self, Write};

use crate::human::excerpt::Excerpt;
use crate::page::{Line, Page};
use crate::style::{Style, Tone};

/// Maximum number of lines of a message or suggestion.
const LINES_MAX: usize = 6;

/// An error or warning about a text, with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint<'text> {
    pub level: Level,
    /// Stable name of the complaint, such as `unknown-key`. Empty: not shown.
    pub code: &'text str,
    /// Path of the file, as shown to people.
    pub file: &'text str,
    /// Line of the location, 1-based.
    pub line: usize,
    /// Column of the location, 1-based, in characters.
    pub column: usize,
    /// 1-based column after the last marked character, on the same line.
    pub end_column: usize,
    pub message: &'text str,
    /// Source line, or a part of it around the location. Empty: not shown.
    pub source_line: &'text str,
    /// 1-based column of the first character of `source_line`: 1 where it holds the whole line.
    pub source_column: usize,
    pub suggestion: Option<&'text str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The specification cannot be loaded.
    Error,
    Warning,
}

/// Writes one complaint and a blank line.
pub fn write(complaint: &Complaint<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let page = &mut Page::new(*style, out);
    let (level, tone) = match complaint.level {
        Level::Error => ("error", Tone::Bad),
        Level::Warning => ("warning", Tone::Warning),
    };
    let lead = Line::new().then(tone, level);
    let lead = if complaint.code.is_empty() { lead } else { lead.then(tone, &format!("[{}]", complaint.code)) };
    page.paragraph(lead.then(Tone::Plain, ": "), 4, Tone::Strong, complaint.message, LINES_MAX)?;

    let Complaint { file, line, column, end_column, source_column, .. } = *complaint;
    let digits = line.to_string().len();
    let place = format!("{file}:{line}:{column}");
    page.line(Line::indented(digits).then(Tone::Faint, "-->").word(Tone::Place, &place))?;
    let in_source = |column: usize| Some(column.saturating_sub(source_column).saturating_add(1));
    let (column, end_column) = (in_source(column), in_source(end_column));
    Excerpt { text: complaint.source_line, line: Some(line), column, end_column, tone }.write(page, 0)?;
    if let Some(suggestion) = complaint.suggestion {
        let lead = Line::indented(digits + 1).then(Tone::Faint, "=").word(Tone::Strong, "help:").then(Tone::Plain, " ");
        page.paragraph(lead, digits + 9, Tone::Plain, suggestion, LINES_MAX)?;
    }
    page.blank()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::fixture::{colored, plain};

    fn misspelt() -> Complaint<'static> {
        Complaint {
            level: Level::Error,
            code: "unknown-key",
            file: "referee.yaml",
            line: 12,
            column: 13,
            end_column: 20,
            message: "unknown key `tymeout` in the check `lint`",
            source_line: "    lint: { tymeout: 60s, run: npx eslint . }",
            source_column: 1,
            suggestion: Some("did you mean `timeout`?"),
        }
    }

    fn all() -> Vec<Complaint<'static>> {
        vec![
            misspelt(),
            Complaint {
                level: Level::Warning,
                code: "hidden-failure",
                message: "`|| true` hides every failure of this command",
                column: 1_016,
                end_column: 1_023,
                line: 7,
                source_line: "unit: npm test || true",
                source_column: 1_001,
                suggestion: None,
                ..misspelt()
            },
            Complaint {
                code: "",
                line: 1,
                column: 1,
                end_column: 1,
                source_line: "",
                suggestion: None,
                message: "the file is empty",
                ..misspelt()
            },
        ]
    }

    #[test]
    fn complaints_show_the_place_and_the_way_out() {
        insta::assert_snapshot!(plain(100, |style, out| all().iter().try_for_each(|each| write(each, &style, out))));
        insta::assert_snapshot!(colored(100, |style, out| write(&misspelt(), &style, out)));
    }

    #[test]
    fn complaints_about_hostile_text_stay_text() {
        let hostile = "\u{1b}]0;owned\u{7}\u{202e}key".repeat(3);
        let complaint = Complaint {
            code: "\u{1b}[2J",
            file: "\u{1b}[31mreferee.yaml\n",
            message: &hostile,
            source_line: &hostile,
            suggestion: Some(&hostile),
            line: usize::MAX,
            column: usize::MAX,
            end_column: 0,
            source_column: 0,
            ..misspelt()
        };
        insta::assert_snapshot!(plain(60, |style, out| write(&complaint, &style, out)));
    }
}
