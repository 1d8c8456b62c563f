//! prove, Perl's runner of tests that print TAP.
//!
//! ```text
//! #   Failed test 'sum'
//! #   at t/a.t line 4.
//! t/a.t .. Failed 1/6 subtests
//! Test Summary Report
//! -------------------
//! t/a.t (Wstat: 256 (exited 1) Tests: 6 Failed: 1)
//!   Failed test:  2
//! Files=3, Tests=10,  0 wallclock secs ( 0.01 usr …)
//! Result: FAIL
//! ```
//!
//! What the tests say of failures stands on standard error, and the sum on standard output.

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestFailure, TestResults};
use referee_model::record::Stream;
use regex::Regex;

use crate::claim::{Claim, LineReader, Use, gravest, name, origin};
use crate::scan::Line;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// prove.
pub(crate) const TOOL: Tool = Tool {
    name: "prove",
    aliases: &[],
    role: Role::Test,
    lines: &[LineFormat {
        wakes: &["#   Failed test", "Test Summary Report", "Files=", "All tests successful.", " subtests"],
        reader: |is_hinted| Box::new(Prove { is_hinted, ..Prove::default() }),
    }],
    documents: &[],
    settle: one_claim,
};

static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^ *#   Failed (?:\(TODO\) )?test(?: '(?<name>.*)')?(?: *at (?<file>\S.*) line (?<line>\d+)\.)?$")
});

static PLACE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^ *# +at (?<file>\S.*) line (?<line>\d+)\.$"));

static FILE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<file>\S.*?) +\(Wstat: (?<status>\d+).*Tests: (?<tests>\d+) Failed: (?<failed>\d+)\)$")
});

static SKIPPED: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^\s*\(less (?<number>\d+) skipped subtests?: \d+ okay\)$"));

static FILES: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^Files=(?<files>\d+), Tests=(?<tests>\d+), +\d+ wallclock secs"));

#[derive(Default)]
struct Prove {
    is_hinted: bool,
    /// Whether what tests print is shown, as `-v` does.
    is_shown: bool,
    results: Results,
    done: Option<TestResults>,
    open: Option<TestFailure>,
    /// Failed tests and files of the report so far, and skipped tests of the run.
    failed: u64,
    skipped: u64,
    is_in_report: bool,
    /// Whether the last file of the report is one of those that are broken.
    is_broken: bool,
    /// Files that failed though none of their tests did, and whether any test of them ran.
    broken: Vec<(TestFailure, bool)>,
}

impl Prove {
    fn close(&mut self) {
        if let Some(failure) = self.open.take() {
            self.results.failure(failure);
        }
    }

    fn failed(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let Some(captures) = text.contains("#   Failed ").then(|| FAILED.captures(text)).flatten() else {
            return false;
        };
        self.close();
        if text.contains("(TODO)") {
            return true;
        }
        self.open = Some(TestFailure {
            name: captures.name("name").map_or_else(|| "unnamed test".to_owned(), |title| name(title.as_str())),
            file: captures.name("file").map(|file| name(&text::path(file.as_str()))),
            line: captures.name("line").and_then(|line| text::position(line.as_str())),
            origin: Some(origin("prove/text", line)),
            ..TestFailure::default()
        });
        true
    }

    /// Takes what a test says below a failure.
    fn go_on(&mut self, line: &Line<'_>) -> bool {
        let Some(failure) = &mut self.open else {
            return false;
        };
        let text = line.text.trim_start();
        if !text.starts_with('#') || text.starts_with("# Looks like you ") {
            self.close();
            return text.starts_with("# Looks like you ");
        }
        if failure.file.is_none()
            && let Some(captures) = PLACE.captures(text)
        {
            failure.file = Some(name(&text::path(&captures["file"])));
            failure.line = text::position(&captures["line"]);
        } else {
            text::append_line(&mut failure.message, text.trim_start_matches('#').trim_end(), limit::MESSAGE_BYTES);
        }
        if let Some(origin) = &mut failure.origin {
            origin.end = line.end;
        }
        true
    }

    /// Takes a line of the report.
    fn report(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if let Some(captures) = FILE.captures(text) {
            let failed = text::count(&captures["failed"]).unwrap_or_default();
            self.failed += failed;
            if failed == 0 && self.broken.len() < limit::FINDINGS_KEPT {
                let failure = TestFailure {
                    name: name(&captures["file"]),
                    suite: true,
                    file: Some(name(&text::path(&captures["file"]))),
                    origin: Some(origin("prove/text", line)),
                    ..TestFailure::default()
                };
                self.broken.push((failure, &captures["tests"] != "0"));
            }
            self.is_broken = failed == 0;
            return true;
        }
        if !text.starts_with("  ") {
            return false;
        }
        if let Some((broken, _)) = self.broken.last_mut().filter(|_| self.is_broken) {
            text::append_line(&mut broken.message, text.trim(), limit::MESSAGE_BYTES);
        }
        true
    }

    fn sum_up(&mut self, text: &str) -> bool {
        let Some(captures) = text.starts_with("Files=").then(|| FILES.captures(text)).flatten() else {
            return false;
        };
        self.close();
        let total = text::count(&captures["tests"]).unwrap_or_default();
        let failed = std::mem::take(&mut self.failed).min(total);
        let skipped = std::mem::take(&mut self.skipped).min(total - failed);
        let mut results = std::mem::take(&mut self.results);
        // A file with a bad plan or exit status matters where no failed test tells why the run failed.
        for (broken, has_run) in self.broken.drain(..) {
            let says_it_passed = broken.message.starts_with("TODO passed");
            if !says_it_passed && (!has_run || failed == 0) {
                results.failure(broken);
            }
        }
        results.sum_up(results::counts(total - failed - skipped, failed, skipped));
        results::join(&mut self.done, results.finish("prove", CountAuthority::Summary));
        self.is_in_report = false;
        true
    }
}

impl LineReader for Prove {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if self.failed(line) || self.go_on(line) || self.sum_up(text) {
            return Use::Line;
        }
        if text == "Test Summary Report" {
            self.is_in_report = true;
            return Use::Line;
        }
        if self.is_in_report && self.report(line) {
            return Use::Line;
        }
        if let Some(captures) = text.contains("(less ").then(|| SKIPPED.captures(text)).flatten() {
            self.skipped += text::count(&captures["number"]).unwrap_or_default();
            return Use::Line;
        }
        self.is_shown |= text.ends_with(" .. ") || text.ends_with(" ..");
        let is_test = text.starts_with("ok ") || text.starts_with("not ok ") || text.starts_with("1..");
        let is_talk = self.is_shown && is_test
            || text.starts_with("Result: ")
            || text == "All tests successful."
            || text.starts_with("Dubious, test returned ")
            || text.starts_with("Failed ") && text.trim_end().ends_with(" subtests")
            || text == "-------------------";
        if is_talk { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let was_summed_up = self.done.is_some();
        if !self.results.is_empty() {
            results::join(&mut self.done, self.results.finish("prove", CountAuthority::Summary));
        }
        let tests = self.done?;
        // Without a sum the failures may be of a test that was run without prove.
        let is_tentative = !was_summed_up && !self.is_hinted;
        Some(Claim { format: "text", tests: Some(tests), is_tentative, ..Claim::default() })
    }
}

/// Puts the failures of one stream to the sum of the other. Without a sum they are all that is known.
fn one_claim(claims: Vec<(Stream, Claim)>) -> Option<Claim> {
    let mut claim = gravest(claims)?;
    if let Some(tests) = &mut claim.tests
        && tests.counts.total == 0
        && !tests.failures.is_empty()
    {
        tests.counts = results::counts(0, tests.failures.len() as u64, 0);
        tests.authority = CountAuthority::Lines;
        claim.notes.push("prove summed nothing up: its output is cut short".to_owned());
    }
    Some(claim)
}
