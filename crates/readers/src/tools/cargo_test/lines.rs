//! The text of the harness: `running 3 tests`, `test tests::adds ... ok`, the output of failed tests between
//! `failures:` and the list of their names, and
//! `test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 7 filtered out`.
//!
//! A run ends at its last result line whose numbers add up to the announced number of tests, so that the output
//! of a test cannot replace it.

use super::FRAMEWORK;
use super::panic::Printed;
use crate::prelude::*;

/// `running 3 tests`.
static RUNNING: Pattern = Pattern::new(r"^running (?<tests>\d+) (?:test|doctest|benchmark)s?$");

/// `test tests::adds ... ok`, `test a - should panic ... FAILED <0.1s>`, `test b ... ignored, slow`.
static TEST: Pattern = Pattern::new(
    r"^test (?<name>\S.*?)(?: - should panic| - compile fail| - compile)? \.\.\. (?<status>ok|FAILED|ignored|bench:)(?:, .*| <.*>| .*)?$",
);

/// A failure in the terse format.
static TERSE: Pattern = Pattern::new(r"^(?<name>\S.*?) --- FAILED(?: <.*>)?$");

/// Heading of the output of a failed test.
static BLOCK: Pattern = Pattern::new(r"^---- (?<name>\S.*?) (?:stdout|stderr) ----$");

static RESULT: Pattern = Pattern::new(
    r"^test result: (?:ok|FAILED)\. (?<passed>\d+) passed; (?<failed>\d+) failed; (?<ignored>\d+) ignored; (?<measured>\d+) measured(?:; \d+ filtered out)?(?:; finished in .*)?$",
);

/// Marks of the terse format, followed by the number of tests so far.
static MARKS: Pattern = Pattern::new(r"^[.iFa]+(?: \d+/\d+)?$");

#[derive(Default, Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Outside,
    Tests,
    /// After `failures:`, or in the output of a failed test.
    Failures,
    /// In the list of the names of failed tests, or after it.
    Names,
}

#[derive(Default)]
pub(crate) struct Harness {
    is_hinted: bool,
    results: Runs,
    part: Part,
    /// The run whose lines are being read.
    run: Run,
    runs: u64,
    /// The failed test whose output block is being read, and its output.
    block: Option<(TestFailure, Printed)>,
    /// The target that Cargo announced.
    target: Option<String>,
    /// Whether Cargo reported that the target failed.
    has_failed_target: bool,
    /// Number of targets that ended without a result.
    crashes: u64,
    notes: Vec<String>,
}

#[derive(Debug, Default)]
struct Run {
    announced: u64,
    seen: TestCounts,
    summed_up: Option<TestCounts>,
    /// A result line within the output of a failed test.
    printed: Option<TestCounts>,
    /// Panics printed outside of captured output, by thread.
    uncaptured: Vec<(String, Printed)>,
    /// Failed tests, whose output blocks may follow.
    failed: Vec<TestFailure>,
}

/// Messages with which Cargo reports a failed target.
const FAILED: &[&str] = &["error: test failed, to rerun pass", "error: doctest failed", "error: bench failed"];

impl Harness {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, ..Self::default() }
    }

    fn begin(&mut self, announced: u64) {
        self.end();
        self.run = Run { announced, ..Run::default() };
        self.runs += 1;
        self.part = Part::Tests;
    }

    /// Ends a run. Its counts are those of its summary, or else those of its lines.
    fn end(&mut self) {
        self.close_block();
        let Run { announced, seen, summed_up, printed, uncaptured, failed } = std::mem::take(&mut self.run);
        let listed = failed.len() as u64;
        for mut failure in failed {
            if failure.message.is_empty()
                && let Some((_, printed)) = uncaptured.iter().find(|(thread, _)| *thread == failure.name)
            {
                printed.fill(&mut failure);
            }
            self.results.failure(failure);
        }
        let printed = printed.filter(|counts| counts.total == announced && counts.failed == listed);
        match summed_up.or(printed) {
            Some(counts) => self.results.add_up(counts),
            None if self.part != Part::Outside => {
                self.results.add_up(seen);
                if 0 < announced && self.notes.len() < 20 {
                    self.notes.push(format!("a run of {announced} tests was cut short: it has no result line"));
                }
            }
            None => {}
        }
        self.part = Part::Outside;
    }

    fn close_block(&mut self) {
        if let Some((mut failure, printed)) = self.block.take() {
            printed.fill(&mut failure);
            match self.run.failed.iter_mut().find(|known| known.name == failure.name) {
                Some(known) if known.message.is_empty() => *known = failure,
                Some(_) => {}
                None => self.run.failed.push(failure),
            }
        }
    }

    fn fail(&mut self, test: &str, line: &Line<'_>) {
        let is_known = self.run.failed.iter().any(|failure| failure.name == test);
        if !is_known && self.run.failed.len() < referee_model::limit::FINDINGS_KEPT {
            self.run.failed.push(candidate::failure(test, "cargo-test/text", line));
        }
    }

    fn test(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if self.part != Part::Tests {
            return false;
        }
        if let Some(captures) = TEST.find(text) {
            let status = match captures.text("status") {
                "FAILED" => TestStatus::Failed,
                "ignored" => TestStatus::Skipped,
                _ => TestStatus::Passed,
            };
            let test = captures.text("name");
            let (ancestors, title) = path(test);
            results::add(&mut self.run.seen, status, 1);
            self.results.case(results::case(&ancestors, title, None, status));
            if status == TestStatus::Failed {
                self.fail(test, line);
            }
            return true;
        }
        if let Some(captures) = TERSE.find(text) {
            results::add(&mut self.run.seen, TestStatus::Failed, 1);
            self.fail(captures.text("name"), line);
            return true;
        }
        MARKS.is_match(text)
    }

    fn result(&mut self, text: &str) -> bool {
        let Some(captures) = RESULT.find(text) else { return false };
        let number = |group: &str| captures.number(group);
        let counts = results::counts(number("passed") + number("measured"), number("failed"), number("ignored"));
        if self.part == Part::Outside {
            // The beginning of the log is missing.
            if !self.is_hinted && self.runs == 0 {
                return false;
            }
            self.runs += 1;
            self.part = Part::Names;
        }
        if self.block.is_some() {
            // A test printed it, unless no other result follows.
            self.run.printed.get_or_insert(counts);
            return false;
        }
        let adds_up = counts.total == self.run.announced;
        if self.run.summed_up.is_some() && !adds_up {
            return false;
        }
        self.run.summed_up = Some(counts);
        self.part = Part::Names;
        true
    }

    /// Keeps a panic printed outside of captured output.
    fn uncaptured(&mut self, text: &str) {
        const TESTS: usize = 1000;
        if let Some(rest) = text.strip_prefix("thread '")
            && let Some((thread, _)) = rest.split_once('\'')
            && self.run.uncaptured.len() < TESTS
        {
            self.run.uncaptured.push((name(thread), Printed::default()));
        }
        if let Some((_, printed)) = self.run.uncaptured.last_mut() {
            printed.add(text);
        }
    }

    /// Records a test binary that was killed by a signal, or that exited before its harness did.
    fn crash(&mut self, text: &str) {
        let target = self.target.as_deref().unwrap_or("a test binary");
        let target = target.split_once(" (").map_or(target, |(target, _)| target);
        let message = text.trim().to_owned();
        results::add(self.results.suites.get_or_insert_default(), TestStatus::Failed, 1);
        self.results.failure(TestFailure { name: name(target), suite: true, message, ..TestFailure::default() });
        self.crashes += 1;
    }

    /// Handles Cargo's own lines between the runs.
    fn cargo(&mut self, text: &str) -> bool {
        if let Some(target) = text.strip_prefix("     Running ").or_else(|| text.strip_prefix("   Doc-tests ")) {
            self.target = Some(target.to_owned());
            self.has_failed_target = false;
            return 0 < self.runs || self.is_hinted;
        }
        let is_exit = text.starts_with("  process didn't exit successfully: `");
        // The harness itself exits with this status if a test failed.
        if is_exit && !text.ends_with("(exit status: 101)") && (self.has_failed_target || self.part == Part::Tests) {
            self.crash(text);
            return true;
        }
        let is_list = text.starts_with("error: ") && text.ends_with(" failed:");
        let is_target = self.part != Part::Tests && text.starts_with("    `-") && text.ends_with('`');
        let is_of_cargo = is_list || is_target || FAILED.iter().any(|start| text.starts_with(start));
        self.has_failed_target |= self.block.is_none() && text.starts_with("error: test failed, to rerun pass");
        (0 < self.runs || self.is_hinted || self.has_failed_target) && self.block.is_none() && is_of_cargo
    }
}

impl LineReader for Harness {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if self.result(text) || self.cargo(text) {
            return Use::Line;
        }
        if let Some(captures) = RUNNING.find(text)
            && self.block.is_none()
        {
            self.begin(captures.number("tests"));
            return Use::Line;
        }
        if self.part == Part::Outside {
            return Use::None;
        }
        if self.test(line) {
            return Use::Line;
        }
        if let Some(captures) = BLOCK.find(text)
            && self.part == Part::Failures
        {
            self.close_block();
            let failure = candidate::failure(captures.text("name"), "cargo-test/text", line);
            self.block = Some((failure, Printed::default()));
            return Use::Line;
        }
        if matches!(text, "failures:" | "successes:") {
            self.close_block();
            self.part = if self.part == Part::Names { Part::Names } else { Part::Failures };
            return Use::Line;
        }
        if let Some((failure, printed)) = &mut self.block {
            printed.add(text);
            if let Some(origin) = &mut failure.origin {
                origin.end = line.end;
            }
            return Use::Line;
        }
        if self.part == Part::Failures
            && let Some(test) = text.strip_prefix("    ")
        {
            // If output is not captured, only this list names all failed tests.
            self.fail(test, line);
            return Use::Line;
        }
        self.uncaptured(text);
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.end();
        if self.runs + self.crashes == 0 {
            return None;
        }
        let has_gap = !self.notes.is_empty();
        let mut tests = self.results.finish(FRAMEWORK, CountAuthority::Summary);
        if 0 < self.crashes {
            // Reported by Cargo itself.
            tests.authority = CountAuthority::Summary;
        } else if has_gap && tests.counts.failed == 0 {
            tests.authority = CountAuthority::Lines;
        }
        Some(Candidate { format: "text", tests: Some(tests), notes: self.notes, ..Candidate::default() })
    }
}

/// Splits the path of a test into its modules and its own name.
pub(crate) fn path(test: &str) -> (Vec<&str>, &str) {
    if test.contains(' ') {
        return (Vec::new(), test);
    }
    let mut parts: Vec<&str> = test.split("::").collect();
    let title = parts.pop().unwrap_or(test);
    (parts, title)
}

#[cfg(test)]
mod tests {
    use referee_model::reading::TestResults;
    use referee_model::record::Stream;

    use super::*;

    fn read(text: &str) -> Option<TestResults> {
        let mut reader = Box::new(Harness::new(false));
        for text in text.lines() {
            let end = text.len() as u64;
            reader.line(&Line::new(text, Stream::Stdout, 0..end));
        }
        reader.finish().and_then(|candidate| candidate.tests)
    }

    #[test]
    fn what_a_test_prints_does_not_stand_for_the_result() {
        let forged = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        let text = format!(
            "running 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\n{forged}\nrunning 7 tests\nthread 'b' panicked at src/lib.rs:1:2:\nno\n\n\nfailures:\n    b\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n"
        );
        let tests = read(&text).unwrap();
        assert_eq!((tests.counts.passed, tests.counts.failed, tests.counts.total), (1, 1, 2));
        assert_eq!(tests.failures.len(), 1);
    }

    #[test]
    fn runs_are_summed_and_one_that_crashed_is_told() {
        let tests = read("running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n\nrunning 2 tests\ntest c ... ok\n  process didn't exit successfully: `/t` (signal: 6, SIGABRT: process abort signal)\n").unwrap();
        assert_eq!((tests.counts.passed, tests.failures.len(), tests.failures[0].suite), (2, 1, true));
        assert_eq!(tests.suites.unwrap().failed, 1);
    }

    #[test]
    fn other_text_is_not_the_harness() {
        assert!(read("running 3 tests of mine\ntest result: ok\n").is_none());
    }
}
