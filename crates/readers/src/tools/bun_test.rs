//! Bun's test runner. What a failure says stands before its name:
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

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{TestCounts, TestFailure, TestStatus};
use regex::Regex;

use crate::claim::{Claim, LineReader, Use, name};
use crate::scan::Line;
use crate::shapes::failing::Failing;
use crate::shapes::results;
use crate::shapes::runs::{self, Runs};
use crate::text;
use crate::tool::{LineFormat, Tool};

/// Bun's test runner.
pub(crate) const TOOL: Tool = Tool {
    name: "bun-test",
    aliases: &[],
    role: Role::Test,
    lines: &[LineFormat {
        wakes: &[
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
        reader: |is_hinted| Box::new(Report { is_hinted, ..Report::default() }),
    }],
    documents: &[],
    settle: runs::one_run,
};

const FRAMEWORK: &str = "bun-test";
const RULE: &str = "bun-test/text";

/// `(fail) calc > bad [0.14ms]`; on a terminal, signs stand for the words.
static TEST: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:\((?<word>pass|fail|skip|todo)\)|(?<sign>[✓✗»✎])) (?<name>\S.*?)(?: \[(?<time>[\d.]+)(?<unit>ms|s|us|µs)\])?$",
    )
});

/// `calc.test.ts:`.
static FILE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?:::group::)?(?<file>[^\s:][^:]*\.[cm]?[jt]sx?):$"));

/// ` 1 pass`.
static PART: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^ ?(?<number>\d+) (?<word>pass|fail|skip|todo|errors?)$"));

/// `Ran 5 tests across 1 file. [64.00ms]`; older versions write no period.
static RAN: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^Ran (?<number>\d+) tests? across \d+ files?\.? ?(?:\[[\d.]+ ?m?s\])?$"));

/// `5 |     expect(1 + 1).toBe(3);`.
static CODE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^ *\d+ \|(?: |$)"));

/// What stands where a file failed outside of its tests.
const UNHANDLED: &str = "# Unhandled error between tests";

#[derive(Default)]
struct Report {
    is_hinted: bool,
    has_banner: bool,
    file: Option<String>,
    /// What is said before the test is named.
    body: Option<Failing>,
    /// Whether the body is that of a file: it stands between two rules.
    rules: Option<u8>,
    /// The summary that is being read.
    summary: TestCounts,
    runs: Runs,
    end: Option<u64>,
}

impl Report {
    /// Tests that follow a summary are of another run, unless what was listed shows that it was none.
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
        if !line.text.starts_with(['(', '✓', '✗', '»', '✎']) {
            return false;
        }
        // Below a file alone a sign says how a test went.
        if !line.text.starts_with('(') && self.file.is_none() {
            return false;
        }
        let Some(captures) = TEST.captures(&line.text) else {
            return false;
        };
        let word = captures.name("word").or(captures.name("sign")).map_or("", |word| word.as_str());
        let status = match word {
            "pass" | "✓" => TestStatus::Passed,
            "fail" | "✗" => TestStatus::Failed,
            _ => TestStatus::Skipped,
        };
        self.go_on();
        let body = self.body.take();
        let mut case = results::case(&[], &captures["name"], self.file.as_deref(), status);
        case.duration_ms = captures
            .name("time")
            .filter(|_| &captures["unit"] == "ms")
            .and_then(|time| time.as_str().parse().ok().and_then(results::milliseconds));
        self.runs.case(case);
        if status == TestStatus::Failed {
            let mut failing = body.unwrap_or_else(|| Failing::new("", RULE, line));
            failing.failure.name = name(&captures["name"]);
            failing.failure.file.clone_from(&self.file);
            failing.extend(line);
            self.runs.failure(failing.finish());
        }
        true
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = line.text.ends_with(':').then(|| FILE.captures(&line.text)).flatten() else {
            return false;
        };
        self.file = Some(name(&text::path(&captures["file"])));
        self.body = None;
        true
    }

    /// Takes what is said where a file failed.
    fn unhandled(&mut self, line: &Line<'_>) -> bool {
        if line.text == UNHANDLED {
            let mut failing = Failing::suite(self.file.as_deref().unwrap_or("unknown file"), RULE, line);
            failing.failure.file.clone_from(&self.file);
            self.body = Some(failing);
            self.rules = Some(0);
            return true;
        }
        let Some(rules) = self.rules else {
            return false;
        };
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

    /// Takes a line that a failure may say before its name.
    fn body(&mut self, line: &Line<'_>) -> bool {
        if self.file.is_none() {
            return false;
        }
        let text = &*line.text;
        if (text.contains(" |") && CODE.is_match(text)) || text.trim() == "^" {
            return true;
        }
        let begins = text.starts_with("error: ") || (text.contains("Error: ") && !text.starts_with(' '));
        if begins && self.rules.is_none() {
            self.body = Some(Failing::of(TestFailure {
                origin: Some(crate::claim::origin(RULE, line)),
                ..TestFailure::default()
            }));
        }
        if text.starts_with("  ^ this test timed out")
            && let Some(last) = self.runs.failures_mut().last_mut()
            && last.message.is_empty()
        {
            text.trim_start_matches([' ', '^']).clone_into(&mut last.message);
            return true;
        }
        let Some(body) = &mut self.body else {
            return text.starts_with("::error file=") || text == "::endgroup::";
        };
        body.line(line, text);
        true
    }

    fn summary(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let begins_with_digit = text.trim_start().starts_with(|first: char| first.is_ascii_digit());
        if let Some(captures) = begins_with_digit.then(|| PART.captures(text)).flatten() {
            let Some(number) = text::count(&captures["number"]) else {
                return false;
            };
            let (word, summary) = (&captures["word"], &mut self.summary);
            match word {
                "pass" => *summary = results::counts(number, 0, 0),
                "fail" => results::add(summary, TestStatus::Failed, number),
                "skip" | "todo" => results::add(summary, TestStatus::Skipped, number),
                _ => {}
            }
            self.body = None;
            return true;
        }
        if text.ends_with(" expect() calls") {
            return true;
        }
        let Some(captures) = text.starts_with("Ran ").then(|| RAN.captures(text)).flatten() else {
            return false;
        };
        let summary = std::mem::take(&mut self.summary);
        let ran = text::count(&captures["number"]);
        // Older versions leave skipped tests out of the number that ran.
        if ran.is_none_or(|ran| ran != summary.total && ran != summary.passed + summary.failed) {
            return false;
        }
        self.go_on();
        self.runs.sum_up(summary);
        self.body = None;
        self.end = Some(line.end);
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
        let is_read =
            self.test(line) || self.heading(line) || self.summary(line) || self.unhandled(line) || self.body(line);
        if is_read { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let has_tests = 0 < self.runs.seen.total && self.file.is_some();
        if self.end.is_none() && !(has_tests && (self.is_hinted || self.has_banner)) {
            return None;
        }
        let (tests, notes) = self.runs.finish(FRAMEWORK);
        Some(Claim { format: "text", tests: Some(tests), notes, summary_end: self.end, ..Claim::default() })
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
