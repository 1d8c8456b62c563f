//! The default output of cmocka.
//!
//! ```text
//! [ RUN      ] bad
//! [  ERROR   ] --- 0x1 != 0x2
//! [   LINE   ] --- cm.c:7: error: Failure!
//! [  FAILED  ] bad
//! [==========] 3 test(s) run.
//! [  PASSED  ] 1 test(s).
//! ```

use crate::prelude::*;
use crate::test_rows::Numbers;

pub(crate) static TOOL: Tool = Tool::new("cmocka", &[], Role::Test)
    .lines(&[LineFormat::new(&[" test(s)"], |_| Box::new(Cmocka::default()))])
    .merge(one_candidate);

/// A line of the runner: its mark, and the text after it.
static MARKED: Pattern =
    Pattern::new(r"^\[ *(?<mark>==========|RUN|OK|ERROR|LINE|FAILED|SKIPPED|PASSED) *\] (?<rest>.*)$");

/// A number of tests; newer versions write the name of the group before it.
static NUMBER: Pattern =
    Pattern::new(r"^(?:.*: )?(?:(?<runs>Running) )?(?<number>\d+) test\(s\)(?:\.| run\.|, listed below:)$");

static PLACE: Pattern = Pattern::new(r"^--- (?<file>(?:[A-Za-z]:)?[^:]+):(?<line>\d+): error: .*$");

#[derive(Default)]
struct Cmocka {
    runs: Runs,
    /// Whether all tests of the group ran; then the number of passed, failed and skipped tests follows.
    is_over: bool,
    /// Numbers of the group; some may be on the other stream.
    numbers: Numbers,
    is_recognized: bool,
    /// Failures on standard error without their names, if it is separate.
    nameless: Vec<TestFailure>,
    /// Names of failed tests, in the order in which they failed.
    listed: Vec<String>,
}

/// Adds the details from standard error to the failures from standard output.
fn one_candidate(candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    let (whole, parts): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|(_, candidate)| !candidate.is_tentative);
    let mut candidate = most_severe(whole)?;
    let told = parts.into_iter().filter_map(|(_, candidate)| candidate.tests).flat_map(|tests| tests.failures);
    for told in told {
        let failures = candidate.tests.iter_mut().flat_map(|tests| &mut tests.failures);
        if let Some(failure) = failures.into_iter().find(|failure| failure.name == told.name && failure.file.is_none())
        {
            (failure.file, failure.line, failure.message) = (told.file, told.line, told.message);
        }
    }
    Some(candidate)
}

impl Cmocka {
    fn ended(&mut self, status: TestStatus, title: &str) {
        if let Some(failing) = self.runs.open.take_if(|open| open.failure.name == title) {
            self.runs.case(results::case(&[], title, None, status));
            if status == TestStatus::Failed {
                self.runs.failure(failing.finish());
            }
        }
    }

    fn close(&mut self) {
        self.runs.die();
        if std::mem::take(&mut self.is_over) {
            let seen = self.runs.seen;
            let (failed, skipped) = (self.numbers.failed().max(seen.failed), self.numbers.skipped().max(seen.skipped));
            self.runs.sum_up(results::counts(self.numbers.passed.unwrap_or(seen.passed), failed, skipped));
        }
        self.numbers = Numbers::default();
        self.runs.begin();
    }

    fn heading(&mut self, rest: &str) {
        let Some(found) = NUMBER.find(rest) else { return };
        self.is_recognized = true;
        if found.has("runs") {
            self.close();
        } else {
            self.is_over = true;
        }
    }

    /// Adds a name from the list at the end, if the tests themselves are on the other stream.
    fn list(&mut self, title: &str) {
        if !NUMBER.is_match(title) && self.listed.len() < limit::FINDINGS_KEPT {
            self.listed.push(name(title));
        }
    }

    /// Returns the failure that the current lines describe.
    fn told(&mut self) -> Option<&mut TestFailure> {
        self.runs.open.as_mut().map(|open| &mut open.failure).or(self.nameless.last_mut())
    }

    fn mark(&mut self, mark: &str, rest: &str, line: &Line<'_>) {
        let number = || NUMBER.find(rest).and_then(|found| found.count("number"));
        match (mark, self.is_over) {
            ("==========", _) => self.heading(rest),
            ("PASSED", true) => self.numbers.passed = number(),
            ("FAILED", true) => self.numbers.failed = number().or(self.numbers.failed),
            ("SKIPPED", true) => self.numbers.skipped = number().or(self.numbers.skipped),
            ("RUN", false) => {
                self.runs.open = Some(Failing::new(rest, "cmocka/text", line));
            }
            ("FAILED", false) if self.runs.open.is_none() => self.list(rest),
            ("OK" | "FAILED" | "SKIPPED", false) => self.ended(results::status(mark), rest),
            ("ERROR", false) => {
                if self.runs.open.is_none() && self.nameless.len() < limit::FINDINGS_KEPT {
                    self.nameless.push(TestFailure::default());
                }
                if let Some(failure) = self.told() {
                    text::append_line(&mut failure.message, rest.trim_start_matches("--- "), limit::MESSAGE_BYTES);
                }
            }
            ("LINE", false) => {
                if let (Some(failure), Some(found)) = (self.told(), PLACE.find(rest)) {
                    (failure.file, failure.line) = (found.file("file"), found.position("line"));
                }
            }
            _ => {}
        }
    }
}

impl LineReader for Cmocka {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let Some(found) = MARKED.find(&line.text) else { return Use::None };
        self.mark(found.text("mark"), found.text("rest"), line);
        self.is_recognized.into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        if self.is_recognized && !self.runs.is_empty() {
            return Some(self.runs.candidate("cmocka", "text"));
        }
        if self.nameless.is_empty() || self.nameless.len() != self.listed.len() {
            return None;
        }
        let mut failures = self.nameless;
        for (failure, title) in failures.iter_mut().zip(self.listed) {
            failure.name = title;
        }
        let tests = TestResults { framework: "cmocka".to_owned(), failures, ..TestResults::default() };
        Some(Candidate { format: "text", tests: Some(tests), is_tentative: true, ..Candidate::default() })
    }
}
