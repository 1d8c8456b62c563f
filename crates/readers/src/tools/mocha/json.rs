//! Mocha's JSON report: `{"stats": {"tests": 9, "passes": 2, …}, "tests": […], "pending": […], "failures": […], "passes": […]}`.

use referee_model::test_file::is_of_tests;

use crate::json::{Closed, Path};
use crate::prelude::*;
use crate::shapes::json_tests::{Runner, Tests, number, timed};

pub(crate) const OPENING: Opening =
    Opening { compact: &["{\"stats\":{\"suites\":"], keys: &["\"stats\": {"], empty: None };

const FAILURES: usize = 0;
const PASSES: usize = 1;

#[derive(Default)]
pub(crate) struct Mocha;

impl Runner for Mocha {
    const NAME: &'static str = super::FRAMEWORK;
    const PATHS: &'static [Path] = &[&["failures", ANY], &["passes", ANY], &["pending", ANY]];

    fn record(&mut self, record: &Record<'_>, tests: &mut Tests) {
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
        let case = results::case(if group.is_empty() { &[] } else { &groups }, title, file.as_deref(), status);
        tests.results.case(timed(case, &record.value, "duration"));
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
            origin: Some(tests.origin(record.start..record.end)),
            ..TestFailure::default()
        })
        .with_body(Language::JAVASCRIPT)
        .finish();
        // A stack frame may name a file that the report lacks, or a better one, such as that of a hook.
        let is_own = found.file.as_deref().is_some_and(is_of_tests);
        if !is_own && let Some(file) = file {
            (found.line, found.column) = (None, None);
            found.file = Some(name(&file));
        }
        tests.results.failure(found);
    }

    fn closed(&mut self, around: &Closed<'_>, tests: &mut Tests) {
        let Some(stats) = around.members.get("stats").filter(|_| around.depth == 0) else { return };
        let [passes, pending, failures] = ["passes", "pending", "failures"].map(|key| number(stats.get(key)));
        if let (Some(passes), Some(pending), Some(failures)) = (passes, pending, failures) {
            tests.results.add_up(results::counts(passes, failures, pending));
        }
    }
}
