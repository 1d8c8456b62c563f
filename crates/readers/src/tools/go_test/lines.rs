//! The text format: `=== RUN   TestA`, `--- FAIL: TestA (0.00s)` with the test's output before it (verbose) or
//! after it, and a verdict for each package.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::reading::TestCase;

use super::printed::Printed;
use super::{FRAMEWORK, case, package_failure};
use crate::prelude::*;

/// Texts one of which is in some line of every output.
pub(crate) const PREFILTER: &[&str] = &[
    "=== RUN ",
    "--- FAIL: ",
    "--- PASS: ",
    "--- SKIP: ",
    "ok  \t",
    "ok      ",
    "FAIL\t",
    "FAIL    ",
    " ns/op",
    "[no test files]",
];

/// Maximum number of tests of one package tracked while they run.
const RUNNING: usize = 20_000;

/// `x--- FAIL: TestA/sub (0.00s)`: output of the test precedes its result on the same line.
static RESULT: Pattern = Pattern::new(
    r"^(?<before>.*?)--- (?<status>PASS|FAIL|SKIP|BENCH): (?<test>\S+)(?: \((?<seconds>\d+\.\d+) ?s(?:econds)?\))?$",
);

/// `ok    example.com/demo  0.005s  coverage: 0.0% of statements`, `FAIL  example.com/demo [build failed]`.
static VERDICT: Pattern = Pattern::new(
    r"^(?<verdict>ok|FAIL|\?)[ \t]+(?<package>[\w./~@+-]+)[ \t]+(?<how>\(cached\)|\d+(?:\.\d+)?s|\[[a-z ]+\])(?:[ \t].*)?$",
);

/// `BenchmarkParse-8      1000000        1591 ns/op`.
pub(super) static BENCHMARK: Pattern = Pattern::new(r"^(?<test>Benchmark\S*)\s+\d+\s+\d[\d.]* ns/op(?:\s.*)?$");

#[derive(Default)]
pub(crate) struct Text {
    results: Runs,
    findings: Findings,
    /// Running tests of this package, with their output.
    running: BTreeMap<String, Printed>,
    /// Failed tests of this package, with their output.
    failed: Vec<(TestFailure, Printed)>,
    /// Number of tests of this package that have a result.
    finished: u64,
    /// Output outside of tests.
    outside: Printed,
    /// Benchmarks of this package that already have a result line.
    benchmarks: BTreeSet<String>,
    current: Current,
    verdicts: u64,
    failing_verdicts: u64,
    /// Number of packages that passed without listing their tests: without `-v` only failures are printed.
    silent: u64,
    has_mark: bool,
    /// Whether a failed test panicked: all lines up to the verdict are then its stack.
    in_panic: bool,
}

/// The test that the current output belongs to.
#[derive(Default)]
enum Current {
    /// No test.
    #[default]
    None,
    Running(String),
    /// A failed test, by its index in the list of failures.
    Failed(usize),
    /// A test that passed or was skipped.
    Other,
}

impl Text {
    fn mark(&mut self, text: &str) -> bool {
        let Some((what, test)) = mark(text) else { return false };
        self.has_mark = true;
        let Some(test) = test.filter(|_| what != "ATTR") else { return true };
        if what == "RUN" && self.running.len() < RUNNING {
            self.running.entry(test.to_owned()).or_default();
        }
        let is_running = self.running.contains_key(test);
        self.current = if is_running { Current::Running(test.to_owned()) } else { Current::Other };
        true
    }

    fn result(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let Some(TestResult { before, status, test, seconds }) = TestResult::of(text) else { return false };
        let is_announced = self.running.contains_key(test);
        // A result after other text, or without a time, counts only if the test was announced.
        let has_time = seconds.is_some();
        // Without `=== RUN` marks no test is announced, and only failures are printed.
        let is_top_level = !self.has_mark && status == "FAIL" && is_name(test);
        if !(before.trim().is_empty() || has_time && (is_announced || is_top_level)) {
            return false;
        }
        if !has_time && !is_announced && !test.starts_with("Benchmark") {
            return false;
        }
        let status = match status {
            "PASS" => TestStatus::Passed,
            "FAIL" => TestStatus::Failed,
            "SKIP" => TestStatus::Skipped,
            // `--- BENCH` precedes output of a benchmark; the benchmark is counted by its own line.
            _ => {
                self.current = Current::Other;
                return true;
            }
        };
        let printed = self.running.remove(test).unwrap_or_default();
        if status == TestStatus::Failed {
            // A failing fuzz test is listed again, indented below itself.
            let is_nested = text.starts_with("    ");
            if let Some(at) =
                self.failed.iter().position(|(failure, _)| is_nested && !is_announced && failure.name == test)
            {
                self.current = Current::Failed(at);
                return true;
            }
            self.current = Current::Failed(self.fail(test, printed, Some(line)));
        } else {
            self.current = Current::Other;
        }
        self.finished += 1;
        self.case(test, status, seconds);
        true
    }

    fn case(&mut self, test: &str, status: TestStatus, seconds: Option<&str>) {
        let duration_ms = seconds.and_then(milliseconds);
        self.results.case_of(status, || TestCase { duration_ms, ..case(None, test, status) });
    }

    /// Adds a failed test and returns its index.
    fn fail(&mut self, test: &str, printed: Printed, line: Option<&Line<'_>>) -> usize {
        if self.failed.len() < limit::FINDINGS_KEPT {
            let origin = line.map(|line| origin("go-test/text", line));
            self.failed.push((TestFailure { name: name(test), origin, ..TestFailure::default() }, printed));
        }
        self.failed.len() - 1
    }

    fn verdict(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if !text.starts_with("ok") && !text.starts_with("FAIL") && !text.starts_with('?') {
            return false;
        }
        let Some(captures) = VERDICT.find(text) else { return false };
        let (verdict, package, how) = (captures.text("verdict"), captures.text("package"), captures.text("how"));
        if verdict == "?" && how != "[no test files]" {
            return false;
        }
        self.verdicts += 1;
        let suites = self.results.suites.get_or_insert_default();
        match verdict {
            "ok" => {
                results::add(suites, TestStatus::Passed, 1);
                self.silent += u64::from(!self.has_mark && self.finished == 0 && !text.contains("[no tests to run]"));
            }
            "FAIL" => {
                results::add(suites, TestStatus::Failed, 1);
                self.failing_verdicts += 1;
                self.fail_running();
                let is_unbuilt = how.starts_with('[');
                if self.failed.is_empty() && !is_unbuilt {
                    self.findings.add(package_failure(package, &self.outside, line, "go-test/text"));
                }
            }
            _ => {}
        }
        self.close();
        true
    }

    /// Counts tests as failed that still ran when their package failed: it panicked, exited or timed out.
    fn fail_running(&mut self) {
        for (test, printed) in std::mem::take(&mut self.running) {
            self.fail(&test, printed, None);
            self.case(&test, TestStatus::Failed, None);
        }
    }

    fn close(&mut self) {
        for (mut failure, printed) in self.failed.drain(..) {
            printed.fill(&mut failure);
            self.results.failure(failure);
        }
        self.running.clear();
        self.benchmarks.clear();
        self.finished = 0;
        self.outside = Printed::default();
        (self.current, self.in_panic) = (Current::None, false);
    }

    fn benchmark(&mut self, text: &str) -> bool {
        let Some(captures) = BENCHMARK.find(text) else { return false };
        let test = captures.text("test");
        self.running.remove(test);
        self.finished += 1;
        // With `-count` a benchmark prints several lines; it counts once.
        if RUNNING <= self.benchmarks.len() || self.benchmarks.insert(test.to_owned()) {
            self.case(test, TestStatus::Passed, None);
        }
        self.current = Current::Other;
        true
    }

    /// Reads an output line, and returns whether it certainly is output of a test.
    fn output(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        match &self.current {
            Current::None => {
                self.outside.add(text);
                false
            }
            Current::Running(test) => {
                if let Some(printed) = self.running.get_mut(test) {
                    printed.add(text);
                }
                text.starts_with("    ") && !line.is_blank
            }
            Current::Failed(at) => {
                self.in_panic |= text.starts_with("panic: ");
                if let Some((failure, printed)) = self.failed.get_mut(*at) {
                    printed.add(text);
                    if let Some(origin) = &mut failure.origin {
                        origin.end = line.end;
                    }
                }
                !line.is_blank && (self.in_panic || text.starts_with([' ', '\t']))
                    || text.starts_with("panic: ")
                    || text.starts_with("goroutine ")
                    || matches!(text, "got:" | "want:")
            }
            Current::Other => {
                self.outside.add(text);
                text.starts_with("    ") && !line.is_blank
            }
        }
    }
}

impl LineReader for Text {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if self.mark(text) || self.result(line) || self.verdict(line) || self.benchmark(text) {
            return Use::Line;
        }
        let is_running = 0 < self.finished || 0 < self.verdicts || self.has_mark;
        if matches!(text, "PASS" | "FAIL") {
            self.current = Current::None;
            if text == "FAIL" && is_running {
                self.failing_verdicts += 1;
            }
            return if is_running { Use::Line } else { Use::None };
        }
        if is_running && (text.starts_with("coverage: ") || text.starts_with("exit status ")) {
            return Use::Line;
        }
        if self.output(line) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        let is_cut = 0 < self.finished && !self.running.is_empty();
        self.close();
        if self.verdicts == 0 && self.results.is_empty() {
            return None;
        }
        let mut tests = self.results.finish(FRAMEWORK, CountAuthority::Summary);
        let has_failed = 0 < tests.counts.failed;
        // If no package or run reported a failure, the failures are lines that tests printed.
        let is_agreed = !has_failed || 0 < self.failing_verdicts;
        if is_agreed && 0 < self.verdicts + self.failing_verdicts {
            tests.authority = CountAuthority::Summary;
        }
        // Without `-v` Go lists the tests that fail, and none that pass.
        let is_silent = !self.has_mark && tests.counts.passed == 0 && 0 < self.silent + self.failing_verdicts;
        if tests.authority == CountAuthority::Summary && is_silent {
            tests.authority = CountAuthority::Unnumbered;
        }
        let notes = if is_cut { vec!["a package was cut short: it has no verdict".to_owned()] } else { Vec::new() };
        Some(Candidate { format: "text", tests: Some(tests), findings: self.findings, notes, ..Candidate::default() })
    }
}

/// Parses `=== RUN   TestA`, `=== NAME  TestA` into the word and the test.
fn mark(text: &str) -> Option<(&str, Option<&str>)> {
    let (what, rest) = text.strip_prefix("=== ")?.split_once(' ')?;
    let name = rest.trim_start_matches(' ');
    let (test, behind) = name.split_at(word_end(name));
    let is_mark = matches!(what, "RUN" | "PAUSE" | "CONT" | "NAME" | "ATTR");
    let is_whole = behind.is_empty() || behind.starts_with(' ');
    // Text after several blanks need not be a name.
    (is_mark && (is_whole || name.len() < rest.len()))
        .then(|| (what, Some(test).filter(|_| is_whole && !test.is_empty())))
}

/// `    --- FAIL: TestA/sub (0.00s)`.
struct TestResult<'t> {
    /// Output of the test before it on the same line, or blanks.
    before: &'t str,
    status: &'t str,
    test: &'t str,
    seconds: Option<&'t str>,
}

impl<'t> TestResult<'t> {
    fn of(text: &'t str) -> Option<Self> {
        Self::alone(text).or_else(|| {
            let found = RESULT.find(text)?;
            let [before, status, test] = ["before", "status", "test"].map(|group| found.text(group));
            Some(Self { before, status, test, seconds: found.get("seconds") })
        })
    }

    /// Parses a result with nothing but blanks before it. It is written by hand rather than as a pattern, because each
    /// test has one.
    fn alone(text: &'t str) -> Option<Self> {
        let result = text.trim_start_matches(' ');
        let (status, rest) = result.strip_prefix("--- ")?.split_once(": ")?;
        let (test, time) = rest.split_at(word_end(rest));
        let seconds = if time.is_empty() { None } else { Some(seconds(time)?) };
        let is_result = matches!(status, "PASS" | "FAIL" | "SKIP" | "BENCH") && !test.is_empty();
        is_result.then(|| Self { before: &text[..text.len() - result.len()], status, test, seconds })
    }
}

/// Returns the number in ` (0.00s)` or ` (0.00 seconds)`.
fn seconds(time: &str) -> Option<&str> {
    let time = time.strip_prefix(" (")?.strip_suffix(')')?;
    let number = time.strip_suffix("seconds").or_else(|| time.strip_suffix('s'))?;
    let number = number.strip_suffix(' ').unwrap_or(number);
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    number.split_once('.').filter(|(whole, part)| are_digits(whole) && are_digits(part)).map(|_| number)
}

/// Returns where the white space after a word begins.
fn word_end(text: &str) -> usize {
    text.bytes().position(|byte| matches!(byte, b'\t'..=b'\r' | b' ')).unwrap_or(text.len())
}

/// Whether a word is the name of a top-level test.
fn is_name(test: &str) -> bool {
    ["Test", "Example", "Fuzz", "Benchmark"].iter().any(|start| test.starts_with(start)) && !test.contains('/')
}

/// Converts seconds with decimals to milliseconds.
fn milliseconds(seconds: &str) -> Option<u64> {
    let (whole, part) = seconds.split_once('.')?;
    let part = format!("{:0<3}", part.get(..part.len().min(3))?);
    text::count(whole)?.checked_mul(1000)?.checked_add(text::count(&part)?)
}

#[cfg(test)]
mod tests {
    use referee_model::reading::TestResults;
    use referee_model::record::Stream;

    use super::*;

    fn read(text: &str) -> Option<(TestResults, u64)> {
        let mut reader = Box::new(Text::default());
        for text in text.lines() {
            let end = text.len() as u64;
            reader.line(&Line::new(text, Stream::Stdout, 0..end));
        }
        reader.finish().and_then(|candidate| Some((candidate.tests?, candidate.findings.counts.errors)))
    }

    proptest::proptest! {
        #[test]
        fn marks_and_results_are_what_their_patterns_say(
            text in " {0,2}(x)?(--- (PASS|FAIL|BENCH|NO):? {0,2}|=== (RUN|NAME|NO) {0,3})(Test|\t|ü|--- SKIP: A){0,2} {0,2}(\\(1?\\.[0-9]{0,2} ?(s|seconds)\\))?( |\t)?",
        ) {
            static MARK: Pattern = Pattern::new(r"^=== (?<what>RUN|PAUSE|CONT|NAME|ATTR) +(?<test>\S+)?(?: .*)?$");
            static RESULT: Pattern = Pattern::new(
                r"(?<before>^ *|^.*?)--- (?<status>PASS|FAIL|SKIP|BENCH): (?<test>\S+)(?: \((?<seconds>\d+\.\d+) ?s(?:econds)?\))?$",
            );
            let expected = MARK.find(&text).map(|found| (found.text("what"), found.get("test")));
            proptest::prop_assert_eq!(mark(&text), expected);
            let facts = |it: TestResult<'_>| [it.before, it.status, it.test, it.seconds.unwrap_or_default()].map(str::to_owned);
            let expected = RESULT.find(&text).map(|found| ["before", "status", "test", "seconds"].map(|group| found.text(group).to_owned()));
            proptest::prop_assert_eq!(TestResult::of(&text).map(facts), expected);
        }
    }

    #[test]
    fn what_did_not_end_failed_with_its_package() {
        let text = "=== RUN   TestA\nx--- PASS: TestA (0.00s)\n=== RUN   TestB\npanic: test timed out after 1s\nFAIL\ta/b\t1.0s\nFAIL\n";
        let (tests, findings) = read(text).unwrap();
        assert_eq!((tests.counts.passed, tests.counts.failed, findings), (1, 1, 0));
        assert_eq!((tests.failures[0].name.as_str(), tests.authority), ("TestB", CountAuthority::Summary));
    }

    #[test]
    fn a_package_that_fails_outside_of_its_tests_is_a_finding() {
        let (tests, findings) = read("panic: init\nstack\nFAIL    a/b  0.003s\nok      c/d  (cached)\n").unwrap();
        assert_eq!((tests.counts.total, tests.suites.unwrap().failed, findings), (0, 1, 1));
        let (tests, findings) = read("FAIL\ta/b [build failed]\n").unwrap();
        assert_eq!((tests.suites.unwrap().failed, findings), (1, 0));
    }

    #[test]
    fn failures_that_no_verdict_confirms_do_not_convict() {
        let (tests, _) = read("--- FAIL: TestX (0.00s)\nok  \ta/b\t0.1s\n").unwrap();
        assert_eq!((tests.counts.failed, tests.authority), (1, CountAuthority::Lines));
    }

    #[test]
    fn packages_that_pass_without_naming_tests_leave_the_number_unknown() {
        for (text, authority) in [
            ("ok  \ta/b\t0.1s\n", CountAuthority::Unnumbered),
            ("ok  \ta/b\t(cached)\n?   \ta/c\t[no test files]\n", CountAuthority::Unnumbered),
            ("ok  \ta/b\t0.1s [no tests to run]\n", CountAuthority::Summary),
            ("?   \ta/c\t[no test files]\n", CountAuthority::Summary),
            ("=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \ta/b\t0.1s\n", CountAuthority::Summary),
            ("ok  \ta/b\t0.1s\nFAIL\ta/c\t0.1s\n", CountAuthority::Unnumbered),
            ("--- FAIL: TestA (0.00s)\nFAIL\nFAIL\ta/c\t0.1s\nok  \ta/b\t0.1s\n", CountAuthority::Unnumbered),
        ] {
            assert_eq!(read(text).unwrap().0.authority, authority, "{text}");
        }
    }

    #[test]
    fn a_fuzz_test_below_itself_counts_once() {
        let text =
            "--- FAIL: FuzzX (0.03s)\n    --- FAIL: FuzzX (0.00s)\n        f_test.go:10: bad\nFAIL\nFAIL\ta\t0.1s\n";
        let (tests, _) = read(text).unwrap();
        assert_eq!((tests.counts.failed, tests.failures[0].line), (1, Some(10)));
    }

    #[test]
    fn other_lines_are_not_of_go() {
        assert!(read("ok 1 - fine\nFAIL  src/a.test.js\n--- FAIL: it\nPASS\n").is_none());
        assert_eq!(milliseconds("1.25"), Some(1250));
    }
}
