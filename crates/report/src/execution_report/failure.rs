//! Reads the failure of a report back, for making an incident of it.

use referee_model::build_error::BuildErrorType;
use referee_model::diagnostic_log::Finding;
use referee_model::id::{ActionId, ExecutionId, TaskId};
use referee_model::outcome::Outcome;
use referee_model::record::SkipReason;
use referee_model::report::report_document::{KIND, ReportError, verify_hash};
use referee_model::verdict::{Decision, OverallStatus};
use serde::Deserialize;

/// The failure of a report whose run did not pass.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedReport {
    pub task: TaskId,
    pub execution: ExecutionId,
    /// Overall status of the run.
    pub overall: OverallStatus,
    /// Reasons why the run did not pass, most severe first.
    pub reasons: Vec<String>,
    /// Type of the run's error. None: it has none.
    pub error: Option<BuildErrorType>,
    /// First blocking action in plan order. None: no action that ran blocks.
    pub first: Option<FailedAction>,
    /// Diagnostics of that action, most severe first.
    pub diagnostics: Vec<Finding>,
    /// Task that this one depends on and that did not pass, where that is why nothing ran.
    pub held_by: Option<TaskId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAction {
    pub id: ActionId,
    pub name: String,
    pub outcome: Outcome,
    pub reason: String,
    /// File with the output, as the report names it. None: there is none.
    pub log: Option<String>,
}

/// Reads the failure of a report. None: the report says that the run passed.
///
/// # Errors
/// Fails for bytes that are not a report, and for a report whose own hash does not match.
pub fn read_failure(bytes: &[u8]) -> Result<Option<FailedReport>, ReportError> {
    let report: ReportExcerpt = KIND.read(bytes)?;
    if !verify_hash(bytes)? {
        return Err(KIND.content("its content is not what its own hash was made of").into());
    }
    if report.execution_summary.decision == Decision::Pass {
        return Ok(None);
    }
    let results = [report.prerequisite_execution, report.step_execution, report.cleanup_execution];
    let mut actions = results.into_iter().flat_map(|part| part.results);
    let first = actions.find(|action| action.blocking && action.status != Outcome::Success);
    let held_by = report.skipped_actions.into_iter().find_map(|skipped| match skipped.reason {
        SkipReason::DependencyNotPassed(task) => Some(task),
        _ => None,
    });
    Ok(Some(FailedReport {
        task: report.test_specification.task_id,
        execution: report.authenticity.execution_id,
        overall: report.execution_summary.overall_status,
        reasons: report.execution_summary.reasons,
        error: report.build_error.map(|error| error.kind),
        first: first.map(FailedAction::from),
        diagnostics: report.diagnostics_log,
        held_by,
    }))
}

impl From<ActionExcerpt> for FailedAction {
    fn from(action: ActionExcerpt) -> Self {
        Self {
            id: action.action_id,
            name: action.description,
            outcome: action.classification.cause.unwrap_or(action.status),
            reason: action.classification.reason,
            log: action.evidence_files.log,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReportExcerpt {
    test_specification: SpecificationExcerpt,
    execution_summary: SummaryExcerpt,
    prerequisite_execution: Results,
    step_execution: Results,
    cleanup_execution: Results,
    skipped_actions: Vec<SkippedExcerpt>,
    diagnostics_log: Vec<Finding>,
    build_error: Option<ErrorExcerpt>,
    authenticity: AuthenticityExcerpt,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpecificationExcerpt {
    task_id: TaskId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SummaryExcerpt {
    overall_status: OverallStatus,
    decision: Decision,
    reasons: Vec<String>,
}

#[derive(Deserialize)]
struct Results {
    results: Vec<ActionExcerpt>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ActionExcerpt {
    action_id: ActionId,
    description: String,
    status: Outcome,
    blocking: bool,
    classification: ClassificationExcerpt,
    evidence_files: FilesExcerpt,
}

#[derive(Deserialize)]
struct ClassificationExcerpt {
    cause: Option<Outcome>,
    reason: String,
}

#[derive(Deserialize)]
struct FilesExcerpt {
    log: Option<String>,
}

#[derive(Deserialize)]
struct SkippedExcerpt {
    reason: SkipReason,
}

#[derive(Deserialize)]
struct ErrorExcerpt {
    #[serde(rename = "type")]
    kind: BuildErrorType,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AuthenticityExcerpt {
    execution_id: ExecutionId,
}
