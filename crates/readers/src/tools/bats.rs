//! Bats: its pretty formatter, and TAP where Bats is known to have written it.
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

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestCounts, TestFailure, TestStatus};
use regex::Regex;

use crate::claim::{self, Claim, LineReader, Use, name, origin};
use crate::scan::Line;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Bats.
pub(crate) const TOOL: Tool = Tool {
    name: "bats",
    aliases: &["bats-core"],
    role: Role::Test,
    lines: &[
        LineFormat {
            wakes: &[" ✓ ", " ✗ ", " tests, ", "1 test, "],
            reader: |is_hinted| Box::new(Bats::new(Layout::Pretty, is_hinted)),
        },
        LineFormat {
            wakes: &["in test file ", "ok 1 ", " failed with status "],
            reader: |is_hinted| Box::new(Bats::new(Layout::Tap, is_hinted)),
        },
    ],
    documents: &[],
    settle: claim::gravest,
};

/// A test, with what is written over it where the terminal is one: `   passes1/4 ✓ passes`.
static TEST: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?:   .*?\d+/\d+(?: in \d+ sec)?)? (?<mark>[✓✗-]) (?<name>\S.*?)(?: \[\d+\])?$"));

/// `4 tests, 2 failures, 1 skipped, 1 not run`, and the time they took.
static SUMMARY: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<total>\d+) tests?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) skipped)?(?:, (?<missed>\d+) not run)?(?: in \d+ seconds?)?$",
    )
});

/// `(in test file t.bats, line 4)`, or a function that the test called, with the test's place below it.
static PLACE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"in test file (?<file>.+?), line (?<line>\d+)\)?$"));

/// `not ok 2 fails on status # in 12 ms`.
static TAP: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<not>not )?ok (?<number>\d+) (?:- )?(?<name>.*?)(?: in \d+ ?m?s(?:ec)?)?(?<skip> # (?i:skip|todo)\b.*)?$",
    )
});

/// `1..4`.
static PLAN: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^1\.\.(\d+)$"));

/// Which formatter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Pretty,
    Tap,
}

/// Reads one stream.
struct Bats {
    layout: Layout,
    is_hinted: bool,
    results: Results,
    open: Option<TestFailure>,
    /// The file whose tests are listed.
    file: Option<String>,
    has_sign: bool,
    /// Tests that were planned, and those that came since.
    planned: Option<u64>,
    /// Counts of the run that is going on, where there is a plan.
    run: TestCounts,
}

impl Bats {
    fn new(layout: Layout, is_hinted: bool) -> Self {
        Self {
            layout,
            is_hinted,
            results: Results::default(),
            open: None,
            file: None,
            has_sign: false,
            planned: None,
            run: TestCounts::default(),
        }
    }

    fn close(&mut self) {
        if let Some(mut failure) = self.open.take() {
            failure.message = text::trimmed(&failure.message);
            failure.file = failure.file.or_else(|| self.file.clone());
            self.results.failure(failure);
        }
    }

    fn test(&mut self, title: &str, status: TestStatus, line: &Line<'_>) {
        self.close();
        self.results.case(results::case(&[], title, self.file.as_deref(), status));
        results::add(&mut self.run, status, 1);
        if status == TestStatus::Failed {
            let origin = origin("bats/text", line);
            self.open = Some(TestFailure { name: name(title), origin: Some(origin), ..TestFailure::default() });
        }
    }

    fn pretty(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if let Some(captures) = TEST.captures(text) {
            let title = &captures["name"];
            let (title, status) = match &captures["mark"] {
                "✓" => (title, TestStatus::Passed),
                "✗" => (title, TestStatus::Failed),
                _ => match title.rsplit_once(" (skipped") {
                    Some((title, _)) => (title, TestStatus::Skipped),
                    None => return false,
                },
            };
            self.test(title, status, line);
            return true;
        }
        if let Some(captures) = SUMMARY.captures(text) {
            let number = |group| captures.name(group).map_or(Some(0), |digits| text::count(digits.as_str()));
            let (Some(total), Some(failed), Some(skipped), Some(missed)) =
                (number("total"), number("failed"), number("skipped"), number("missed"))
            else {
                return false;
            };
            self.close();
            let skipped = skipped + missed;
            let passed = total.saturating_sub(failed + skipped);
            // Other runners close so, too: what was listed must agree.
            let agrees = (self.run.failed, self.run.passed) == (failed, passed) && 0 < self.run.total;
            self.run = TestCounts::default();
            if agrees || self.is_hinted {
                self.has_sign = true;
                self.results.sum_up(results::counts(passed, failed, skipped));
                return true;
            }
            return false;
        }
        if text::has_extension(text, &["bats", "sh"]) && !text.starts_with(' ') {
            self.close();
            self.file = Some(name(&text::path(text)));
            return true;
        }
        text.starts_with("   ") && self.detail(text, line)
    }

    fn tap(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if let Some(captures) = PLAN.captures(text) {
            self.end_run();
            self.planned = text::count(&captures[1]);
            return true;
        }
        if (text.starts_with("ok ") || text.starts_with("not ok "))
            && let Some(captures) = TAP.captures(text)
        {
            // With TAP 13 Bats marks what is skipped as not ok.
            let status = match (captures.name("skip"), captures.name("not")) {
                (Some(_), _) => TestStatus::Skipped,
                (None, Some(_)) => TestStatus::Failed,
                (None, None) => TestStatus::Passed,
            };
            self.test(&captures["name"], status, line);
            return true;
        }
        if text.starts_with("TAP version ") {
            return true;
        }
        let detail = text.strip_prefix('#').or_else(|| text.starts_with("  ").then_some(text));
        detail.is_some_and(|detail| self.detail(detail, line))
    }

    /// Ends a run with a plan: tests that never came have failed.
    fn end_run(&mut self) {
        self.close();
        let mut run = std::mem::take(&mut self.run);
        if let Some(planned) = self.planned.take() {
            let missing = planned.saturating_sub(run.total);
            results::add(&mut run, TestStatus::Failed, missing);
            self.results.sum_up(run);
        }
    }

    /// Takes what is said of a test that failed.
    fn detail(&mut self, text: &str, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        if let Some(captures) = PLACE.captures(text) {
            self.has_sign = true;
            if open.line.is_none() {
                open.file = Some(name(&text::path(&captures["file"])));
                open.line = text::position(&captures["line"]);
            }
        }
        text::add_line(&mut open.message, text.trim(), limit::MESSAGE_BYTES);
        if let Some(origin) = &mut open.origin {
            origin.end = line.end;
        }
        true
    }
}

impl LineReader for Bats {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let is_used = match self.layout {
            Layout::Pretty => self.pretty(line),
            Layout::Tap => self.tap(line),
        };
        if is_used { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        if self.layout == Layout::Tap {
            self.end_run();
        }
        self.close();
        let has_place = self.has_sign || self.is_hinted;
        if !has_place || self.results.is_empty() {
            return None;
        }
        let mut notes = Vec::new();
        if self.results.summary.is_none() {
            notes.push("the output of bats is cut short: it sums up nothing".to_owned());
        }
        let tests = self.results.finish("bats", CountAuthority::Summary);
        let format = if self.layout == Layout::Pretty { "pretty" } else { "tap" };
        Some(Claim { format, tests: Some(tests), notes, ..Claim::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_read_with_what_is_written_over_them() {
        let read =
            |text| TEST.captures(text).map(|captures| (captures["mark"].to_owned(), captures["name"].to_owned()));
        let is = |mark: &str, name: &str| Some((mark.to_owned(), name.to_owned()));
        assert_eq!(read(" ✓ passes"), is("✓", "passes"));
        assert_eq!(read("   passes1/4 ✓ passes"), is("✓", "passes"));
        assert_eq!(read("   fails1/4 in 0 sec ✗ fails [8]"), is("✗", "fails"));
        assert_eq!(read(" - skipped (skipped: no network)"), is("-", "skipped (skipped: no network)"));
        assert_eq!(read("✓ passes"), None);
    }
}
