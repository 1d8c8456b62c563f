//! The document of `referee parse --format json`: a reading without a judgement.

use referee_model::reading::{
    CountAuthority, Counts, Leftovers, ReaderChoice, Reading, TestCase, TestCounts, TestFailure, TestResults,
};
use serde::Serialize;

use crate::diagnostics::DiagnosticDocument;
use referee_model::number::Count;

const VERSION: &str = "1.0.0";

/// Reading of one input.
#[document(nulls, unpublished)]
pub struct ParseDocument<'reading> {
    /// Version of this format.
    parse_version: &'static str,
    /// Name of the tool whose output was read. Null: not recognized.
    tool: Option<&'reading str>,
    /// Reader of the output, and why it was chosen. Null: no reader recognized the output.
    reader: Option<&'reading ReaderChoice>,
    diagnostics: Vec<DiagnosticDocument<'reading>>,
    /// Exact counts, which also cover findings that are not listed.
    counts: &'reading Counts,
    /// Test results. Null: the output holds none.
    tests: Option<TestsDocument<'reading>>,
    leftovers: &'reading Leftovers,
    /// Remarks on how the output was read.
    notes: &'reading [String],
}

#[document(nulls, unpublished)]
struct TestsDocument<'reading> {
    framework: &'reading str,
    /// Source of the counts; `lines` means that the runner printed no summary.
    authority: CountAuthority,
    passed: Count,
    failed: Count,
    skipped: Count,
    total: Count,
    /// Counts of test suites (files), where the runner prints them.
    suites: Option<TestCountsDocument>,
    failures: &'reading [TestFailure],
    /// Tests by name, where the output names them.
    cases: &'reading [TestCase],
}

#[document]
pub(crate) struct TestCountsDocument {
    /// Number of tests that passed, also where the pass was not expected.
    passed: Count,
    /// Number of tests that failed, errors included.
    failed: Count,
    /// Number of tests that were skipped, pending, to do, ignored or expected to fail.
    skipped: Count,
    /// Number of all tests, as the runner counts them.
    total: Count,
}

/// Several readings, each with the name of its input.
#[document(unpublished)]
pub struct ParsedInputsDocument<'reading> {
    results: Vec<ParsedInputDocument<'reading>>,
}

#[document(unpublished)]
struct ParsedInputDocument<'reading> {
    /// Path of the file that was read; `-` is standard input.
    input: &'reading str,
    #[serde(flatten)]
    reading: ParseDocument<'reading>,
}

pub fn documents<'a>(inputs: impl IntoIterator<Item = (&'a str, &'a Reading)>) -> ParsedInputsDocument<'a> {
    let results =
        inputs.into_iter().map(|(input, reading)| ParsedInputDocument { input, reading: document(reading) }).collect();
    ParsedInputsDocument { results }
}

/// One line of `referee parse --format jsonl`.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum ParseLine<'reading> {
    /// A finding.
    Diagnostic(Box<DiagnosticDocument<'reading>>),
    /// A failed test, or a suite that failed to run.
    FailedTest(&'reading TestFailure),
    /// Summary of one input, after its findings and failed tests.
    Summary(Box<SummaryDocument<'reading>>),
}

#[document(nulls, unpublished)]
pub(crate) struct SummaryDocument<'reading> {
    parse_version: &'static str,
    /// Path of the file that was read; `-` is standard input.
    input: &'reading str,
    tool: Option<&'reading str>,
    reader: Option<&'reading ReaderChoice>,
    counts: &'reading Counts,
    /// Counts of tests. Null: the output holds no test results.
    tests: Option<TestCountsDocument>,
    leftovers: &'reading Leftovers,
    notes: &'reading [String],
}

/// Returns a reading as lines of JSON: one for each finding and failed test, and one summary.
///
/// # Errors
/// Fails only for values that JSON cannot hold, which no reading has.
pub fn lines(input: &str, reading: &Reading) -> Result<Vec<u8>, serde_json::Error> {
    let reader = reading.reader.as_ref();
    let summary = SummaryDocument {
        parse_version: VERSION,
        input,
        tool: reader.map(|reader| reader.tool.as_str()),
        reader,
        counts: &reading.counts,
        tests: reading.tests.as_ref().map(|tests| tests.counts.into()),
        leftovers: &reading.leftovers,
        notes: &reading.notes,
    };
    let diagnostics = reading.diagnostics.iter().map(|found| ParseLine::Diagnostic(Box::new(found.into())));
    let failures = reading.tests.iter().flat_map(|tests| &tests.failures);
    let failures = failures.map(ParseLine::FailedTest);
    let mut lines = Vec::new();
    for line in diagnostics.chain(failures).chain([ParseLine::Summary(Box::new(summary))]) {
        serde_json::to_writer(&mut lines, &line)?;
        lines.push(b'\n');
    }
    Ok(lines)
}

pub fn document(reading: &Reading) -> ParseDocument<'_> {
    let reader = reading.reader.as_ref();
    ParseDocument {
        parse_version: VERSION,
        tool: reader.map(|reader| reader.tool.as_str()),
        reader,
        diagnostics: reading.diagnostics.iter().map(DiagnosticDocument::from).collect(),
        counts: &reading.counts,
        tests: reading.tests.as_ref().map(TestsDocument::from),
        leftovers: &reading.leftovers,
        notes: &reading.notes,
    }
}

impl<'reading> From<&'reading TestResults> for TestsDocument<'reading> {
    fn from(tests: &'reading TestResults) -> Self {
        Self {
            framework: &tests.framework,
            authority: tests.authority,
            passed: tests.counts.passed.into(),
            failed: tests.counts.failed.into(),
            skipped: tests.counts.skipped.into(),
            total: tests.counts.total.into(),
            suites: tests.suites.map(TestCountsDocument::from),
            failures: &tests.failures,
            cases: &tests.cases,
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
