//! What was found when the tests of a change were run with the rest of the change taken back.

use serde::{Deserialize, Serialize};

use crate::id::{Digest, ExecutionId};

/// The runs by which a change was asked whether its tests fail without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Probe {
    /// The commit that the sources were taken back to.
    pub commit: String,
    /// Files of tests that the change adds or edits, by path; at most [`crate::limit::PROBE_FILES_LISTED`].
    pub tests: Vec<String>,
    /// How many files were taken back.
    pub taken_back: u64,
    /// The runs, in the order in which they were made.
    pub runs: Vec<ProbeRun>,
    /// Why no run was made, or no further one. None: nothing was in the way.
    pub obstacle: Option<ProbeObstacle>,
}

/// What keeps a change from being asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeObstacle {
    /// What it is.
    pub reason: String,
    /// Whether it is there as long as nothing changes.
    pub lasts: bool,
}

impl Probe {
    /// Whether it would come out so again, as far as it is known: nothing was in the way but what lasts.
    pub fn is_repeatable(&self) -> bool {
        let is_usable = |run: &ProbeRun| !matches!(run.result, ProbeResult::Unusable { .. });
        self.obstacle.as_ref().is_none_or(|obstacle| obstacle.lasts) && self.runs.iter().all(is_usable)
    }
}

/// One run of the checks of tests in a clean room. It is sealed by itself, below the state directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeRun {
    /// The tree in which it was made.
    pub tree: ProbeTree,
    /// The run.
    pub execution: ExecutionId,
    /// SHA-256 of its sealed report.
    pub report: Digest,
    /// What it came to.
    pub result: ProbeResult,
}

/// A tree of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProbeTree {
    /// The tests of the candidate, all other files as at the commit.
    TakenBack,
    /// All files of the candidate.
    Candidate,
    /// The candidate's files, each source replaced by what no language can read.
    Broken,
    /// The candidate's files with a planted defect.
    Planted,
    /// The same; of the tests those alone run that reported it when it was learned.
    PlantedSelected,
    /// The candidate's files, with an empty comment at the end of the file that a defect was planted in.
    Neutral,
    /// The same; of the tests those alone run that reported the defect.
    NeutralSelected,
    /// The candidate's sources with the defect, all other files as at the commit at which the probe was learned.
    PlantedBefore,
    /// The same without the defect.
    Before,
}

/// What the checks of tests came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum ProbeResult {
    /// All passed.
    Passed,
    /// One did not pass, or ran fewer tests than with the change: a test that cannot be built is one that does not pass.
    Failed {
        /// Failed tests that the change adds or edits, by name; at most [`crate::limit::PROBE_TESTS_LISTED`].
        tests: Vec<String>,
        /// Whether anything else went wrong: another test, what a check needs, fewer tests than with the change.
        others: bool,
    },
    /// Nothing can be said.
    Unusable {
        /// Why not.
        reason: String,
    },
}
