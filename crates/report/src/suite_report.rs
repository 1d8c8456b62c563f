//! `suite-report.json`: the results of all tasks of one specification (ruling 17).
//!
//! Each task has its own report; this one lists the tasks, the result of each, and the overall result.

use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::outcome::AgentAction;
use referee_model::report::{SuiteReport, SuiteTask};
use referee_model::selection::Scope;
use referee_model::time::Timestamp;
use referee_model::verdict::{Decision, Next, OverallStatus};
use serde::Serialize;

use referee_model::document::{self, Kind};
use referee_model::exit_code;
use referee_model::number::Count;

const KIND: Kind = Kind { name: "suite-report.json", key: "suiteVersion", version: "1.0.0" };

/// Results of all judged tasks of one specification.
#[document]
#[derive(Clone)]
#[cfg_attr(feature = "schema", schemars(title = "Referee suite report"))]
pub struct SuiteReportDocument {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    suite_version: &'static str,
    /// Title of the suite, as the specification gives it.
    title: String,
    /// Path of the specification file.
    specification: String,
    /// Time at which the first task began.
    start_time: Timestamp,
    /// Time at which the last task ended.
    end_time: Timestamp,
    /// Overall decision: PASS where every task passed, else BLOCKED where none failed, else FAIL.
    decision: Decision,
    /// Exit code of `referee run` for all tasks together.
    exit_code: u8,
    /// Reasons for the decision, one sentence for each task that did not pass.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    reasons: Vec<String>,
    /// Number of tasks by decision.
    task_counts: TaskCounts,
    /// Whether a task, or a part of one, was left out. A reduced run never counts as done.
    reduced: bool,
    /// Tasks of the specification that were not requested.
    left_out: Vec<TaskId>,
    /// Results of the tasks, in the order in which they ran.
    tasks: Vec<TaskDocument>,
}

/// Number of tasks by decision: `total = PASS + FAIL + BLOCKED`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
#[serde(rename_all = "UPPERCASE")]
struct TaskCounts {
    /// Number of tasks that were judged.
    #[serde(rename = "total")]
    total: Count,
    /// Number of tasks with the decision PASS.
    pass: Count,
    /// Number of tasks with the decision FAIL.
    fail: Count,
    /// Number of tasks with the decision BLOCKED.
    blocked: Count,
}

/// Result of one task.
#[document]
#[derive(Clone)]
struct TaskDocument {
    /// Id of the task in the specification.
    task_id: TaskId,
    /// Title of the task in the specification.
    title: String,
    /// Id of the run that produced this result.
    execution_id: ExecutionId,
    /// Decision on the task: PASS, FAIL or BLOCKED.
    decision: Decision,
    /// Overall status of the task: how far its actions were executed and succeeded.
    overall_status: OverallStatus,
    /// Exit code of `referee run` for this task alone.
    exit_code: u8,
    /// Reasons for the decision, most severe first.
    reasons: Vec<String>,
    /// Who acts next.
    next: Next,
    /// Action that the agent is asked to take next.
    agent_action: AgentAction,
    /// Part of the task that was run.
    scope: Scope,
    /// Duration of the run in milliseconds.
    duration: Count,
    /// Directory with the task's evidence, relative to the evidence root.
    evidence: String,
    /// SHA-256 of the task's sealed `execution-report.json`.
    report_digest: Digest,
}

pub fn document(report: &SuiteReport) -> SuiteReportDocument {
    SuiteReportDocument {
        suite_version: KIND.version,
        title: report.title.clone(),
        specification: report.file.clone(),
        start_time: report.started,
        end_time: report.ended,
        decision: report.decision,
        exit_code: exit_code::of(report.exit),
        reasons: report.reasons.clone(),
        task_counts: TaskCounts::new(&report.tasks),
        reduced: !report.left_out.is_empty() || report.tasks.iter().any(|task| task.scope.reduced),
        left_out: report.left_out.clone(),
        tasks: report.tasks.iter().map(TaskDocument::from).collect(),
    }
}

/// Returns the bytes of `suite-report.json`, which are always the same for the same report.
///
/// # Errors
/// Fails only for values that JSON cannot hold.
pub fn render(report: &SuiteReport) -> Result<Vec<u8>, serde_json::Error> {
    document::to_bytes(&document(report))
}

impl TaskCounts {
    fn new(tasks: &[SuiteTask]) -> Self {
        let of = |decision| Count::of(tasks.iter().filter(|task| task.verdict.decision == decision).count());
        Self {
            total: Count::of(tasks.len()),
            pass: of(Decision::Pass),
            fail: of(Decision::Fail),
            blocked: of(Decision::Blocked),
        }
    }
}

impl From<&SuiteTask> for TaskDocument {
    fn from(task: &SuiteTask) -> Self {
        let verdict = &task.verdict;
        Self {
            task_id: task.task.clone(),
            title: task.title.clone(),
            execution_id: task.execution.clone(),
            decision: verdict.decision,
            overall_status: verdict.overall,
            exit_code: exit_code::of(verdict.exit),
            reasons: verdict.reasons.clone(),
            next: verdict.next,
            agent_action: verdict.agent_action,
            scope: task.scope,
            duration: task.duration_ms.into(),
            evidence: task.directory.clone(),
            report_digest: task.report_digest,
        }
    }
}
