//! RSpec's JSON: `{"version":"3.12.0","examples":[{"full_description":…,"status":"failed",…}],"summary":{…}}`.

use crate::json::Path;
use crate::prelude::*;
use crate::shapes::json_tests::{Runner, Tests, number, strings};
use crate::shapes::members::{file, position};
use crate::tools::rspec::text::OUTSIDE;
use crate::tools::rspec::{FRAMEWORK, locate};

static SUITE: Pattern = Pattern::new(OUTSIDE);

#[derive(Default)]
pub(super) struct Rspec {
    /// Number of errors outside of examples.
    errors_outside: u64,
}

impl Runner for Rspec {
    const NAME: &'static str = FRAMEWORK;
    const PATHS: &'static [Path] = &[&["examples", ANY], &["summary"], &["messages", ANY]];

    fn record(&mut self, record: &Record<'_>, tests: &mut Tests) {
        match record.path {
            0 => example(record, tests),
            1 => self.summary(&record.value, tests),
            _ => {
                let message = record.value.as_str().unwrap_or_default().trim();
                if let Some(found) = message.lines().next().and_then(|first| SUITE.find(first)) {
                    tests.results.failure(outside(found.text("broken"), message));
                }
            }
        }
    }

    fn finish(self, tests: &mut Tests) {
        if 0 < self.errors_outside {
            tests.results.suites = Some(results::counts(0, self.errors_outside, 0));
        }
        if !tests.results.is_summed_up() {
            tests.notes.push("the report of rspec is cut short: it sums up nothing".to_owned());
        }
    }
}

impl Rspec {
    fn summary(&mut self, value: &Value, tests: &mut Tests) {
        let (Some(total), Some(failed)) = (number(value.get("example_count")), number(value.get("failure_count")))
        else {
            return;
        };
        tests.results.add_up(results::out_of(total, failed, number(value.get("pending_count")).unwrap_or(0)));
        self.errors_outside += number(value.get("errors_outside_of_examples_count")).unwrap_or(0);
    }
}

fn example(record: &Record<'_>, tests: &mut Tests) {
    let value = &record.value;
    let (Some(full), Some(status)) = (said(value, "full_description"), said(value, "status")) else { return };
    let status = results::status(status);
    tests.is_recognized = true;
    let title = said(value, "description").unwrap_or(full);
    let ancestor = full.strip_suffix(title).map(str::trim_end).filter(|group| !group.is_empty());
    let path = file(value, "file_path");
    let ancestors: Vec<&str> = ancestor.into_iter().collect();
    let mut case = results::case(&ancestors, title, path.as_deref(), status);
    case.duration_ms = value.get("run_time").and_then(Value::as_f64).and_then(results::seconds);
    tests.results.case(case);
    if status == TestStatus::Failed {
        let failure = failure(record, full, path, tests);
        tests.results.failure(failure);
    }
}

fn failure(record: &Record<'_>, full: &str, path: Option<String>, tests: &Tests) -> TestFailure {
    let value = &record.value;
    let exception = value.get("exception").unwrap_or(&Value::Null);
    let mut stack = String::new();
    for frame in strings(exception, "backtrace") {
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
        origin: Some(tests.origin(record.start..record.end)),
        ..TestFailure::default()
    };
    locate(&mut failure, path.as_deref());
    // The example's own path is shorter than that in the stack frame.
    if failure.file.as_deref().zip(path.as_deref()).is_some_and(|(one, other)| one.ends_with(other.trim_matches('.'))) {
        failure.file = path;
    }
    failure
}

/// Returns the failure of a file that could not be loaded.
fn outside(suite: &str, message: &str) -> TestFailure {
    let message = cut::head(message, limit::MESSAGE_BYTES).to_owned();
    let is_file = text::has_extension(suite, &["rb"]);
    let stack = Some(message.replace("# ", ""));
    let mut failure = TestFailure { name: suite.to_owned(), suite: true, message, stack, ..TestFailure::default() };
    locate(&mut failure, is_file.then_some(suite));
    failure.file = is_file.then(|| name(suite)).or(failure.file);
    failure.stack = None;
    failure
}
