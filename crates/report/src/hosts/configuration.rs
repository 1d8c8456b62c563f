//! The configuration files in which hosts keep their hooks: what Referee writes into them and finds there.
//!
//! A file belongs to the user. Its content stays as it is, byte for byte where possible: only Referee's own entries
//! are replaced.

mod command;
mod entries;
mod existing_configuration;
mod handler;
mod installed;
mod mcp_server;
mod merge;
mod plugin;

use referee_model::hook::{AgentHost, HookMoment, moment};

pub use self::command::{SCRIPT, check_program};
pub use self::handler::Hook;
pub use self::installed::{Called, InstalledHook, installed};
pub use self::mcp_server::{MergedServer, mcp_document, mcp_merged, mcp_place};
pub use self::merge::{Merged, merged};
pub use self::plugin::plain;

/// Maximum size of a configuration that is read, in bytes.
pub const BYTES: u64 = 4 * 1024 * 1024;

/// Time that the host waits beyond Referee's own timeout, in milliseconds: the command that calls Referee stops it
/// after the first part of this time, and still has time to answer.
pub const MARGIN_MS: u64 = 30_000;

/// Timeout of a hook where nothing is gated, in milliseconds; short, because a person waits.
const UNGATED_DEADLINE_MS: u64 = 20_000;

/// Number of times that Cursor lets a hook send the agent back, which is more than the loop guard allows.
const LOOP_LIMIT: u32 = 20;

/// Locations of a host's hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookFiles {
    /// Project file, relative to the project.
    pub project: &'static str,
    /// User file, relative to the home directory.
    pub user: &'static str,
    /// Environment variable that names another directory for the user file, and the path of the file in that
    /// directory.
    pub moved_by: Option<(&'static str, &'static str)>,
}

/// Returns the locations of a host's hooks. Copilot and VS Code read every file of a directory; Referee has a file
/// of its own there.
pub fn place(host: AgentHost) -> HookFiles {
    let place = |project, user, moved_by| HookFiles { project, user, moved_by };
    match host {
        AgentHost::Claude => {
            let settings = ".claude/settings.json";
            place(settings, settings, Some(("CLAUDE_CONFIG_DIR", "settings.json")))
        }
        AgentHost::Codex => place(".codex/hooks.json", ".codex/hooks.json", Some(("CODEX_HOME", "hooks.json"))),
        AgentHost::Copilot => {
            let user = ".copilot/hooks/referee.json";
            place(".github/hooks/referee.json", user, Some(("COPILOT_HOME", "hooks/referee.json")))
        }
        AgentHost::Gemini => place(".gemini/settings.json", ".gemini/settings.json", None),
        AgentHost::Qwen => place(".qwen/settings.json", ".qwen/settings.json", Some(("QWEN_HOME", "settings.json"))),
        AgentHost::OpenCode => {
            let user = ".config/opencode/plugin/referee.js";
            place(".opencode/plugin/referee.js", user, Some(("XDG_CONFIG_HOME", "opencode/plugin/referee.js")))
        }
        AgentHost::Cursor => place(".cursor/hooks.json", ".cursor/hooks.json", None),
        AgentHost::VsCode => place(".github/hooks/referee-vscode.json", ".copilot/hooks/referee-vscode.json", None),
    }
}

/// Path of Claude Code's managed settings, which no project and no user can switch off.
pub const MANAGED: &str =
    if cfg!(target_os = "macos") { "/Library/Application Support/ClaudeCode" } else { "/etc/claude-code" };

pub const MANAGED_FILE: &str = "managed-settings.json";

/// Returns the path of the script that a host's hooks run, by the path of the configuration: it is in the `hooks`
/// directory beside it.
pub fn script_beside(configuration: &str) -> String {
    let directory = configuration.rsplit_once('/').map_or("", |(directory, _)| directory);
    match directory.rsplit('/').next() {
        Some("hooks") => format!("{directory}/referee.sh"),
        Some("") => "hooks/referee.sh".to_owned(),
        _ => format!("{directory}/hooks/referee.sh"),
    }
}

/// Whom a configuration applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Everyone who works in the project.
    Project,
    User,
    /// All users of the machine; written by its administrator.
    Managed,
}

#[derive(Debug, Clone, Copy)]
pub struct HookRequest<'wanted> {
    pub host: AgentHost,
    pub reach: Reach,
    /// Program to start: a name for the search path, or an absolute path.
    pub program: &'wanted str,
    /// Timeout of Referee in milliseconds, where work is handed back.
    pub deadline_ms: u64,
}

/// A configuration that cannot be read, or into which nothing can be merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct ConfigurationError {
    reason: String,
}

impl ConfigurationError {
    fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// Returns the hooks that a host needs, in the order of their events.
pub fn hooks(wanted: &HookRequest<'_>) -> Vec<Hook> {
    configured(wanted.host).iter().map(|event| handler::hook(wanted, event)).collect()
}

/// Returns the events at which a host has a hook, with their meaning.
pub fn events(host: AgentHost) -> impl Iterator<Item = (&'static str, HookMoment)> {
    configured(host).iter().map(|event| (*event, moment(event)))
}

/// Returns a configuration with these hooks only.
pub fn document(wanted: &HookRequest<'_>) -> String {
    merge::alone(wanted)
}

/// Returns the events for which a host gets a hook: where a session starts or a person speaks, so that the tree as
/// the session found it is known, every event at which work is handed back, and those at which the gate could be
/// removed.
fn configured(host: AgentHost) -> &'static [&'static str] {
    match host {
        AgentHost::Claude => {
            &["SessionStart", "UserPromptSubmit", "PreToolUse", "ConfigChange", "Stop", "SubagentStop", "TaskCompleted"]
        }
        AgentHost::Codex | AgentHost::Qwen | AgentHost::VsCode => {
            &["SessionStart", "UserPromptSubmit", "Stop", "SubagentStop"]
        }
        AgentHost::Copilot => &["sessionStart", "userPromptSubmitted", "agentStop", "subagentStop"],
        AgentHost::Gemini => &["SessionStart", "BeforeAgent", "AfterAgent"],
        // The plugin reports a session's first prompt before the agent starts.
        AgentHost::OpenCode => &["UserPromptSubmit", "Stop"],
        AgentHost::Cursor => &["sessionStart", "beforeSubmitPrompt", "stop", "subagentStop"],
    }
}

/// Whether a host has a list of handlers in each entry of an event.
fn is_grouped(host: AgentHost) -> bool {
    matches!(host, AgentHost::Claude | AgentHost::Codex | AgentHost::Gemini | AgentHost::Qwen)
}

/// Whether a host's file must state a version.
fn is_versioned(host: AgentHost) -> bool {
    matches!(host, AgentHost::Copilot | AgentHost::Cursor)
}

#[cfg(test)]
mod tests;
