//! The in-toto predicate `test-result/v0.1`: the test results of a source, in a form that other tools know.

use referee_model::id::Digest;
use referee_model::report::Report;
use referee_model::run_context::waiver::WaiverStanding;
use referee_model::verdict::Decision;
use serde::{Deserialize, Serialize};

use super::names::Names;
use super::statement::{ResourceDescriptor, SHA256};

/// Predicate type URI.
pub const PREDICATE_TYPE: &str = "https://in-toto.io/attestation/test-result/v0.1";

/// Results of the tests. The predicate has no values for timeouts, tools that did not work and failed
/// prerequisites: they are listed as failed tests, and the verdict has the details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestResultPredicate {
    /// PASSED: everything passed. WARNED: the run passed with reservations: failures that do not block, flaky
    /// tests, a reduced run, or a baseline or waiver that excused something. FAILED: the run did not pass, or
    /// could not be judged.
    pub(super) result: TestResult,
    /// The specification and the plan of the run, by digest.
    configuration: Vec<ResourceDescriptor>,
    passed_tests: Vec<String>,
    warned_tests: Vec<String>,
    failed_tests: Vec<String>,
    /// SHA-256 of the run's `seal.json`, which ties the statement to one run. This is Referee's own extension,
    /// so its key is a URI.
    #[serde(rename = "https://referee.dev/attestation/seal/v1")]
    seal: Option<Digest>,
}

/// Key under which a test result names the seal of its run.
pub const SEAL_KEY: &str = "https://referee.dev/attestation/seal/v1";

/// Overall result of the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TestResult {
    Passed,
    /// The run passed with reservations.
    Warned,
    /// The run did not pass.
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
