//! Mocha's JSON report: `{"stats": {"tests": 9, "passes": 2, …}, "tests": […], "pending": […], "failures": […], "passes": […]}`.

use std::io::{self, BufRead};

use referee_model::test_file::is_of_tests;
use serde_json::Map;

use crate::json::{self, Path, Records};
use crate::prelude::*;
use crate::shapes::json_findings::place;
use crate::tools::mocha::FRAMEWORK;

pub(crate) const OPENING: Opening =
    Opening { compact: &["{\"stats\":{\"suites\":"], keys: &["\"stats\": {"], empty: None };

const PATHS: &[Path] = &[&["failures", ANY], &["passes", ANY], &["pending", ANY]];
const FAILURES: usize = 0;
const PASSES: usize = 1;

/// Reads the documents of one stream.
pub(crate) struct Report {
    stream: Stream,
    results: Results,
    end: Option<u64>,
}

impl Report {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, results: Results::default(), end: None }
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let member = |key: &str| said(&record.value, key).unwrap_or_default();
        let file = Some(text::path(member("file"))).filter(|file| !file.is_empty());
        let status = match record.path {
            FAILURES => TestStatus::Failed,
            PASSES => TestStatus::Passed,
            _ => TestStatus::Skipped,
        };
        let (title, full) = (member("title"), member("fullTitle"));
        let group = full.strip_suffix(title).unwrap_or_default().trim();
        let groups = [group];
        let mut case = results::case(if group.is_empty() { &[] } else { &groups }, title, file.as_deref(), status);
        case.duration_ms = record.value.get("duration").and_then(Value::as_f64).and_then(results::milliseconds);
        self.results.case(case);
        if status != TestStatus::Failed {
            return;
        }
        let error = |path: &str| said(&record.value, path);
        let (message, stack) = (error("err/message").unwrap_or_default(), error("err/stack").unwrap_or_default());
        let body = ansi::strip(if stack.contains(message.trim()) { stack } else { message }).into_owned();
        let body = if body == stack { body } else { format!("{body}\n{}", ansi::strip(stack)) };
        let mut found = Failing::of(TestFailure {
            name: name(if full.is_empty() { title } else { full }),
            message: cut::head(&body, 2 * limit::MESSAGE_BYTES).to_owned(),
            expected: error("err/expected").map(str::to_owned),
            received: error("err/actual").map(str::to_owned),
            duration_ms: None,
            origin: Some(place("mocha/json", self.stream, &record)),
            ..TestFailure::default()
        })
        .with_body()
        .finish();
        // A stack frame may name a file that the report lacks, or a better one, such as that of a hook.
        let is_own = found.file.as_deref().is_some_and(is_of_tests);
        if !is_own && let Some(file) = file {
            (found.line, found.column) = (None, None);
            found.file = Some(name(&file));
        }
        self.results.failure(found);
    }

    fn closed(&mut self, depth: usize, members: &Map<String, Value>) {
        let Some(stats) = members.get("stats").filter(|_| depth == 0) else { return };
        let number = |key: &str| stats.get(key).and_then(Value::as_u64).filter(|number| *number < 1_000_000_000);
        if let (Some(passes), Some(pending), Some(failures)) = (number("passes"), number("pending"), number("failures"))
        {
            self.results.sum_up(results::counts(passes, failures, pending));
        }
    }
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let extent = json::read(reader, start, PATHS, self)?;
        if extent.is_complete {
            self.end = Some(extent.end);
        }
        Ok(extent)
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Candidate> {
        if self.results.summary.is_none() && self.results.seen.total == 0 {
            return None;
        }
        let tests = self.results.finish(FRAMEWORK, CountAuthority::MachineReport);
        Some(Candidate { format: "json", tests: Some(tests), summary_end: self.end, ..Candidate::default() })
    }
}
