//! Results of running the tests of a change while the rest of the change is reverted.

use serde::{Deserialize, Serialize};

use crate::id::{Digest, ExecutionId};

/// Runs that show whether the tests of a change fail without the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Probe {
    /// Commit to which the sources were reverted.
    pub commit: String,
    /// Paths of test files that the change adds or edits; at most [`crate::limit::PROBE_FILES_LISTED`].
    pub tests: Vec<String>,
    /// Number of files that were reverted.
    pub taken_back: u64,
    /// Runs, in the order in which they were made.
    pub runs: Vec<ProbeRun>,
    /// Why no run, or no further run, was made. None: nothing prevented it.
    pub obstacle: Option<ProbeObstacle>,
}

/// Obstacle that prevents a probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeObstacle {
    /// Description of the obstacle.
    pub reason: String,
    /// Whether the obstacle persists until something changes.
    pub lasts: bool,
}

impl Probe {
    /// Returns whether a repetition would presumably give the same result: there was no obstacle, or one that
    /// persists.
    pub fn is_repeatable(&self) -> bool {
        let is_usable = |run: &ProbeRun| !matches!(run.result, ProbeResult::Unusable { .. });
        self.obstacle.as_ref().is_none_or(|obstacle| obstacle.lasts) && self.runs.iter().all(is_usable)
    }
}

/// A run of the test checks in a clean room. It is sealed separately, below the state directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeRun {
    /// Tree in which the run took place.
    pub tree: ProbeTree,
    /// Id of the run.
    pub execution: ExecutionId,
    /// SHA-256 of its sealed report.
    pub report: Digest,
    /// Result of the test checks.
    pub result: ProbeResult,
}

/// Tree of files in which a probe runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProbeTree {
    /// The tests of the candidate, with all other files as of the commit.
    TakenBack,
    /// All files of the candidate.
    Candidate,
    /// The candidate's files, with each source replaced by text that no language can parse.
    Broken,
    /// The candidate's files with a planted defect.
    Planted,
    /// The candidate's files with a planted defect, running only the tests that reported it when it was learned.
    PlantedSelected,
    /// The candidate's files, with an empty comment at the end of the file in which a defect was planted.
    Neutral,
    /// The candidate's files with such a comment, running only the tests that reported the defect.
    NeutralSelected,
    /// The candidate's sources with the defect, and all other files as of the commit at which the probe was learned.
    PlantedBefore,
    /// The candidate's sources without the defect, and all other files as of that commit.
    Before,
}

/// Result of the test checks in a probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum ProbeResult {
    /// All checks passed.
    Passed,
    /// A check failed, or ran fewer tests than with the change. A test that cannot be built counts as failed.
    Failed {
        /// Names of failed tests that the change adds or edits; at most [`crate::limit::PROBE_TESTS_LISTED`].
        tests: Vec<String>,
        /// Whether anything else failed: another test, a prerequisite of a check, or the number of tests.
        others: bool,
    },
    /// The run allows no conclusion.
    Unusable {
        /// Reason for which there is no conclusion.
        reason: String,
    },
}
