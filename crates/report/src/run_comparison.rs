//! The document of `referee compare --format json`: what differs between two runs of a task.

use referee_model::document::Kind;
use referee_model::id::{ActionId, ExecutionId, TaskId};
use referee_model::reading::{Level, TestStatus};
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;
use serde::Serialize;

const KIND: Kind = Kind { name: "comparison of runs", key: "runComparisonVersion", version: "1.0.0" };

/// What differs between two runs of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunComparison {
    pub task_id: TaskId,
    pub before: ComparedRun,
    pub after: ComparedRun,
    /// Whether both runs saw the same input files.
    pub inputs: InputsComparison,
    /// Whether both runs are of the same specification, byte for byte.
    pub same_specification: bool,
    /// What fails or was found after, and not before.
    pub new: Vec<Difference>,
    /// What failed or was found before, and not after.
    pub gone: Vec<Difference>,
    pub flaky: Vec<FlakyCheck>,
    pub slower: Vec<SlowerAction>,
    /// When an action counts as slower.
    pub slower_than: SlowerThan,
    /// Notes on what could not be compared, one sentence each.
    pub notes: Vec<String>,
}

/// One of the two runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComparedRun {
    pub execution_id: ExecutionId,
    pub ended_at: Timestamp,
    pub decision: Decision,
    /// Whether the run left checks out.
    pub reduced: bool,
    pub directory: String,
}

/// Whether two runs saw the same input files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputsComparison {
    Same,
    Different,
    /// The inputs of a run are not known, or changed while it ran.
    Unknown,
}

/// A finding, a failed test or a failed action that only one of the runs has.
#[document(unpublished)]
#[derive(Clone, PartialEq, Eq)]
pub struct Difference {
    pub kind: DifferenceKind,
    pub action_id: ActionId,
    pub action_name: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// Code or rule of a finding, name of a test, rule that judged an action.
    pub code: Option<String>,
    pub severity: Level,
    pub message: String,
    /// For a test that no longer fails its status after, where the runner names it. Left out: not known, which includes
    /// a test that was removed.
    pub status: Option<TestStatus>,
}

/// Kind of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceKind {
    Finding,
    Test,
    Action,
}

/// A check or a test whose result is not a matter of the inputs alone.
#[document(unpublished)]
#[derive(Clone, PartialEq, Eq)]
pub struct FlakyCheck {
    pub action_id: ActionId,
    pub action_name: String,
    /// Name of the test. Left out: the action as a whole.
    pub test: Option<String>,
    pub because: FlakyBecause,
}

/// Why a check counts as flaky.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlakyBecause {
    /// It passed after a failed attempt, in one of the runs.
    PassedWhenRetried,
    /// It passed in one of the runs and failed in the other, over the same inputs and specification.
    OtherResultOfSameInputs,
}

/// An action that took longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SlowerAction {
    pub action_id: ActionId,
    pub action_name: String,
    /// Duration in milliseconds.
    pub before: u64,
    /// Duration in milliseconds.
    pub after: u64,
}

/// How much longer an action takes to count as slower; both have to be exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SlowerThan {
    /// In percent of the duration before.
    pub percent: u32,
    pub milliseconds: u64,
}

impl SlowerThan {
    /// Returns whether a duration is longer than another by more than this.
    pub fn is_exceeded(self, before: u64, after: u64) -> bool {
        let more = after.saturating_sub(before);
        more > self.milliseconds && u128::from(more) * 100 > u128::from(before) * u128::from(self.percent)
    }
}

/// Returns the document of a comparison.
pub fn document(comparison: &RunComparison) -> impl Serialize {
    KIND.versioned(comparison)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_slower_only_beyond_both_limits() {
        let slower_than = SlowerThan { percent: 25, milliseconds: 500 };
        for (before, after, expected) in [
            (1_000, 1_000, false),
            (1_000, 900, false),
            (1_000, 1_500, false),
            (1_000, 1_501, true),
            (10_000, 12_500, false),
            (10_000, 12_501, true),
            (0, 501, true),
            (1, 400, false),
            (u64::MAX, u64::MAX, false),
            (0, u64::MAX, true),
        ] {
            assert_eq!(slower_than.is_exceeded(before, after), expected, "{before} {after}");
        }
    }
}
