//! `run.json` of an agent run, and `iteration-N.json` of each of its turns (seed 2, 1.2 and 1.4).

use referee_model::agent_run::{
    AgentRun, AgentTurn, CI_ITERATIONS, CiStatus, ContinuousIntegration, IterationError, IterationErrorType,
    IterationRecord, NO_ERROR, PullRequest, RunWarning, VerificationTurn,
};
use referee_model::foreign::{
    AMOUNT, COUNT, FLAG, Foreign, ForeignError, Form, Members, SMALL, TEXT, TEXTS, TIME, build_error,
};
use referee_model::run_state::{RunResult, RunState};

use crate::agent_result::tokens_used;

const STATE: Form<RunState> = Form::new("a state of a run", |node| RunState::parse(&node.text()?));
const RESULT: Form<RunResult> = Form::new("a result of a run", |node| RunResult::parse(&node.text()?));
const CI_STATUS: Form<CiStatus> =
    Form::new("pending, polling, passed, failed or timeout", |node| CiStatus::parse(&node.text()?));
const ERROR_TYPE: Form<Option<IterationErrorType>> = Form::new("a type of a turn's failure, or none", |node| {
    let text = node.text()?;
    let kind = IterationErrorType::parse(&text);
    (kind.is_some() || text == NO_ERROR).then_some(kind)
});

/// Parses an agent run.
///
/// # Errors
/// Fails for a document that is not a run, and for a run that has a result but is not over, or is over without
/// a result.
pub fn read(bytes: &[u8]) -> Result<AgentRun, ForeignError> {
    let foreign = Foreign::read("the run", bytes)?;
    let members = foreign.members()?;
    let (state, result) = (members.required("state", &STATE)?, members.optional("result", &RESULT)?);
    if state.is_terminal() != result.is_some() {
        return Err(members.contradiction(match result {
            Some(result) => format!("it is {}, and ended as {}", state.as_str(), result.as_str()),
            None => format!("it is {}, and has no `result`", state.as_str()),
        }));
    }
    let is_passed = result == Some(RunResult::Passed);
    if (state == RunState::Succeeded) != is_passed {
        return Err(members.contradiction(format!("it is {} with another result", state.as_str())));
    }
    let warnings = members.objects("warnings")?.unwrap_or_default();
    let error = members.object("buildError")?;
    Ok(AgentRun {
        id: members.required("id", &TEXT)?,
        work_order_id: members.required("workOrderId", &TEXT)?,
        workspace_id: members.optional("workspaceId", &TEXT)?,
        iteration: members.required("iteration", &SMALL)?,
        max_iterations: members.required("maxIterations", &SMALL)?,
        state,
        snapshot_before: members.optional("snapshotBeforeSha", &TEXT)?,
        snapshot_after: members.optional("snapshotAfterSha", &TEXT)?,
        snapshot_ids: members.optional("snapshotIds", &TEXTS)?.unwrap_or_default(),
        started_at: members.required("startedAt", &TIME)?,
        completed_at: members.optional("completedAt", &TIME)?,
        result,
        error: members.optional("error", &TEXT)?,
        build_error: error.map(|error| build_error::of_members(&error)).transpose()?,
        session_id: members.optional("sessionId", &TEXT)?,
        pull_request: PullRequest {
            branch: members.optional("branch", &TEXT)?,
            url: members.optional("prUrl", &TEXT)?,
            number: members.optional("prNumber", &COUNT)?,
        },
        warnings: warnings.iter().map(warning).collect::<Result<_, _>>()?,
        ci: ci(&members)?,
    })
}

fn warning(members: &Members<'_>) -> Result<RunWarning, ForeignError> {
    Ok(RunWarning {
        kind: members.required("type", &TEXT)?,
        message: members.required("message", &TEXT)?,
        iteration: members.required("iteration", &SMALL)?,
        at: members.required("timestamp", &TIME)?,
    })
}

fn ci(members: &Members<'_>) -> Result<ContinuousIntegration, ForeignError> {
    Ok(ContinuousIntegration {
        enabled: members.optional("ciEnabled", &FLAG)?.unwrap_or_default(),
        iterations: members.optional("ciIterationCount", &SMALL)?.unwrap_or_default(),
        max_iterations: members.optional("maxCiIterations", &SMALL)?.unwrap_or(CI_ITERATIONS),
        status: members.optional("ciStatus", &CI_STATUS)?,
        started_at: members.optional("ciStartedAt", &TIME)?,
        completed_at: members.optional("ciCompletedAt", &TIME)?,
        workflow_url: members.optional("ciWorkflowUrl", &TEXT)?,
    })
}

pub fn read_iteration(bytes: &[u8]) -> Result<IterationRecord, ForeignError> {
    let foreign = Foreign::read("the iteration record", bytes)?;
    let members = foreign.members()?;
    let (started_at, completed_at) = (members.required("startedAt", &TIME)?, members.optional("completedAt", &TIME)?);
    let error = members.required("errorType", &ERROR_TYPE)?.map(|kind| {
        Ok(IterationError {
            kind,
            message: members.required("errorMessage", &TEXT)?,
            details: members.optional("errorDetails", &TEXT)?,
        })
    });
    Ok(IterationRecord {
        iteration: members.required("iteration", &SMALL)?,
        state: members.required("state", &STATE)?,
        snapshot_id: members.optional("snapshotId", &TEXT)?,
        feedback_generated: members.optional("feedbackGenerated", &FLAG)?.unwrap_or_default(),
        started_at,
        completed_at,
        duration_ms: completed_at.map(|end| end.milliseconds_since(started_at)),
        agent: agent(&members)?,
        verification: verification(&members)?,
        error: error.transpose()?,
    })
}

fn agent(members: &Members<'_>) -> Result<Option<AgentTurn>, ForeignError> {
    let Some(result_file) = members.optional("agentResultFile", &TEXT)? else { return Ok(None) };
    let tokens = members.object("agentTokensUsed")?;
    Ok(Some(AgentTurn {
        session_id: members.optional("agentSessionId", &TEXT)?,
        result_file,
        duration_ms: members.required("agentDurationMs", &COUNT)?,
        success: members.required("agentSuccess", &FLAG)?,
        model: members.optional("agentModel", &TEXT)?,
        tokens_used: tokens.map(|tokens| tokens_used(&tokens)).transpose()?,
        cost_usd: members.optional("agentCostUsd", &AMOUNT)?,
    }))
}

fn verification(members: &Members<'_>) -> Result<Option<VerificationTurn>, ForeignError> {
    let Some(file) = members.optional("verificationFile", &TEXT)? else { return Ok(None) };
    Ok(Some(VerificationTurn {
        file,
        passed: members.required("verificationPassed", &FLAG)?,
        levels_run: members.optional("verificationLevelsRun", &TEXTS)?.unwrap_or_default(),
        duration_ms: members.required("verificationDurationMs", &COUNT)?,
    }))
}

#[cfg(test)]
mod tests;
