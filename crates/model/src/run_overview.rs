//! What a report says in short, as lists of runs show it. The keys are those of the report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use crate::number::Count;
use crate::outcome::Outcome;
use crate::selection::Profile;
use crate::time::Timestamp;
use crate::verdict::{Decision, OverallStatus};

/// What a report says in short. The keys are those of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct RunOverview {
    /// What the task is called.
    #[serde(default)]
    pub task_title: String,
    /// How the run as a whole came out.
    pub overall_status: OverallStatus,
    /// The one thing that gates.
    pub decision: Decision,
    /// Reasons for the decision, most severe first.
    pub reasons: Vec<String>,
    /// How much was to run.
    pub scope: ScopeOverview,
    /// When it began.
    pub start_time: Timestamp,
    /// When its last action was over.
    pub end_time: Timestamp,
    /// Milliseconds.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub total_duration: u64,
    /// How many actions there were.
    pub action_counts: ActionCountsOverview,
    /// How many executed actions came out how.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<crate::outcome::Outcome, Count>"))]
    pub action_results: BTreeMap<Outcome, u64>,
    /// Null: of no test step is it known how many tests ran.
    #[serde(default)]
    pub test_results: Option<TestOverview>,
}

/// How much of a task was to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ScopeOverview {
    /// The profile.
    pub profile: Profile,
    /// Whether anything was left out: such a run never counts as done.
    pub reduced: bool,
}

/// How many actions there were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ActionCountsOverview {
    /// All of them.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub total: u64,
    /// Those that ran.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub executed: u64,
    /// Those that did not.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub skipped: u64,
}

/// The tests of all steps whose runner sums them up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct TestOverview {
    /// Passed.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub passed: u64,
    /// Failed.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub failed: u64,
    /// Skipped.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub skipped: u64,
    /// All of them.
    #[cfg_attr(feature = "schema", schemars(with = "Count"))]
    pub total: u64,
}
