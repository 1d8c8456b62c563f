//! cargo-nextest: `PASS [   0.004s] (1/3) demo tests::adds`, output of failed tests, and
//! `Summary [   0.005s] 3 tests run: 2 passed (1 flaky), 1 failed, 1 skipped`.
//!
//! Output of tests is indented by four columns or, in versions before 0.9.90, follows `--- STDOUT: … ---`.

use super::cargo_test::lines::path;
use super::cargo_test::panic::Printed;
use super::{cargo_test, rustc};
use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("nextest", &["cargo-nextest"], Role::Test)
    .lines(&[
        LineFormat::new(&["Nextest run", "    Starting ", "     Summary ["], |_| Box::new(Nextest::default())),
        LineFormat::hinted(cargo_test::json::FORMAT.prefilter, |_| cargo_test::json::FORMAT.reader(true)),
        rustc::HUMAN_BESIDE_TESTS,
        rustc::JSON_BESIDE_TESTS,
    ])
    .merge(rustc::merge);

/// `        FAIL [   0.005s] ( 2/11) demo tests::adds`, and older forms without the number.
static STATUS: Pattern = Pattern::new(
    r"^ *(?<status>TRY \d+ [A-Z]+(?:-[A-Z]+)?|FLAKY \d+/\d+|FLKY-FL \d+/\d+|[A-Z]+(?:-[A-Z]+)?|LEAK-FAIL) \[[ >]*(?:[\d.]+m?s)?\s*\](?: +\([ ─\d/-]+\))? +(?<binary>[\w.:/@-]+) +(?<test>\S.*?)(?: \(attempt \d+/\d+\))?$",
);

static SUMMARY: Pattern = Pattern::new(r"^ *Summary \[[ >]*[\d.]+m?s\] +(?:\d+/)?\d+ tests? run: (?<parts>\d.*)$");

/// `    Starting 11 tests across 2 binaries (1 test skipped)`.
static STARTING: Pattern = Pattern::new(r"^ *Starting \d+ tests? across \d+ binar(?:y|ies)(?: \(.*\))?$");

/// One part of the final count: `1 timed out`, or what the number before it includes: `(1 flaky)`.
static PART: Pattern = Pattern::new(r"\([^)]*\)?|(?<number>\d+) (?<what>passed|failed|exec failed|timed out|skipped)");

/// The heading of a test's output: `  stdout ───`, `--- STDERR:              demo tests::adds ---`.
static OUTPUT: Pattern = Pattern::new(
    r"^(?:  (?:stdout|stderr|output) (?:\(.*\) )?[─-]+|[─-]+ (?:TRY \d+ )?STD(?:OUT|ERR|OUT & STDERR): +(?<binary>\S+) +(?<test>\S.*?)(?: [─-]*)?)$",
);

/// Other lines of nextest.
static OWN: Pattern = Pattern::new(
    r"^(?: *(?<id>Nextest run ID ).*|────.*|------------.*|  Cancelling due to .*|   Canceling due to .*|error: test run failed|warning: .* tests were not run due to .*)$",
);

#[derive(Default)]
struct Nextest {
    runs: Runs,
    /// Failed tests of this run, each with its binary and its output.
    failed: Vec<(String, TestFailure, Printed)>,
    is_running: bool,
    /// Index of the failed test whose output is being read, and whether that output is indented.
    printing: Option<(usize, bool)>,
    current: Option<usize>,
}

impl Nextest {
    fn begin(&mut self) {
        self.end();
        self.runs.start();
        self.is_running = true;
    }

    fn end(&mut self) {
        for (_, mut failure, printed) in self.failed.drain(..) {
            printed.fill(&mut failure);
            self.runs.failure(failure);
        }
        self.runs.begin();
        (self.is_running, self.printing, self.current) = (false, None, None);
    }

    fn sum_up(&mut self, text: &str) -> bool {
        let Some(captures) = SUMMARY.find(text) else { return false };
        let mut counts = TestCounts::default();
        for part in PART.find_iter(captures.text("parts")) {
            let status = match part.text("what") {
                "passed" => TestStatus::Passed,
                "skipped" => TestStatus::Skipped,
                _ => TestStatus::Failed,
            };
            results::add(&mut counts, status, part.number("number"));
        }
        self.is_running = true;
        self.runs.sum_up(counts);
        self.printing = None;
        true
    }

    fn status(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if !self.is_running || !text.contains('[') {
            return false;
        }
        let Some(captures) = STATUS.find(text) else { return false };
        self.printing = None;
        self.current = None;
        let (binary, test) = (captures.text("binary"), captures.text("test"));
        let status = match captures.text("status") {
            "PASS" | "LEAK" => TestStatus::Passed,
            "SKIP" => TestStatus::Skipped,
            "SLOW" | "TERMINATING" | "RETRY" | "DELAY" | "START" | "SETUP" => return true,
            word if word.starts_with("FLAKY") => TestStatus::Passed,
            word if word.starts_with("TRY") => {
                self.current = word.ends_with("PASS").then_some(usize::MAX);
                return true;
            }
            _ => TestStatus::Failed,
        };
        if status == TestStatus::Failed {
            self.current = Some(self.fail(binary, test, line));
        }
        if !self.runs.is_summed_up() {
            let (mut ancestors, title) = path(test);
            ancestors.insert(0, binary);
            self.runs.case(results::case(&ancestors, title, None, status));
        }
        true
    }

    /// Returns the index of a failed test in this run, adding it if needed.
    fn fail(&mut self, binary: &str, test: &str, line: &Line<'_>) -> usize {
        let known = self.failed.iter().position(|(of, failure, _)| of == binary && failure.name == test);
        known.unwrap_or_else(|| {
            if self.failed.len() < limit::FINDINGS_KEPT {
                let failure = candidate::failure(test, "nextest/text", line);
                self.failed.push((name(binary), failure, Printed::default()));
            }
            self.failed.len() - 1
        })
    }

    /// Reads the heading of a test's output.
    fn output(&mut self, text: &str) -> bool {
        if !self.is_running || !(text.starts_with("  std") || text.starts_with("  output") || text.contains(" STD")) {
            return false;
        }
        let Some(captures) = OUTPUT.find(text) else { return false };
        self.printing = match (captures.get("binary"), captures.get("test")) {
            (Some(binary), Some(test)) => {
                let at = self.failed.iter().position(|(of, failure, _)| of == binary && failure.name == test);
                Some((at.unwrap_or(usize::MAX), false))
            }
            _ => Some((self.current.unwrap_or(usize::MAX), true)),
        };
        true
    }

    /// Reads an output line of a test.
    fn printed(&mut self, line: &Line<'_>) -> bool {
        let Some((at, is_indented)) = self.printing else { return false };
        let text = if is_indented { line.text.strip_prefix("    ") } else { Some(&*line.text) };
        let Some(text) = text.or(line.is_blank.then_some("")) else {
            self.printing = None;
            return false;
        };
        if let Some((_, failure, printed)) = self.failed.get_mut(at) {
            printed.add(text);
            if let Some(origin) = &mut failure.origin {
                origin.end = line.end;
            }
        }
        true
    }
}

impl LineReader for Nextest {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if text.contains("Starting ") && STARTING.is_match(text) {
            self.begin();
            return Use::Line;
        }
        // A status line indented by four columns was printed by a test.
        let is_quoted = self.printing.is_some_and(|(_, is_indented)| is_indented)
            && text::indent(text) == 4
            && !text.starts_with("    TRY ");
        if !is_quoted && (self.sum_up(text) || self.status(line)) || self.output(text) || self.printed(line) {
            return Use::Line;
        }
        OWN.find(text).is_some_and(|found| self.is_running || found.has("id")).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.end();
        (!self.runs.is_empty()).then(|| self.runs.candidate("nextest", "text"))
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    #[test]
    fn statuses_are_read_in_their_forms() {
        for (line, status, binary, test) in [
            ("        PASS [   0.004s] ( 1/11) r_test tests::adds", "PASS", "r_test", "tests::adds"),
            ("        SKIP [         ] (─────) r_test tests::x", "SKIP", "r_test", "tests::x"),
            ("  TRY 1 FAIL [   0.004s] (1/3) a::b/c t", "TRY 1 FAIL", "a::b/c", "t"),
            ("   FLAKY 2/3 [   0.004s] a t", "FLAKY 2/3", "a", "t"),
            ("     TIMEOUT [  60.004s] a t::u", "TIMEOUT", "a", "t::u"),
            ("     SIGSEGV [   0.1s] a t", "SIGSEGV", "a", "t"),
            ("        SLOW [> 60.000s] a t", "SLOW", "a", "t"),
        ] {
            let captures = STATUS.find(line).unwrap();
            assert_eq!(
                (captures.text("status"), captures.text("binary"), captures.text("test")),
                (status, binary, test)
            );
        }
    }

    #[test]
    fn every_kind_of_failure_counts() {
        let mut reader = Box::new(Nextest::default());
        let text = "     Summary [   0.005s] 9/10 tests run: 4 passed (1 slow, 2 flaky), 2 failed (1 due to being leaky), 1 exec failed, 2 timed out, 3 skipped";
        let end = text.len() as u64;
        reader.line(&Line::new(text, Stream::Stderr, 0..end));
        let counts = reader.finish().and_then(|candidate| candidate.tests).unwrap().counts;
        assert_eq!((counts.passed, counts.failed, counts.skipped, counts.total), (4, 5, 3, 12));
    }
}
