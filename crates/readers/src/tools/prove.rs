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
//! Messages of tests about failures are on standard error, the summary on standard output.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("prove", &[], Role::Test)
    .lines(&[LineFormat::new(
        &["#   Failed test", "Test Summary Report", "Files=", "All tests successful.", " subtests"],
        |is_hinted| Box::new(Prove { is_hinted, ..Prove::default() }),
    )])
    .merge(one_candidate);

const RULE: &str = "prove/text";

static FAILED: Pattern = Pattern::new(
    r"^ *#   Failed (?<todo>\(TODO\) )?test(?: '(?<name>.*)')?(?: *at (?<file>\S.*) line (?<line>\d+)\.)?$",
);

static PLACE: Pattern = Pattern::new(r"^ *# +at (?<file>\S.*) line (?<line>\d+)\.$");

static FILE: Pattern = Pattern::new(r"^(?<file>\S.*?) +\(Wstat: \d+.*Tests: (?<tests>\d+) Failed: (?<failed>\d+)\)$");

static SKIPPED: Pattern = Pattern::new(r"^\s*\(less (?<number>\d+) skipped subtests?: \d+ okay\)$");

static FILES: Pattern = Pattern::new(r"^Files=\d+, Tests=(?<tests>\d+), +\d+ wallclock secs");

/// Other lines of prove, and those of a test, which are shown with `-v`.
static OTHER: Pattern = Pattern::new(
    r"^(?:(?<test>(?:not )?ok .*|1\.\..*)|Result: .*|All tests successful\.|Dubious, test returned .*|Failed .* subtests\s*|-------------------)$",
);

#[derive(Default)]
struct Prove {
    is_hinted: bool,
    /// Whether the output of tests is shown, as with `-v`.
    is_shown: bool,
    runs: Runs,
    /// Number of failed tests in the report so far.
    failed: u64,
    /// Number of skipped tests of the run.
    skipped: u64,
    is_in_report: bool,
    /// Whether the last file of the report is in `broken`.
    is_broken: bool,
    /// Files that failed without a failed test, each with whether any of its tests ran.
    broken: Vec<(TestFailure, bool)>,
}

impl Prove {
    fn failed(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = FAILED.find(&line.text) else { return false };
        self.runs.close();
        if !found.has("todo") {
            let mut failing = found.failing(RULE, line);
            if !found.has("name") {
                "unnamed test".clone_into(&mut failing.failure.name);
            }
            self.runs.open(failing);
        }
        true
    }

    /// Reads a test's message below a failure.
    fn go_on(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.runs.open else { return false };
        let text = line.text.trim_start();
        if !text.starts_with('#') || text.starts_with("# Looks like you ") {
            self.runs.close();
            return text.starts_with('#');
        }
        if open.failure.file.is_none()
            && let Some(found) = PLACE.find(text)
        {
            (open.failure.file, open.failure.line) = (found.file("file"), found.position("line"));
            open.extend(line);
        } else {
            open.add(line, text.trim_start_matches('#'));
        }
        true
    }

    /// Reads a line of the report.
    fn report(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if let Some(found) = FILE.find(text) {
            let failed = found.number("failed");
            self.failed += failed;
            self.is_broken = failed == 0;
            if self.is_broken && self.broken.len() < limit::FINDINGS_KEPT {
                let name = crate::candidate::name(found.text("file"));
                let failure = TestFailure { name, suite: true, ..found.failure(RULE, line) };
                self.broken.push((failure, found.text("tests") != "0"));
            }
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

    fn sum_up(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = FILES.find(&line.text) else { return false };
        self.runs.close();
        let total = found.number("tests");
        let failed = std::mem::take(&mut self.failed).min(total);
        let skipped = std::mem::take(&mut self.skipped).min(total - failed);
        // A file with a bad plan or exit status is reported if none of its tests ran, or if no failed test
        // explains why the run failed.
        for (broken, has_run) in self.broken.drain(..) {
            let says_it_passed = broken.message.starts_with("TODO passed");
            if !says_it_passed && (!has_run || failed == 0) {
                self.runs.failure(broken);
            }
        }
        self.runs.sum_up_at(line, results::out_of(total, failed, skipped));
        self.runs.begin();
        self.is_in_report = false;
        true
    }
}

impl LineReader for Prove {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if self.failed(line) || self.go_on(line) || self.sum_up(line) {
            return Use::Line;
        }
        if text == "Test Summary Report" {
            self.is_in_report = true;
            return Use::Line;
        }
        if self.is_in_report && self.report(line) {
            return Use::Line;
        }
        if let Some(found) = SKIPPED.find(text) {
            self.skipped += found.number("number");
            return Use::Line;
        }
        self.is_shown |= text.ends_with(" .. ") || text.ends_with(" ..");
        OTHER.find(text).is_some_and(|found| self.is_shown || !found.has("test")).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.runs.close();
        // Without a summary the failures may be of a test that was run without prove.
        let is_tentative = self.runs.end.is_none() && !self.is_hinted;
        // The other stream may hold the summary.
        (!self.runs.is_empty()).then(|| Candidate {
            is_tentative,
            notes: Vec::new(),
            ..self.runs.candidate("prove", "text")
        })
    }
}

/// Combines the failures of one stream with the summary of the other. Without a summary, only the failures are
/// known.
fn one_candidate(candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    let mut candidate = most_severe(candidates)?;
    if let Some(tests) = &mut candidate.tests
        && tests.counts.total == 0
        && !tests.failures.is_empty()
    {
        tests.counts = results::counts(0, tests.failures.len() as u64, 0);
        tests.authority = CountAuthority::Lines;
        candidate.notes.push("prove summed nothing up: its output is cut short".to_owned());
    }
    Some(candidate)
}
