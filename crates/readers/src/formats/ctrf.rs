//! CTRF, the common test report format:
//! `{"reportFormat":"CTRF","results":{"tool":{"name":"jest"},"summary":{"tests":2,…},"tests":[{"name":…}]}}`.

use std::io::{self, BufRead};

use crate::formats::test_report::{Failed, Reports, Test, Tests};
use crate::json::{self, Closed, Path, Records};
use crate::prelude::*;
use crate::shapes::json_tests::number;
use crate::shapes::members::{file, position, words};
use crate::shapes::results::counts;

const FORMAT: &str = "ctrf";

/// CTRF reports, regardless of the tool that wrote them.
pub(crate) static TOOL: Tool = Tool::new(FORMAT, &["ctrf-json"], Role::Test)
    .documents(&[DocumentFormat::new(
        &["{\"reportFormat\":", "{\"results\":{\"tool\":", "{\"results\": {\"tool\":"],
        &["\"reportFormat\":", "\"results\":"],
        |stream, _| Box::new(Report { stream, reports: Reports::default() }),
    )])
    .merge(candidate::together);

const PATHS: &[Path] = &[&["results", "tests", ANY], &["results", "summary"], &["results", "tool"]];

/// Maximum number of enclosing groups recorded per test.
const ANCESTORS: usize = 32;

/// Reads the documents of one stream.
struct Report {
    stream: Stream,
    reports: Reports,
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let mut document = Document { stream: self.stream, tests: Tests::default(), summary: None, is_known: false };
        let mut extent = json::read(reader, start, PATHS, &mut document)?;
        let Document { mut tests, summary, is_known, .. } = document;
        extent.is_complete &= summary.is_some();
        // Of the summary and the listed tests, the more severe one counts.
        let seen = tests.seen();
        tests.told = summary.filter(|summary| seen.total != summary.total || seen.failed <= summary.failed);
        Ok(self.reports.add(tests, is_known, extent))
    }

    fn finish(self: Box<Self>, are_all: bool) -> Option<Candidate> {
        self.reports.candidate(FORMAT, are_all)
    }
}

/// State while one document is read.
struct Document {
    stream: Stream,
    tests: Tests,
    summary: Option<TestCounts>,
    /// Whether the document is a test report: it names a tool or declares the format.
    is_known: bool,
}

impl Records for Document {
    fn record(&mut self, record: Record<'_>) {
        let value = &record.value;
        match record.path {
            0 => {
                let rule = "ctrf/json".to_owned();
                self.test(value, Origin { rule, stream: self.stream, start: record.start, end: record.end });
            }
            1 => self.summary = summary(value),
            _ => self.is_known |= value.get("name").is_some(),
        }
    }

    fn closed(&mut self, around: &Closed<'_>) {
        self.is_known |=
            around.depth == 0 && around.members.get("reportFormat").and_then(Value::as_str) == Some("CTRF");
    }
}

impl Document {
    fn test(&mut self, value: &Value, at: Origin) {
        let Some(title) = value["name"].as_str() else { return };
        let status = match value["status"].as_str() {
            Some("passed") => TestStatus::Passed,
            Some("failed") => TestStatus::Failed,
            _ => TestStatus::Skipped,
        };
        let file = file(value, "filePath").or_else(|| file(value, "file_path"));
        let ancestors: Vec<String> = match &value["suite"] {
            Value::String(suite) if !suite.is_empty() => vec![suite.clone()],
            Value::Array(suites) => {
                suites.iter().filter_map(Value::as_str).take(ANCESTORS).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        let duration_ms = value["duration"].as_u64();
        let group = if status == TestStatus::Failed { ancestors.join(" > ") } else { String::new() };
        self.tests.test(&Test { ancestors, title: title.to_owned(), file: file.clone(), duration_ms }, status);
        if status == TestStatus::Failed {
            let stack = said(value, "trace").unwrap_or_default().trim();
            let message = words(value, "message").or_else(|| stack.lines().next()).unwrap_or_default().to_owned();
            let name = if title.starts_with(&group) { title.to_owned() } else { format!("{group} > {title}") };
            let line = position(value, "line").filter(|_| file.is_some());
            let failed = Failed { name, message, stack: stack.to_owned(), file, line, duration_ms, suite: false };
            self.tests.failure(failed, at);
        }
    }
}

fn summary(value: &Value) -> Option<TestCounts> {
    let number = |key: &str| number(value.get(key));
    let (passed, failed) = (number("passed")?, number("failed")?);
    let skipped = ["skipped", "pending", "other"].iter().filter_map(|key| number(key)).sum();
    Some(counts(passed, failed, skipped))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn told(document: &str) -> Option<Candidate> {
        let mut reader = TOOL.documents[0].reader(Stream::Stdout, false);
        reader.document(&mut BufReader::new(document.as_bytes()), 0).unwrap();
        reader.finish(true)
    }

    #[test]
    fn the_summary_counts_and_the_tests_explain() {
        let document = r#"{"reportFormat":"CTRF","results":{"tool":{"name":"jest"},"summary":{"tests":4,"passed":1,"failed":1,"pending":1,"skipped":0,"other":1},
            "tests":[{"name":"adds","status":"passed","duration":3},{"name":"divides","status":"failed","message":"no","filePath":"a.js","line":3,"suite":["math"]}]}}"#;
        let tests = told(document).unwrap().tests.unwrap();
        assert_eq!((tests.counts.passed, tests.counts.failed, tests.counts.skipped, tests.counts.total), (1, 1, 2, 4));
        assert_eq!((tests.failures[0].name.as_str(), tests.failures[0].line), ("math > divides", Some(3)));
        assert_eq!(tests.authority, CountAuthority::MachineReport);
    }

    #[test]
    fn other_documents_are_not_claimed() {
        assert!(told(r#"{"results":{"tests":[{"name":"a","status":"failed"}]}}"#).is_none());
        let half =
            told(r#"{"results":{"tool":{"name":"x"},"tests":[{"name":"a","status":"failed"},"#).unwrap().tests.unwrap();
        assert_eq!(half.authority, CountAuthority::Lines);
    }
}
