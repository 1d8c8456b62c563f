//! The result of an agent's process (seed 2, 1.2 "Agent result").

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::build_error::ContextValue;
use crate::limit::AGENT_STREAM_BYTES;
use crate::number::Count;
use crate::time::Timestamp;

/// Stored session id of an agent that has no session (seed 2, 1.4).
pub const NO_SESSION: &str = "unknown";

/// Maximum length of the truncation marker of a stream, in bytes.
const MARKER_BYTES: usize = 100;

/// The result of an agent's process. Its document, `agent-N.json`, has no version of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentResult {
    /// The run and turn that the result belongs to, and when it was stored. None: it was never stored.
    #[serde(flatten)]
    pub captured: Option<Captured>,
    /// Whether the agent reports that it completed its task.
    pub success: bool,
    /// Exit code of the process. None: a signal ended it.
    pub exit_code: Option<i32>,
    /// The complete standard output. The document holds only the beginning of one that is too long.
    #[serde(serialize_with = "stream")]
    pub stdout: String,
    /// The complete standard error. The document holds only the beginning of one that is too long.
    #[serde(serialize_with = "stream")]
    pub stderr: String,
    /// The agent's structured answer. None: no readable one was found.
    pub structured_output: Option<StructuredOutput>,
    /// Id of the agent's session.
    pub session_id: Option<String>,
    /// Tokens used.
    pub tokens_used: Option<TokensUsed>,
    /// Duration in milliseconds.
    #[serde(serialize_with = "crate::serial::exact")]
    pub duration_ms: u64,
    /// Cost in US dollars.
    pub total_cost_usd: Option<f64>,
    /// Name of the model.
    pub model: Option<String>,
    /// Number of the agent's turns.
    #[serde(serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// The tool calls, in order. None: tool calls were not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<Vec<ToolCall>>,
    /// The sandbox that the agent ran in.
    #[serde(rename = "sandboxInfo", skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxUse>,
}

impl AgentResult {
    /// Returns the result as it is stored: a missing session id becomes [`NO_SESSION`].
    pub fn kept(&self) -> Self {
        let session_id = self.session_id.clone().or_else(|| Some(NO_SESSION.to_owned()));
        Self { session_id, ..self.clone() }
    }
}

fn stream<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&kept_stream(text, AGENT_STREAM_BYTES))
}

/// Returns the part of a stream that is stored: all of it, or a beginning short enough that a blank line and a
/// marker that names the limit also fit within the limit (seed 2, 1.4).
fn kept_stream(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let kept = &text[..text.floor_char_boundary(limit.saturating_sub(MARKER_BYTES))];
    let mut cut = format!("{kept}\n\n[cut: the stream is longer than the limit of {limit} bytes]");
    // If not even the marker fits within the limit, the marker itself is cut.
    cut.truncate(cut.floor_char_boundary(limit));
    Cow::Owned(cut)
}

/// The structured answer of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StructuredOutput {
    /// The answer's text.
    pub result: Option<String>,
    /// Session id stated in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Token usage stated in the answer.
    #[serde(serialize_with = "usage", skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokensUsed>,
}

/// Serializes token usage with the keys that agents use in their answers.
#[expect(clippy::ref_option, reason = "serde calls it so")]
fn usage<S: Serializer>(used: &Option<TokensUsed>, serializer: S) -> Result<S::Ok, S::Error> {
    let keys = |used: &TokensUsed| [("input_tokens", used.input), ("output_tokens", used.output)];
    serializer.collect_map(used.iter().flat_map(keys).map(|(key, count)| (key, Count::from(count))))
}

/// Format of an agent's structured answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnswerForm {
    /// Claude Code: one object, a list of messages, or one message per line.
    Claude,
    /// Codex: one event per line.
    Codex,
    /// Gemini CLI: one object, or one event per line.
    Gemini,
    /// Copilot: one event per line.
    Copilot,
    /// One object with the keys of an agent's result.
    Plain,
}

/// The structured answer read from an agent's standard output.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentAnswer {
    /// Format of the answer.
    pub form: AnswerForm,
    /// Whether the agent reports that it failed.
    pub failed: bool,
    /// The answer's text, session and token usage.
    pub output: StructuredOutput,
    /// Cost in US dollars.
    pub total_cost_usd: Option<f64>,
    /// Name of the model.
    pub model: Option<String>,
    /// Number of the agent's turns.
    pub turns: Option<u64>,
    /// The tool calls, in order. None: the format does not state them.
    pub tool_calls: Option<Vec<ToolCall>>,
}

/// Token usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TokensUsed {
    /// Input tokens.
    #[serde(serialize_with = "crate::serial::exact")]
    pub input: u64,
    /// Output tokens.
    #[serde(serialize_with = "crate::serial::exact")]
    pub output: u64,
    /// Input and output tokens together, where the source states the sum.
    #[serde(serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// Name of the tool.
    pub tool: String,
    /// Input that the tool was called with.
    pub input: ContextValue,
    /// Output that the tool returned.
    pub output: String,
    /// Duration in milliseconds.
    #[serde(serialize_with = "crate::serial::exact")]
    pub duration_ms: u64,
    /// Time of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// The agent's id of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
}

/// The sandbox that an agent ran in.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxUse {
    /// Provider of the sandbox.
    pub provider: String,
    /// Id of the sandbox's container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_id: Option<String>,
    /// Resources used.
    #[serde(rename = "resourceUsage", skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceUse>,
    /// Lifetime of the sandbox in milliseconds.
    #[serde(serialize_with = "crate::serial::exact")]
    pub duration_ms: u64,
}

/// Resources that a sandbox used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ResourceUse {
    /// Processor time, in percent of one processor.
    #[serde(rename = "cpuPercent")]
    pub cpu_percent: f64,
    /// Memory, in megabytes.
    #[serde(rename = "memoryMB")]
    pub memory_mb: f64,
}

/// The run and turn that a stored file belongs to, and when it was stored (seed 2, 1.4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Captured {
    /// Id of the run.
    pub run_id: String,
    /// Number of the turn, from 1.
    pub iteration: u32,
    /// Time at which it was stored.
    #[serde(rename = "capturedAt")]
    pub at: Timestamp,
}

/// How an agent's process ended, as observed by its parent. Takes precedence over any reading of the exit code
/// (ruling 21).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KnownEnd {
    /// Nothing was observed: only the result itself says how the process ended.
    #[default]
    Nothing,
    /// The process exceeded its time limit and was stopped.
    DeadlineHit,
    /// The process was ended by a signal that Referee did not send, with this signal number.
    Signal(i32),
    /// The process exceeded its memory limit.
    MemoryLimit,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    #[test]
    fn rp_02_and_rp_03_a_longer_stream_is_cut_below_its_limit_and_says_so() {
        let marker = |limit: usize| format!("\n\n[cut: the stream is longer than the limit of {limit} bytes]");
        let cut = kept_stream(&"x".repeat(2 << 20), 1_024).into_owned();
        assert_eq!(cut, "x".repeat(924) + &marker(1_024));
        assert_eq!(kept_stream(&"x".repeat(500), 200), "x".repeat(100) + &marker(200));
        assert!(kept_stream(&"x".repeat(500), 200).len() <= 200);
        let result = AgentResult { stdout: "x".repeat(2 << 20), stderr: "e".repeat(2 << 20), ..AgentResult::default() };
        let written = serde_json::to_value(&result).unwrap();
        for stream in ["stdout", "stderr"] {
            let kept = written[stream].as_str().unwrap();
            assert!(kept.len() <= AGENT_STREAM_BYTES && kept.ends_with(&marker(AGENT_STREAM_BYTES)), "{stream}");
        }
    }

    #[test]
    fn rp_04_a_stream_up_to_its_limit_is_untouched() {
        for length in [0, 1, 199, 200] {
            let text = "x".repeat(length);
            assert_eq!(kept_stream(&text, 200), text);
        }
    }

    proptest! {
        #[test]
        fn no_stream_is_kept_beyond_its_limit_or_cut_within_a_character(text in "[aß🦀\n]{0,300}", limit in 0_usize..400) {
            let kept = kept_stream(&text, limit);
            prop_assert!(kept.len() <= limit.max(text.len().min(limit)));
            prop_assert!(kept == text || limit < text.len());
        }
    }
}
