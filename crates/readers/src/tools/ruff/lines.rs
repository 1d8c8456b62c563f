//! The text formats.

use crate::prelude::*;
use crate::shapes::coded::{self, Sequence};

/// The first line of a finding in the format `full`; its location follows.
static HEAD: Pattern = Pattern::new(
    r"^(?<code>[A-Z]{1,6}\d{1,5}|invalid-syntax|unformatted|io-error):? (?<fix>\[\*\] )?(?<message>\S.*)$",
);

/// The location: ` --> app.py:1:8`; for a notebook it includes the cell.
static PLACE: Pattern = Pattern::new(r"^ *--> (?<file>\S.*?)(?::cell \d+)?(?::(?<line>\d+):(?<column>\d+))?$");

/// A line of a code frame or of a suggested change.
static FRAME: Pattern = Pattern::new(r"^ *\d* *(?:\||[-+](?: |$)|\.\.\.|::: |= )");

/// A finding of the format `grouped`, below its file.
static GROUPED: Pattern = Pattern::new(
    r"^ {2,}(?<line>\d+):(?<column>\d+) +(?<code>[A-Z]{1,6}\d{1,5}|invalid-syntax|unformatted):? (?<fix>\[\*\] )?(?<message>\S.*)$",
);

/// ruff's message about a file that it could not read.
static FAILED: Pattern = Pattern::new(
    r"^error: (?<message>Failed to (?:parse|format|check|lint|read) (?<file>\S.*?)(?::(?<line>\d+):(?<column>\d+))?: .*)$",
);

/// The final line of a format check.
static FORMATTED: Pattern = Pattern::new(
    r"^(?:(?<unformatted>\d+) files? would be reformatted)?(?:, )?(?:\d+ files? (?:already formatted|left unchanged))?$",
);

const CHECK: &str = "ruff/check";

#[derive(Default)]
pub(super) struct Ruff {
    is_hinted: bool,
    findings: Findings,
    /// Findings in the format `concise`, which other tools share.
    sequence: Sequence,
    /// Number of findings since the last final count.
    listed: u64,
    /// Number of unformatted files since the last final count.
    unformatted: u64,
    /// The first line of a finding whose location must follow.
    head: Option<Diagnostic>,
    /// The file of a group of findings.
    group: Option<String>,
    changed: Vec<Diagnostic>,
    is_in_frame: bool,
    /// Whether a line was read that only ruff prints.
    is_certain: bool,
    is_clean: bool,
    notes: Vec<String>,
}

impl Ruff {
    pub(super) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, ..Self::default() }
    }

    fn add(&mut self, found: Diagnostic) {
        if found.code.as_deref() == Some("unformatted") {
            self.unformatted += 1;
        } else {
            self.listed += 1;
        }
        self.is_certain = true;
        self.findings.add(found);
    }

    /// Ends a sequence in the format `concise`, which counts only if something shows that it is ruff's.
    fn end(&mut self, closing: Option<u64>) {
        let sequence = std::mem::take(&mut self.sequence);
        let found = sequence.len();
        let is_summed_up = closing.is_some_and(|number| number == found + self.listed) && 0 < found;
        if self.is_hinted || sequence.is_of_ruff || is_summed_up {
            self.is_certain |= 0 < found;
            self.listed += found;
            self.findings.append(sequence.findings);
        }
    }

    fn sum_up(&mut self, text: &str) -> bool {
        let Some(errors) = coded::ruff_closing(text) else { return false };
        self.end(Some(errors));
        if !self.is_certain && !self.is_hinted {
            return false;
        }
        let unlisted = errors.saturating_sub(self.listed);
        if 0 < unlisted && self.notes.len() < 20 {
            self.notes.push(format!("ruff sums up {errors} errors; {} were read one by one", self.listed));
        }
        self.findings.add_unlisted(Level::Error, unlisted);
        self.listed = 0;
        self.is_clean |= errors == 0;
        true
    }

    /// Reads the final line of a format check.
    fn formatted(&mut self, text: &str) -> bool {
        let Some(captures) = FORMATTED.find(text).filter(|_| !text.is_empty()) else { return false };
        let number = captures.number("unformatted");
        self.is_clean = true;
        let changed = std::mem::take(&mut self.changed);
        if self.unformatted == 0 && changed.len() as u64 == number {
            for found in changed {
                self.add(found);
            }
        }
        let unlisted = number.saturating_sub(self.unformatted);
        self.findings.add_unlisted(Level::Error, unlisted);
        self.unformatted = 0;
        true
    }

    fn place(&mut self, line: &Line<'_>, text: &str) -> bool {
        let Some(mut found) = self.head.take() else { return false };
        let Some(captures) = PLACE.find(text) else { return false };
        captures.locate(&mut found);
        found.origin.end = line.end;
        self.add(found);
        self.is_in_frame = true;
        true
    }

    /// Reads the lines below a location: the source, help messages and the suggested change.
    fn frame(&mut self, line: &Line<'_>, text: &str) -> bool {
        if !self.is_in_frame {
            return false;
        }
        let trimmed = text.trim_start();
        let help = trimmed.strip_prefix("help: ").or_else(|| trimmed.strip_prefix("= help: "));
        let is_frame = help.is_some()
            || trimmed.starts_with("info: ")
            || trimmed.starts_with("note: ")
            || text.trim().is_empty()
            || FRAME.is_match(text)
            || trimmed.bytes().all(|byte| byte.is_ascii_digit());
        if !is_frame {
            self.is_in_frame = false;
            return false;
        }
        if let Some(last) = self.findings.kept.items_mut().last_mut() {
            if let Some(help) = help {
                last.suggestion = Some(cut::head(help, limit::MESSAGE_BYTES).to_owned());
            }
            if last.source.is_none()
                && let Some((number, source)) = text.split_once('|')
                && text::position(number.trim()) == last.line
                && last.line.is_some()
            {
                last.source = Some(source.strip_prefix(' ').unwrap_or(source).to_owned());
            }
            if !text.trim().is_empty() {
                last.origin.end = line.end;
            }
        }
        !text.trim().is_empty()
    }

    fn head(&mut self, line: &Line<'_>, text: &str) -> bool {
        let Some(captures) = HEAD.find(text) else { return false };
        let mut found = captures.diagnostic("ruff", CHECK, line, Level::Error);
        found.fixable |= captures.text("code") == "unformatted";
        self.is_in_frame = false;
        self.head = Some(found);
        true
    }

    fn grouped(&mut self, line: &Line<'_>, text: &str) -> bool {
        if !text.starts_with("  ") {
            let file = text.strip_suffix(':').filter(|file| !file.is_empty() && !file.contains(": "));
            self.group = file.map(|file| name(&text::path(file)));
            return false;
        }
        let Some(captures) = self.group.as_ref().and_then(|_| GROUPED.find(text)) else { return false };
        let mut found = captures.diagnostic("ruff", CHECK, line, Level::Error);
        found.file.clone_from(&self.group);
        self.add(found);
        true
    }

    /// Reads a line about a file that is not formatted or could not be read.
    fn file(&mut self, line: &Line<'_>, text: &str) -> bool {
        if let Some(file) = text.strip_prefix("Would reformat: ") {
            let mut found = diagnostic("ruff", "ruff/format", line, Level::Error, "Would reformat");
            found.file = Some(name(&text::path(file)));
            found.fixable = true;
            self.unformatted += 1;
            self.is_certain = true;
            self.findings.add(found);
            return true;
        }
        if let Some(captures) = FAILED.find(text) {
            let found = captures.diagnostic("ruff", CHECK, line, Level::Error);
            self.is_certain |= found.file.as_deref().is_some_and(|file| file.contains(".py"));
            self.findings.add(found);
            return true;
        }
        if let Some(file) = text.strip_prefix("--- ").filter(|_| self.is_hinted && self.changed.len() < 1000) {
            let mut found = diagnostic("ruff", "ruff/format", line, Level::Error, "Would reformat");
            found.file = Some(name(&text::path(file)));
            found.code = Some("unformatted".to_owned());
            self.changed.push(found);
        }
        false
    }
}

impl LineReader for Ruff {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if self.head.is_some() && self.place(line, text) {
            return Use::WithPrevious;
        }
        if let Some(found) = coded::finding("ruff", CHECK, line) {
            self.is_in_frame = true;
            self.sequence.add(found);
            return Use::Line;
        }
        if text.starts_with("Found ") && self.sum_up(text) {
            self.is_in_frame = false;
            return Use::Line;
        }
        if self.is_in_frame && 0 < self.sequence.len() && FRAME.is_match(text) {
            // Before version 0.13 the source followed such a line.
            return Use::Line;
        }
        if !text.is_empty() {
            self.end(None);
        }
        if self.head(line, text) {
            return Use::None;
        }
        if self.frame(line, text) || self.file(line, text) || self.grouped(line, text) || self.formatted(text) {
            return Use::Line;
        }
        if text == "All checks passed!" {
            self.is_clean = true;
            return Use::Line;
        }
        if coded::is_ruff_fixable(text) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.end(None);
        let has_findings = 0 < self.findings.counts.total();
        if !has_findings && !self.is_clean {
            return None;
        }
        let is_certain = self.is_certain || self.is_hinted;
        let confidence = if is_certain { Confidence::Certain } else { Confidence::Likely };
        Some(Candidate::of("text", self.findings).confidence(confidence).notes(self.notes))
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn read(text: &str, is_hinted: bool) -> Option<Candidate> {
        let mut reader = Box::new(Ruff::new(is_hinted));
        for line in text.lines() {
            let text = line;
            reader.line(&Line::new(text, Stream::Stdout, 0..1));
        }
        reader.finish()
    }

    #[test]
    fn findings_of_older_versions_stand_above_their_source() {
        let text = "a.py:1:8: F401 [*] `os` imported but unused\n  |\n1 | import os\n  |        ^^ F401\n  |\n  = help: Remove unused import: `os`\n\nFound 1 error.\n[*] 1 fixable with the `--fix` option.\n";
        let candidate = read(text, false).unwrap();
        assert_eq!((candidate.findings.counts.errors, candidate.findings.counts.fixable), (1, 1));
    }

    #[test]
    fn what_ruff_sums_up_is_its_own() {
        assert_eq!(
            read("a.py:1:8: F401 x\na.py:2:1: E501 y\nFound 2 errors.", false).unwrap().findings.counts.errors,
            2
        );
        assert!(read("a.py:1:8: F401 x\na.py:2:1: E501 y\nFound 3 errors.", false).is_none());
        assert!(read("Found 3 errors.", false).is_none());
        assert_eq!(read("Found 3 errors.", true).unwrap().findings.counts.errors, 3);
        assert_eq!(
            read("2 files would be reformatted, 1 file already formatted", true).unwrap().findings.counts.errors,
            2
        );
    }
}
