//! One finding or one failed test, in every text that shows it.

use std::io;

use referee_model::reading::{Diagnostic, Level, TestFailure};

use crate::human::excerpt::Excerpt;
use crate::page::{Line, Page};
use crate::source::SourceLines;
use crate::style::Tone;
use crate::wording;

/// Column at which a finding starts.
const INDENT: usize = 2;

/// Column of the continuation lines of a paragraph.
const FURTHER: usize = 4;

/// Maximum number of lines of one sentence of a tool.
const SENTENCE_LINES: usize = 6;

/// Writes findings and failed tests, with the source lines concerned.
#[derive(Clone, Copy)]
pub(crate) struct Findings<'telling> {
    pub(crate) sources: &'telling dyn SourceLines,
    /// Maximum number of lines of one message.
    pub(crate) message_lines: usize,
}

impl Findings<'_> {
    /// Writes one finding. Returns whether more than its message was written, so that a blank line is needed after
    /// it.
    pub(crate) fn diagnostic(self, diagnostic: &Diagnostic, page: &mut Page<'_>) -> io::Result<bool> {
        let lead = diagnostic_line(diagnostic);
        page.paragraph(lead, FURTHER, Tone::Plain, &diagnostic.message, self.message_lines)?;
        let excerpt = SourceMark {
            file: diagnostic.file.as_deref(),
            line: diagnostic.line,
            column: diagnostic.column,
            end_column: diagnostic
                .end_column
                .filter(|_| diagnostic.end_line.is_none_or(|end| Some(end) == diagnostic.line)),
            tone: level(diagnostic.level).1,
        };
        let has_excerpt = self.excerpt(&excerpt, diagnostic.source.as_deref(), page)?;
        if let Some(suggestion) = &diagnostic.suggestion {
            let lead = Line::indented(FURTHER).then(Tone::Strong, "help: ");
            page.paragraph(lead, FURTHER + 6, Tone::Plain, suggestion, SENTENCE_LINES)?;
        }
        Ok(has_excerpt || diagnostic.suggestion.is_some())
    }

    /// Writes one failed test, or a suite that failed to run.
    pub(crate) fn test(self, failure: &TestFailure, page: &mut Page<'_>) -> io::Result<()> {
        let lead = Line::indented(INDENT).then(Tone::Bad, page.signs().bad).then(Tone::Plain, " ");
        let lead = if failure.suite { lead.then(Tone::Bad, "did not run: ") } else { lead };
        page.paragraph(lead, FURTHER, Tone::Strong, &failure.name, SENTENCE_LINES)?;
        let is_compared = failure.expected.is_some() || failure.received.is_some();
        let message_lines = if is_compared { 1 } else { self.message_lines };
        if is_compared {
            // The lines after the first repeat the expected and the received value.
            let first = failure.message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            if !first.is_empty() {
                page.line(Line::indented(FURTHER).then(Tone::Faint, first.trim()))?;
            }
        } else if !failure.message.trim().is_empty() {
            page.paragraph(Line::indented(FURTHER), FURTHER, Tone::Plain, &failure.message, message_lines)?;
        }
        for (name, tone, value) in
            [("expected", Tone::Good, &failure.expected), ("received", Tone::Bad, &failure.received)]
        {
            if let Some(value) = value {
                let lead = Line::indented(FURTHER).then(Tone::Faint, name).then(Tone::Plain, "  ");
                page.paragraph(lead, FURTHER + name.len() + 2, tone, value, self.message_lines)?;
            }
        }
        let place = SourceMark {
            file: failure.file.as_deref(),
            line: failure.line,
            column: failure.column,
            end_column: None,
            tone: Tone::Bad,
        };
        if let Some(file) = place.file.filter(|_| !failure.suite || place.line.is_some()) {
            let place = wording::place(file, place.line, place.column);
            page.line(Line::indented(FURTHER).then(Tone::Place, &place))?;
        }
        self.excerpt(&place, None, page).map(|_| ())
    }

    /// Writes the source line concerned, where it is known. Returns whether it is.
    fn excerpt(self, place: &SourceMark<'_>, printed: Option<&str>, page: &mut Page<'_>) -> io::Result<bool> {
        let text = match (printed, place.file, place.line) {
            (Some(printed), ..) => printed.to_owned(),
            (None, Some(file), Some(line)) => match self.sources.line(file, line) {
                Some(text) => text,
                None => return Ok(false),
            },
            _ => return Ok(false),
        };
        let SourceMark { line, column, end_column, tone, .. } = *place;
        let [line, column, end_column] =
            [line, column, end_column].map(|number| number.map(|number| usize::try_from(number).unwrap_or(usize::MAX)));
        Excerpt { text: &text, line, column, end_column, tone }.write(page, FURTHER)?;
        Ok(true)
    }
}

/// A position in a source file, and how it is marked.
struct SourceMark<'place> {
    file: Option<&'place str>,
    line: Option<u32>,
    column: Option<u32>,
    end_column: Option<u32>,
    tone: Tone,
}

/// Returns the `count` most severe findings, errors before warnings, otherwise in the order of the output.
pub(crate) fn most_severe(diagnostics: &[Diagnostic], count: usize) -> impl Iterator<Item = &Diagnostic> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.level);
    sorted.into_iter().take(count)
}

/// Begins the line of a finding: location, level and code.
pub(crate) fn diagnostic_line(diagnostic: &Diagnostic) -> Line {
    let (name, tone) = level(diagnostic.level);
    let mut line = Line::indented(INDENT);
    if let Some(file) = &diagnostic.file {
        line =
            line.then(Tone::Place, &wording::place(file, diagnostic.line, diagnostic.column)).then(Tone::Plain, "  ");
    }
    line = line.then(tone, name);
    if let Some(code) = &diagnostic.code {
        line = line.word(tone, code);
    }
    line.then(Tone::Plain, "  ")
}

fn level(level: Level) -> (&'static str, Tone) {
    match level {
        Level::Error => ("error", Tone::Bad),
        Level::Warning => ("warning", Tone::Warning),
        Level::Info => ("note", Tone::Place),
    }
}
