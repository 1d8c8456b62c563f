//! Jest's JSON report: one document, printed last.

use std::fmt;
use std::io::{self, BufRead};

use referee_model::reading::{CountAuthority, Origin, TestCase, TestCounts, TestFailure, TestResults, TestStatus};
use referee_model::record::Stream;
use referee_syntax::ansi;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::claim::{Claim, DocumentReader, Kept, name};
use crate::document::{self, Cursor, Extent, Opening};
use crate::text;
use crate::tools::jest::failure::Body;
use crate::tools::jest::{FRAMEWORK, SEPARATOR, SUITE_FAILED};

pub(super) const FORMAT: &str = "json";

/// How the document begins.
pub(crate) const OPENING: Opening =
    Opening { compact: &["{\"numFailedTestSuites\":"], keys: &["\"numFailedTestSuites\":"], empty: None };

/// More tests than any report counts; a larger number is forged or broken.
const COUNT_MAX: u64 = 999_999_999;

/// Names of groups around one test that are kept.
const ANCESTORS_KEPT: usize = 64;

/// Takes the documents of one stream.
pub(crate) struct Report {
    stream: Stream,
    current: Results,
    whole: Option<(Results, u64)>,
    documents: u64,
}

/// What one document says.
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

    /// Adds the results of another run.
    fn add(&mut self, other: Self) {
        self.tests.add(other.tests);
        self.suites.add(other.suites);
        self.failures.extend(other.failures.into_items());
        self.cases.extend(other.cases.into_items());
        self.was_interrupted |= other.was_interrupted;
    }
}

/// The document's own counts; none where it leaves one out.
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
            // Each run of several prints a document. Anyone can print one too, so only failures are kept of it.
            if let Some((earlier, _)) = self.whole.take().filter(|(earlier, _)| earlier.has_failures()) {
                results.add(earlier);
            }
            self.whole = Some((results, extent.end));
        }
        Ok(extent)
    }

    /// The last whole document counts, and with it those before that tell of failures; where there is none, what the last broken one holds explains.
    fn finish(self: Box<Self>, are_all: bool) -> Option<Claim> {
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
        Some(Claim { format: FORMAT, tests: Some(tests), notes, summary_end: end, ..Claim::default() })
    }
}

fn counted(cases: &[TestCase]) -> TestCounts {
    let number = |status| cases.iter().filter(|case| case.status == status).count() as u64;
    TestCounts {
        passed: number(TestStatus::Passed),
        failed: number(TestStatus::Failed),
        skipped: number(TestStatus::Skipped),
        total: cases.len() as u64,
    }
}

/// Takes one document.
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

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Key {
    NumFailedTests,
    NumPassedTests,
    NumPendingTests,
    NumTodoTests,
    NumTotalTests,
    NumFailedTestSuites,
    NumPassedTestSuites,
    NumPendingTestSuites,
    NumTotalTestSuites,
    /// Only Jest has it; others copy the rest.
    NumRuntimeErrorTestSuites,
    WasInterrupted,
    TestResults,
    #[serde(other)]
    Other,
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
        while let Some(key) = entries.next_key::<Key>()? {
            let number = match key {
                Key::NumFailedTests => &mut results.tests.failed,
                Key::NumPassedTests => &mut results.tests.passed,
                Key::NumPendingTests => &mut results.tests.pending,
                Key::NumTodoTests => &mut results.tests.todo,
                Key::NumTotalTests => &mut results.tests.total,
                Key::NumFailedTestSuites => &mut results.suites.failed,
                Key::NumPassedTestSuites => &mut results.suites.passed,
                Key::NumPendingTestSuites => &mut results.suites.pending,
                Key::NumTotalTestSuites => &mut results.suites.total,
                Key::NumRuntimeErrorTestSuites => {
                    entries.next_value::<u64>()?;
                    is_jest = true;
                    continue;
                }
                Key::WasInterrupted => {
                    results.was_interrupted = entries.next_value()?;
                    continue;
                }
                // Jest says it before: these are the tests of a runner that copies its report.
                Key::TestResults if !is_jest => return Err(A::Error::custom("not a report of jest")),
                Key::TestResults => {
                    let cursor = self.cursor.clone();
                    entries.next_value_seed(Suites { results, stream, cursor })?;
                    results.has_suites = true;
                    continue;
                }
                Key::Other => {
                    entries.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *number = Some(entries.next_value()?);
        }
        if is_jest && results.has_suites && results.tests.counts().is_some() {
            Ok(())
        } else {
            Err(A::Error::custom("not a whole report of jest"))
        }
    }
}

/// Takes the suites, one by one.
struct Suites<'a> {
    results: &'a mut Results,
    stream: Stream,
    cursor: Cursor,
}

impl<'de> DeserializeSeed<'de> for Suites<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Suites<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of suites")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut suites: A) -> Result<(), A::Error> {
        loop {
            let start = self.cursor.offset();
            let Some(suite) = suites.next_element::<Suite>()? else {
                return Ok(());
            };
            let end = self.cursor.offset();
            let origin = Origin { rule: "jest/json".to_owned(), stream: self.stream, start, end };
            suite.add_to(self.results, &origin);
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

/// The tests of one suite, counted as they stream by. A failure's message is as Jest gives it, stack and all.
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
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float cast saturates, below 0 at 0"
        )]
        let duration_ms = assertion.duration.map(|milliseconds| milliseconds.round() as u64);
        let status = match assertion.status.as_str() {
            "passed" => TestStatus::Passed,
            "failed" => TestStatus::Failed,
            _ => TestStatus::Skipped,
        };
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
        struct Tests;

        impl<'de> Visitor<'de> for Tests {
            type Value = Assertions;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of tests")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut tests: A) -> Result<Assertions, A::Error> {
                let mut assertions = Assertions::default();
                while let Some(test) = tests.next_element::<Assertion>()? {
                    assertions.add(&test);
                }
                Ok(assertions)
            }
        }

        deserializer.deserialize_seq(Tests)
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

/// The first texts of a list that may be of any length.
#[derive(Default)]
struct First<const NUMBER: usize>(Vec<String>);

impl<'de, const NUMBER: usize> Deserialize<'de> for First<NUMBER> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts<const NUMBER: usize>;

        impl<'de, const NUMBER: usize> Visitor<'de> for Texts<NUMBER> {
            type Value = First<NUMBER>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of texts")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut texts: A) -> Result<First<NUMBER>, A::Error> {
                let mut first = Vec::new();
                while first.len() < NUMBER {
                    let Some(text) = texts.next_element::<String>()? else {
                        return Ok(First(first));
                    };
                    first.push(text);
                }
                while texts.next_element::<IgnoredAny>()?.is_some() {}
                Ok(First(first))
            }
        }

        deserializer.deserialize_seq(Texts)
    }
}
