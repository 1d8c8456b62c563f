//! What `referee parse --format json` prints: one reading, with nothing judged.

use referee_model::reading::{
    ChosenBecause, CountAuthority, Leftovers, Reading, TestCase, TestCounts, TestFailure, TestResults, TestStatus,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::diagnostics::{CountsDocument, DiagnosticDocument};
use crate::form;
use crate::number::Count;

const VERSION: &str = "1.0.0";

/// One reading.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "Referee reading", deny_unknown_fields)]
pub struct ParseDocument {
    /// Version of this format.
    #[schemars(with = "form::Version")]
    parse_version: &'static str,
    /// The tool whose output it is. Null: nothing was recognized.
    tool: Option<String>,
    /// The format of that tool.
    format: Option<String>,
    /// Why the output was read as that.
    #[schemars(with = "Option<form::ChosenBecause>")]
    chosen_because: Option<ChosenBecause>,
    diagnostics: Vec<DiagnosticDocument>,
    /// Exact counts, also of what is not listed.
    counts: CountsDocument,
    /// Null: no test results.
    tests: Option<TestsDocument>,
    leftovers: LeftoversDocument,
    /// What a person should know of the reading itself.
    notes: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct TestsDocument {
    framework: String,
    /// Where the counts come from.
    #[schemars(with = "form::CountAuthority")]
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

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct TestCountsDocument {
    passed: Count,
    failed: Count,
    skipped: Count,
    total: Count,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct FailureDocument {
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

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct CaseDocument {
    ancestors: Vec<String>,
    title: String,
    file: Option<String>,
    #[schemars(with = "form::TestStatus")]
    status: TestStatus,
    /// Milliseconds.
    duration: Option<Count>,
}

/// What nobody understood.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct LeftoversDocument {
    /// How many lines.
    lines: Count,
    /// The last of them.
    last: Vec<String>,
}

/// Returns a reading as a document.
pub fn document(reading: &Reading) -> ParseDocument {
    let reader = reading.reader.as_ref();
    ParseDocument {
        parse_version: VERSION,
        tool: reader.map(|reader| reader.tool.clone()),
        format: reader.map(|reader| reader.format.clone()),
        chosen_because: reader.map(|reader| reader.because),
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
