//! Surefire and Failsafe, Maven's plugins that run tests.
//!
//! ```text
//! [ERROR] Tests run: 6, Failures: 2, Errors: 2, Skipped: 1, Time elapsed: 0.144 s <<< FAILURE! - in demo.CalcTest
//! [ERROR] addsWrong(demo.CalcTest)  Time elapsed: 0.002 s  <<< FAILURE!
//! java.lang.AssertionError: sum expected:<4> but was:<3>
//!     at demo.CalcTest.addsWrong(CalcTest.java:7)
//!
//! [INFO] Results:
//! [ERROR] Failures:
//! [ERROR]   CalcTest.addsWrong:7 sum expected:<4> but was:<3>
//! [ERROR] Tests run: 9, Failures: 2, Errors: 3, Skipped: 2
//! ```
//!
//! Each module, and each of the plugins, has a run of its own. Only the count below the last `Results` of a run
//! counts: a test can print all of this. Versions before 2.19 print no levels.

use crate::candidate::{Kept, add_counts};
use crate::prelude::*;
use crate::shapes::jvm;

/// Counts of a class, followed by its time, or of a run.
static COUNTS: Pattern = Pattern::new(
    r"^Tests run: *(?<total>\d+), Failures: *(?<failed>\d+), Errors: *(?<errors>\d+)(?:, Skipped: *(?<skipped>\d+))?(?:, Flakes: *\d+)?(?<class>, Time elapsed: .*)?$",
);

static FAILED: Pattern =
    Pattern::new(r"^(?<name>\S.*?)(?: --)? +Time elapsed: [\d.,]+ *(?:s|sec|ms) +<<< (?:FAILURE|ERROR)!$");

/// A failed test in the results: class, method, location and message.
static RESULT: Pattern = Pattern::new(
    r"^ {2,4}(?<class>[A-Za-z_$][\w$.]*?)[.»](?<method>[\w$]+)(?:\([^)]*\))?(?:\[[^\]]*\])?(?::(?<line>\d+))?(?:->[\w$.]+:?\d*)*(?::? (?<message>.*))?$",
);

/// A failed test in the results before version 2.13: `addsWrong(demo.CalcTest): …`.
static OLD_RESULT: Pattern = Pattern::new(r"^ *(?<method>[\w$]+)\((?<class>[\w$.]+)\)(?:: (?<message>.*))?$");

/// Headings of the parts of the results.
const PARTS: &[&str] = &["Failures:", "Errors:", "Failed tests:", "Tests in error:"];

/// Reads the tests of all runs.
#[derive(Default)]
pub(super) struct Surefire {
    runs: Runs,
    /// The count below the results of the current run.
    summary: Option<TestCounts>,
    /// Failed tests listed in the results, used if no failure was read before.
    results: Kept<TestFailure>,
    class: String,
    part: Part,
}

#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum Part {
    #[default]
    Tests,
    Results,
    Failed,
}

impl Surefire {
    /// Reads a line that counts tests.
    fn count(&mut self, text: &str, line: &Line<'_>) -> bool {
        let Some(found) = COUNTS.find(text) else { return false };
        let Some(counted) = found.tests() else { return false };
        self.runs.close();
        if let Some(class) = found.get("class") {
            add_counts(&mut self.runs.seen, counted);
            if let Some((_, class)) = class.rsplit_once("in ") {
                self.class = name(class.trim());
            }
            self.reopen();
            return true;
        }
        let is_result = self.part != Part::Tests;
        if is_result {
            self.summary = Some(counted);
            self.part = Part::Results;
            self.runs.end = Some(line.end);
        }
        is_result
    }

    /// Continues the run: the lines that looked like its end were printed by a test.
    fn reopen(&mut self) {
        self.summary = None;
        self.part = Part::Tests;
    }

    /// Reads a line that names a failed test.
    fn fail(&mut self, text: &str, line: &Line<'_>) -> bool {
        let Some(found) = FAILED.find(text) else { return false };
        let (class, method) = class_and_method(found.text("name"), &self.class);
        let failing = jvm::failing(class, method, "maven/surefire", line);
        self.runs.open(failing);
        true
    }

    /// Reads a line of the results.
    fn result(&mut self, text: &str, line: &Line<'_>) -> bool {
        let mut text = text;
        if let Some(part) = PARTS.iter().find(|part| text.starts_with(**part)) {
            self.part = Part::Failed;
            text = &text[part.len()..];
            if text.trim().is_empty() {
                return true;
            }
        }
        if self.part != Part::Failed {
            return false;
        }
        let Some(found) = OLD_RESULT.find(text).or_else(|| RESULT.find(text)) else { return text.starts_with("  ") };
        let mut failure = found.failure("maven/surefire", line);
        failure.name = name(&format!("{}.{}", found.text("class"), found.text("method")));
        found.text("message").trim_start_matches("» ").trim_end().clone_into(&mut failure.message);
        self.results.push(failure);
        true
    }

    /// Ends the run.
    fn commit(&mut self) {
        self.runs.close();
        let mut failures = self.runs.take_failures();
        let listed = std::mem::take(&mut self.results).into_items();
        let summary = self.summary.take();
        if failures.is_empty() && (summary.is_some() || 0 < self.runs.seen.total) {
            failures = listed;
        }
        if let Some(summary) = summary {
            self.runs.sum_up(summary);
        }
        // Where failed tests are rerun until they pass, failures of earlier attempts do not belong to the run's
        // result.
        if summary.is_none_or(|summary| 0 < summary.failed) {
            for failure in failures {
                self.runs.failure(failure);
            }
        }
        self.runs.begin();
        self.class.clear();
        self.part = Part::Tests;
    }
}

impl LineReader for Surefire {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let levels = ["[ERROR] ", "[WARNING] ", "[INFO] "];
        let prefixed = levels.iter().find_map(|level| line.text.strip_prefix(level));
        let text = prefixed.unwrap_or(&line.text).trim_end();
        if text == " T E S T S" {
            self.commit();
            return Use::Line;
        }
        if self.count(text, line) {
            return Use::Line;
        }
        if self.fail(text, line) {
            self.reopen();
            return Use::Line;
        }
        if let Some(class) = text.strip_prefix("Running ").filter(|class| !class.contains(' ')) {
            self.runs.close();
            self.reopen();
            self.class = name(class);
            return Use::Line;
        }
        if matches!(text, "Results:" | "Results :") {
            self.runs.close();
            self.part = Part::Results;
            self.results = Kept::default();
            return Use::Line;
        }
        // A quiet run prints its results without a heading.
        let is_part = prefixed.is_some() && PARTS.iter().any(|part| text.starts_with(part));
        if (is_part || self.part != Part::Tests) && self.result(text, line) {
            return Use::Line;
        }
        if prefixed.is_some() || line.text.starts_with("[INFO]") || self.runs.has_stack() && line.is_blank {
            self.runs.close();
        }
        self.runs.add(line, &line.text).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.commit();
        (!self.runs.is_empty()).then(|| self.runs.candidate("surefire", "surefire"))
    }
}

/// Splits `expects(demo.CalcTest)` or `demo.CalcTest.expects` into class and method; a class alone has no
/// method.
fn class_and_method<'a>(printed: &'a str, class: &'a str) -> (&'a str, &'a str) {
    if printed == class {
        return (class, "");
    }
    if let Some(method) = printed.strip_prefix(class).and_then(|rest| rest.strip_prefix('.'))
        && !class.is_empty()
    {
        return (class, method);
    }
    if let Some((method, of)) = printed.strip_suffix(')').and_then(|rest| rest.rsplit_once('('))
        && (of == class || (of.contains('.') && !of.contains([' ', ','])))
    {
        return (of, method.trim_end());
    }
    let bare = printed.split(['(', '[', ' ']).next().unwrap_or(printed);
    match bare.rfind('.') {
        Some(dot) => (&printed[..dot], &printed[dot + 1..]),
        None => (class, printed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::claimed;

    fn read(text: &str) -> TestResults {
        claimed(Box::new(Surefire::default()), text).and_then(|candidate| candidate.tests).unwrap_or_default()
    }

    fn summed(text: &str) -> (u64, u64, u64, CountAuthority) {
        let tests = read(text);
        (tests.counts.passed, tests.counts.failed, tests.counts.skipped, tests.authority)
    }

    #[test]
    fn names_are_taken_apart() {
        for (printed, class, method) in [
            ("expects(demo.CalcTest)", "demo.CalcTest", "expects"),
            ("demo.CalcTest.expects", "demo.CalcTest", "expects"),
            ("demo.CalcTest", "demo.CalcTest", ""),
            ("demo.CalcTest.adds(int, int)[1]", "demo.CalcTest", "adds(int, int)[1]"),
            ("[1] 1.5, 2(demo.CalcTest)", "demo.CalcTest", "[1] 1.5, 2"),
            ("other.Test.adds(int)", "other.Test", "adds(int)"),
        ] {
            assert_eq!(class_and_method(printed, "demo.CalcTest"), (class, method), "{printed}");
        }
    }

    #[test]
    fn the_last_results_of_each_run_count() {
        let run = "[INFO]  T E S T S\n[INFO] Running a.B\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s - in a.B\n";
        let results = "[INFO] Results:\n[INFO] \n[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1\n";
        assert_eq!(summed(&format!("{run}{results}{run}{results}")), (4, 0, 2, CountAuthority::Summary));
        assert_eq!(summed(run), (2, 0, 1, CountAuthority::Lines));
        let forged = "[INFO]  T E S T S\nResults:\nTests run: 99, Failures: 0, Errors: 0, Skipped: 0\n[INFO] Running a.B\n[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 1 s <<< FAILURE! -- in a.B\n";
        let real = "[INFO] Results:\n[ERROR] Failures: \n[ERROR]   B.c:7 no\n[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0\n";
        assert_eq!(summed(&format!("{forged}{real}")), (0, 1, 0, CountAuthority::Summary));
        assert_eq!(summed(forged), (0, 1, 0, CountAuthority::Lines));
    }

    #[test]
    fn old_versions_print_no_levels() {
        let text = " T E S T S\nRunning a.B\nTests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 sec <<< FAILURE! - in a.B\nc(a.B)  Time elapsed: 0.1 sec  <<< FAILURE!\njava.lang.AssertionError: expected:<4> but was:<3>\n\tat a.B.c(B.java:9)\n\n\nResults :\n\nFailed tests: \n  B.c:9 expected:<4> but was:<3>\n\nTests run: 2, Failures: 1, Errors: 0, Skipped: 0\n";
        let tests = read(text);
        assert_eq!(tests.counts, results::counts(1, 1, 0));
        let failure = &tests.failures[0];
        assert_eq!((failure.name.as_str(), failure.file.as_deref(), failure.line), ("a.B.c", Some("B.java"), Some(9)));
        assert_eq!((failure.message.as_str(), failure.expected.as_deref()), ("expected:<4> but was:<3>", Some("4")));
    }

    #[test]
    fn results_name_failures_where_nothing_else_does() {
        let text = " T E S T S\nResults :\n\nFailed tests:   c(a.B): expected\n  d(a.B): no\n\nTests in error: \n  e(a.B): boom\n\nTests run: 3, Failures: 2, Errors: 1, Skipped: 0\n";
        let names: Vec<_> = read(text).failures.into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["a.B.c", "a.B.d", "a.B.e"]);
    }

    #[test]
    fn tests_that_passed_in_the_end_did_not_fail() {
        let text = " T E S T S\n[ERROR] a.B.c -- Time elapsed: 0.1 s <<< FAILURE!\njava.lang.AssertionError: no\n\n[INFO] Results:\n[WARNING] Flakes: \n[WARNING] a.B.c\n[ERROR]   Run 1: B.c:9 no\n[INFO]   Run 2: PASS\n[WARNING] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Flakes: 1\n";
        let tests = read(text);
        assert_eq!((tests.counts, tests.failures.len()), (results::counts(1, 0, 0), 0));
    }
}
