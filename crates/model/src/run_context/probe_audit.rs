//! Results of planting known defects at the gate, to test whether the checks still report them.

use serde::{Deserialize, Serialize};

use super::probe::{ProbeObstacle, ProbeRun};
use crate::id::{ActionId, Digest};
use crate::time::Timestamp;

/// Audit of the checks with planted defects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeAudit {
    /// SHA-256 of the probe set.
    pub set: Digest,
    /// Time at which the probe set was learned.
    pub learned: Timestamp,
    /// Commit at which the probe set was learned. None: the workspace was not in a repository.
    pub commit: Option<String>,
    /// Audited checks, in the order of the plan.
    pub checks: Vec<CheckAudit>,
    /// Whether a check reports a defect in the code of the change. None: this was not tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ChangeAudit>,
    /// Why no check, or no further check, was audited. None: nothing prevented it.
    pub obstacle: Option<ProbeObstacle>,
}

/// Audit of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckAudit {
    /// Id of the check.
    pub action: ActionId,
    /// Name of the check.
    pub name: String,
    /// Whether the check runs tests. Only such checks are also run with an edit that changes nothing, because
    /// linters and formatters may report a comment.
    pub runs_tests: bool,
    /// Number of probes to run, provided that each is reported.
    pub wanted: u64,
    /// Probes that were run, in order.
    pub attempts: Vec<ProbeAttempt>,
    /// Whether the set has no further probe that fits the tree.
    pub is_exhausted: bool,
}

/// A probe that was run. Only the probe set says which defect it plants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeAttempt {
    /// Position in the list of the check's trials, from 0.
    pub number: u64,
    /// Path of the file in which the defect was planted.
    pub path: String,
    /// Whether the tests that reported the defect when it was learned can be run separately.
    pub is_selectable: bool,
    /// Runs, in the order in which they were made.
    pub runs: Vec<ProbeRun>,
}

/// Audit with defects planted in code that the change wrote. Such defects were not learned before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangeAudit {
    /// Commit that the change is compared with.
    pub commit: String,
    /// Planted defects, in order.
    pub attempts: Vec<ChangeAttempt>,
    /// Whether the change has no further code in which a defect can be planted.
    pub is_exhausted: bool,
}

/// A defect in code of the change. All test checks ran with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangeAttempt {
    /// Path of the file in which the defect was planted.
    pub path: String,
    /// Name of the enclosing function. None: the code is outside functions.
    pub function: Option<String>,
    /// Line of the defect, 1-based.
    pub line: u64,
    /// The run with the defect.
    pub run: ProbeRun,
}
