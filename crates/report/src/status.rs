//! The document of `referee status --format json`: the status of tasks.

use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::status::{TaskState, TaskStatus, Violation};

/// Status of tasks, as `referee status --format json` prints it.
#[document(unpublished)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "Referee status", deny_unknown_fields))]
pub struct StatusDocument<'status> {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    status_version: &'static str,
    /// Exit code of the command.
    exit_code: u8,
    /// Status of each task, in the order of the specification.
    tasks: Vec<TaskStatusDocument<'status>>,
    /// Files that contradict the evidence.
    violations: &'status [Violation],
}

/// Status of one task.
#[document(nulls)]
struct TaskStatusDocument<'status> {
    /// Id of the task in the specification.
    task_id: &'status TaskId,
    /// Status that the sealed evidence of the task supports.
    status: TaskState,
    /// Reason for the status, in one sentence.
    reason: &'status str,
    /// Sealed run that the status rests on. Null: there is none that can be relied on.
    execution_id: Option<&'status ExecutionId>,
    /// SHA-256 of the seal of its evidence. Null: there is none that can be relied on.
    evidence_hash: Option<&'status Digest>,
    /// Number of tests that passed in the run `executionId`; 0 without a run.
    tests_passed: u64,
    /// Number of tests that failed in the run `executionId`; 0 without a run.
    tests_failed: u64,
    /// Number of tests in the run `executionId`, skipped ones included; 0 without a run.
    tests_total: u64,
    /// Whether the task must be run again.
    retest_required: bool,
}

pub fn document<'status>(
    statuses: &'status [TaskStatus],
    violations: &'status [Violation],
    exit_code: u8,
) -> StatusDocument<'status> {
    let task = |status: &'status TaskStatus| TaskStatusDocument {
        task_id: &status.task,
        status: status.state,
        reason: &status.reason,
        execution_id: status.run.as_ref().map(|run| &run.execution),
        evidence_hash: status.run.as_ref().map(|run| &run.seal),
        tests_passed: status.run.as_ref().map_or(0, |run| run.tests_passed),
        tests_failed: status.run.as_ref().map_or(0, |run| run.tests_failed),
        tests_total: status.run.as_ref().map_or(0, |run| run.tests_total),
        retest_required: status.state == TaskState::Failed,
    };
    StatusDocument { status_version: "1.0.0", exit_code, tasks: statuses.iter().map(task).collect(), violations }
}
