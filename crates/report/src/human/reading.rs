//! A reading of raw output, without a judgement.

use std::io::{self, Write};

use referee_model::reading::{CountAuthority, Reading};
use referee_syntax::count::count;

use crate::human::finding::{Findings, most_severe};
use crate::page::{Line, Page};
use crate::source::SourceLines;
use crate::style::{Style, Tone, Verbosity};

/// Maximum number of lines of one message.
const MESSAGE_LINES: usize = 12;

/// Maximum number of lines of one note of Referee.
const NOTE_LINES: usize = 4;

/// Writes a reading: failed tests, findings, counts, and unrecognized lines. `name` is that of the input, where
/// there are several.
pub fn write(
    name: Option<&str>,
    reading: &Reading,
    sources: &dyn SourceLines,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    if let Some(name) = name {
        page.line(Line::new().then(Tone::Strong, name))?;
    }
    if style.verbosity != Verbosity::Quiet {
        found(reading, sources, page)?;
    }
    sums(reading, page)?;
    for note in &reading.notes {
        page.paragraph(Line::new().then(Tone::Faint, "note: "), 6, Tone::Plain, note, NOTE_LINES)?;
    }
    Ok(())
}

fn found(reading: &Reading, sources: &dyn SourceLines, page: &mut Page<'_>) -> io::Result<()> {
    let findings = Findings { sources, message_lines: MESSAGE_LINES };
    let mut is_apart = false;
    for diagnostic in most_severe(&reading.diagnostics, usize::MAX) {
        if is_apart {
            page.blank()?;
        }
        is_apart = findings.diagnostic(diagnostic, page)?;
    }
    for failure in reading.tests.iter().flat_map(|tests| &tests.failures) {
        page.blank()?;
        findings.test(failure, page)?;
    }
    if !reading.diagnostics.is_empty() || reading.tests.as_ref().is_some_and(|tests| !tests.failures.is_empty()) {
        page.blank()?;
    }
    let not_shown = reading.counts.total().saturating_sub(reading.diagnostics.len() as u64);
    if 0 < not_shown {
        let text = format!("and {not_shown} more");
        let line = Line::indented(2).then(Tone::Faint, page.signs().ellipsis).word(Tone::Faint, &text);
        page.line(line)?;
    }
    Ok(())
}

/// Writes the tool whose output was read, and the counts.
fn sums(reading: &Reading, page: &mut Page<'_>) -> io::Result<()> {
    let counts = &reading.counts;
    let reader = match &reading.reader {
        Some(reader) => format!("{} ({})", reader.tool, reader.format),
        None => "no known tool".to_owned(),
    };
    let mut parts: Vec<(Tone, String)> = [
        (Tone::Bad, counts.errors, "error"),
        (Tone::Warning, counts.warnings, "warning"),
        (Tone::Place, counts.infos, "note"),
    ]
    .into_iter()
    .filter(|(_, number, _)| 0 < *number)
    .map(|(tone, number, name)| (tone, count(number, name)))
    .collect();
    if parts.is_empty() && reading.tests.is_none() && reading.reader.is_some() {
        parts.push((Tone::Good, "no findings".to_owned()));
    }
    if let Some(tests) = &reading.tests {
        let counts = tests.counts;
        let tone = if counts.failed == 0 { Tone::Good } else { Tone::Bad };
        let text = match (tests.authority, counts.failed) {
            (CountAuthority::Unnumbered, 0) => "tests passed, not counted".to_owned(),
            (CountAuthority::Unnumbered, failed) => {
                format!("{} failed, others not counted", count(failed, "test"))
            }
            _ => format!(
                "{}: {} passed, {} failed, {} skipped",
                count(counts.total, "test"),
                counts.passed,
                counts.failed,
                counts.skipped
            ),
        };
        parts.push((tone, text));
    }
    if 0 < reading.leftovers.lines {
        parts.push((Tone::Faint, format!("{} not understood", count(reading.leftovers.lines, "line"))));
    }
    let mut line = Line::new().then(Tone::Strong, &reader);
    for (tone, text) in parts {
        line = line.word(Tone::Faint, page.signs().dot).word(tone, &text);
    }
    page.line(line)
}

#[cfg(test)]
mod tests {
    use referee_model::reading::{ChosenBecause, Counts, ReaderChoice, TestCounts, TestFailure, TestResults};

    use super::*;
    use crate::human::fixture;

    struct Nothing;

    impl SourceLines for Nothing {
        fn line(&self, _: &str, _: u32) -> Option<String> {
            None
        }
    }

    fn shown(reading: &Reading) -> String {
        fixture::plain(80, |style, out| write(Some("build.log"), reading, &Nothing, style, out))
    }

    #[test]
    fn a_reading_is_told_with_its_sums() {
        let failure =
            TestFailure { name: "adds".to_owned(), message: "1 is not 2".to_owned(), ..TestFailure::default() };
        let counts = TestCounts { passed: 1, failed: 1, skipped: 0, total: 2 };
        let tests = TestResults { counts, failures: vec![failure], ..TestResults::default() };
        let reader =
            ReaderChoice { tool: "jest".to_owned(), format: "text".to_owned(), because: ChosenBecause::Content };
        let mut reading = Reading { reader: Some(reader), tests: Some(tests), ..Reading::default() };
        reading.counts = Counts { warnings: 2, ..Counts::default() };
        reading.notes.push("half of it is missing".to_owned());
        insta::assert_snapshot!(shown(&reading));
        insta::assert_snapshot!(shown(&Reading::default()), @"
        build.log
        no known tool
        ");
    }
}
