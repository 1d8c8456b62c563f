//! Test results as JSON records: what the reports of runners have in common, from the bytes of a document to
//! counts and failures.

use std::io::{self, BufRead};
use std::ops::Range;

use referee_model::reading::{CountAuthority, Origin, TestCase};
use referee_model::record::Stream;
use serde_json::Value;

use crate::candidate::{Candidate, DocumentReader};
use crate::document::Extent;
use crate::json::{self, Closed, Path, Record, Records};
use crate::shapes::results::milliseconds;
use crate::shapes::runs::Runs;

/// Maximum number of tests that is accepted in a document's own counts; a larger number is forged or broken.
const COUNT_MAX: u64 = 999_999_999;

/// Interprets the records of one runner.
pub(crate) trait Runner: Default {
    /// Name of the framework.
    const NAME: &'static str;

    const PATHS: &'static [Path];

    /// Handles a record.
    fn record(&mut self, record: &Record<'_>, tests: &mut Tests);

    /// Handles a list or an object around records, once it is closed.
    fn closed(&mut self, _around: &Closed<'_>, _tests: &mut Tests) {}

    /// Completes the results when all documents were read.
    fn finish(self, _tests: &mut Tests) {}
}

/// The tests in the documents of one stream.
pub(crate) struct Tests {
    name: &'static str,
    stream: Stream,
    pub(crate) results: Runs,
    /// Whether the documents are the runner's even if they list no test.
    pub(crate) is_recognized: bool,
    pub(crate) notes: Vec<String>,
}

impl Tests {
    /// Returns the origin of a record, or of an object around records.
    pub(crate) fn origin(&self, Range { start, end }: Range<u64>) -> Origin {
        Origin { rule: format!("{}/json", self.name), stream: self.stream, start, end }
    }
}

/// Creates the reader of one stream.
pub(crate) fn reader<R: Runner + 'static>(stream: Stream) -> Box<dyn DocumentReader> {
    let (results, notes) = (Runs::default(), Vec::new());
    let tests = Tests { name: R::NAME, stream, results, is_recognized: false, notes };
    Box::new(Report { runner: R::default(), tests })
}

struct Report<R> {
    runner: R,
    tests: Tests,
}

impl<R: Runner> Records for Report<R> {
    fn record(&mut self, record: Record<'_>) {
        self.runner.record(&record, &mut self.tests);
    }

    fn closed(&mut self, around: &Closed<'_>) {
        self.runner.closed(around, &mut self.tests);
    }
}

impl<R: Runner> DocumentReader for Report<R> {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        json::read(reader, start, R::PATHS, self)
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Candidate> {
        let Self { runner, mut tests } = *self;
        runner.finish(&mut tests);
        let Tests { results, is_recognized, notes, .. } = tests;
        (is_recognized || !results.is_empty()).then(|| {
            let tests = results.finish(R::NAME, CountAuthority::MachineReport);
            Candidate { format: "json", tests: Some(tests), notes, ..Candidate::default() }
        })
    }
}

/// Parses a number of tests.
pub(crate) fn number(value: Option<&Value>) -> Option<u64> {
    value.and_then(Value::as_u64).filter(|number| *number <= COUNT_MAX)
}

/// Returns the strings in a list.
pub(crate) fn strings<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v str> {
    value.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Sets the duration of a test from a number of milliseconds.
pub(crate) fn timed(case: TestCase, value: &Value, key: &str) -> TestCase {
    TestCase { duration_ms: value.get(key).and_then(Value::as_f64).and_then(milliseconds), ..case }
}
