//! The text report, read line by line.

use std::collections::BTreeSet;

use crate::prelude::*;
use crate::shapes::python_runs::{Listed, Log, letter_status};
use crate::shapes::results::case;
use crate::tools::unittest::FRAMEWORK;
use crate::tools::unittest::block::Block;
use crate::tools::unittest::footer::{Verdict, ran, verdict};

/// A test listed with `-v`: `test_a (module.Case.test_a) ... ok`.
static LISTED: Pattern = Pattern::new(
    r"^(?:(?<test>\S+) \((?<place>[\w.<>]+)\)|.*?) ?\.\.\. (?:unexpected )?(?<status>ok|FAIL|ERROR|skipped .*|expected failure|success)$",
);

/// A test whose outcome is on the next line, after its description.
static NAMED: Pattern = Pattern::new(r"^(?<test>\w+) \((?<place>[\w.]+\.[\w.]+)\)$");

static LETTERS: Pattern = Pattern::new(r"^[.FEsxu]+$");

/// The section that the next lines belong to.
#[derive(Default)]
enum Part {
    #[default]
    Nothing,
    /// A line of `=` was read; a heading must follow.
    Heading,
    /// The traceback of a failure, once the rule below its heading was read.
    Failure { is_below_rule: bool },
    /// The number of tests was read; the verdict must follow.
    Verdict { tests: u64 },
}

#[derive(Default)]
pub(super) struct Report {
    is_hinted: bool,
    part: Part,
    block: Option<Block>,
    /// Failed tests, each with the dotted name in parentheses.
    failed: BTreeSet<(String, String)>,
    listed: Listed,
    /// The test whose outcome follows.
    named: Option<(String, String)>,
    log: Log,
    /// Whether the last non-blank line is a rule, which precedes a summary.
    is_below_rule: bool,
    /// Whether the summary being read follows a rule.
    is_ruled: bool,
    /// Whether any summary followed a rule: those that do not were then printed by tests.
    has_ruled: bool,
}

impl Report {
    pub(super) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, ..Self::default() }
    }

    /// Reads the verdict: it counts tests that ran and, in addition, failures of subtests and of fixtures.
    fn sum_up(&mut self, tests: u64, verdict: Verdict) {
        if self.has_ruled && !self.is_ruled {
            self.part = Part::Nothing;
            return;
        }
        if self.is_ruled && !self.has_ruled {
            self.has_ruled = true;
            self.log.tests = None;
        }
        self.close();
        let has_none = self.listed.runs.failures() == 0 && self.failed.is_empty();
        let Verdict { failed, skipped, unexpected_successes, has_failed } = verdict;
        let failing_tests = if has_none { failed } else { self.failed.len() as u64 };
        let passed = tests.saturating_sub(failing_tests + skipped);
        if has_failed && failed == 0 && unexpected_successes == 0 {
            self.log.note("unittest says that the run failed, and counts no failure");
        }
        self.end_run(Some(results::counts(passed, failed, skipped)));
    }

    /// Ends a run, and adds its results to those of earlier runs.
    fn end_run(&mut self, counts: Option<TestCounts>) {
        self.part = Part::Nothing;
        self.failed.clear();
        if counts.is_none() {
            self.log.note("a run of unittest has no verdict: its output is cut short");
        }
        self.log.add(std::mem::take(&mut self.listed).finish(FRAMEWORK, counts));
    }

    fn is_rule(text: &str, of: u8) -> bool {
        text.len() == 70 && text.bytes().all(|byte| byte == of)
    }

    fn close(&mut self) {
        if let Some(block) = self.block.take().filter(|block| block.has_failed) {
            self.listed.runs.failure(block.failure());
        }
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        self.close();
        self.block = Block::new(line);
        let Some(block) = &self.block else {
            self.part = Part::Nothing;
            return false;
        };
        if self.failed.len() < limit::FINDINGS_KEPT {
            self.failed.extend(block.counted());
        }
        self.part = Part::Failure { is_below_rule: false };
        true
    }

    /// Reads a line with the outcome of one test.
    fn listed(&mut self, text: &str) -> bool {
        let named = self.named.take();
        if text.ends_with(')')
            && let Some(captures) = NAMED.find(text)
        {
            self.named = Some((captures.text("test").to_owned(), captures.text("place").to_owned()));
            return false;
        }
        if !text.contains("... ") {
            return false;
        }
        let Some(captures) = LISTED.find(text) else { return false };
        let status = captures.status();
        let group = |group: &str| captures.get(group).map(str::to_owned);
        let Some((test, place)) = group("test").zip(group("place")).or(named) else { return false };
        self.listed.are_named = true;
        let groups = place.strip_suffix(&format!(".{test}")).unwrap_or(&place);
        self.listed.runs.case(case(&[groups], &test, None, status));
        true
    }

    fn letters(&mut self, text: &str) -> bool {
        if !LETTERS.is_match(text) {
            return false;
        }
        for letter in text.bytes() {
            // The other letter is that of an unexpected success.
            results::add(&mut self.listed.letters, letter_status(letter).unwrap_or(TestStatus::Passed), 1);
        }
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        let is_below_rule = self.is_below_rule;
        if !text.is_empty() {
            self.is_below_rule = 60 < text.len() && text.bytes().all(|byte| byte == b'-');
        }
        if Self::is_rule(text, b'=') {
            self.part = Part::Heading;
            return Use::None;
        }
        if let Some(tests) = ran(text) {
            self.part = Part::Verdict { tests };
            self.is_ruled = is_below_rule;
            return Use::WithPrevious;
        }
        match &mut self.part {
            Part::Heading => return if self.heading(line) { Use::WithPrevious } else { Use::None },
            Part::Verdict { .. } if text.is_empty() => return Use::None,
            Part::Verdict { tests } => {
                let tests = *tests;
                if let Some(found) = verdict(text) {
                    self.sum_up(tests, found);
                    self.log.summary_end = Some(line.end);
                    return Use::Line;
                }
            }
            Part::Failure { is_below_rule } => {
                if Self::is_rule(text, b'-') {
                    // The second rule ends the list of failures.
                    if *is_below_rule {
                        self.part = Part::Nothing;
                    } else {
                        *is_below_rule = true;
                    }
                } else if *is_below_rule && let Some(block) = &mut self.block {
                    block.line(line, text);
                }
                return Use::Line;
            }
            Part::Nothing => {}
        }
        (self.listed(text) || (self.is_hinted && self.letters(text))).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        if 0 < self.listed.runs.failures() || (self.listed.are_named && self.is_hinted) {
            self.end_run(None);
        }
        let is_certain = self.log.summary_end.is_some() || self.is_hinted;
        self.log.candidate(is_certain)
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn counts(text: &str) -> (u64, u64) {
        let mut reader = Box::new(Report::new(true));
        for line in text.lines() {
            let text = line;
            reader.line(&Line::new(text, Stream::Stderr, 0..1));
        }
        let counts = reader.finish().unwrap().tests.unwrap().counts;
        (counts.passed, counts.failed)
    }

    #[test]
    fn what_a_test_prints_is_no_summary_beside_that_of_the_run() {
        let rule = "-".repeat(70);
        let own = format!(".\n{rule}\nRan 2 tests in 0.001s\n\nOK\n");
        for printed in ["Ran 7 tests in 0.1s\n\nOK\n", "Ran 7 tests in 0.1s\n\nFAILED (failures=1)\n"] {
            assert_eq!(counts(&format!("\n{printed}{own}")), (2, 0), "{printed}");
            assert_eq!(counts(&format!("{own}\n{printed}")), (2, 0), "{printed}");
        }
        assert_eq!(counts(&format!("{own}{own}")), (4, 0));
        assert_eq!(counts("Ran 7 tests in 0.1s\n\nOK\n"), (7, 0));
    }
}
