//! black and isort: files that they would reformat.
//!
//! ```text
//! would reformat /project/style.py
//! error: cannot format /project/broken.py: Cannot parse: 1:6: def f(:
//! 1 file would be reformatted, 1 file would fail to reformat, 3 files would be left unchanged.
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("black", &[], Role::Format)
    .lines(&[LineFormat::new(
        &[
            "would reformat ",
            "error: cannot format ",
            "error: cannot parse: ",
            " would be reformatted",
            " would be left unchanged",
            " left unchanged.",
            " reformatted",
            "Oh no! ",
            " would fail to reformat",
            "No Python files are present to be formatted",
        ],
        |_| Box::new(Black::default()),
    )])
    .merge(candidate::together);

const RULE: &str = "black/check";

static CLOSING: Pattern = Pattern::new(
    r"^\d+ files? (?:would be reformatted|reformatted|would be left unchanged|left unchanged|would fail to reformat|failed to reformat)(?:, \d+ files? [a-z ]+)*\.$",
);

static COUNTS: Pattern =
    Pattern::new(r"(?<number>\d+) files? (?<what>would be reformatted|would fail to reformat|failed to reformat)");

#[derive(Default)]
struct Black {
    findings: Findings,
    unformatted: u64,
    unread: u64,
    is_closed: bool,
    notes: Vec<String>,
}

impl Black {
    /// Handles a file that could not be read. It is counted as an error without a finding, and noted.
    fn failed(&mut self, text: &str) -> bool {
        let Some(said) = text.strip_prefix("error: ") else { return false };
        self.unread += 1;
        self.findings.add_unlisted(Level::Error, 1);
        if self.notes.len() < 20 {
            self.notes.push(format!("black {}", cut::head(said, 500)));
        }
        true
    }

    fn sum_up(&mut self, text: &str) {
        self.is_closed = true;
        for captures in COUNTS.find_iter(text) {
            let number = captures.number("number");
            let listed =
                if captures.text("what") == "would be reformatted" { &mut self.unformatted } else { &mut self.unread };
            let unlisted = number.saturating_sub(*listed);
            *listed = 0;
            if 0 < unlisted && self.notes.len() < 20 {
                self.notes.push(format!("black sums up {unlisted} files more than it lists"));
            }
            self.findings.add_unlisted(Level::Error, unlisted);
        }
    }
}

impl LineReader for Black {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(file) = text.strip_prefix("would reformat ").filter(|file| !file.is_empty()) {
            let mut found = diagnostic("black", RULE, line, Level::Error, "would reformat");
            found.file = Some(name(&text::path(file)));
            found.fixable = true;
            self.unformatted += 1;
            self.findings.add(found);
            return Use::Line;
        }
        if text.starts_with("error: cannot ") && self.failed(text) {
            return Use::Line;
        }
        if text.ends_with('.') && CLOSING.is_match(text) {
            self.sum_up(text);
            return Use::Line;
        }
        let is_own = text.starts_with("All done! ") || text.starts_with("Oh no! ") || text.starts_with("reformatted ");
        let is_empty = text.starts_with("No Python files are present to be formatted");
        self.is_closed |= is_empty;
        if is_own || is_empty { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let has_findings = 0 < self.findings.counts.total();
        let is_recognized = has_findings || self.is_closed;
        is_recognized.then(|| Candidate::of("check", self.findings).notes(self.notes))
    }
}
