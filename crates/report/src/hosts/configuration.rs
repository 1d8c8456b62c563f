//! The files in which hosts keep which hooks they run: what Referee writes into them, and what it finds there.
//!
//! A file is the user's. What is in it stays as it is, byte for byte where it can: only Referee's own entries are replaced.

mod command;
mod entries;
mod existing_configuration;
mod handler;
mod installed;
mod merge;
mod plugin;

use referee_model::hook::{AgentHost, HookMoment, moment};

pub use self::command::{SCRIPT, check_program};
pub use self::handler::Hook;
pub use self::installed::{Called, InstalledHook, installed};
pub use self::merge::{Merged, merged};
pub use self::plugin::plain;

/// Largest configuration that is read, in bytes.
pub const BYTES: u64 = 4 * 1024 * 1024;

/// What the host waits beyond Referee's own deadline, in milliseconds: the command that calls it stops it after the first
/// part of this, and then still has time to answer.
pub const MARGIN_MS: u64 = 30_000;

/// Time that a hook may take where nothing is gated, in milliseconds: a person waits.
const UNGATED_DEADLINE_MS: u64 = 20_000;

/// How often Cursor lets a hook send the agent back: more often than the loop guard does.
const LOOP_LIMIT: u32 = 20;

/// Where a host keeps its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookFiles {
    /// The project's file, relative to the project.
    pub project: &'static str,
    /// The user's file, relative to the home directory.
    pub user: &'static str,
    /// The variable that names another directory for the user's file, and the file relative to that.
    pub moved_by: Option<(&'static str, &'static str)>,
}

/// Returns where a host keeps its hooks. Copilot and VS Code read every file of their directory; Referee has one of its
/// own there.
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

/// Where Claude Code's settings of the administrator lie, which no project and no user can switch off.
pub const MANAGED: &str =
    if cfg!(target_os = "macos") { "/Library/Application Support/ClaudeCode" } else { "/etc/claude-code" };

pub const MANAGED_FILE: &str = "managed-settings.json";

/// Returns where the script lies that a host's hooks run, by where its configuration lies: in the `hooks` directory
/// beside it.
pub fn script_beside(configuration: &str) -> String {
    let directory = configuration.rsplit_once('/').map_or("", |(directory, _)| directory);
    match directory.rsplit('/').next() {
        Some("hooks") => format!("{directory}/referee.sh"),
        Some("") => "hooks/referee.sh".to_owned(),
        _ => format!("{directory}/hooks/referee.sh"),
    }
}

/// Whom a configuration is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Everybody who works in a project.
    Project,
    User,
    /// All users of the machine, by its administrator.
    Managed,
}

#[derive(Debug, Clone, Copy)]
pub struct HookRequest<'wanted> {
    pub host: AgentHost,
    pub reach: Reach,
    /// What is started: a name for the search path, or an absolute path.
    pub program: &'wanted str,
    /// Milliseconds in which Referee must have answered where work is handed back.
    pub deadline_ms: u64,
}

/// Why a configuration cannot be read, or nothing can be merged into it.
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

/// Returns the hooks that are wanted of a host, in the order in which their events come.
pub fn hooks(wanted: &HookRequest<'_>) -> Vec<Hook> {
    configured(wanted.host).iter().map(|event| handler::hook(wanted, event)).collect()
}

/// Returns the events that a host has a hook for, and what they mean.
pub fn events(host: AgentHost) -> impl Iterator<Item = (&'static str, HookMoment)> {
    configured(host).iter().map(|event| (*event, moment(event)))
}

/// Returns a configuration that holds these hooks alone.
pub fn document(wanted: &HookRequest<'_>) -> String {
    merge::alone(wanted)
}

/// Returns the events that a hook is configured for at a host: where a session begins or a person speaks, so that the tree
/// as the session found it is known, every event at which work is handed back, and those at which the gate could be taken away.
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
        // The plugin tells of a session's first prompt before the agent begins.
        AgentHost::OpenCode => &["UserPromptSubmit", "Stop"],
        AgentHost::Cursor => &["sessionStart", "beforeSubmitPrompt", "stop", "subagentStop"],
    }
}

/// Whether a host puts a list of handlers into each entry of an event.
fn is_grouped(host: AgentHost) -> bool {
    matches!(host, AgentHost::Claude | AgentHost::Codex | AgentHost::Gemini | AgentHost::Qwen)
}

/// Whether a host's file must say its version.
fn is_versioned(host: AgentHost) -> bool {
    matches!(host, AgentHost::Copilot | AgentHost::Cursor)
}

#[cfg(test)]
mod tests;
