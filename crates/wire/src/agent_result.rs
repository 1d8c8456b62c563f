//! `agent-N.json`: what an agent's process left (seed 2, 1.2 and 1.4).

use std::borrow::Cow;

use referee_model::agent_result::{
    AgentResult, Captured, ResourceUse, SandboxUse, StructuredOutput, TokensUsed, ToolCall,
};
use referee_model::build_error::ContextValue;
use referee_model::limit::AGENT_STREAM_BYTES;
use referee_model::time::Timestamp;
use referee_syntax::cut::head;
use serde::Serialize;

use crate::foreign::{AMOUNT, ANYTHING, COUNT, EXIT_CODE, FLAG, Foreign, ForeignError, Members, SMALL, TEXT, TIME};
use referee_model::number::Count;

/// The document's name in messages.
const NAME: &str = "the agent result";

/// The session of whoever has none, in the form that is kept (seed 2, 1.4).
const NO_SESSION: &str = "unknown";

/// Bytes of a stream that the marker of a cut takes at most.
const MARKER_BYTES: usize = 100;

/// What an agent's process left. The format has no version of its own.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentResultDocument {
    /// The run. Left out with `iteration` and `capturedAt`: it was not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    /// The turn, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration: Option<u32>,
    /// When it was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    captured_at: Option<Timestamp>,
    /// Whether the agent says that it did what was asked.
    success: bool,
    /// Null: a signal ended it.
    exit_code: Option<i32>,
    /// Standard output; a marker at its end says that it was cut.
    stdout: String,
    /// Standard error; a marker at its end says that it was cut.
    stderr: String,
    /// What it answered as data. Null: nothing that could be read.
    structured_output: Option<StructuredOutputDocument>,
    /// The agent's session. Null: it has none; in what is kept `unknown`.
    session_id: Option<String>,
    tokens_used: Option<TokensDocument>,
    /// Milliseconds.
    duration_ms: Count,
    /// US dollars.
    total_cost_usd: Option<f64>,
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Count>,
    /// Left out: nobody recorded them, or they are not to be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<Vec<ToolCallDocument>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox_info: Option<SandboxDocument>,
}

/// What an agent answered as data.
#[derive(Debug, Clone, Serialize)]
struct StructuredOutputDocument {
    result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<UsageDocument>,
}

/// Tokens, in the spelling of what the agent answers.
#[derive(Debug, Clone, Serialize)]
struct UsageDocument {
    input_tokens: Count,
    output_tokens: Count,
}

/// Tokens that were used.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TokensDocument {
    input: Count,
    output: Count,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<Count>,
}

/// One call of a tool.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolCallDocument {
    tool: String,
    input: ContextValue,
    output: String,
    /// Milliseconds.
    duration_ms: Count,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_use_id: Option<String>,
}

/// The sandbox that an agent ran in.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct SandboxDocument {
    provider: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    container_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_usage: Option<ResourceDocument>,
    /// Milliseconds.
    duration_ms: Count,
}

#[derive(Debug, Clone, Serialize)]
struct ResourceDocument {
    #[serde(rename = "cpuPercent")]
    cpu_percent: f64,
    #[serde(rename = "memoryMB")]
    memory_mb: f64,
}

/// What of a result is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Bytes of each stream.
    pub stream_bytes: usize,
    /// Whether the calls of tools are kept.
    pub tool_calls: bool,
}

impl Default for Keep {
    fn default() -> Self {
        Self { stream_bytes: AGENT_STREAM_BYTES, tool_calls: true }
    }
}

/// Returns an agent's result as a document.
pub fn document(result: &AgentResult, keep: Keep) -> AgentResultDocument {
    let captured = result.captured.as_ref();
    let session = result.session_id.clone();
    let calls = result.tool_calls.as_ref().filter(|_| keep.tool_calls);
    AgentResultDocument {
        run_id: captured.map(|captured| captured.run_id.clone()),
        iteration: captured.map(|captured| captured.iteration),
        captured_at: captured.map(|captured| captured.at),
        success: result.success,
        exit_code: result.exit_code,
        stdout: kept_stream(&result.stdout, keep.stream_bytes).into_owned(),
        stderr: kept_stream(&result.stderr, keep.stream_bytes).into_owned(),
        structured_output: result.structured_output.as_ref().map(StructuredOutputDocument::from),
        session_id: session.or_else(|| captured.map(|_| NO_SESSION.to_owned())),
        tokens_used: result.tokens_used.map(TokensDocument::from),
        duration_ms: result.duration_ms.into(),
        total_cost_usd: result.total_cost_usd,
        model: result.model.clone(),
        turns: result.turns.map(Count::from),
        tool_calls: calls.map(|calls| calls.iter().map(ToolCallDocument::from).collect()),
        sandbox_info: result.sandbox.as_ref().map(SandboxDocument::from),
    }
}

/// Returns what of a stream is kept: all of it, or so much of its beginning that a blank line and a marker which names the
/// limit stand within the limit too (seed 2, 1.4).
pub fn kept_stream(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let kept = head(text, limit.saturating_sub(MARKER_BYTES));
    let mut cut = format!("{kept}\n\n[cut: the stream is longer than the limit of {limit} bytes]");
    // A limit that not even the marker fits into holds so much of it.
    cut.truncate(cut.floor_char_boundary(limit));
    Cow::Owned(cut)
}

/// Reads an agent's result, of ours or of others, in either spelling and with what was noted when it was kept.
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

/// Takes tokens in the spelling of the result, or in that of what the agent answers.
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

impl From<&StructuredOutput> for StructuredOutputDocument {
    fn from(output: &StructuredOutput) -> Self {
        let usage = output
            .usage
            .map(|used| UsageDocument { input_tokens: used.input.into(), output_tokens: used.output.into() });
        Self { result: output.result.clone(), session_id: output.session_id.clone(), usage }
    }
}

impl From<TokensUsed> for TokensDocument {
    fn from(used: TokensUsed) -> Self {
        Self { input: used.input.into(), output: used.output.into(), total: used.total.map(Count::from) }
    }
}

impl From<&ToolCall> for ToolCallDocument {
    fn from(call: &ToolCall) -> Self {
        Self {
            tool: call.tool.clone(),
            input: call.input.clone(),
            output: call.output.clone(),
            duration_ms: call.duration_ms.into(),
            timestamp: call.timestamp,
            tool_use_id: call.tool_use_id.clone(),
        }
    }
}

impl From<&SandboxUse> for SandboxDocument {
    fn from(sandbox: &SandboxUse) -> Self {
        Self {
            provider: sandbox.provider.clone(),
            container_id: sandbox.container_id.clone(),
            resource_usage: sandbox
                .resources
                .map(|used| ResourceDocument { cpu_percent: used.cpu_percent, memory_mb: used.memory_mb }),
            duration_ms: sandbox.duration_ms.into(),
        }
    }
}

#[cfg(test)]
mod tests;
