//! Vitest's JSON report, which has the structure of Jest's: files, each with its tests.
//!
//! `{"numTotalTestSuites":4,…,"testResults":[{"assertionResults":[{"fullName":"add works","status":"passed",…}],…,"name":"/p/a.test.ts"}]}`

use referee_model::reading::TestCase;

use crate::json::{Closed, Path};
use crate::prelude::*;
use crate::shapes::json_tests::{Runner, Tests, strings, timed};
use crate::tools::vitest::{FRAMEWORK, SEPARATOR};

pub(super) const OPENING: Opening =
    Opening { compact: &["{\"numTotalTestSuites\":"], keys: &["\"numTotalTestSuites\":"], empty: None };

/// Depth of a file's object in the document.
const OF_FILE: usize = 2;

/// The tests of the current file, kept until its name is known.
#[derive(Default)]
pub(super) struct Vitest {
    failures: Vec<TestFailure>,
    cases: Vec<TestCase>,
}

impl Vitest {
    /// Reads the object of a file, whose tests were already read.
    fn file(&mut self, around: &Closed<'_>, tests: &mut Tests) {
        let member = |key: &str| around.members.get(key).and_then(Value::as_str).unwrap_or_default();
        let file = text::path(member("name"));
        tests.is_recognized = true;
        let has_failed = member("status") == "failed";
        let status = if has_failed { TestStatus::Failed } else { TestStatus::Passed };
        results::add(tests.results.suites.get_or_insert_default(), status, 1);
        let failures = std::mem::take(&mut self.failures);
        if has_failed && failures.is_empty() {
            let message = ansi::strip(member("message")).into_owned();
            let suite = TestFailure {
                name: name(&file),
                suite: true,
                file: Some(name(&file)),
                message: cut::head(message.trim_end(), limit::MESSAGE_BYTES).to_owned(),
                origin: Some(tests.origin(around.start..around.end)),
                ..TestFailure::default()
            };
            tests.results.failure(suite);
        }
        for failure in failures {
            tests.results.failure(Failing::of(failure).in_file(&file).with_body(Language::JAVASCRIPT).finish());
        }
        for mut case in std::mem::take(&mut self.cases) {
            case.file = Some(name(&file));
            tests.results.case(case);
        }
    }
}

impl Runner for Vitest {
    const NAME: &'static str = FRAMEWORK;
    const PATHS: &'static [Path] = &[&["testResults", ANY, "assertionResults", ANY]];

    fn record(&mut self, record: &Record<'_>, tests: &mut Tests) {
        let member = |key: &str| said(&record.value, key).unwrap_or_default();
        let status = results::status(member("status"));
        let groups = strings(&record.value, "ancestorTitles").filter(|title| !title.is_empty());
        let ancestors: Vec<&str> = groups.collect();
        let case = timed(results::case(&ancestors, member("title"), None, status), &record.value, "duration");
        // Tests are kept until the name of their file is known, so the number is limited.
        if self.cases.len() < limit::TEST_CASES_KEPT {
            self.cases.push(case);
        } else {
            tests.results.count(status, 1);
        }
        if status == TestStatus::Failed && self.failures.len() < limit::FINDINGS_KEPT {
            let titles: Vec<&str> = ancestors.into_iter().chain([member("title")]).collect();
            let messages: Vec<&str> = strings(&record.value, "failureMessages").collect();
            self.failures.push(TestFailure {
                name: name(&titles.join(SEPARATOR)),
                message: cut::head(&ansi::strip(&messages.join("\n")), 2 * limit::MESSAGE_BYTES).to_owned(),
                origin: Some(tests.origin(record.start..record.end)),
                ..TestFailure::default()
            });
        }
    }

    fn closed(&mut self, around: &Closed<'_>, tests: &mut Tests) {
        let Closed { depth, members, .. } = *around;
        if depth == OF_FILE && members.contains_key("name") {
            self.file(around, tests);
        } else if depth == 0 && members.contains_key("numTotalTests") && members.contains_key("success") {
            tests.is_recognized = true;
            tests.results.sum_up(tests.results.seen);
        }
    }

    fn finish(self, tests: &mut Tests) {
        self.cases.into_iter().for_each(|case| tests.results.case(case));
        // Its own counts include tests that were not run, so those that are listed count.
        if tests.results.is_summed_up() {
            tests.results.sum_up(tests.results.seen);
        }
    }
}
