//! The JSON of the harness, one object per line, which nextest can print too:
//! `{"type":"suite","event":"started","test_count":2}`, `{"type":"test","event":"failed","name":"a","stdout":"…"}`,
//! `{"type":"suite","event":"failed","passed":1,"failed":1,"ignored":0,"measured":0,…}`.

use serde::Deserialize;

use super::FRAMEWORK;
use super::lines::path;
use super::panic::Printed;
use crate::candidate::add_counts;
use crate::prelude::*;

pub(crate) const FORMAT: LineFormat =
    LineFormat::new(&["\"type\":\"suite\"", "\"type\": \"suite\"", "\"type\":\"test\"", "\"type\": \"test\""], |_| {
        Box::new(Json::default())
    });

#[derive(Deserialize)]
struct Record {
    r#type: String,
    event: String,
    name: Option<String>,
    stdout: Option<String>,
    message: Option<String>,
    exec_time: Option<f64>,
    passed: Option<u64>,
    failed: Option<u64>,
    ignored: Option<u64>,
    #[serde(default)]
    measured: u64,
}

#[derive(Default)]
struct Json {
    results: Runs,
    /// Sum of the results of all suites.
    summary: Option<TestCounts>,
    suites: u64,
    is_open: bool,
}

impl LineReader for Json {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim();
        if !text.starts_with('{') || !text.contains("\"type\"") || !text.contains("\"event\"") {
            return Use::None;
        }
        let Ok(record) = serde_json::from_str::<Record>(text) else { return Use::None };
        match record.r#type.as_str() {
            "suite" => self.suite(&record),
            "test" if 0 < self.suites => self.test(&record, line),
            "bench" => {}
            _ => return Use::None,
        }
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        if self.suites == 0 {
            return None;
        }
        let notes = if self.is_open { vec!["a run was cut short: it has no result".to_owned()] } else { Vec::new() };
        let mut results = self.results;
        // For a truncated run, the lines are more accurate than the summaries of the others.
        if let Some(summary) = self.summary.filter(|_| !self.is_open) {
            results.sum_up(summary);
        }
        let tests = results.finish(FRAMEWORK, CountAuthority::MachineReport);
        Some(Candidate { format: "json", tests: Some(tests), notes, ..Candidate::default() })
    }
}

impl Json {
    fn suite(&mut self, record: &Record) {
        self.suites += 1;
        if record.event == "started" {
            self.is_open = true;
            return;
        }
        self.is_open = false;
        if let (Some(passed), Some(failed), Some(ignored)) = (record.passed, record.failed, record.ignored) {
            // No harness runs more tests; a larger number is forged or corrupt.
            let bounded = |number: u64| number.min(999_999_999);
            let passed = bounded(passed) + bounded(record.measured);
            let counts = results::counts(passed, bounded(failed), bounded(ignored));
            add_counts(self.summary.get_or_insert_default(), counts);
        }
    }

    fn test(&mut self, record: &Record, line: &Line<'_>) {
        let status = match record.event.as_str() {
            "ok" => TestStatus::Passed,
            "failed" => TestStatus::Failed,
            "ignored" => TestStatus::Skipped,
            _ => return,
        };
        let printed = record.name.as_deref().unwrap_or_default();
        // nextest writes `crate::binary$path::of::test`, followed by the attempt.
        let (binary, test) = printed.split_once('$').map_or((None, printed), |(binary, test)| (Some(binary), test));
        let test = test.split_once('#').map_or(test, |(test, _)| test);
        let (mut ancestors, title) = path(test);
        ancestors.splice(0..0, binary);
        let mut case = results::case(&ancestors, title, None, status);
        // `seconds` rejects times that are not finite, and those of more than a century.
        case.duration_ms = record.exec_time.and_then(results::seconds);
        self.results.case(case);
        if status == TestStatus::Failed {
            let mut failure = candidate::failure(test, "cargo-test/json", line);
            let mut of_test = Printed::default();
            let said = record.stdout.as_deref().or(record.message.as_deref()).unwrap_or_default();
            ansi::strip(said).lines().for_each(|line| of_test.add(line));
            of_test.fill(&mut failure);
            self.results.failure(failure);
        }
    }
}
