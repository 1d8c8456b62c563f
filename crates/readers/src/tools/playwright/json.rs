//! Playwright's JSON report: nested suites with specs, their tests by project, and the results of each attempt.
//!
//! `{"config": {…}, "suites": [{"title": "calc.spec.ts", "specs": [{"title": "bad", "tests": […]}], "suites": […]}], "stats": {…}}`

use crate::json::{Closed, Path};
use crate::prelude::*;
use crate::shapes::json_tests::{Runner, Tests, number};
use crate::shapes::locate::Frame;
use crate::shapes::members::position;
use crate::tools::playwright::{FRAMEWORK, SEPARATOR};

pub(super) const OPENING: Opening = Opening {
    compact: &["{\"config\":{\"configFile\":", "{\"config\":{\"rootDir\":"],
    keys: &["\"config\": {"],
    empty: None,
};

#[derive(Default)]
pub(super) struct Playwright {
    errors: u64,
}

impl Runner for Playwright {
    const NAME: &'static str = FRAMEWORK;
    /// Paths of specs, down to the usual depth of nested groups.
    const PATHS: &'static [Path] = &[
        &["suites", ANY, "specs", ANY],
        &["suites", ANY, "suites", ANY, "specs", ANY],
        &["suites", ANY, "suites", ANY, "suites", ANY, "specs", ANY],
        &["suites", ANY, "suites", ANY, "suites", ANY, "suites", ANY, "specs", ANY],
        &["suites", ANY, "suites", ANY, "suites", ANY, "suites", ANY, "suites", ANY, "specs", ANY],
    ];

    fn record(&mut self, record: &Record<'_>, tests: &mut Tests) {
        let member = |key: &str| said(&record.value, key).unwrap_or_default();
        let file = text::path(member("file"));
        // The outermost suite is the file.
        let around = record.around.iter().filter_map(|object| object.get("title").and_then(Value::as_str)).skip(1);
        let groups: Vec<&str> = around.filter(|title| !title.is_empty()).collect();
        let titles: Vec<&str> = groups.iter().copied().chain([member("title")]).collect();
        let of_projects = record.value.get("tests").and_then(Value::as_array).into_iter().flatten();
        for test in of_projects {
            let status = match said(test, "status") {
                Some("unexpected") => TestStatus::Failed,
                Some("skipped") => TestStatus::Skipped,
                _ => TestStatus::Passed,
            };
            tests.results.case(results::case(&groups, member("title"), Some(&file), status));
            if status == TestStatus::Failed {
                let origin = tests.origin(record.start..record.end);
                tests.results.failure(failure(&titles.join(SEPARATOR), &file, test, origin));
            }
        }
    }

    fn closed(&mut self, around: &Closed<'_>, tests: &mut Tests) {
        let Some(stats) = around.members.get("stats").filter(|_| around.depth == 0) else { return };
        self.errors = around.members.get("errors").and_then(Value::as_array).map_or(0, |errors| errors.len() as u64);
        let [expected, flaky, unexpected, skipped] =
            ["expected", "flaky", "unexpected", "skipped"].map(|key| number(stats.get(key)));
        if let (Some(expected), Some(flaky), Some(unexpected), Some(skipped)) = (expected, flaky, unexpected, skipped) {
            tests.results.add_up(results::counts(expected + flaky, unexpected, skipped));
        }
    }

    fn finish(self, tests: &mut Tests) {
        if 0 < self.errors {
            tests.notes.push(format!("playwright met errors outside of tests: {}", self.errors));
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
    failing.with_body(Language::JAVASCRIPT).finish()
}
