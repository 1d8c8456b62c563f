//! What came of planting defects at the gate that checks were known to report.

use serde::{Deserialize, Serialize};

use super::probe::{ProbeObstacle, ProbeRun};
use crate::id::{ActionId, Digest};
use crate::time::Timestamp;

/// The checks that were asked whether they still report planted defects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeAudit {
    /// SHA-256 of the probe set.
    pub set: Digest,
    /// When the set was learned.
    pub learned: Timestamp,
    /// The commit at which it was learned. None: the workspace lay in no repository.
    pub commit: Option<String>,
    /// The checks, in the order of the plan.
    pub checks: Vec<CheckAudit>,
    /// Whether a check reports a defect in the code of the change. None: it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ChangeAudit>,
    /// Why no check was asked, or no further one. None: nothing was in the way.
    pub obstacle: Option<ProbeObstacle>,
}

/// A check that was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckAudit {
    /// The check.
    pub action: ActionId,
    /// Its name.
    pub name: String,
    /// Whether it runs tests. An edit that changes nothing is asked of these alone: linters and formatters may report a comment.
    pub runs_tests: bool,
    /// How many probes are to be asked, where each is noticed.
    pub wanted: u64,
    /// The probes that were asked, in their order.
    pub attempts: Vec<ProbeAttempt>,
    /// Whether the set has no other probe that fits the tree.
    pub is_exhausted: bool,
}

/// A probe that was asked. Which defect it plants stands in the set alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProbeAttempt {
    /// Its place in the list of the check's trials, from 0.
    pub number: u64,
    /// The file in which it was planted.
    pub path: String,
    /// Whether the tests that reported it when it was learned can be run alone.
    pub is_selectable: bool,
    /// The runs, in the order in which they were made.
    pub runs: Vec<ProbeRun>,
}

/// Defects that were planted in code that the change wrote: nobody had learned them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangeAudit {
    /// The commit that the change is held against.
    pub commit: String,
    /// The defects that were planted, in their order.
    pub attempts: Vec<ChangeAttempt>,
    /// Whether there is no other code of the change in which one can be planted.
    pub is_exhausted: bool,
}

/// A defect in code of the change. All checks of tests ran over it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangeAttempt {
    /// The file in which it was planted.
    pub path: String,
    /// The enclosing function. None: it is in none.
    pub function: Option<String>,
    /// The line, 1-based.
    pub line: u64,
    /// The run.
    pub run: ProbeRun,
}
