//! What an agent's process left when it was over (seed 2, 1.2 "Agent result").

use crate::build_error::ContextValue;
use crate::time::Timestamp;

/// What an agent's process left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentResult {
    /// Whether the agent says that it did what was asked.
    pub success: bool,
    /// The process's exit code. None: it has none, because a signal ended it.
    pub exit_code: Option<i32>,
    /// All of its standard output.
    pub stdout: String,
    /// All of its standard error.
    pub stderr: String,
    /// What it answered as data. None: it answered nothing that could be read.
    pub structured_output: Option<StructuredOutput>,
    /// The agent's session.
    pub session_id: Option<String>,
    /// Tokens that it used.
    pub tokens_used: Option<TokensUsed>,
    /// Milliseconds that it took.
    pub duration_ms: u64,
    /// What it cost, in US dollars.
    pub total_cost_usd: Option<f64>,
    /// The model.
    pub model: Option<String>,
    /// Turns that it took.
    pub turns: Option<u64>,
    /// The tools that it called, in order. None: nobody recorded them.
    pub tool_calls: Option<Vec<ToolCall>>,
    /// The sandbox that it ran in.
    pub sandbox: Option<SandboxUse>,
    /// What was noted when it was kept. None: it was never kept.
    pub captured: Option<Captured>,
}

/// What an agent answered as data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StructuredOutput {
    /// Its answer in words.
    pub result: Option<String>,
    /// The session that it names.
    pub session_id: Option<String>,
    /// Tokens that it says it used.
    pub usage: Option<TokensUsed>,
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokensUsed {
    /// Taken in.
    pub input: u64,
    /// Given out.
    pub output: u64,
    /// Both together, where somebody summed them up.
    pub total: Option<u64>,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The tool.
    pub tool: String,
    /// What it was given.
    pub input: ContextValue,
    /// What it answered.
    pub output: String,
    /// Milliseconds that it took.
    pub duration_ms: u64,
    /// When it was called.
    pub timestamp: Option<Timestamp>,
    /// The agent's id of the call.
    pub tool_use_id: Option<String>,
}

/// The sandbox that an agent ran in.
#[derive(Debug, Clone, PartialEq)]
pub struct SandboxUse {
    /// Who provides it.
    pub provider: String,
    /// Its container.
    pub container_id: Option<String>,
    /// What it used.
    pub resources: Option<ResourceUse>,
    /// Milliseconds that it lived.
    pub duration_ms: u64,
}

/// What a sandbox used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResourceUse {
    /// Processor time, in percent of one.
    pub cpu_percent: f64,
    /// Memory, in megabytes.
    pub memory_mb: f64,
}

/// Of which run and turn something is, and when it was kept (seed 2, 1.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// The run.
    pub run_id: String,
    /// The turn, from 1.
    pub iteration: u32,
    /// When it was kept.
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
