//! RSpec's JSON: `{"version":"3.12.0","examples":[{"full_description":…,"status":"failed",…}],"summary":{…}}`.

use std::io::{self, BufRead};

use serde_json::Map;

use crate::json::{self, Records};
use crate::prelude::*;
use crate::shapes::members::{file, position};
use crate::tools::rspec::{FRAMEWORK, locate};

const RULE: &str = "rspec/json";

/// Collects the reports in the documents of one stream.
pub(super) struct Report {
    stream: Stream,
    results: Results,
    /// Number of errors outside of examples.
    errors_outside: u64,
    is_recognized: bool,
}

impl Report {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream, results: Results::default(), errors_outside: 0, is_recognized: false }
    }

    fn example(&mut self, record: &Record<'_>) {
        let value = &record.value;
        let (Some(full), Some(status)) = (said(value, "full_description"), said(value, "status")) else { return };
        let status = results::status(status);
        self.is_recognized = true;
        let title = said(value, "description").unwrap_or(full);
        let ancestor = full.strip_suffix(title).map(str::trim_end).filter(|group| !group.is_empty());
        let path = file(value, "file_path");
        let ancestors: Vec<&str> = ancestor.into_iter().collect();
        let mut case = results::case(&ancestors, title, path.as_deref(), status);
        case.duration_ms = value.get("run_time").and_then(Value::as_f64).and_then(results::seconds);
        self.results.case(case);
        if status == TestStatus::Failed {
            self.failure(record, full, path);
        }
    }

    fn failure(&mut self, record: &Record<'_>, full: &str, path: Option<String>) {
        let value = &record.value;
        let exception = value.get("exception").unwrap_or(&Value::Null);
        let frames = exception.get("backtrace").and_then(Value::as_array).into_iter().flatten();
        let mut stack = String::new();
        for frame in frames.filter_map(Value::as_str) {
            text::add_line(&mut stack, frame, limit::MESSAGE_BYTES);
        }
        let said_of_it = said(exception, "message").unwrap_or_default();
        let mut failure = TestFailure {
            name: name(full),
            file: path.clone(),
            line: position(value, "line_number"),
            message: cut::head(ansi::strip(said_of_it).trim(), limit::MESSAGE_BYTES).to_owned(),
            stack: (!stack.is_empty()).then(|| stack.trim_start().to_owned()),
            duration_ms: value.get("run_time").and_then(Value::as_f64).and_then(results::seconds),
            origin: Some(Origin { rule: RULE.to_owned(), stream: self.stream, start: record.start, end: record.end }),
            ..TestFailure::default()
        };
        locate(&mut failure, path.as_deref());
        // The example's own path is shorter than that in the stack frame.
        if failure
            .file
            .as_deref()
            .zip(path.as_deref())
            .is_some_and(|(one, other)| one.ends_with(other.trim_matches('.')))
        {
            failure.file = path;
        }
        self.results.failure(failure);
    }

    fn summary(&mut self, value: &Value) {
        let number = |key: &str| value.get(key).and_then(Value::as_u64).filter(|number| *number < 1_000_000_000);
        let (Some(total), Some(failed)) = (number("example_count"), number("failure_count")) else { return };
        self.is_recognized = true;
        self.results.sum_up(results::out_of(total, failed, number("pending_count").unwrap_or(0)));
        self.errors_outside += number("errors_outside_of_examples_count").unwrap_or(0);
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        match record.path {
            0 => self.example(&record),
            1 => self.summary(&record.value),
            _ => {
                let message = record.value.as_str().unwrap_or_default().trim();
                if let Some(suite) = super::text::suite_that_failed(message.lines().next().unwrap_or_default()) {
                    let mut failure = TestFailure {
                        name: suite.to_owned(),
                        suite: true,
                        message: cut::head(message, limit::MESSAGE_BYTES).to_owned(),
                        stack: Some(cut::head(message, limit::MESSAGE_BYTES).replace("# ", "")),
                        ..TestFailure::default()
                    };
                    let is_file = text::has_extension(suite, &["rb"]);
                    locate(&mut failure, is_file.then_some(suite));
                    failure.file = is_file.then(|| name(suite)).or(failure.file);
                    failure.stack = None;
                    self.results.failure(failure);
                }
            }
        }
    }

    fn closed(&mut self, _: usize, _: &Map<String, Value>) {}
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        json::read(reader, start, &[&["examples", ANY], &["summary"], &["messages", ANY]], self)
    }

    fn finish(mut self: Box<Self>, _: bool) -> Option<Candidate> {
        if !self.is_recognized {
            return None;
        }
        if 0 < self.errors_outside {
            self.results.suites = Some(results::counts(0, self.errors_outside, 0));
        }
        let mut notes = Vec::new();
        if self.results.summary.is_none() {
            notes.push("the report of rspec is cut short: it sums up nothing".to_owned());
        }
        let tests = self.results.finish(FRAMEWORK, CountAuthority::MachineReport);
        Some(Candidate { format: "json", tests: Some(tests), notes, ..Candidate::default() })
    }
}
