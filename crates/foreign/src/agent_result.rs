//! `agent-N.json`: the result of an agent process (seed 2, 1.2 and 1.4).

use referee_model::agent_result::{
    AgentResult, Captured, NO_SESSION, ResourceUse, SandboxUse, StructuredOutput, TokensUsed, ToolCall,
};
use referee_model::build_error::ContextValue;
use referee_model::foreign::{
    AMOUNT, ANYTHING, COUNT, EXIT_CODE, FLAG, Foreign, ForeignError, Members, SMALL, TEXT, TIME,
};

/// Name of the document in messages.
const NAME: &str = "the agent result";

/// Parses an agent result, written by Referee or by other programs, in either spelling of its keys and
/// including what was added when it was stored.
pub fn read(bytes: &[u8]) -> Result<AgentResult, ForeignError> {
    let foreign = Foreign::read(NAME, bytes)?;
    let members = foreign.members()?;
    let captured = captured(&members)?;
    let session = members.optional("sessionId", &TEXT)?;
    let calls = members.objects("toolCalls")?;
    let calls = calls.map(|calls| calls.iter().map(tool_call).collect::<Result<_, _>>());
    Ok(AgentResult {
        success: members.required("success", &FLAG)?,
        exit_code: members.nullable("exitCode", &EXIT_CODE)?,
        stdout: members.nullable("stdout", &TEXT)?.unwrap_or_default(),
        stderr: members.nullable("stderr", &TEXT)?.unwrap_or_default(),
        structured_output: members.object("structuredOutput")?.map(|output| structured_output(&output)).transpose()?,
        session_id: session.filter(|session| captured.is_none() || session != NO_SESSION),
        tokens_used: members.object("tokensUsed")?.map(|tokens| tokens_used(&tokens)).transpose()?,
        duration_ms: members.required("durationMs", &COUNT)?,
        total_cost_usd: members.optional("totalCostUsd", &AMOUNT)?,
        model: members.optional("model", &TEXT)?,
        turns: members.optional("turns", &COUNT)?,
        tool_calls: calls.transpose()?,
        sandbox: members.object("sandboxInfo")?.map(|sandbox| sandbox_use(&sandbox)).transpose()?,
        captured,
    })
}

fn captured(members: &Members<'_>) -> Result<Option<Captured>, ForeignError> {
    let Some(at) = members.optional("capturedAt", &TIME)? else { return Ok(None) };
    let (run_id, iteration) = (members.required("runId", &TEXT)?, members.required("iteration", &SMALL)?);
    Ok(Some(Captured { run_id, iteration, at }))
}

fn structured_output(members: &Members<'_>) -> Result<StructuredOutput, ForeignError> {
    Ok(StructuredOutput {
        result: members.optional("result", &TEXT)?,
        session_id: members.optional("sessionId", &TEXT)?,
        usage: members.object("usage")?.map(|usage| tokens_used(&usage)).transpose()?,
    })
}

/// Parses token counts in the spelling of the result (`input`) or in that of the agent's answer
/// (`inputTokens`).
pub(crate) fn tokens_used(members: &Members<'_>) -> Result<TokensUsed, ForeignError> {
    let of = |key, long| match members.optional(long, &COUNT)? {
        Some(count) => Ok(count),
        None => members.required(key, &COUNT),
    };
    Ok(TokensUsed {
        input: of("input", "inputTokens")?,
        output: of("output", "outputTokens")?,
        total: members.optional("total", &COUNT)?,
    })
}

fn tool_call(members: &Members<'_>) -> Result<ToolCall, ForeignError> {
    Ok(ToolCall {
        tool: members.required("tool", &TEXT)?,
        input: members.optional("input", &ANYTHING)?.unwrap_or(ContextValue::Null),
        output: members.optional("output", &TEXT)?.unwrap_or_default(),
        duration_ms: members.required("durationMs", &COUNT)?,
        timestamp: members.optional("timestamp", &TIME)?,
        tool_use_id: members.optional("toolUseId", &TEXT)?,
    })
}

fn sandbox_use(members: &Members<'_>) -> Result<SandboxUse, ForeignError> {
    let resources = members.object("resourceUsage")?.map(|used| {
        Ok(ResourceUse {
            cpu_percent: used.required("cpuPercent", &AMOUNT)?,
            memory_mb: used.required("memoryMB", &AMOUNT)?,
        })
    });
    Ok(SandboxUse {
        provider: members.required("provider", &TEXT)?,
        container_id: members.optional("containerId", &TEXT)?,
        resources: resources.transpose()?,
        duration_ms: members.required("durationMs", &COUNT)?,
    })
}

#[cfg(test)]
mod tests;
