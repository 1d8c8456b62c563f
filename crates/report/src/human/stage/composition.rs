//! A workflow run that was composed, or why none was.

use std::io::{self, Write};

use crate::page::{Line, Page};
use crate::style::{Style, Tone, plain};

/// Maximum number of lines of one text.
const LINES_MAX: usize = 20;

/// A problem of a workflow's directory, or a warning about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault<'text> {
    pub cause: &'text str,
    pub action: &'text str,
    /// Reference to further documentation. None: there is none.
    pub see: Option<&'text str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Error,
    /// The run is composed anyway.
    Warning,
}

/// Writes faults, each with what to do about it.
pub fn faults(faults: &[Fault<'_>], level: Level, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let page = &mut Page::new(*style, out);
    let (word, tone) = match level {
        Level::Error => ("error", Tone::Bad),
        Level::Warning => ("warning", Tone::Warning),
    };
    for fault in faults {
        let lead = Line::new().then(tone, word).then(Tone::Plain, ": ");
        page.paragraph(lead, 2, Tone::Strong, fault.cause, LINES_MAX)?;
        let rows = [("Action: ", Some(fault.action)), ("See: ", fault.see)];
        for (name, text) in rows.into_iter().filter_map(|(name, text)| Some((name, text?))) {
            page.paragraph(Line::indented(2).then(Tone::Faint, name), 4, Tone::Plain, text, LINES_MAX)?;
        }
        page.blank()?;
    }
    Ok(())
}

/// Writes the path of a composed run. The line is never cut, because programs read it, too.
pub fn created(path: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Created: {}", plain(path))
}

pub fn next(steps: &[String], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let page = &mut Page::new(*style, out);
    for (place, step) in steps.iter().enumerate() {
        let lead = if place == 0 { "Next: " } else { "then: " };
        // On one line whatever its length, because the command in it is copied into a shell.
        page.whole(&Line::new().then(Tone::Faint, lead).then(Tone::Plain, step))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::fixture::plain;

    #[test]
    fn a_fault_says_what_is_wrong_what_to_do_and_where_to_look() {
        let known = [
            Fault {
                cause: "the shared template `templates/wf.md` does not exist",
                action: "make the file, or take its entry out of `shared_templates`",
                see: Some("wf.yaml, shared_templates"),
            },
            Fault { cause: "a\u{1b}[2J\nb", action: "c", see: None },
        ];
        let text = plain(70, |style, out| {
            created("/tmp/a\n\u{1b}[31mb", out)?;
            faults(&known, Level::Error, &style, out)?;
            next(&["put `inputs/a.md` there".to_owned(), "`referee stage accept explore`".to_owned()], &style, out)
        });
        insta::assert_snapshot!(text);
    }
}
