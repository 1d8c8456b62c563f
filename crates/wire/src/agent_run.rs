//! `run.json` of an agent's run over its turns, and `iteration-N.json` of each turn (seed 2, 1.2 and 1.4).

use referee_model::agent_run::{
    AgentRun, AgentTurn, CI_ITERATIONS, CiStatus, ContinuousIntegration, IterationError, IterationErrorType,
    IterationRecord, PullRequest, RunWarning, VerificationTurn,
};
use referee_model::build_error::BuildError;
use referee_model::run_state::{RunResult, RunState};
use referee_model::time::Timestamp;
use serde::Serialize;

use crate::agent_result::TokensDocument;
use referee_model::number::Count;

mod read;

pub use self::read::{read, read_iteration};

/// An agent's run over its turns. The format has no version of its own.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRunDocument {
    id: String,
    work_order_id: String,
    workspace_id: Option<String>,
    /// The turn, from 1.
    iteration: u32,
    max_iterations: u32,
    state: RunState,
    /// The commit that it began with.
    snapshot_before_sha: Option<String>,
    /// The commit that it ended with.
    snapshot_after_sha: Option<String>,
    snapshot_ids: Vec<String>,
    started_at: Timestamp,
    completed_at: Option<Timestamp>,
    result: Option<RunResult>,
    /// Why it failed, in one line.
    error: Option<String>,
    /// Why it failed, as data; its message is `error`.
    build_error: Option<BuildError>,
    session_id: Option<String>,
    branch: Option<String>,
    pr_url: Option<String>,
    pr_number: Option<Count>,
    warnings: Vec<WarningDocument>,
    ci_enabled: bool,
    ci_iteration_count: u32,
    max_ci_iterations: u32,
    ci_status: Option<&'static str>,
    ci_started_at: Option<Timestamp>,
    ci_completed_at: Option<Timestamp>,
    ci_workflow_url: Option<String>,
}

/// What did not stop a run and should be known.
#[derive(Debug, Clone, Serialize)]
struct WarningDocument {
    #[serde(rename = "type")]
    kind: String,
    message: String,
    iteration: u32,
    timestamp: Timestamp,
}

/// One turn of an agent's run. The format has no version of its own.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IterationDocument {
    /// The turn, from 1.
    iteration: u32,
    state: RunState,
    snapshot_id: Option<String>,
    feedback_generated: bool,
    started_at: Timestamp,
    completed_at: Option<Timestamp>,
    /// Milliseconds. Null: it is not over.
    duration_ms: Option<Count>,
    agent_session_id: Option<String>,
    /// Null, with all that begins with `agent`: the agent did not run.
    agent_result_file: Option<String>,
    agent_duration_ms: Option<Count>,
    agent_success: Option<bool>,
    agent_model: Option<String>,
    agent_tokens_used: Option<TokensDocument>,
    /// US dollars.
    agent_cost_usd: Option<f64>,
    /// Null, with all that begins with `verification`: nothing was checked.
    verification_file: Option<String>,
    verification_passed: Option<bool>,
    verification_levels_run: Vec<String>,
    verification_duration_ms: Option<Count>,
    error_type: &'static str,
    error_message: Option<String>,
    error_details: Option<String>,
}

/// What `referee agent list` answers programs.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRunListDocument {
    list_version: &'static str,
    /// The latest first.
    runs: Vec<AgentRunDocument>,
}

/// Returns runs as one document.
pub fn list_document(runs: &[AgentRun]) -> AgentRunListDocument {
    AgentRunListDocument { list_version: "1.0.0", runs: runs.iter().map(document).collect() }
}

/// The word for a turn in which nothing went wrong.
const NO_ERROR: &str = "none";

/// Returns a run as a document.
pub fn document(run: &AgentRun) -> AgentRunDocument {
    let ci = &run.ci;
    AgentRunDocument {
        id: run.id.clone(),
        work_order_id: run.work_order_id.clone(),
        workspace_id: run.workspace_id.clone(),
        iteration: run.iteration,
        max_iterations: run.max_iterations,
        state: run.state,
        snapshot_before_sha: run.snapshot_before.clone(),
        snapshot_after_sha: run.snapshot_after.clone(),
        snapshot_ids: run.snapshot_ids.clone(),
        started_at: run.started_at,
        completed_at: run.completed_at,
        result: run.result,
        error: run.error.clone(),
        build_error: run.build_error.clone(),
        session_id: run.session_id.clone(),
        branch: run.pull_request.branch.clone(),
        pr_url: run.pull_request.url.clone(),
        pr_number: run.pull_request.number.map(Count::from),
        warnings: run.warnings.iter().map(WarningDocument::from).collect(),
        ci_enabled: ci.enabled,
        ci_iteration_count: ci.iterations,
        max_ci_iterations: ci.max_iterations,
        ci_status: ci.status.map(CiStatus::as_str),
        ci_started_at: ci.started_at,
        ci_completed_at: ci.completed_at,
        ci_workflow_url: ci.workflow_url.clone(),
    }
}

/// Returns a turn as a document.
pub fn iteration_document(record: &IterationRecord) -> IterationDocument {
    let (agent, checked, error) = (record.agent.as_ref(), record.verification.as_ref(), record.error.as_ref());
    IterationDocument {
        iteration: record.iteration,
        state: record.state,
        snapshot_id: record.snapshot_id.clone(),
        feedback_generated: record.feedback_generated,
        started_at: record.started_at,
        completed_at: record.completed_at,
        duration_ms: record.completed_at.map(|end| end.milliseconds_since(record.started_at).into()),
        agent_session_id: agent.and_then(|agent| agent.session_id.clone()),
        agent_result_file: agent.map(|agent| agent.result_file.clone()),
        agent_duration_ms: agent.map(|agent| agent.duration_ms.into()),
        agent_success: agent.map(|agent| agent.success),
        agent_model: agent.and_then(|agent| agent.model.clone()),
        agent_tokens_used: agent.and_then(|agent| agent.tokens_used).map(TokensDocument::from),
        agent_cost_usd: agent.and_then(|agent| agent.cost_usd),
        verification_file: checked.map(|checked| checked.file.clone()),
        verification_passed: checked.map(|checked| checked.passed),
        verification_levels_run: checked.map(|checked| checked.levels_run.clone()).unwrap_or_default(),
        verification_duration_ms: checked.map(|checked| checked.duration_ms.into()),
        error_type: error.map_or(NO_ERROR, |error| error.kind.as_str()),
        error_message: error.map(|error| error.message.clone()),
        error_details: error.and_then(|error| error.details.clone()),
    }
}

impl From<&RunWarning> for WarningDocument {
    fn from(warning: &RunWarning) -> Self {
        Self {
            kind: warning.kind.clone(),
            message: warning.message.clone(),
            iteration: warning.iteration,
            timestamp: warning.at,
        }
    }
}

#[cfg(test)]
mod tests;
