//! The printer of Pest and of `artisan test`: files and tests with their marks, the failures, and the final
//! counts.
//!
//! ```text
//!    FAIL  Tests\Unit\CalcTest
//!   ⨯ it adds                                   0.01s
//!   ─────────────────────────────────────────────────
//!    FAILED  Tests\Unit\CalcTest > it adds
//!   Failed asserting that 3 is identical to 4.
//!
//!   at tests/Unit/CalcTest.php:4
//!
//!   Tests:    1 failed, 2 passed (3 assertions)
//!   Duration: 0.05s
//! ```
//! Version 1 marks a failure with `• Tests\Unit\CalcTest > it adds`.

use crate::prelude::*;

/// Texts one of which is in every output.
pub(super) const PREFILTER: &[&str] = &[" FAILED  ", "  Tests:  ", "  • "];

/// A failed test with its full name, followed by its duration or its exception.
static FAILED: Pattern = Pattern::new(r"^ {2,3}(?:FAILED {2}|• )(?<name>\S.*?)(?:\s{2,}\S+)?$");

static AT: Pattern = Pattern::new(r"^ {2,4}at (?<file>\S.*?):(?<line>\d+)$");

static COUNTS: Pattern = Pattern::new(r"^ {2}Tests: {2,}(?<counts>\d.*)$");

/// Reads the output of Pest or Collision.
pub(super) struct Report {
    framework: &'static str,
    is_active: bool,
    runs: Runs,
    /// The counts, valid only if a line with the duration follows.
    counts: Option<TestCounts>,
}

impl Report {
    pub(super) fn new(framework: &'static str, is_active: bool) -> Self {
        Self { framework, is_active, runs: Runs::default(), counts: None }
    }

    fn detail(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if !text.is_empty() && !text.starts_with("  ") {
            self.runs.close();
        }
        let Some(open) = &mut self.runs.open else { return false };
        if open.failure.line.is_none() {
            match AT.find(text) {
                Some(found) => (open.failure.file, open.failure.line) = (found.file("file"), found.position("line")),
                None => open.append(text.trim_start()),
            }
        }
        open.reach(line);
        true
    }
}

/// Parses `1 failed, 1 skipped, 2 passed (3 assertions)`.
fn counts(text: &str) -> Option<TestCounts> {
    let text = text.split(" (").next()?;
    let mut counts = TestCounts::default();
    for part in text.split(", ") {
        let (number, word) = part.trim().split_once(' ')?;
        let number = text::count(number)?;
        match word {
            "failed" => counts.failed += number,
            "passed" | "warning" | "warnings" | "warn" | "risky" | "deprecated" | "notice" | "notices" => {
                counts.passed += number;
            }
            "skipped" | "incomplete" | "incompleted" | "todo" | "todos" | "pending" => counts.skipped += number,
            _ => return None,
        }
    }
    counts.total = counts.passed + counts.failed + counts.skipped;
    Some(counts)
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if !self.is_active {
            return Use::None;
        }
        let text = line.text.trim_end();
        if let Some(found) = COUNTS.find(text) {
            self.counts = counts(found.text("counts"));
            if self.counts.is_some() {
                self.runs.close();
                return Use::Line;
            }
        }
        if (text.starts_with("  Duration: ") || text.starts_with("  Time: "))
            && let Some(counts) = self.counts.take()
        {
            self.runs.add_up(counts);
            return Use::Line;
        }
        let is_full = |name: &str| name.contains(" > ") || name.contains(" › ");
        if let Some(found) = FAILED.find(text).filter(|found| is_full(found.text("name"))) {
            self.runs.open(Failing::new(&found.text("name").replace(" › ", " > "), "pest/text", line));
            self.runs.count(TestStatus::Failed, 1);
            return Use::Line;
        }
        self.detail(line).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.runs.close();
        let is_recognized = self.is_active && self.runs.is_summed_up();
        is_recognized.then(|| self.runs.candidate(self.framework, "pest"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_counts_are_read() {
        let read = |text| counts(text).map(|counts| (counts.passed, counts.failed, counts.skipped, counts.total));
        assert_eq!(read("1 failed, 1 skipped, 2 passed (3 assertions)"), Some((2, 1, 1, 4)));
        assert_eq!(read("1 todo, 2 passed (3 assertions)"), Some((2, 0, 1, 3)));
        assert_eq!(read("4 passed"), Some((4, 0, 0, 4)));
        assert_eq!(read("1 failed, 3 of 4 total"), None);
    }
}
