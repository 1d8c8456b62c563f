//! The printer of Pest and of `artisan test`: files and tests with their marks, the failures, and the closing counts.
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
//! Version 1 marks a failure by `• Tests\Unit\CalcTest > it adds`.

use crate::prelude::*;

/// Texts one of which is in every output.
pub(super) const PREFILTER: &[&str] = &[" FAILED  ", "  Tests:  ", "  • "];

const RULE: &str = "pest/text";

static FAILED: Pattern = Pattern::new(r"^ {2,3}(?:FAILED {2}|• )(\S.*?)(?:\s{2,}\S+)?$");

/// `  at tests/Unit/CalcTest.php:4`.
static AT: Pattern = Pattern::new(r"^ {2,4}at (\S.*?):(\d+)$");

static COUNTS: Pattern = Pattern::new(r"^ {2}Tests: {2,}(\d.*)$");

pub(super) struct Report {
    framework: &'static str,
    is_active: bool,
    results: Results,
    open: Option<TestFailure>,
    /// Counts whose duration has yet to come below them.
    counts: Option<TestCounts>,
}

impl Report {
    pub(super) fn new(framework: &'static str, is_active: bool) -> Self {
        Self { framework, is_active, results: Results::default(), open: None, counts: None }
    }

    fn close(&mut self) {
        if let Some(mut failure) = self.open.take() {
            failure.message = text::trimmed(&failure.message);
            self.results.count(TestStatus::Failed, 1);
            self.results.failure(failure);
        }
    }

    fn detail(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.open else { return false };
        let text = line.text.trim_end();
        if !text.is_empty() && !text.starts_with("  ") {
            self.close();
            return false;
        }
        if let Some(captures) = AT.captures(text).filter(|_| open.line.is_none()) {
            open.file = Some(name(&text::path(&captures[1])));
            open.line = text::position(&captures[2]);
        } else if open.line.is_none() && !(text.is_empty() && open.message.is_empty()) {
            text::add_line(&mut open.message, text.trim_start(), limit::MESSAGE_BYTES);
        }
        if let Some(origin) = &mut open.origin {
            origin.end = line.end;
        }
        true
    }
}

/// Reads `1 failed, 1 skipped, 2 passed (3 assertions)`.
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
        if let Some(captures) = COUNTS.captures(text) {
            self.counts = counts(&captures[1]);
            if self.counts.is_some() {
                self.close();
                return Use::Line;
            }
        }
        if (text.starts_with("  Duration: ") || text.starts_with("  Time: "))
            && let Some(counts) = self.counts.take()
        {
            self.results.sum_up(counts);
            return Use::Line;
        }
        if let Some(captures) =
            FAILED.captures(text).filter(|captures| captures[1].contains(" > ") || captures[1].contains(" › "))
        {
            self.close();
            let title = name(&captures[1].replace(" › ", " > "));
            self.open = Some(TestFailure { name: title, origin: Some(origin(RULE, line)), ..TestFailure::default() });
            return Use::Line;
        }
        if self.detail(line) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let is_recognized = self.is_active && self.results.summary.is_some();
        is_recognized.then(|| {
            let tests = self.results.finish(self.framework, CountAuthority::Summary);
            Candidate { format: "pest", tests: Some(tests), ..Candidate::default() }
        })
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
