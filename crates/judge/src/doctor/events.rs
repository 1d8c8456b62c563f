//! What each host has: events, time limits, and what it cannot do.

use referee_model::doctor::{Check, Finding, Grade};
use referee_model::hook::AgentHost;

/// The events of a host that matter, each with all names that the host takes for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Events {
    host: AgentHost,
    pub(super) stop: &'static [&'static str],
    /// The others: gated ones, and those at which a session's beginning is taken down.
    pub(super) others: &'static [&'static [&'static str]],
    /// Milliseconds that the host gives a hook where its configuration says nothing.
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

    /// Whether the gate stands at an event.
    pub(super) fn is_gated(&self, event: &str) -> bool {
        self.stop.contains(&event) || matches!(event, "SubagentStop" | "subagentStop" | "TaskCompleted")
    }

    /// Says what the host cannot do. Where it runs hooks only of what somebody trusted, or has them as a preview, that is a warning.
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
