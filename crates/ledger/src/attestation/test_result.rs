//! The predicate `test-result/v0.1` of in-toto: how the tests of a source came out, in the words that others know.

use referee_model::id::Digest;
use referee_model::report::Report;
use referee_model::run_context::waiver::WaiverStanding;
use referee_model::verdict::Decision;
use serde::{Deserialize, Serialize};

use super::names::Names;
use super::statement::{ResourceDescriptor, SHA256};

/// What kind of predicate it is.
pub const PREDICATE_TYPE: &str = "https://in-toto.io/attestation/test-result/v0.1";

/// How the tests came out. Timeouts, tools that did not work and prerequisites that failed have no place of their own in
/// it: they stand among the failed tests, and the verdict says more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestResultPredicate {
    /// PASSED: everything passed. WARNED: it passed, and something is to be known: failures that do not block, flaky tests, a
    /// reduced run, a baseline or a waiver that excused something. FAILED: it did not pass, or could not be judged.
    pub(super) result: TestResult,
    /// What was run: the specification and the plan, by digest.
    configuration: Vec<ResourceDescriptor>,
    passed_tests: Vec<String>,
    warned_tests: Vec<String>,
    failed_tests: Vec<String>,
    /// SHA-256 of the run's `seal.json`, by which the statement belongs to one run. It is an extension of ours, so its key is
    /// a URI.
    #[serde(rename = "https://referee.dev/attestation/seal/v1")]
    seal: Option<Digest>,
}

/// The key under which a test result names the seal of its run.
pub const SEAL_KEY: &str = "https://referee.dev/attestation/seal/v1";

/// How all tests together came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TestResult {
    Passed,
    /// It passed, and something is to be known.
    Warned,
    /// It did not pass.
    Failed,
}

impl TestResultPredicate {
    pub(super) fn new(report: &Report, plan: Digest, names: &Names) -> Self {
        let listed = |names: &std::collections::BTreeSet<String>| names.iter().cloned().collect();
        Self {
            result: result(report, names),
            configuration: vec![
                ResourceDescriptor::new(&report.plan.specification.file, SHA256, &report.plan.specification.digest),
                ResourceDescriptor::new("plan", SHA256, &plan),
            ],
            passed_tests: listed(&names.passed),
            warned_tests: listed(&names.warned),
            failed_tests: listed(&names.failed),
            seal: None,
        }
    }

    pub(super) fn sealed(&self, seal: Digest) -> Self {
        Self { seal: Some(seal), ..self.clone() }
    }
}

fn result(report: &Report, names: &Names) -> TestResult {
    let mut waivers = report.run.run_context.waivers.iter();
    let excused = report.verdict.baseline.as_ref().is_some_and(|baseline| baseline.known.total() > 0);
    match report.verdict.decision {
        Decision::Fail | Decision::Blocked => TestResult::Failed,
        Decision::Pass
            if !names.warned.is_empty()
                || !names.failed.is_empty()
                || super::verdict::is_reduced(report)
                || excused
                || waivers.any(|waiver| matches!(waiver.standing, WaiverStanding::Signed { .. })) =>
        {
            TestResult::Warned
        }
        Decision::Pass => TestResult::Passed,
    }
}
