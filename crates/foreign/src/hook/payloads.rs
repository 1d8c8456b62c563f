//! Sample events of hosts at which something can be blocked, written from the contracts that the hosts publish.
//! They show how an installed hook answers (`referee hook test`).

use referee_model::hook::{AgentHost, HookMoment};

/// Placeholder in a sample event for the working directory of the agent.
const DIRECTORY: &str = "/home/dev/project";

/// Placeholder for the session.
const SESSION: &str = "5f0c9a1e-7f0b-4a52-9f6e-1d2c3b4a5968";

/// Returns the sample event of a host at a moment at which something can be blocked, or `None` if the host has
/// no such event.
pub fn recorded(host: AgentHost, moment: HookMoment) -> Option<&'static str> {
    use AgentHost::{Claude, Codex, Copilot, Cursor, Gemini, OpenCode, Qwen, VsCode};
    use HookMoment::{AgentStops, ConfigurationChanges, SubagentStops, TaskCompletes, ToolIsUsed};
    Some(match (host, moment) {
        (Claude, AgentStops) => include_str!("payloads/claude/stop.json"),
        (Claude, SubagentStops) => include_str!("payloads/claude/subagent-stop.json"),
        (Claude, TaskCompletes) => include_str!("payloads/claude/task-completed.json"),
        (Claude, ConfigurationChanges) => include_str!("payloads/claude/config-change.json"),
        (Claude, ToolIsUsed) => include_str!("payloads/claude/pre-tool-use.json"),
        (Codex, AgentStops) => include_str!("payloads/codex/stop.json"),
        (Codex, SubagentStops) => include_str!("payloads/codex/subagent-stop.json"),
        (Copilot, AgentStops) => include_str!("payloads/copilot/agent-stop.json"),
        (Copilot, SubagentStops) => include_str!("payloads/copilot/subagent-stop.json"),
        (Gemini, AgentStops) => include_str!("payloads/gemini/after-agent.json"),
        (Qwen, AgentStops) => include_str!("payloads/qwen/stop.json"),
        (Qwen, SubagentStops) => include_str!("payloads/qwen/subagent-stop.json"),
        (OpenCode, AgentStops) => include_str!("payloads/opencode/stop.json"),
        (Cursor, AgentStops) => include_str!("payloads/cursor/stop.json"),
        (Cursor, SubagentStops) => include_str!("payloads/cursor/subagent-stop.json"),
        (VsCode, AgentStops) => include_str!("payloads/vscode/stop.json"),
        (VsCode, SubagentStops) => include_str!("payloads/vscode/subagent-stop.json"),
        _ => return None,
    })
}

/// Returns the sample event with the given working directory and session. Neither may contain a quote, a
/// backslash or a control character.
pub fn staged(host: AgentHost, moment: HookMoment, directory: &str, session: &str) -> Option<String> {
    Some(recorded(host, moment)?.replace(DIRECTORY, directory).replace(SESSION, session))
}
