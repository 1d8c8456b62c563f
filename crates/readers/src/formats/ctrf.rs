//! CTRF, the common test report format:
//! `{"reportFormat":"CTRF","results":{"tool":{"name":"jest"},"summary":{"tests":2,…},"tests":[{"name":…}]}}`.

use std::io::{self, BufRead};

use crate::formats::finding_report::position;
use crate::json::{self, Closed, Path, Records};
use crate::prelude::*;
use crate::shapes::json_tests::number;
use crate::shapes::results::{case, counts};

const FORMAT: &str = "ctrf";

/// CTRF reports, regardless of the tool that wrote them.
pub(crate) static TOOL: Tool = Tool::new(FORMAT, &["ctrf-json"], Role::Test)
    .documents(&[DocumentFormat::new(
        &["{\"reportFormat\":", "{\"results\":{\"tool\":", "{\"results\": {\"tool\":"],
        &["\"reportFormat\":", "\"results\":"],
        |stream, _| Box::new(Report { stream, ..Report::default() }),
    )])
    .merge(candidate::together);

const PATHS: &[Path] = &[&["results", "tests", ANY], &["results", "summary"], &["results", "tool"]];

/// Reads the documents of one stream.
struct Report {
    stream: Stream,
    whole: Results,
    is_whole: bool,
    /// The last document, if it broke off.
    broken: Option<Results>,
}

impl Default for Report {
    fn default() -> Self {
        Self { stream: Stream::Stdout, whole: Results::default(), is_whole: false, broken: None }
    }
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let mut document = Document { stream: self.stream, ..Document::default() };
        let mut extent = json::read(reader, start, PATHS, &mut document)?;
        let Document { mut results, summary, is_known, .. } = document;
        extent.is_complete &= is_known && summary.is_some();
        if !is_known {
            return Ok(extent);
        }
        let Some(summary) = summary.filter(|_| extent.is_complete) else {
            self.broken = Some(results);
            return Ok(extent);
        };
        // Of the summary and the listed tests, the more severe one counts.
        let seen = results.seen;
        let told = if seen.total == summary.total && summary.failed < seen.failed { seen } else { summary };
        results.summary = None;
        self.whole.sum_up(told);
        self.is_whole = true;
        let listed = results.finish(FORMAT, CountAuthority::MachineReport);
        listed.failures.into_iter().for_each(|failure| self.whole.failure(failure));
        listed.cases.into_iter().for_each(|case| self.whole.case(case));
        Ok(extent)
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Candidate> {
        let (tests, notes) = match (self.is_whole, self.broken) {
            (true, _) => (self.whole.finish(FORMAT, CountAuthority::MachineReport), Vec::new()),
            (false, Some(broken)) if !broken.is_empty() => {
                (broken.finish(FORMAT, CountAuthority::Lines), vec!["a report of tests is cut short".to_owned()])
            }
            _ => return None,
        };
        Some(Candidate { format: FORMAT, tests: Some(tests), notes, ..Candidate::default() })
    }
}

/// State while one document is read.
struct Document {
    stream: Stream,
    results: Results,
    summary: Option<TestCounts>,
    /// Whether the document is a test report: it names a tool or declares the format.
    is_known: bool,
}

impl Default for Document {
    fn default() -> Self {
        Self { stream: Stream::Stdout, results: Results::default(), summary: None, is_known: false }
    }
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
        let file = value["filePath"]
            .as_str()
            .or(value["file_path"].as_str())
            .filter(|file| !file.is_empty())
            .map(|file| name(&text::path(file)));
        let groups: Vec<&str> = match &value["suite"] {
            Value::String(suite) if !suite.is_empty() => vec![suite],
            Value::Array(suites) => suites.iter().filter_map(Value::as_str).take(32).collect(),
            _ => Vec::new(),
        };
        let duration_ms = value["duration"].as_u64();
        let mut named = case(&groups, title, file.as_deref(), status);
        named.duration_ms = duration_ms;
        self.results.case(named);
        if status != TestStatus::Failed {
            return;
        }
        let full = groups.iter().copied().chain([title]).collect::<Vec<_>>().join(" > ");
        let text = |key: &str, bytes: usize| {
            value[key].as_str().map(|said| cut::head(&ansi::strip(said), bytes).trim().to_owned())
        };
        let message = text("message", limit::MESSAGE_BYTES).filter(|message| !message.is_empty());
        let message = message.or_else(|| Some(text("trace", limit::MESSAGE_BYTES)?.lines().next()?.to_owned()));
        let message = message.unwrap_or_default();
        self.results.failure(TestFailure {
            name: name(if title.starts_with(&groups.join(" > ")) { title } else { &full }),
            line: position(value.get("line")).filter(|_| file.is_some()),
            file,
            message,
            stack: text("trace", 2 * limit::MESSAGE_BYTES).filter(|stack| !stack.is_empty()),
            duration_ms,
            origin: Some(at),
            ..TestFailure::default()
        });
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
