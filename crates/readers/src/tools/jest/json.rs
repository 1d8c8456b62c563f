//! Jest's JSON report: one document, printed last.

use std::io::{self, BufRead};

use referee_model::reading::TestCase;
use serde_json::Map;

use crate::candidate::{Kept, add_counts};
use crate::json::{self, Closed, Path, Records};
use crate::prelude::*;
use crate::shapes::json_tests::{number, strings, timed};
use crate::shapes::locate::Frame;
use crate::shapes::members::position;
use crate::tools::jest::failure::JEST;
use crate::tools::jest::{FRAMEWORK, SEPARATOR, SUITE_FAILED};

pub(super) const FORMAT: &str = "json";

const RULE: &str = "jest/json";

pub(crate) const OPENING: Opening =
    Opening { compact: &["{\"numFailedTestSuites\":"], keys: &["\"numFailedTestSuites\":"], empty: None };

/// The tests of each suite; and a number that only Jest prints, and before its suites: runners that copy its
/// report leave it out.
const PATHS: &[Path] = &[&["testResults", ANY, "assertionResults", ANY], &["numRuntimeErrorTestSuites"]];
const TESTS: usize = 0;

/// Depths of the list of suites and of a suite in the document.
const OF_SUITES: usize = 1;
const OF_SUITE: usize = 2;

/// Maximum number of group names kept for one test.
const ANCESTORS_KEPT: usize = 64;

/// Reads the documents of one stream.
pub(crate) struct Report {
    stream: Stream,
    current: Run,
    whole: Option<(Run, u64)>,
    documents: u64,
}

/// The results in one document.
#[derive(Debug, Default)]
struct Run {
    is_of_jest: bool,
    has_suites: bool,
    /// The document's own counts, if they are whole and add up.
    tests: Option<TestCounts>,
    suites: Option<TestCounts>,
    failures: Kept<TestFailure>,
    cases: Kept<TestCase>,
    was_interrupted: bool,
    suite: Suite,
}

/// The tests of the current suite, kept until its name is known. A failure's message is kept as Jest prints it,
/// with the stack.
#[derive(Debug, Default)]
struct Suite {
    cases: Kept<TestCase>,
    failures: Kept<TestFailure>,
    number: u64,
}

impl Run {
    fn has_failures(&self) -> bool {
        let has_failed = |counts: Option<TestCounts>| counts.is_some_and(|counts| 0 < counts.failed);
        has_failed(self.tests) || has_failed(self.suites) || 0 < self.failures.len()
    }

    /// Adds the results of another run.
    fn add(&mut self, other: Self) {
        for (sum, other) in [(&mut self.tests, other.tests), (&mut self.suites, other.suites)] {
            *sum = sum.zip(other).map(|(mut sum, other)| {
                add_counts(&mut sum, other);
                sum
            });
        }
        self.failures.extend(other.failures.into_items());
        self.cases.extend(other.cases.into_items());
        self.was_interrupted |= other.was_interrupted;
    }

    fn test(&mut self, record: &Record<'_>, stream: Stream) {
        let member = |key: &str| said(&record.value, key).unwrap_or_default();
        let (title, status) = (member("title"), results::status(member("status")));
        let groups: Vec<&str> = strings(&record.value, "ancestorTitles").take(ANCESTORS_KEPT).collect();
        let case = timed(results::case(&groups, title, None, status), &record.value, "duration");
        if status == TestStatus::Failed {
            let names: Vec<&str> = case.ancestors.iter().chain([&case.title]).map(String::as_str).collect();
            let message = strings(&record.value, "failureMessages").next();
            self.suite.failures.push(TestFailure {
                name: names.join(SEPARATOR),
                line: position(&record.value, "location/line"),
                column: position(&record.value, "location/column"),
                message: message.map(|message| ansi::strip(message).into_owned()).unwrap_or_default(),
                duration_ms: case.duration_ms,
                origin: Some(Origin { rule: RULE.to_owned(), stream, start: record.start, end: record.end }),
                ..TestFailure::default()
            });
        }
        self.suite.cases.push(case);
        self.suite.number += 1;
    }

    /// Reads the object of a suite, whose tests were already read.
    fn suite(&mut self, around: &Closed<'_>, stream: Stream) {
        let member = |key: &str| around.members.get(key).and_then(Value::as_str).unwrap_or_default();
        let file = name(&text::path(member("name")));
        let Suite { mut cases, failures, number } = std::mem::take(&mut self.suite);
        for case in cases.items_mut() {
            case.file = Some(file.clone());
        }
        self.cases.extend(cases.into_items());
        let mut failures = failures.into_items();
        if member("status") == "failed" && number == 0 {
            let message = ansi::strip(member("message"));
            let lines = message.lines().filter(|line| line.trim_start_matches([' ', '●']) != SUITE_FAILED);
            let body: Vec<&str> = lines.map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
            failures.push(TestFailure {
                name: file.clone(),
                suite: true,
                message: body.join("\n"),
                origin: Some(Origin { rule: RULE.to_owned(), stream, start: around.start, end: around.end }),
                ..TestFailure::default()
            });
        }
        for mut failure in failures {
            failure.file = Some(file.clone());
            let (line, column) = (failure.line.take(), failure.column.take());
            let mut failing = Failing::of(failure).with_body(JEST);
            failing.begins_at(Frame { file: file.clone(), line, column });
            self.failures.push(failing.finish());
        }
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        match record.path {
            TESTS if self.current.is_of_jest => self.current.test(&record, self.stream),
            TESTS => {}
            _ => self.current.is_of_jest |= record.value.is_u64() && !self.current.has_suites,
        }
    }

    fn closed(&mut self, around: &Closed<'_>) {
        let Closed { depth, members, .. } = *around;
        let run = &mut self.current;
        run.has_suites |= depth == OF_SUITES;
        if depth == OF_SUITE && run.is_of_jest {
            run.suite(around, self.stream);
        } else if depth == 0 {
            run.was_interrupted = members.get("wasInterrupted").and_then(Value::as_bool).unwrap_or_default();
            (run.tests, run.suites) = (counts(members, "Tests"), counts(members, "TestSuites"));
        }
    }
}

/// Returns the document's own counts of tests or of suites, if they are complete and add up. Only tests can be
/// planned, which is `todo`.
fn counts(members: &Map<String, Value>, what: &str) -> Option<TestCounts> {
    let of = |status: &str| number(members.get(&format!("num{status}{what}")));
    let todo = if what == "Tests" { of("Todo")? } else { 0 };
    let counts = results::counts(of("Passed")?, of("Failed")?, of("Pending")? + todo);
    (of("Total")? == counts.total).then_some(counts)
}

impl Report {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, current: Run::default(), whole: None, documents: 0 }
    }
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        self.current = Run::default();
        let mut extent = json::read(reader, start, PATHS, self)?;
        let mut run = std::mem::take(&mut self.current);
        extent.is_complete &= run.is_of_jest && run.has_suites && run.tests.is_some();
        if !extent.is_complete {
            self.current = run;
            return Ok(extent);
        }
        self.documents += 1;
        // Each of several runs prints a document. A test can print one too, so of earlier documents only those
        // with failures count.
        if let Some((earlier, _)) = self.whole.take().filter(|(earlier, _)| earlier.has_failures()) {
            run.add(earlier);
        }
        self.whole = Some((run, extent.end));
        Ok(extent)
    }

    /// Returns the results of the last whole document, and those of earlier ones with failures. If no document
    /// is whole, the tests of the last broken one are returned as mere explanation.
    fn finish(self: Box<Self>, are_all: bool) -> Option<Candidate> {
        if !are_all {
            return None;
        }
        let mut notes = Vec::new();
        if 1 < self.documents {
            notes.push(format!(
                "the output holds {} jest reports; the last one was taken, and failures of the others",
                self.documents
            ));
        }
        let (run, end) = match self.whole {
            Some((run, end)) => (run, Some(end)),
            None if 0 < self.current.failures.len() + self.current.cases.len() => (self.current, None),
            None => return None,
        };
        if run.was_interrupted {
            notes.push("jest says that its run was interrupted".to_owned());
        }
        let counts = run.tests.filter(|_| end.is_some());
        let cases = run.cases.into_items();
        let tests = TestResults {
            framework: FRAMEWORK.to_owned(),
            authority: if counts.is_some() { CountAuthority::MachineReport } else { CountAuthority::Lines },
            counts: counts.unwrap_or_else(|| counted(&cases)),
            suites: run.suites.filter(|_| end.is_some()),
            failures: run.failures.into_items(),
            cases,
        };
        Some(Candidate { format: FORMAT, tests: Some(tests), notes, summary_end: end, ..Candidate::default() })
    }
}

fn counted(cases: &[TestCase]) -> TestCounts {
    let mut counts = TestCounts::default();
    for case in cases {
        results::add(&mut counts, case.status, 1);
    }
    counts
}
