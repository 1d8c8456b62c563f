//! GoogleTest.
//!
//! ```text
//! [ RUN      ] Add.Fails
//! t.cpp:4: Failure
//! Expected equality of these values: …
//! [  FAILED  ] Add.Fails (0 ms)
//! [==========] 8 tests from 4 test suites ran. (0 ms total)
//! [  PASSED  ] 1 test.
//! [  FAILED  ] 6 tests, listed below:
//! ```

use std::collections::BTreeSet;

use crate::prelude::*;
use crate::tools::ctest;

pub(crate) static TOOL: Tool = Tool::new("gtest", &["googletest"], Role::Test)
    .lines(&[LineFormat::new(&["[==========] ", "[  FAILED  ] "], |_| Box::new(Gtest::default()))]);

const RULE: &str = "gtest/text";

static BEGIN: Pattern = Pattern::new(r"^\[==========\] Running \d+ tests? from \d+ test (?:suite|case)s?\.$");

static END: Pattern =
    Pattern::new(r"^\[==========\] (?<total>\d+) tests? from \d+ test (?:suite|case)s? ran\.(?: \(\d+ ms total\))?$");

static ENDED: Pattern = Pattern::new(
    r"^\[ +(?<status>OK|FAILED|SKIPPED) +\] (?<name>[^\s,]+\.[^\s,]+)(?:, where .*)? \((?<time>\d+) ms\)$",
);

static SUM: Pattern =
    Pattern::new(r"^\[  (?<status>PASSED|FAILED|SKIPPED)  ?\] (?<number>\d+) tests?(?:\.|, listed below:)$");

/// A failed test, listed below the summary.
static LISTED: Pattern =
    Pattern::new(r"^\[  FAILED  \] (?<name>[^\s,:]+)(?<suite>: SetUpTest(?:Suite|Case) or .*)?(?:, where .*)?$");

static DISABLED: Pattern = Pattern::new(r"^  YOU HAVE (?<number>\d+) DISABLED TESTS?$");

static PLACE: Pattern = Pattern::new(
    r"^(?:(?<file>(?:[A-Za-z]:)?[^:(]+)(?::(?<line>\d+): |\((?<line2>\d+)\): )(?:Failure|error:(?: (?<message>.*))?)|unknown file: (?:Failure|error: .*))$",
);

/// Whether a line gives the location of a failure.
fn is_failure(text: &str) -> bool {
    text.ends_with(": Failure") && PLACE.is_match(text)
}

#[derive(Default)]
struct Gtest {
    runs: Runs,
    run: Option<Run>,
    was_cut: bool,
}

#[derive(Default)]
struct Run {
    /// Whether the open test has printed a failure.
    is_failing: bool,
    names: BTreeSet<String>,
    /// Number of all tests, set once they have run.
    total: Option<u64>,
    passed: Option<u64>,
    failed: u64,
    disabled: u64,
}

impl Run {
    fn begin(&mut self, line: &Line<'_>, runs: &mut Runs) -> bool {
        let Some(title) = line.text.strip_prefix("[ RUN      ] ").filter(|title| title.contains('.')) else {
            return false;
        };
        self.crash(runs);
        runs.open(Failing::new(title, RULE, line));
        self.is_failing = false;
        true
    }

    /// Ends a test that has no result line: it crashed.
    fn crash(&mut self, runs: &mut Runs) {
        runs.open.take_if(|open| open.failure.name.is_empty());
        self.names.extend(runs.open.iter().map(|open| open.failure.name.clone()));
        runs.die();
    }

    fn fail(&mut self, failure: TestFailure, runs: &mut Runs) {
        if self.names.len() < limit::FINDINGS_KEPT && self.names.insert(failure.name.clone()) {
            runs.failure(failure);
        }
    }

    fn end(&mut self, line: &Line<'_>, runs: &mut Runs) -> bool {
        let Some(found) = ENDED.find(&line.text) else { return false };
        let title = found.text("name");
        // With `--gtest_brief` the start of a test is not printed.
        let is_this = |open: &mut Failing| open.failure.name == title || open.failure.name.is_empty();
        let Some(mut failing) = runs.open.take_if(is_this) else { return false };
        let mut case = found.case(None);
        case.duration_ms = found.count("time");
        if case.status == TestStatus::Failed {
            failing.extend(line);
            self.fail(TestFailure { name: name(title), duration_ms: case.duration_ms, ..failing.finish() }, runs);
        }
        runs.case(case);
        true
    }

    /// Reads output of a test, including the locations of its failures.
    fn output(&mut self, line: &Line<'_>, runs: &mut Runs) -> bool {
        let text = line.text.trim_end();
        if runs.open.is_none() && is_failure(text) {
            runs.open(Failing::new("", RULE, line));
        }
        let Some(Failing { failure, .. }) = &mut runs.open else { return false };
        let said = match PLACE.find(text) {
            Some(found) => {
                self.is_failing = true;
                if failure.line.is_none() && found.has("file") {
                    (failure.file, failure.line) = (found.file("file"), found.position("line"));
                }
                found.text("message")
            }
            None if self.is_failing => text,
            None => "",
        };
        if !said.is_empty() {
            text::append_line(&mut failure.message, said, limit::MESSAGE_BYTES);
        }
        true
    }

    /// Reads a line of the summary.
    fn sum_up(&mut self, line: &Line<'_>, runs: &mut Runs) -> bool {
        let text = &*line.text;
        if let Some(found) = SUM.find(text) {
            match found.status() {
                TestStatus::Passed => self.passed = Some(found.number("number")),
                TestStatus::Failed => self.failed = found.number("number"),
                TestStatus::Skipped => {}
            }
        } else if let Some(found) = DISABLED.find(text) {
            self.disabled = found.number("number");
        } else if let Some(found) = LISTED.find(text) {
            self.fail(TestFailure { suite: found.has("suite"), ..found.failure(RULE, line) }, runs);
        } else {
            return text.starts_with("[  SKIPPED ] ")
                || text.ends_with(" FAILED TESTS")
                || text.ends_with(" FAILED TEST");
        }
        true
    }
}

impl Gtest {
    fn begin(&mut self) {
        self.close();
        self.runs.start();
        self.run = Some(Run::default());
    }

    fn close(&mut self) {
        let Some(mut run) = self.run.take() else { return };
        run.crash(&mut self.runs);
        self.was_cut |= run.total.is_none();
        if let (Some(total), Some(passed)) = (run.total, run.passed) {
            let failed = run.failed.max(self.runs.seen.failed);
            let skipped = total.saturating_sub(passed + failed) + run.disabled;
            self.runs.sum_up(results::counts(passed.min(total.saturating_sub(failed)), failed, skipped));
        }
        self.runs.begin();
    }
}

impl LineReader for Gtest {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if self.run.is_none() {
            ctest::give_way(text, &mut self.runs);
        }
        let is_over = self.run.as_ref().is_none_or(|run| run.total.is_some());
        if (is_over || self.runs.open.is_none()) && BEGIN.is_match(text) {
            self.begin();
            return Use::Line;
        }
        // With `--gtest_brief` a run begins with its first failure, or with its summary.
        if is_over && (is_failure(text) || self.run.is_none() && END.is_match(text)) {
            self.begin();
        }
        let Some(run) = &mut self.run else { return Use::None };
        let runs = &mut self.runs;
        if runs.open.is_none()
            && let Some(found) = END.find(text)
        {
            run.total = found.count("total");
            return Use::Line;
        }
        let is_used = if run.total.is_some() {
            run.sum_up(line, runs)
        } else {
            run.end(line, runs) || run.begin(line, runs) || run.output(line, runs) || text.starts_with("[----------] ")
        };
        is_used.into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let mut candidate = self.runs.candidate("gtest", "text");
        if self.was_cut {
            candidate.notes = vec!["a run of gtest was not summed up: it is cut short, or its process died".to_owned()];
        }
        Some(candidate).filter(|candidate| candidate.tests.as_ref().is_some_and(|tests| 0 < tests.counts.total))
    }
}
