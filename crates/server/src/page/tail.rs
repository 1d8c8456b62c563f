//! The end of an incident's log, with evidence rows at their lines.

use super::harmless;
use referee_model::incident::evidence::{EvidenceRow, EvidenceSource};

/// Maximum number of lines shown, the last ones, where the failure is.
const LINES: usize = 400;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tail {
    pub(super) lines: Vec<Line>,
    /// Number of earlier lines that are not shown.
    pub(super) omitted: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// 1-based line number in the file.
    pub(super) number: usize,
    pub(super) text: String,
    /// Ids of the evidence rows at this line.
    pub(super) rows: Vec<String>,
}

impl Tail {
    pub(super) fn read(bytes: &[u8], evidence: &[EvidenceRow]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let all: Vec<&str> = text.lines().collect();
        let omitted = all.len().saturating_sub(LINES);
        let numbered = all.iter().enumerate().skip(omitted);
        let mut lines: Vec<Line> = numbered
            .map(|(place, line)| Line { number: place + 1, text: harmless::text(line), rows: Vec::new() })
            .collect();
        for row in evidence.iter().filter(|row| row.source == EvidenceSource::LogTail) {
            let excerpt = plain(row.excerpt.trim_end_matches(['…', '.']));
            let holds = |line: &&mut Line| !excerpt.is_empty() && plain(&line.text).contains(&excerpt);
            if let Some(line) = lines.iter_mut().rev().find(holds) {
                line.rows.push(row.id.clone());
            }
        }
        Self { lines, omitted }
    }

    /// Returns the line number of an evidence row. `None`: it is at no shown line.
    pub(super) fn line_of(&self, row: &str) -> Option<usize> {
        self.lines.iter().find(|line| line.rows.iter().any(|id| id == row)).map(|line| line.number)
    }
}

/// Normalizes white space.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use referee_model::incident::evidence::EvidenceKind;

    use super::*;

    fn row(id: &str, source: EvidenceSource, excerpt: &str) -> EvidenceRow {
        let text = |text: &str| text.to_owned();
        EvidenceRow {
            id: text(id),
            source,
            path: text("log_tail.txt"),
            kind: EvidenceKind::LogSignal,
            excerpt: text(excerpt),
        }
    }

    #[test]
    fn rows_stand_at_the_last_line_that_has_them() {
        let evidence = [
            row("E1", EvidenceSource::LogTail, "Error: gone"),
            row("E2", EvidenceSource::Context, "start"),
            row("E3", EvidenceSource::LogTail, "not there"),
            row("E4", EvidenceSource::LogTail, ""),
        ];
        let tail = Tail::read(b"start\nError:  gone away\nretry\nError: gone\n\xff\x1b[2J\n", &evidence);
        assert_eq!((tail.line_of("E1"), tail.line_of("E2"), tail.line_of("E3")), (Some(4), None, None));
        assert_eq!(tail.lines[4].text, "\u{fffd}");
        assert_eq!((tail.lines.len(), tail.omitted), (5, 0));
    }

    #[test]
    fn of_a_long_log_the_end_is_shown() {
        let tail = Tail::read("x\n".repeat(LINES + 7).as_bytes(), &[]);
        assert_eq!((tail.lines.len(), tail.omitted, tail.lines[0].number), (LINES, 7, 8));
    }
}
