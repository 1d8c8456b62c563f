//! Properties of each host: events, time limits and limitations.

use referee_model::doctor::{Check, Finding, Grade};
use referee_model::hook::AgentHost;

/// Relevant events of a host, each with all names that the host accepts for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Events {
    host: AgentHost,
    pub(super) stop: &'static [&'static str],
    /// Other relevant events: gated ones, and those at which the beginning of a session is recorded.
    pub(super) others: &'static [&'static [&'static str]],
    /// Default time limit of the host for a hook, in milliseconds.
    pub(super) timeout_ms: u64,
}

impl Events {
    pub(super) fn of(host: AgentHost) -> Self {
        let events = |stop, others, timeout_ms| Self { host, stop, others, timeout_ms };
        match host {
            AgentHost::Claude => events(
                &["Stop"],
                &[
                    &["SubagentStop"],
                    &["TaskCompleted"],
                    &["ConfigChange"],
                    &["PreToolUse"],
                    &["SessionStart"],
                    &["UserPromptSubmit"],
                ],
                600_000,
            ),
            AgentHost::Codex => {
                events(&["Stop"], &[&["SubagentStop"], &["SessionStart"], &["UserPromptSubmit"]], 600_000)
            }
            AgentHost::Copilot => events(
                &["agentStop", "Stop"],
                &[
                    &["subagentStop", "SubagentStop"],
                    &["sessionStart", "SessionStart"],
                    &["userPromptSubmitted", "UserPromptSubmitted", "UserPromptSubmit"],
                ],
                30_000,
            ),
            AgentHost::Gemini => events(&["AfterAgent"], &[&["SessionStart"], &["BeforeAgent"]], 60_000),
            AgentHost::Qwen => {
                events(&["Stop"], &[&["SubagentStop"], &["SessionStart"], &["UserPromptSubmit"]], 60_000)
            }
            AgentHost::OpenCode => events(&["Stop"], &[&["UserPromptSubmit"]], 300_000),
            AgentHost::Cursor => {
                events(&["stop"], &[&["subagentStop"], &["sessionStart"], &["beforeSubmitPrompt"]], 60_000)
            }
            AgentHost::VsCode => {
                events(&["Stop"], &[&["SubagentStop"], &["SessionStart"], &["UserPromptSubmit"]], 30_000)
            }
        }
    }

    /// Returns whether an event is gated.
    pub(super) fn is_gated(&self, event: &str) -> bool {
        self.stop.contains(&event) || matches!(event, "SubagentStop" | "subagentStop" | "TaskCompleted")
    }

    /// Reports the limitations of the host. It is a warning if the host runs only trusted hooks, or has hooks
    /// as a preview.
    pub(super) fn limits(&self, limits: &[&str]) -> Finding {
        let what = limits.join(" ");
        match self.host {
            AgentHost::Claude | AgentHost::Cursor => Finding::ok(Check::HostLimits, what),
            AgentHost::Codex
            | AgentHost::Copilot
            | AgentHost::Gemini
            | AgentHost::Qwen
            | AgentHost::OpenCode
            | AgentHost::VsCode => Finding::bad(Check::HostLimits, Grade::Warning, what),
        }
    }
}
