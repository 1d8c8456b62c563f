//! What `referee parse --format json` prints: one reading, with nothing judged.

use referee_model::reading::{
    CountAuthority, Leftovers, Reading, TestCase, TestCounts, TestFailure, TestResults, TestStatus,
};
use serde::Serialize;

use crate::diagnostics::{CountsDocument, DiagnosticDocument, ReaderDocument};
use referee_model::number::Count;

const VERSION: &str = "1.0.0";

/// One reading.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ParseDocument {
    /// Version of this format.
    parse_version: &'static str,
    /// The tool whose output it is. Null: nothing was recognized.
    tool: Option<String>,
    /// Its reader, and why that one. Null: nothing was recognized.
    reader: Option<ReaderDocument>,
    diagnostics: Vec<DiagnosticDocument>,
    /// Exact counts, also of what is not listed.
    counts: CountsDocument,
    /// Null: no test results.
    tests: Option<TestsDocument>,
    leftovers: LeftoversDocument,
    /// What a person should know of the reading itself.
    notes: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct TestsDocument {
    framework: String,
    /// Where the counts come from.
    authority: CountAuthority,
    passed: Count,
    failed: Count,
    skipped: Count,
    total: Count,
    /// Counts of suites (files), where the runner has them.
    suites: Option<TestCountsDocument>,
    failures: Vec<FailureDocument>,
    /// Every test by name, where the output names them.
    cases: Vec<CaseDocument>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub(crate) struct TestCountsDocument {
    passed: Count,
    failed: Count,
    skipped: Count,
    total: Count,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FailureDocument {
    /// Full name of the test; for a suite that never ran, its file.
    name: String,
    /// Whether a whole suite failed to run.
    suite: bool,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    message: String,
    expected: Option<String>,
    received: Option<String>,
    stack: Option<String>,
    /// Milliseconds.
    duration: Option<Count>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct CaseDocument {
    ancestors: Vec<String>,
    title: String,
    file: Option<String>,
    status: TestStatus,
    /// Milliseconds.
    duration: Option<Count>,
}

/// What nobody understood.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub(crate) struct LeftoversDocument {
    /// How many lines.
    lines: Count,
    /// The last of them.
    last: Vec<String>,
}

/// Several readings, each with the name of what was read.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ParsedInputsDocument {
    results: Vec<ParsedInputDocument>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct ParsedInputDocument {
    /// The file that was read; `-` is standard input.
    input: String,
    #[serde(flatten)]
    reading: ParseDocument,
}

/// Returns the readings of several inputs as one document.
pub fn documents<'a>(inputs: impl IntoIterator<Item = (&'a str, &'a Reading)>) -> ParsedInputsDocument {
    let results = inputs
        .into_iter()
        .map(|(input, reading)| ParsedInputDocument { input: input.to_owned(), reading: document(reading) })
        .collect();
    ParsedInputsDocument { results }
}

/// One line of `referee parse --format jsonl`.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum ParseLine {
    /// A finding.
    Diagnostic(DiagnosticDocument),
    /// A failed test, or a suite that did not run.
    FailedTest(FailureDocument),
    /// All of one input, behind its findings and failures.
    Summary(Box<SummaryDocument>),
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SummaryDocument {
    parse_version: &'static str,
    /// The file that was read; `-` is standard input.
    input: String,
    tool: Option<String>,
    reader: Option<ReaderDocument>,
    counts: CountsDocument,
    /// Null: no test results.
    tests: Option<TestCountsDocument>,
    leftovers: LeftoversDocument,
    notes: Vec<String>,
}

/// Returns a reading as lines of JSON: its findings and failed tests, one each, and its sums.
///
/// # Errors
/// Fails only for values that JSON cannot hold, which no reading has.
pub fn lines(input: &str, reading: &Reading) -> Result<Vec<u8>, serde_json::Error> {
    let reader = reading.reader.as_ref();
    let summary = SummaryDocument {
        parse_version: VERSION,
        input: input.to_owned(),
        tool: reader.map(|reader| reader.tool.clone()),
        reader: reader.map(ReaderDocument::from),
        counts: (&reading.counts).into(),
        tests: reading.tests.as_ref().map(|tests| tests.counts.into()),
        leftovers: (&reading.leftovers).into(),
        notes: reading.notes.clone(),
    };
    let diagnostics = reading.diagnostics.iter().map(|found| ParseLine::Diagnostic(found.into()));
    let failures = reading.tests.iter().flat_map(|tests| &tests.failures);
    let failures = failures.map(|failure| ParseLine::FailedTest(failure.into()));
    let mut lines = Vec::new();
    for line in diagnostics.chain(failures).chain([ParseLine::Summary(Box::new(summary))]) {
        serde_json::to_writer(&mut lines, &line)?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// Returns a reading as a document.
pub fn document(reading: &Reading) -> ParseDocument {
    let reader = reading.reader.as_ref();
    ParseDocument {
        parse_version: VERSION,
        tool: reader.map(|reader| reader.tool.clone()),
        reader: reader.map(ReaderDocument::from),
        diagnostics: reading.diagnostics.iter().map(DiagnosticDocument::from).collect(),
        counts: (&reading.counts).into(),
        tests: reading.tests.as_ref().map(TestsDocument::from),
        leftovers: (&reading.leftovers).into(),
        notes: reading.notes.clone(),
    }
}

impl From<&TestResults> for TestsDocument {
    fn from(tests: &TestResults) -> Self {
        Self {
            framework: tests.framework.clone(),
            authority: tests.authority,
            passed: tests.counts.passed.into(),
            failed: tests.counts.failed.into(),
            skipped: tests.counts.skipped.into(),
            total: tests.counts.total.into(),
            suites: tests.suites.map(TestCountsDocument::from),
            failures: tests.failures.iter().map(FailureDocument::from).collect(),
            cases: tests.cases.iter().map(CaseDocument::from).collect(),
        }
    }
}

impl From<TestCounts> for TestCountsDocument {
    fn from(counts: TestCounts) -> Self {
        Self {
            passed: counts.passed.into(),
            failed: counts.failed.into(),
            skipped: counts.skipped.into(),
            total: counts.total.into(),
        }
    }
}

impl From<&TestFailure> for FailureDocument {
    fn from(failure: &TestFailure) -> Self {
        Self {
            name: failure.name.clone(),
            suite: failure.suite,
            file: failure.file.clone(),
            line: failure.line,
            column: failure.column,
            message: failure.message.clone(),
            expected: failure.expected.clone(),
            received: failure.received.clone(),
            stack: failure.stack.clone(),
            duration: failure.duration_ms.map(Count::from),
        }
    }
}

impl From<&TestCase> for CaseDocument {
    fn from(case: &TestCase) -> Self {
        Self {
            ancestors: case.ancestors.clone(),
            title: case.title.clone(),
            file: case.file.clone(),
            status: case.status,
            duration: case.duration_ms.map(Count::from),
        }
    }
}

impl From<&Leftovers> for LeftoversDocument {
    fn from(leftovers: &Leftovers) -> Self {
        Self { lines: leftovers.lines.into(), last: leftovers.last.clone() }
    }
}
