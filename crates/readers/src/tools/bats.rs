//! Bats: its pretty formatter, and TAP that is known to come from Bats.
//!
//! ```text
//!  ✓ passes
//!  ✗ fails on status
//!    (in test file t.bats, line 4)
//!      `[ "$status" -eq 0 ]' failed
//!  - skipped (skipped: no network)
//!
//! 4 tests, 2 failures, 1 skipped
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("bats", &["bats-core"], Role::Test).lines(&[
    LineFormat::new(&[" ✓ ", " ✗ ", " tests, ", "1 test, "], |is_hinted| {
        Box::new(Bats::new(Layout::Pretty, is_hinted))
    }),
    LineFormat::new(&["in test file ", "ok 1 ", " failed with status "], |is_hinted| {
        Box::new(Bats::new(Layout::Tap, is_hinted))
    }),
]);

/// A test, possibly with overwritten terminal output before it: `   passes1/4 ✓ passes`.
static TEST: Pattern =
    Pattern::new(r"^(?:   .*?\d+/\d+(?: in \d+ sec)?)? (?<status>[✓✗-]) (?<name>\S.*?)(?: \[\d+\])?$");

/// `4 tests, 2 failures, 1 skipped, 1 not run`, with an optional time.
static SUMMARY: Pattern = Pattern::new(
    r"^(?<total>\d+) tests?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) skipped)?(?:, (?<pending>\d+) not run)?(?: in \d+ seconds?)?$",
);

/// `(in test file t.bats, line 4)`, or a function called by the test, with the location of the test below it.
static PLACE: Pattern = Pattern::new(r"in test file (?<file>.+?), line (?<line>\d+)\)?$");

/// `not ok 2 fails on status # in 12 ms`.
static TAP: Pattern =
    Pattern::new(r"^(?<not>not )?ok \d+ (?:- )?(?<name>.*?)(?: in \d+ ?m?s(?:ec)?)?(?<skip> # (?i:skip|todo)\b.*)?$");

/// `1..4`.
static PLAN: Pattern = Pattern::new(r"^1\.\.(?<planned>\d+)$");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Pretty,
    Tap,
}

struct Bats {
    layout: Layout,
    is_hinted: bool,
    runs: Runs,
    /// The file whose tests are listed.
    file: Option<String>,
    has_sign: bool,
    planned: Option<u64>,
}

impl Bats {
    fn new(layout: Layout, is_hinted: bool) -> Self {
        Self { layout, is_hinted, runs: Runs::default(), file: None, has_sign: false, planned: None }
    }

    fn test(&mut self, title: &str, status: TestStatus, line: &Line<'_>) {
        self.runs.close();
        self.runs.case(results::case(&[], title, self.file.as_deref(), status));
        if status == TestStatus::Failed {
            let mut failing = Failing::new(title, "bats/text", line);
            failing.failure.file.clone_from(&self.file);
            self.runs.open(failing);
        }
    }

    fn pretty(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if let Some(found) = may_be_test(text).then(|| TEST.find(text)).flatten() {
            let (title, status) = (found.text("name"), found.status());
            let title = match status {
                TestStatus::Skipped => title.rsplit_once(" (skipped").map(|(title, _)| title),
                _ => Some(title),
            };
            if let Some(title) = title {
                self.test(title, status, line);
            }
            return title.is_some();
        }
        if let Some(counts) = SUMMARY.find(text).and_then(|found| found.tests()) {
            // Other runners print the same line, so it must agree with the listed tests.
            let seen = self.runs.seen;
            let agrees = (seen.failed, seen.passed) == (counts.failed, counts.passed) && 0 < seen.total;
            if agrees || self.is_hinted {
                self.has_sign = true;
                self.runs.end_at(line, counts);
            }
            return agrees || self.is_hinted;
        }
        if text::has_extension(text, &["bats", "sh"]) && !text.starts_with(' ') {
            self.runs.close();
            self.file = Some(name(&text::path(text)));
            return true;
        }
        text.starts_with("   ") && self.detail(text, line)
    }

    fn tap(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if let Some(found) = PLAN.find(text) {
            self.end_run();
            self.planned = found.count("planned");
            return true;
        }
        if let Some(found) = TAP.find(text) {
            // With TAP 13, Bats marks skipped tests as not ok.
            let status = match (found.has("skip"), found.has("not")) {
                (true, _) => TestStatus::Skipped,
                (false, true) => TestStatus::Failed,
                (false, false) => TestStatus::Passed,
            };
            self.test(found.text("name"), status, line);
            return true;
        }
        if text.starts_with("TAP version ") {
            return true;
        }
        let detail = text.strip_prefix('#').or_else(|| text.starts_with("  ").then_some(text));
        detail.is_some_and(|detail| self.detail(detail, line))
    }

    /// Ends a run with a plan: tests that were not reported count as failed.
    fn end_run(&mut self) {
        if let Some(planned) = self.planned.take() {
            let mut run = self.runs.seen;
            let missing = planned.saturating_sub(run.total);
            results::add(&mut run, TestStatus::Failed, missing);
            self.runs.sum_up(run);
        }
        self.runs.begin();
    }

    /// Handles the details of a failed test.
    fn detail(&mut self, text: &str, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.runs.open else { return false };
        if let Some(found) = PLACE.find(text) {
            self.has_sign = true;
            if open.failure.line.is_none() {
                (open.failure.file, open.failure.line) = (found.file("file"), found.position("line"));
            }
        }
        open.add(line, text.trim())
    }
}

/// Returns whether a line begins like a test, or like output that the number of a test precedes.
fn may_be_test(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_number = || memchr::memchr_iter(b'/', bytes).any(|at| bytes.get(at + 1).is_some_and(u8::is_ascii_digit));
    text.get(1..).is_some_and(|text| text.starts_with(['✓', '✗', '-'])) || text.starts_with("   ") && has_number()
}

impl LineReader for Bats {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let is_used = match self.layout {
            Layout::Pretty => self.pretty(line),
            Layout::Tap => self.tap(line),
        };
        is_used.into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.end_run();
        if self.runs.is_empty() || !(self.has_sign || self.is_hinted) {
            return None;
        }
        Some(self.runs.candidate("bats", if self.layout == Layout::Pretty { "pretty" } else { "tap" }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_read_with_what_is_written_over_them() {
        let read = |text| TEST.find(text).map(|found| (found.text("status").to_owned(), found.text("name").to_owned()));
        let is = |mark: &str, name: &str| Some((mark.to_owned(), name.to_owned()));
        assert_eq!(read(" ✓ passes"), is("✓", "passes"));
        assert_eq!(read("   passes1/4 ✓ passes"), is("✓", "passes"));
        assert_eq!(read("   fails1/4 in 0 sec ✗ fails [8]"), is("✗", "fails"));
        assert_eq!(read(" - skipped (skipped: no network)"), is("-", "skipped (skipped: no network)"));
        assert_eq!(read("✓ passes"), None);
    }
}
