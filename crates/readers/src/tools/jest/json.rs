//! Jest's JSON report: one document, printed last.

use std::fmt;
use std::io::{self, BufRead};

use referee_model::reading::TestCase;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use crate::candidate::Kept;
use crate::document::{self, Cursor};
use crate::prelude::*;
use crate::shapes::each::{each, elements};
use crate::shapes::results::{add, milliseconds};
use crate::tools::jest::failure::Body;
use crate::tools::jest::{FRAMEWORK, SEPARATOR, SUITE_FAILED};

pub(super) const FORMAT: &str = "json";

pub(crate) const OPENING: Opening =
    Opening { compact: &["{\"numFailedTestSuites\":"], keys: &["\"numFailedTestSuites\":"], empty: None };

/// Maximum number of tests that is accepted; a larger number is forged or broken.
const COUNT_MAX: u64 = 999_999_999;

/// Maximum number of group names kept for one test.
const ANCESTORS_KEPT: usize = 64;

/// Reads the documents of one stream.
pub(crate) struct Report {
    stream: Stream,
    current: Results,
    whole: Option<(Results, u64)>,
    documents: u64,
}

#[derive(Debug, Default)]
struct Results {
    tests: Numbers,
    suites: Numbers,
    has_suites: bool,
    failures: Kept<TestFailure>,
    cases: Kept<TestCase>,
    was_interrupted: bool,
}

impl Results {
    fn has_failures(&self) -> bool {
        [self.tests, self.suites].iter().any(|numbers| numbers.failed.is_some_and(|failed| 0 < failed))
    }

    /// Returns the field for a key of the document, such as `numFailedTestSuites`.
    fn number(&mut self, key: &str) -> Option<&mut Option<u64>> {
        let (numbers, status) = match key.strip_suffix("TestSuites") {
            Some(status) => (&mut self.suites, status),
            None => (&mut self.tests, key.strip_suffix("Tests")?),
        };
        match status {
            "numFailed" => Some(&mut numbers.failed),
            "numPassed" => Some(&mut numbers.passed),
            "numPending" => Some(&mut numbers.pending),
            "numTodo" => Some(&mut numbers.todo),
            "numTotal" => Some(&mut numbers.total),
            _ => None,
        }
    }

    /// Adds the results of another run.
    fn add(&mut self, other: Self) {
        self.tests.add(other.tests);
        self.suites.add(other.suites);
        self.failures.extend(other.failures.into_items());
        self.cases.extend(other.cases.into_items());
        self.was_interrupted |= other.was_interrupted;
    }
}

/// The document's own counts; `None` for one it leaves out.
#[derive(Debug, Default, Clone, Copy)]
struct Numbers {
    passed: Option<u64>,
    failed: Option<u64>,
    pending: Option<u64>,
    todo: Option<u64>,
    total: Option<u64>,
}

impl Numbers {
    fn add(&mut self, other: Self) {
        let sum = |one: Option<u64>, other: Option<u64>| one?.checked_add(other?);
        self.passed = sum(self.passed, other.passed);
        self.failed = sum(self.failed, other.failed);
        self.pending = sum(self.pending, other.pending);
        self.todo = sum(self.todo, other.todo);
        self.total = sum(self.total, other.total);
    }

    fn counts(self) -> Option<TestCounts> {
        let known = |number: Option<u64>| number.filter(|number| *number <= COUNT_MAX);
        let (passed, failed, total) = (known(self.passed)?, known(self.failed)?, known(self.total)?);
        let skipped = known(self.pending)? + known(self.todo)?;
        (passed + failed + skipped == total).then_some(TestCounts { passed, failed, skipped, total })
    }
}

impl Report {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, current: Results::default(), whole: None, documents: 0 }
    }
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        self.current = Results::default();
        let extent = document::read(reader, start, |cursor| Document { report: &mut *self, cursor })?;
        if extent.is_complete {
            self.documents += 1;
            let mut results = std::mem::take(&mut self.current);
            // Each of several runs prints a document. A test can print one too, so of earlier documents only
            // those with failures count.
            if let Some((earlier, _)) = self.whole.take().filter(|(earlier, _)| earlier.has_failures()) {
                results.add(earlier);
            }
            self.whole = Some((results, extent.end));
        }
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
        let (results, end) = match self.whole {
            Some((results, end)) => (results, Some(end)),
            None if 0 < self.current.failures.len() + self.current.cases.len() => (self.current, None),
            None => return None,
        };
        if results.was_interrupted {
            notes.push("jest says that its run was interrupted".to_owned());
        }
        let counts = end.and_then(|_| results.tests.counts());
        let cases = results.cases.into_items();
        let tests = TestResults {
            framework: FRAMEWORK.to_owned(),
            authority: if counts.is_some() { CountAuthority::MachineReport } else { CountAuthority::Lines },
            counts: counts.unwrap_or_else(|| counted(&cases)),
            suites: end.and_then(|_| results.suites.counts()),
            failures: results.failures.into_items(),
            cases,
        };
        Some(Candidate { format: FORMAT, tests: Some(tests), notes, summary_end: end, ..Candidate::default() })
    }
}

fn counted(cases: &[TestCase]) -> TestCounts {
    let mut counts = TestCounts::default();
    for case in cases {
        add(&mut counts, case.status, 1);
    }
    counts
}

struct Document<'a> {
    report: &'a mut Report,
    cursor: Cursor,
}

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a report of jest")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut is_jest = false;
        let stream = self.report.stream;
        let results = &mut self.report.current;
        results.suites.todo = Some(0);
        while let Some(key) = entries.next_key::<String>()? {
            match key.as_str() {
                // Only Jest prints this key; runners that copy its report leave it out.
                "numRuntimeErrorTestSuites" => {
                    entries.next_value::<u64>()?;
                    is_jest = true;
                }
                "wasInterrupted" => results.was_interrupted = entries.next_value()?,
                // Jest prints that key before this one, so the report is from a runner that copies the format.
                "testResults" if !is_jest => return Err(A::Error::custom("not a report of jest")),
                "testResults" => {
                    entries.next_value_seed(each(&self.cursor, |suite: Suite, start, end| {
                        suite.add_to(results, &Origin { rule: "jest/json".to_owned(), stream, start, end });
                    }))?;
                    results.has_suites = true;
                }
                key => match results.number(key) {
                    Some(number) => *number = Some(entries.next_value()?),
                    None => drop(entries.next_value::<IgnoredAny>()?),
                },
            }
        }
        if is_jest && results.has_suites && results.tests.counts().is_some() {
            Ok(())
        } else {
            Err(A::Error::custom("not a whole report of jest"))
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Suite {
    name: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    status: String,
    assertion_results: Assertions,
}

impl Suite {
    fn add_to(self, results: &mut Results, origin: &Origin) {
        let file = name(&text::path(&self.name));
        let Assertions { mut cases, failures, number } = self.assertion_results;
        for case in cases.items_mut() {
            case.file = Some(file.clone());
        }
        results.cases.extend(cases.into_items());
        if self.status == "failed" && number == 0 {
            let mut failure = TestFailure { name: file.clone(), suite: true, ..TestFailure::default() };
            let message = ansi::strip(&self.message);
            let lines = message.lines().filter(|line| line.trim_start_matches([' ', '●']) != SUITE_FAILED);
            let body: Vec<&str> = lines.map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
            failure.file = Some(file);
            failure.origin = Some(origin.clone());
            Body::of(&body.join("\n")).fill(&mut failure);
            results.failures.push(failure);
            return;
        }
        for mut failure in failures.into_items() {
            let said = std::mem::take(&mut failure.message);
            failure.file = Some(file.clone());
            failure.origin = Some(origin.clone());
            Body::of(&said).fill(&mut failure);
            results.failures.push(failure);
        }
    }
}

/// The tests of one suite, counted while they are read. A failure's message is kept as Jest prints it, with the
/// stack.
#[derive(Default)]
struct Assertions {
    cases: Kept<TestCase>,
    failures: Kept<TestFailure>,
    number: u64,
}

impl Assertions {
    fn add(&mut self, assertion: &Assertion) {
        self.number += 1;
        let ancestors: Vec<String> = assertion.ancestor_titles.0.iter().map(|title| name(title)).collect();
        let title = name(&assertion.title);
        let duration_ms = assertion.duration.and_then(milliseconds);
        let status = results::status(&assertion.status);
        if status == TestStatus::Failed {
            let names: Vec<&str> = ancestors.iter().chain([&title]).map(String::as_str).collect();
            let message = assertion.failure_messages.0.first().map(|message| ansi::strip(message).into_owned());
            let place = assertion.location.as_ref();
            self.failures.push(TestFailure {
                name: names.join(SEPARATOR),
                line: place.and_then(|place| place.line),
                column: place.and_then(|place| place.column),
                message: message.unwrap_or_default(),
                duration_ms,
                ..TestFailure::default()
            });
        }
        self.cases.push(TestCase { ancestors, title, file: None, status, duration_ms });
    }
}

impl<'de> Deserialize<'de> for Assertions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut assertions = Self::default();
        elements(deserializer, |assertion| assertions.add(&assertion))?;
        Ok(assertions)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Assertion {
    #[serde(default)]
    ancestor_titles: First<ANCESTORS_KEPT>,
    title: String,
    status: String,
    #[serde(default)]
    failure_messages: First<1>,
    #[serde(default)]
    duration: Option<f64>,
    #[serde(default)]
    location: Option<Location>,
}

#[derive(Deserialize)]
struct Location {
    line: Option<u32>,
    column: Option<u32>,
}

/// The first texts of a list of any length.
#[derive(Default)]
struct First<const NUMBER: usize>(Vec<String>);

impl<'de, const NUMBER: usize> Deserialize<'de> for First<NUMBER> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut first = Vec::new();
        elements(deserializer, |text| {
            if first.len() < NUMBER {
                first.push(text);
            }
        })?;
        Ok(Self(first))
    }
}
