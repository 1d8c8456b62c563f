//! Bun's test runner, which prints the output of a failure before its name:
//!
//! ```text
//! calc.test.ts:
//! error: expect(received).toBe(expected)
//!       at <anonymous> (/project/calc.test.ts:5:19)
//! (fail) calc > bad [0.14ms]
//!
//!  1 pass
//!  1 fail
//! Ran 2 tests across 1 file. [64.00ms]
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("bun-test", &[], Role::Test)
    .lines(&[LineFormat::new(
        &[
            ".test.ts:",
            ".test.tsx:",
            ".test.js:",
            ".spec.ts:",
            "bun test v",
            "(pass) ",
            "(fail) ",
            "✓ ",
            "✗ ",
            " expect() calls",
            " tests across ",
            " test across ",
        ],
        |is_hinted| Box::new(Report { is_hinted, ..Report::default() }),
    )])
    .merge(runs::one_run);

const RULE: &str = "bun-test/text";

/// `(fail) calc > bad [0.14ms]`; on a terminal, symbols replace the words.
static TEST: Pattern = Pattern::new(
    r"^(?:\((?<status>pass|fail|skip|todo)\)|(?<status2>[✓✗»✎])) (?<name>\S.*?)(?: \[(?:(?<time>[\d.]+)ms|[\d.]+(?:s|us|µs))\])?$",
);

/// `calc.test.ts:`.
static FILE: Pattern = Pattern::new(r"^(?:::group::)?(?<file>[^\s:][^:]*\.[cm]?[jt]sx?):$");

/// ` 1 pass`.
static PART: Pattern = Pattern::new(r"^ ?(?<number>\d{1,9}) (?<status>pass|fail|skip|todo|errors?)$");

/// `Ran 5 tests across 1 file. [64.00ms]`; older versions omit the period.
static RAN: Pattern = Pattern::new(r"^Ran (?<number>\d+) tests? across \d+ files?\.? ?(?:\[[\d.]+ ?m?s\])?$");

/// `5 |     expect(1 + 1).toBe(3);`.
static CODE: Pattern = Pattern::new(r"^ *\d+ \|(?: |$)");

/// Heading of an error outside of the tests of a file.
const UNHANDLED: &str = "# Unhandled error between tests";

#[derive(Default)]
struct Report {
    is_hinted: bool,
    has_banner: bool,
    file: Option<String>,
    /// Text of a failure before the name of its test.
    body: Option<Failing>,
    /// Number of rulers read around the error of a file; `None` outside of such an error.
    rules: Option<u8>,
    /// The summary that is being read.
    summary: TestCounts,
    runs: Runs,
}

impl Report {
    /// Begins another run for tests after a summary, unless the listed tests show that the summary was not
    /// genuine.
    fn go_on(&mut self) {
        let seen = self.runs.seen;
        let is_genuine = self.runs.summary_mut().is_some_and(|summary| {
            seen.passed == 0 || (seen.passed == summary.tests.passed && seen.failed <= summary.tests.failed)
        });
        if is_genuine {
            self.runs.begin();
        }
    }

    fn test(&mut self, line: &Line<'_>) -> bool {
        // A symbol alone is a status only below the name of a file.
        if self.file.is_none() && !line.text.starts_with('(') {
            return false;
        }
        let Some(found) = TEST.find(&line.text) else { return false };
        self.go_on();
        let mut case = found.case(self.file.as_deref());
        case.duration_ms = found.get("time").and_then(|time| time.parse().ok()).and_then(results::milliseconds);
        let body = self.body.take();
        if case.status == TestStatus::Failed {
            let mut failing = body.unwrap_or_else(|| found.failing(RULE, line));
            failing.failure.name = name(found.text("name"));
            failing.failure.file.clone_from(&self.file);
            failing.extend(line);
            self.runs.failure(failing.finish());
        }
        self.runs.case(case);
        true
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = FILE.find(&line.text) else { return false };
        self.file = found.file("file");
        self.body = None;
        true
    }

    /// Handles the error of a file, which stands between two rulers.
    fn unhandled(&mut self, line: &Line<'_>) -> bool {
        if line.text == UNHANDLED {
            let mut failing = Failing::suite(self.file.as_deref().unwrap_or("unknown file"), RULE, line);
            failing.failure.file.clone_from(&self.file);
            self.body = Some(failing);
            self.rules = Some(0);
            return true;
        }
        let Some(rules) = self.rules else { return false };
        if line.text.starts_with("-----") {
            self.rules = Some(rules + 1);
            if rules == 1 {
                self.rules = None;
                if let Some(failing) = self.body.take() {
                    self.runs.failure(failing.finish());
                }
            }
            return true;
        }
        self.body(line)
    }

    /// Handles a line that may belong to a failure whose name follows.
    fn body(&mut self, line: &Line<'_>) -> bool {
        if self.file.is_none() {
            return false;
        }
        let text = &*line.text;
        if CODE.is_match(text) || text.trim() == "^" {
            return true;
        }
        let begins = text.starts_with("error: ") || (text.contains("Error: ") && !text.starts_with(' '));
        if begins && self.rules.is_none() {
            self.body = Some(Failing::new("", RULE, line));
        }
        if text.starts_with("  ^ this test timed out")
            && let Some(last) = self.runs.failures_mut().last_mut()
            && last.message.is_empty()
        {
            text.trim_start_matches([' ', '^']).clone_into(&mut last.message);
            return true;
        }
        let Some(body) = &mut self.body else { return text.starts_with("::error file=") || text == "::endgroup::" };
        body.line(line, text);
        true
    }

    fn summary(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if let Some(found) = PART.find(text) {
            let (number, summary) = (found.number("number"), &mut self.summary);
            match found.text("status") {
                "pass" => *summary = results::counts(number, 0, 0),
                "error" | "errors" => {}
                _ => results::add(summary, found.status(), number),
            }
            self.body = None;
            return true;
        }
        if text.ends_with(" expect() calls") {
            return true;
        }
        let Some(found) = RAN.find(text) else { return false };
        let summary = std::mem::take(&mut self.summary);
        // Older versions do not include skipped tests in the number that ran.
        if found.count("number").is_none_or(|ran| ran != summary.total && ran != summary.passed + summary.failed) {
            return false;
        }
        self.go_on();
        self.runs.sum_up(summary);
        self.runs.end = Some(line.end);
        self.body = None;
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if line.text.starts_with("bun test v") {
            self.has_banner = true;
            self.runs.begin();
            self.file = None;
            return Use::Line;
        }
        let is_head = self.test(line) || self.heading(line) || self.summary(line);
        (is_head || self.unhandled(line) || self.body(line)).into()
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let has_tests = 0 < self.runs.seen.total && self.file.is_some();
        let is_told = self.runs.end.is_some() || (has_tests && (self.is_hinted || self.has_banner));
        is_told.then(|| self.runs.candidate("bun-test", "text"))
    }
}

#[cfg(test)]
mod tests {
    use crate::trial::results;

    #[test]
    fn summaries_hold_what_ran() {
        for (text, counts) in [
            ("a.test.ts:\n(pass) x [1ms]\n\n 1 pass\n 0 fail\nRan 1 test across 1 file. [2.00ms]\n", Some((1, 0, 0))),
            (
                "a.test.ts:\n✗ x [1ms]\n» y\n\n 0 pass\n 1 skip\n 1 fail\nRan 2 tests across 1 files. [2.00ms]\n",
                Some((0, 1, 1)),
            ),
            (" 3 pass\n 1 skip\n 0 fail\nRan 3 tests across 1 files. [2.00ms]\n", Some((3, 0, 1))),
            (
                "a.test.ts:\n 9 pass\n 0 fail\nRan 9 tests across 1 file. [1ms]\n(pass) x\n 1 pass\n 0 fail\nRan 1 test across 1 file. [2.00ms]\n",
                Some((10, 0, 0)),
            ),
            (" 1 pass\n 0 fail\nRan 7 tests across 1 file. [2.00ms]\n", None),
            ("(pass) the salt\n", None),
        ] {
            let found = results(text).map(|tests| (tests.counts.passed, tests.counts.failed, tests.counts.skipped));
            assert_eq!(found, counts, "{text}");
        }
    }

    #[test]
    fn a_test_that_takes_too_long_says_so() {
        let tests = results("a.test.ts:\n(fail) x [5001.20ms]\n  ^ this test timed out after 5000ms.\n\n 0 pass\n 1 fail\nRan 1 test across 1 file. [5.00s]\n").unwrap();
        assert_eq!(tests.failures[0].message, "this test timed out after 5000ms.");
    }
}
