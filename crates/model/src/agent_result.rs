//! What an agent's process left when it was over (seed 2, 1.2 "Agent result").

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::build_error::ContextValue;
use crate::limit::AGENT_STREAM_BYTES;
use crate::number::Count;
use crate::time::Timestamp;

/// The session of whoever has none, in the form that is kept (seed 2, 1.4).
pub const NO_SESSION: &str = "unknown";

/// Bytes of a stream that the marker of a cut takes at most.
const MARKER_BYTES: usize = 100;

/// What an agent's process left. Its document, `agent-N.json`, has no version of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentResult {
    /// What was noted when it was kept. None: it was never kept.
    #[serde(flatten)]
    pub captured: Option<Captured>,
    /// Whether the agent says that it did what was asked.
    pub success: bool,
    /// The process's exit code. None: it has none, because a signal ended it.
    pub exit_code: Option<i32>,
    /// All of its standard output. Of a longer one the document has the beginning.
    #[serde(serialize_with = "stream")]
    pub stdout: String,
    /// All of its standard error.
    #[serde(serialize_with = "stream")]
    pub stderr: String,
    /// What it answered as data. None: it answered nothing that could be read.
    pub structured_output: Option<StructuredOutput>,
    /// The agent's session.
    pub session_id: Option<String>,
    /// Tokens that it used.
    pub tokens_used: Option<TokensUsed>,
    /// Milliseconds that it took.
    #[serde(serialize_with = "crate::serial::exact")]
    pub duration_ms: u64,
    /// What it cost, in US dollars.
    pub total_cost_usd: Option<f64>,
    /// The model.
    pub model: Option<String>,
    /// Turns that it took.
    #[serde(serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// The tools that it called, in order. None: nobody recorded them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<Vec<ToolCall>>,
    /// The sandbox that it ran in.
    #[serde(rename = "sandboxInfo", skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxUse>,
}

impl AgentResult {
    /// Returns it as it is kept: whoever has no session has [`NO_SESSION`].
    pub fn kept(&self) -> Self {
        let session_id = self.session_id.clone().or_else(|| Some(NO_SESSION.to_owned()));
        Self { session_id, ..self.clone() }
    }
}

fn stream<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&kept_stream(text, AGENT_STREAM_BYTES))
}

/// Returns what of a stream is kept: all of it, or so much of its beginning that a blank line and a marker which names the
/// limit stand within the limit too (seed 2, 1.4).
fn kept_stream(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let kept = &text[..text.floor_char_boundary(limit.saturating_sub(MARKER_BYTES))];
    let mut cut = format!("{kept}\n\n[cut: the stream is longer than the limit of {limit} bytes]");
    // A limit that not even the marker fits into holds so much of it.
    cut.truncate(cut.floor_char_boundary(limit));
    Cow::Owned(cut)
}

/// What an agent answered as data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StructuredOutput {
    /// Its answer in words.
    pub result: Option<String>,
    /// The session that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Tokens that it says it used.
    #[serde(serialize_with = "usage", skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokensUsed>,
}

/// Writes tokens in the spelling of what agents answer.
#[expect(clippy::ref_option, reason = "serde calls it so")]
fn usage<S: Serializer>(used: &Option<TokensUsed>, serializer: S) -> Result<S::Ok, S::Error> {
    let keys = |used: &TokensUsed| [("input_tokens", used.input), ("output_tokens", used.output)];
    serializer.collect_map(used.iter().flat_map(keys).map(|(key, count)| (key, Count::from(count))))
}

/// In which form an agent answers as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnswerForm {
    /// Claude Code: one object, a list of messages, or a message a line.
    Claude,
    /// Codex: an event a line.
    Codex,
    /// Gemini CLI: one object, or an event a line.
    Gemini,
    /// Copilot: an event a line.
    Copilot,
    /// One object with the keys of an agent's result.
    Plain,
}

/// What an agent's standard output says as data.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentAnswer {
    /// The form that it has.
    pub form: AnswerForm,
    /// Whether the agent says of itself that it failed.
    pub failed: bool,
    /// Its answer in words, its session, its tokens.
    pub output: StructuredOutput,
    /// What it cost, in US dollars.
    pub total_cost_usd: Option<f64>,
    /// The model.
    pub model: Option<String>,
    /// Turns that it took.
    pub turns: Option<u64>,
    /// The tools that it called, in order. None: the form does not tell.
    pub tool_calls: Option<Vec<ToolCall>>,
}

/// Tokens that were used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TokensUsed {
    /// Taken in.
    #[serde(serialize_with = "crate::serial::exact")]
    pub input: u64,
    /// Given out.
    #[serde(serialize_with = "crate::serial::exact")]
    pub output: u64,
    /// Both together, where somebody summed them up.
    #[serde(serialize_with = "crate::serial::exact", skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The tool.
    pub tool: String,
    /// What it was given.
    pub input: ContextValue,
    /// What it answered.
    pub output: String,
    /// Milliseconds that it took.
    #[serde(serialize_with = "crate::serial::exact")]
    pub duration_ms: u64,
    /// When it was called.
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
    /// Who provides it.
    pub provider: String,
    /// Its container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_id: Option<String>,
    /// What it used.
    #[serde(rename = "resourceUsage", skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceUse>,
    /// Milliseconds that it lived.
    #[serde(serialize_with = "crate::serial::exact")]
    pub duration_ms: u64,
}

/// What a sandbox used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ResourceUse {
    /// Processor time, in percent of one.
    #[serde(rename = "cpuPercent")]
    pub cpu_percent: f64,
    /// Memory, in megabytes.
    #[serde(rename = "memoryMB")]
    pub memory_mb: f64,
}

/// Of which run and turn something is, and when it was kept (seed 2, 1.4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Captured {
    /// The run.
    pub run_id: String,
    /// The turn, from 1.
    pub iteration: u32,
    /// When it was kept.
    #[serde(rename = "capturedAt")]
    pub at: Timestamp,
}

/// What whoever started the agent knows of its end. It decides before anything that the exit code may mean (ruling 21).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KnownEnd {
    /// Nothing: only the result itself tells.
    #[default]
    Nothing,
    /// Its time was up, so it was stopped.
    DeadlineHit,
    /// A signal that nobody sent on purpose ended it; the signal's number.
    Signal(i32),
    /// It used more memory than it may.
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
