//! Summary of a report, as shown in lists of runs. The keys are those of the report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use crate::number::Count;
use crate::outcome::Outcome;
use crate::selection::Profile;
use crate::time::Timestamp;
use crate::verdict::{Decision, OverallStatus};

/// Summary of a report. The keys are those of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
#[serde(rename_all = "camelCase")]
pub struct RunOverview {
    /// Title of the task.
    #[serde(default)]
    pub task_title: String,
    /// Status of the run as a whole.
    pub overall_status: OverallStatus,
    /// Decision on the task, which alone determines whether it may be called done.
    pub decision: Decision,
    /// Reasons for the decision, most severe first.
    pub reasons: Vec<String>,
    /// Scope of the run.
    pub scope: ScopeOverview,
    /// When the run began, in UTC.
    pub start_time: Timestamp,
    /// When the last action ended, in UTC.
    pub end_time: Timestamp,
    /// Duration of the run in milliseconds.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub total_duration: u64,
    /// Counts of actions.
    pub action_counts: ActionCountsOverview,
    /// Number of executed actions by outcome.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<crate::outcome::Outcome, Count>"))]
    pub action_results: BTreeMap<Outcome, u64>,
    /// Test counts of all steps. Null: for no test step is the number of tests known.
    #[serde(default)]
    pub test_results: Option<TestOverview>,
}

/// Scope of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct ScopeOverview {
    /// Profile that the run used.
    pub profile: Profile,
    /// Whether anything was left out: such a run never counts as done.
    pub reduced: bool,
}

/// Counts of actions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct ActionCountsOverview {
    /// Number of all actions.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub total: u64,
    /// Number of actions that ran.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub executed: u64,
    /// Number of actions that did not run.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub skipped: u64,
}

/// Test counts of all steps whose runner states totals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct TestOverview {
    /// Number of passed tests.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub passed: u64,
    /// Number of failed tests.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub failed: u64,
    /// Number of skipped tests.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub skipped: u64,
    /// Number of all tests.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub total: u64,
}
