//! Vitest's JSON report, which has the structure of Jest's: files, each with its tests.
//!
//! `{"numTotalTestSuites":4,…,"testResults":[{"assertionResults":[{"fullName":"add works","status":"passed",…}],…,"name":"/p/a.test.ts"}]}`

use std::io::{self, BufRead};

use referee_model::reading::TestCase;
use serde_json::Map;

use crate::json::{self, Path, Records};
use crate::prelude::*;
use crate::shapes::json_findings::place;
use crate::tools::vitest::{FRAMEWORK, SEPARATOR};

pub(super) const OPENING: Opening =
    Opening { compact: &["{\"numTotalTestSuites\":"], keys: &["\"numTotalTestSuites\":"], empty: None };

const PATHS: &[Path] = &[&["testResults", ANY, "assertionResults", ANY]];

/// Depth of a file's object in the document.
const OF_FILE: usize = 2;

/// Reads the documents of one stream.
pub(super) struct Report {
    stream: Stream,
    results: Results,
    /// Failed tests of the current file, kept until its name is known.
    failures: Vec<TestFailure>,
    /// Tests of the current file, kept until its name is known.
    cases: Vec<TestCase>,
    was_file: bool,
    is_whole: bool,
    end: Option<u64>,
}

impl Report {
    pub(super) fn new(stream: Stream) -> Self {
        Self {
            stream,
            results: Results::default(),
            failures: Vec::new(),
            cases: Vec::new(),
            was_file: false,
            is_whole: false,
            end: None,
        }
    }

    /// Reads the object of a file, whose tests were already read.
    fn file(&mut self, members: &Map<String, Value>) {
        let member = |key: &str| members.get(key).and_then(Value::as_str).unwrap_or_default();
        let file = text::path(member("name"));
        self.was_file = true;
        let has_failed = member("status") == "failed";
        let status = if has_failed { TestStatus::Failed } else { TestStatus::Passed };
        results::add(self.results.suites.get_or_insert_default(), status, 1);
        let failures = std::mem::take(&mut self.failures);
        if has_failed && failures.is_empty() {
            let message = ansi::strip(member("message")).into_owned();
            let suite = TestFailure {
                name: name(&file),
                suite: true,
                file: Some(name(&file)),
                message: cut::head(message.trim_end(), limit::MESSAGE_BYTES).to_owned(),
                ..TestFailure::default()
            };
            self.results.failure(suite);
        }
        for failure in failures {
            self.results.failure(Failing::of(failure).in_file(&file).with_body().finish());
        }
        for mut case in std::mem::take(&mut self.cases) {
            case.file = Some(name(&file));
            self.results.case(case);
        }
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let member = |key: &str| said(&record.value, key).unwrap_or_default();
        let status = results::status(member("status"));
        let strings = |key: &str| {
            let list = record.value.get(key).and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>()
        };
        let ancestors: Vec<&str> = strings("ancestorTitles").into_iter().filter(|title| !title.is_empty()).collect();
        let mut case = results::case(&ancestors, member("title"), None, status);
        case.duration_ms = record.value.get("duration").and_then(Value::as_f64).and_then(results::milliseconds);
        // Tests are kept until the name of their file is known, so the number is limited.
        if self.cases.len() < limit::TEST_CASES_KEPT {
            self.cases.push(case);
        } else {
            self.results.count(status, 1);
        }
        if status == TestStatus::Failed && self.failures.len() < limit::FINDINGS_KEPT {
            let titles: Vec<&str> = ancestors.into_iter().chain([member("title")]).collect();
            let message = ansi::strip(&strings("failureMessages").join("\n")).into_owned();
            self.failures.push(TestFailure {
                name: name(&titles.join(SEPARATOR)),
                message: cut::head(&message, 2 * limit::MESSAGE_BYTES).to_owned(),
                origin: Some(place("vitest/json", self.stream, &record)),
                ..TestFailure::default()
            });
        }
    }

    fn closed(&mut self, depth: usize, members: &Map<String, Value>) {
        if depth == OF_FILE && members.contains_key("name") {
            self.file(members);
        } else if depth == 0 {
            self.is_whole = members.contains_key("numTotalTests") && members.contains_key("success");
        }
    }
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let extent = json::read(reader, start, PATHS, self)?;
        if extent.is_complete && self.is_whole {
            self.end = Some(extent.end);
        }
        Ok(extent)
    }

    fn finish(mut self: Box<Self>, _are_all: bool) -> Option<Candidate> {
        if self.end.is_none() && !self.was_file {
            return None;
        }
        for case in std::mem::take(&mut self.cases) {
            self.results.case(case);
        }
        let authority = if self.end.is_some() { CountAuthority::MachineReport } else { CountAuthority::Lines };
        let seen = self.results.seen;
        self.results.sum_up(seen);
        let tests: TestResults = self.results.finish(FRAMEWORK, authority);
        Some(Candidate { format: "json", tests: Some(tests), summary_end: self.end, ..Candidate::default() })
    }
}
