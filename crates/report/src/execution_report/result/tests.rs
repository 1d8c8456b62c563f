//! Test results that were read from an action's output.

use referee_model::reading::{CountAuthority, TestFailure, TestResults};

use crate::parse::TestCountsDocument;
use referee_model::number::Count;

use super::EMBEDDED;

#[document]
pub(super) struct TestsDocument {
    /// Name of the test runner, such as `jest`.
    framework: String,
    /// Number of tests that passed, also where the pass was not expected.
    passed: Count,
    /// Number of tests that failed, errors included.
    failed: Count,
    /// Number of tests that were skipped, pending, to do, ignored or expected to fail.
    skipped: Count,
    /// Number of all tests, as the runner counts them.
    total: Count,
    /// Source of the counts; `lines` means that the runner printed no summary.
    authority: CountAuthority,
    /// Counts of test suites, which are files for most runners. Left out where the runner prints none.
    suites: Option<TestCountsDocument>,
    /// The first failures, in the order in which they were read.
    failures: Vec<FailureDocument>,
    /// Number of all failures that were read.
    failures_total: Count,
}

#[document]
struct FailureDocument {
    /// Full name of the test; for a suite that failed to run, its file.
    test_name: String,
    /// Path of the test file as printed. Left out where the runner names none.
    test_file: Option<String>,
    /// True: a whole suite failed to run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    suite: bool,
    /// Message of the failure as the runner printed it, without colors.
    error: String,
    /// Value that the test expected. Left out where the runner does not say.
    expected: Option<String>,
    /// Value that the test received. Left out where the runner does not say.
    received: Option<String>,
    /// Stack trace, one frame on each line. Left out where the runner prints none.
    stack: Option<String>,
    /// 1-based line of the innermost stack frame in the project. Left out where it is not known.
    line: Option<u32>,
    /// 1-based column in `line`. Left out where it is not known.
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
