//! Playwright's JSON report: nested suites with specs, their tests by project, and the results of each attempt.
//!
//! `{"config": {…}, "suites": [{"title": "calc.spec.ts", "specs": [{"title": "bad", "tests": […]}], "suites": […]}], "stats": {…}}`

use std::io::{self, BufRead};

use serde_json::Map;

use crate::json::{self, Path, Records};
use crate::prelude::*;
use crate::shapes::json_findings::place;
use crate::shapes::locate::Frame;
use crate::shapes::members::position;
use crate::tools::playwright::{FRAMEWORK, SEPARATOR};

pub(super) const OPENING: Opening = Opening {
    compact: &["{\"config\":{\"configFile\":", "{\"config\":{\"rootDir\":"],
    keys: &["\"config\": {"],
    empty: None,
};

/// Paths of specs, down to the usual depth of nested groups.
const PATHS: &[Path] = &[
    &["suites", ANY, "specs", ANY],
    &["suites", ANY, "suites", ANY, "specs", ANY],
    &["suites", ANY, "suites", ANY, "suites", ANY, "specs", ANY],
    &["suites", ANY, "suites", ANY, "suites", ANY, "suites", ANY, "specs", ANY],
    &["suites", ANY, "suites", ANY, "suites", ANY, "suites", ANY, "suites", ANY, "specs", ANY],
];

/// Reads the documents of one stream.
pub(super) struct Report {
    stream: Stream,
    results: Results,
    errors: u64,
    end: Option<u64>,
}

impl Report {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream, results: Results::default(), errors: 0, end: None }
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let member = |key: &str| said(&record.value, key).unwrap_or_default();
        let file = text::path(member("file"));
        // The outermost suite is the file.
        let around = record.around.iter().filter_map(|object| object.get("title").and_then(Value::as_str)).skip(1);
        let groups: Vec<&str> = around.filter(|title| !title.is_empty()).collect();
        let titles: Vec<&str> = groups.iter().copied().chain([member("title")]).collect();
        let tests = record.value.get("tests").and_then(Value::as_array).into_iter().flatten();
        for test in tests {
            let status = match said(test, "status") {
                Some("unexpected") => TestStatus::Failed,
                Some("skipped") => TestStatus::Skipped,
                _ => TestStatus::Passed,
            };
            self.results.case(results::case(&groups, member("title"), Some(&file), status));
            if status == TestStatus::Failed {
                let origin = place("playwright/json", self.stream, &record);
                self.results.failure(failure(&titles.join(SEPARATOR), &file, test, origin));
            }
        }
    }

    fn closed(&mut self, depth: usize, members: &Map<String, Value>) {
        let Some(stats) = members.get("stats").filter(|_| depth == 0) else { return };
        self.errors = members.get("errors").and_then(Value::as_array).map_or(0, |errors| errors.len() as u64);
        let number = |key: &str| stats.get(key).and_then(Value::as_u64).filter(|number| *number < 1_000_000_000);
        if let (Some(expected), Some(skipped), Some(unexpected), Some(flaky)) =
            (number("expected"), number("skipped"), number("unexpected"), number("flaky"))
        {
            self.results.sum_up(results::counts(expected + flaky, unexpected, skipped));
        }
    }
}

/// Makes the failure of a test from its first error with a message.
fn failure(title: &str, file: &str, test: &Value, origin: Origin) -> TestFailure {
    let results = test.get("results").and_then(Value::as_array).into_iter().flatten();
    let errors = results.flat_map(|result| result.get("errors").and_then(Value::as_array).into_iter().flatten());
    let error = errors.into_iter().find(|error| error.get("message").is_some());
    let message = error.and_then(|error| said(error, "message")).unwrap_or_default();
    let mut failing = Failing::of(TestFailure {
        name: name(title),
        message: cut::head(&ansi::strip(message), limit::MESSAGE_BYTES).to_owned(),
        origin: Some(origin),
        ..TestFailure::default()
    })
    .in_file(file);
    if let Some((error, file)) = error.and_then(|error| Some((error, said(error, "location/file")?))) {
        let (line, column) = (position(error, "location/line"), position(error, "location/column"));
        failing.begins_at(Frame { file: text::path(file), line, column });
    }
    failing.with_body().finish()
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let extent = json::read(reader, start, PATHS, self)?;
        if extent.is_complete && self.results.summary.is_some() {
            self.end = Some(extent.end);
        }
        Ok(extent)
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Candidate> {
        if self.results.is_empty() {
            return None;
        }
        let notes = if 0 < self.errors {
            vec![format!("playwright met errors outside of tests: {}", self.errors)]
        } else {
            Vec::new()
        };
        let tests = self.results.finish(FRAMEWORK, CountAuthority::MachineReport);
        Some(Candidate { format: "json", tests: Some(tests), notes, summary_end: self.end, ..Candidate::default() })
    }
}
