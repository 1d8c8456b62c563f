//! What the events of hosts mean, and which of them a hook is configured for.

use referee_model::hook::{AgentHost, HookMoment};

/// Returns what an event means. No name means one thing at one host and something else at another, so the host is not asked.
pub fn moment(name: &str) -> HookMoment {
    match name {
        "SessionStart" | "sessionStart" => HookMoment::SessionBegins,
        "UserPromptSubmit" | "UserPromptSubmitted" | "userPromptSubmitted" | "BeforeAgent" | "beforeSubmitPrompt" => {
            HookMoment::PersonSpeaks
        }
        "PreToolUse"
        | "PostToolUse"
        | "PostToolUseFailure"
        | "PermissionRequest"
        | "preToolUse"
        | "postToolUse"
        | "postToolUseFailure"
        | "permissionRequest"
        | "BeforeTool"
        | "AfterTool"
        | "beforeShellExecution"
        | "afterShellExecution"
        | "beforeMCPExecution"
        | "afterMCPExecution"
        | "beforeReadFile"
        | "afterFileEdit" => HookMoment::ToolIsUsed,
        "Stop" | "agentStop" | "AfterAgent" | "stop" => HookMoment::AgentStops,
        "SubagentStop" | "subagentStop" => HookMoment::SubagentStops,
        "TaskCompleted" => HookMoment::TaskCompletes,
        "ConfigChange" => HookMoment::ConfigurationChanges,
        "SessionEnd" | "sessionEnd" => HookMoment::SessionEnds,
        _ => HookMoment::Other,
    }
}

/// Returns the events that a hook is configured for at a host: where a session begins or a person speaks, so that the tree
/// as the session found it is known, every event at which work is handed back, and those at which the gate could be taken away.
pub(super) fn configured(host: AgentHost) -> &'static [&'static str] {
    match host {
        AgentHost::Claude => {
            &["SessionStart", "UserPromptSubmit", "PreToolUse", "ConfigChange", "Stop", "SubagentStop", "TaskCompleted"]
        }
        AgentHost::Codex | AgentHost::Qwen | AgentHost::VsCode => {
            &["SessionStart", "UserPromptSubmit", "Stop", "SubagentStop"]
        }
        AgentHost::Copilot => &["sessionStart", "userPromptSubmitted", "agentStop", "subagentStop"],
        AgentHost::Gemini => &["SessionStart", "BeforeAgent", "AfterAgent"],
        // The plugin tells of a session's first prompt before the agent begins.
        AgentHost::OpenCode => &["UserPromptSubmit", "Stop"],
        AgentHost::Cursor => &["sessionStart", "beforeSubmitPrompt", "stop", "subagentStop"],
    }
}
