//! The tests that were read from an action's output.

use referee_model::reading::{CountAuthority, TestFailure, TestResults};
use serde::Serialize;

use crate::parse::TestCountsDocument;
use referee_model::number::Count;

use super::EMBEDDED;

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub(super) struct TestsDocument {
    framework: String,
    passed: Count,
    failed: Count,
    skipped: Count,
    total: Count,
    /// Where the counts come from; `lines` are no summary.
    authority: CountAuthority,
    #[serde(skip_serializing_if = "Option::is_none")]
    suites: Option<TestCountsDocument>,
    /// The first failures.
    failures: Vec<FailureDocument>,
    /// How many failures were read in all.
    failures_total: Count,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct FailureDocument {
    test_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_file: Option<String>,
    /// True: a whole suite failed to run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    suite: bool,
    error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    received: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

impl From<&TestResults> for TestsDocument {
    fn from(tests: &TestResults) -> Self {
        Self {
            framework: tests.framework.clone(),
            passed: tests.counts.passed.into(),
            failed: tests.counts.failed.into(),
            skipped: tests.counts.skipped.into(),
            total: tests.counts.total.into(),
            authority: tests.authority,
            suites: tests.suites.map(TestCountsDocument::from),
            failures: tests.failures.iter().take(EMBEDDED).map(FailureDocument::from).collect(),
            failures_total: Count::of(tests.failures.len()),
        }
    }
}

impl From<&TestFailure> for FailureDocument {
    fn from(failure: &TestFailure) -> Self {
        Self {
            test_name: failure.name.clone(),
            test_file: failure.file.clone(),
            suite: failure.suite,
            error: failure.message.clone(),
            expected: failure.expected.clone(),
            received: failure.received.clone(),
            stack: failure.stack.clone(),
            line: failure.line,
            column: failure.column,
        }
    }
}
