//! AVA: the list of tests, failures between two rulers, and the summary.
//!
//! ```text
//!   ✘ [fail]: is wrong
//!   ─
//!
//!   is wrong
//!
//!   test.mjs:3
//!
//!   ─
//!
//!   1 test failed
//! ```
//!
//! The summary counts passed tests only if no test failed; otherwise they are counted in the list.

use crate::prelude::*;
use crate::shapes::failing;
use crate::shapes::locate::Frame;
use crate::test_rows::Numbers;
use crate::tools::tap;

pub(crate) static TOOL: Tool = Tool::new("ava", &[], Role::Test)
    .lines(&[
        LineFormat::new(
            &["[fail]: ", "  ✔ ", "  ✘ ", "  ✖ ", "  - [skip] ", "  - [todo] ", "  Uncaught exception in "],
            |is_hinted| Box::new(Report { is_hinted, ..Report::default() }),
        ),
        LineFormat::hinted(tap::PREFILTER, |_| tap::of_runner(FRAMEWORK)),
    ])
    .merge(runs::one_run);

const FRAMEWORK: &str = "ava";
const RULE: &str = "ava/text";
const RULER: &str = "  ─";

/// `  ✘ [fail]: is wrong`.
static TEST: Pattern = Pattern::new(
    r"^  (?:(?<status>[✔√])(?: \[expected fail\])?|(?<status2>[✘✖×])(?: \[fail\]:)?|- \[(?<status3>skip|todo)\]) (?<name>\S.*?)(?: \([\d.]+m?s\))?$",
);

/// `  2 tests failed`.
static SUMMARY: Pattern = Pattern::new(
    r"^  (?:(?<passed>\d+) tests? passed|(?<failed>\d+) tests? failed|(?<skipped>\d+) tests? skipped|(?<pending>\d+) tests? todo|(?<outside>\d+) uncaught exceptions?|\d+ (?:known failures?|(?:before |after )?hooks? failed|unhandled rejections?|internal errors?|test files? (?:failed|were not run|was not run))|No tests found|Couldn.t find any (?:files to test|matching tests))$",
);

/// `  Uncaught exception in broken.mjs`.
static OUTSIDE: Pattern = Pattern::new(r"^  (?<what>Uncaught exception|Unhandled rejection) in (?<file>\S.*)$");

/// `  test.mjs:3`.
static PLACE: Pattern = Pattern::new(r"^  (?<file>\S+\.[cm]?[jt]sx?):(?<line>\d+)$");

/// `  › file://test.mjs:3:29`.
static FRAME: Pattern = Pattern::new(r"^ +› (?:.*\()?(?:file://)?(?<file>[^\s()]+?):(?<line>\d+):(?<column>\d+)\)?$");

/// `   3: test("is wrong", …`.
static CODE: Pattern = Pattern::new(r"^ +\d+:(?: |$)");

/// Maximum number of names of failures that are remembered.
const REMEMBERED: usize = 1000;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Tests,
    Failures,
    Summary,
}

#[derive(Default)]
struct Report {
    is_hinted: bool,
    part: Part,
    runs: Runs,
    /// Names of failed tests, as listed.
    failed: Vec<String>,
    /// Whether the open error is an unhandled rejection or exception that no test caught.
    is_rejection: bool,
    findings: Findings,
    /// Number of files that did not run.
    broken: u64,
    /// Numbers of the summary so far.
    said: Numbers,
    /// Whether the summary counts tests that the list does not contain, so that the number of passed tests is
    /// unknown.
    is_unnumbered: bool,
}

impl Report {
    fn close(&mut self) {
        let rejection = if std::mem::take(&mut self.is_rejection) { self.runs.open.take() } else { None };
        if let Some(error) = rejection.and_then(|failing| failing::error(failing.finish(), FRAMEWORK, RULE)) {
            self.findings.add(error);
        }
        self.runs.close();
    }

    fn ruler(&mut self, text: &str) -> bool {
        if text.trim_end() != RULER {
            return false;
        }
        self.close();
        self.part = match self.part {
            Part::Tests if !self.failed.is_empty() => Part::Failures,
            _ => Part::Summary,
        };
        true
    }

    fn outside(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = OUTSIDE.find(line.text.trim_end()) else { return false };
        self.close();
        let file = captures.text("file");
        self.is_rejection = captures.text("what") == "Unhandled rejection";
        self.broken += u64::from(!self.is_rejection);
        self.runs.open = Some(Failing::suite(file, RULE, line).told_in(Language::JAVASCRIPT));
        true
    }

    fn test(&mut self, line: &Line<'_>) -> bool {
        if !line.text.starts_with("  ") || self.part == Part::Failures {
            return false;
        }
        let Some(captures) = TEST.find(line.text.trim_end()) else { return false };
        self.close();
        let title = captures.text("name");
        if title.contains(" exited with a non-zero exit code: ") || title.starts_with("Timed out ") {
            return true;
        }
        if self.part == Part::Summary {
            self.runs.begin();
            self.part = Part::Tests;
            self.broken = 0;
            self.failed.clear();
        }
        let status = captures.status();
        if let Some(file) = title.strip_prefix("No tests found in ").filter(|_| status == TestStatus::Failed) {
            let file = file.split(',').next().unwrap_or(file);
            let mut failing = Failing::suite(file, RULE, line);
            failing.say(title);
            self.broken += 1;
            self.runs.failure(failing.finish());
            return true;
        }
        if status == TestStatus::Failed && self.failed.len() < REMEMBERED {
            self.failed.push(name(title));
        }
        self.runs.case(results::case(&[], title, None, status));
        true
    }

    /// Handles the name of a failure, below the first ruler.
    fn heading(&mut self, line: &Line<'_>) -> bool {
        let Some(title) = line.text.strip_prefix("  ").map(str::trim_end) else { return false };
        let is_known = self.part == Part::Failures
            && !title.is_empty()
            && self
                .failed
                .iter()
                .any(|failed| failed.strip_prefix(title).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')));
        if is_known {
            self.close();
            // Each name is printed once, so that a message that repeats a name does not begin another failure.
            self.failed.retain(|failed| !failed.starts_with(title));
            self.runs.open = Some(Failing::new(title, RULE, line).told_in(Language::JAVASCRIPT));
        }
        is_known
    }

    fn body(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.runs.open else { return false };
        let text = line.text.trim_end();
        if let Some(captures) = PLACE.find(text).filter(|_| open.failure.message.is_empty()) {
            let place = Frame::of(&captures);
            open.failure.file.get_or_insert_with(|| name(&place.file));
            open.begins_at(place);
        } else if let Some(captures) = FRAME.find(text) {
            open.frame(Frame::of(&captures), text);
        } else if !CODE.is_match(text) {
            open.add(line, text.strip_prefix("  ").unwrap_or(text));
        }
        open.extend(line);
        true
    }

    /// Handles a line of the summary. It counts passed tests only if all passed; otherwise the list counts
    /// them.
    fn summary(&mut self, line: &Line<'_>) -> bool {
        let is_all = self.is_hinted && self.part == Part::Tests && self.runs.is_empty();
        if self.part != Part::Summary && !is_all {
            return false;
        }
        let Some(captures) = SUMMARY.find(line.text.trim_end()) else { return false };
        self.part = Part::Summary;
        self.runs.end = Some(line.end);
        let said = if self.runs.is_summed_up() { self.said } else { Numbers::default() };
        self.said = said.with(&captures).unwrap_or(said);
        self.broken = self.broken.max(captures.number("outside"));
        let (passed, failed, skipped) = (self.said.passed.unwrap_or_default(), self.said.failed(), self.said.skipped());
        let seen = self.runs.seen;
        self.is_unnumbered |= passed == 0 && seen.total < failed + skipped;
        self.runs.sum_up(results::counts(passed.max(seen.passed), failed.max(seen.failed), skipped.max(seen.skipped)));
        if 0 < self.broken {
            self.runs.sum_up_suites(results::counts(0, self.broken, 0));
        }
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        (self.ruler(&line.text)
            || self.outside(line)
            || self.test(line)
            || self.heading(line)
            || self.summary(line)
            || self.body(line))
        .into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        if self.runs.end.is_none() && !(self.is_hinted && 0 < self.runs.seen.total) {
            return None;
        }
        let mut candidate = self.runs.candidate(FRAMEWORK, "text");
        if let Some(tests) = candidate.tests.as_mut().filter(|_| self.is_unnumbered)
            && tests.authority == CountAuthority::Summary
        {
            tests.authority = CountAuthority::Unnumbered;
        }
        Some(Candidate { findings: self.findings, ..candidate })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::MemorySource;
    use crate::trial::counts;
    use crate::{Hint, read};

    #[test]
    fn passes_are_counted_in_the_list() {
        for (text, expected) in [
            ("\n  ✔ a\n  ─\n\n  1 test passed\n", Some((1, 0, 0))),
            (
                "\n  ✔ a (1.2s)\n  ✖ b x\n  - [todo] c\n  ─\n\n  b\n\n  a.js:3\n\n  ─\n\n  1 test failed\n  1 test todo\n",
                Some((1, 1, 1)),
            ),
            ("\n  ✔ a\n  ─\n\n  1 test passed\n\n  ✔ b\n  ─\n\n  1 test passed\n", Some((2, 0, 0))),
            ("  ✔ Bundled\n  ✔ Copied\n", None),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }

    #[test]
    fn a_summary_without_its_list_says_what_it_can() {
        let hint = Hint { tool: Some("ava".to_owned()), ..Hint::default() };
        for (text, numbers, authority) in [
            ("  4 tests passed\n  1 test skipped\n", (4, 0, 1), CountAuthority::Summary),
            ("  1 test failed\n  1 known failure\n  1 test todo\n", (0, 1, 1), CountAuthority::Unnumbered),
        ] {
            let tests = read(&MemorySource::stdout(text.as_bytes().to_vec()), &hint).unwrap().tests.unwrap();
            let counts = tests.counts;
            assert_eq!((counts.passed, counts.failed, counts.skipped), numbers, "{text}");
            assert_eq!(tests.authority, authority, "{text}");
        }
        let text = "  1 test passed\n  1 uncaught exception\n";
        let tests = read(&MemorySource::stdout(text.as_bytes().to_vec()), &hint).unwrap().tests.unwrap();
        assert_eq!(tests.suites.map(|suites| suites.failed), Some(1));
    }
}
