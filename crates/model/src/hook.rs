//! Events that hosts of coding agents send to a hook, and the hook's answers (conventions, "Agent hook contracts").

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// Prefix of every reason that a hook gives. Some hosts pass the reason to the agent as a user prompt: a prompt
/// with this prefix does not come from a person.
pub const ECHO: &str = "[referee] ";

document_words! {
    /// A host of coding agents.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum AgentHost {
        /// Claude Code.
        Claude = "claude",
        /// Codex.
        Codex = "codex",
        /// Copilot, on the command line and in the cloud.
        Copilot = "copilot",
        /// Gemini CLI.
        Gemini = "gemini",
        /// Qwen Code.
        Qwen = "qwen",
        /// opencode.
        OpenCode = "opencode",
        /// Cursor.
        Cursor = "cursor",
        /// Agents in VS Code.
        VsCode = "vscode",
    }
}

impl AgentHost {
    /// Returns the display name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Copilot => "Copilot",
            Self::Gemini => "Gemini CLI",
            Self::Qwen => "Qwen Code",
            Self::OpenCode => "opencode",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
        }
    }
}

/// Kind of a hook event, independent of the host's name for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HookMoment {
    /// A session begins or continues.
    SessionBegins,
    /// A person submits a prompt.
    PersonSpeaks,
    /// A tool is about to be used, or was used.
    ToolIsUsed,
    /// The agent wants to hand back: the gate decides.
    AgentStops,
    /// A subagent wants to hand back.
    SubagentStops,
    /// A task is reported as completed.
    TaskCompletes,
    /// The host's own configuration changed and may be reloaded.
    ConfigurationChanges,
    /// The session ended.
    SessionEnds,
    /// Any other event.
    Other,
}

impl HookMoment {
    /// Returns whether the gate decides on this event.
    pub fn is_gated(self) -> bool {
        matches!(self, Self::AgentStops | Self::SubagentStops | Self::TaskCompletes)
    }

    /// Returns whether the host understands a refusal: where the gate decides, and where the gate could be disabled.
    pub fn is_refusable(self) -> bool {
        self.is_gated() || matches!(self, Self::ToolIsUsed | Self::ConfigurationChanges)
    }
}

/// Returns the kind of an event by its name. No name has different meanings at different hosts, so the host does
/// not matter.
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

/// An event sent by a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookEvent {
    /// The host that sent the event.
    pub host: AgentHost,
    /// Kind of the event.
    pub moment: HookMoment,
    /// Name of the event as the host spells it.
    pub name: String,
    /// Time of the event as stated by the host; several hooks that run for one event get the same time.
    pub at: Option<Timestamp>,
    /// The host's id of the session. For an agent with a session of its own, that of the session that started it.
    pub session: Option<String>,
    /// The host's id of the subagent or task that the event concerns. None: the session's own agent.
    pub worker: Option<String>,
    /// Whether that subagent has a session of its own with the same id, which agents that it starts name as their
    /// parent.
    pub worker_has_session: bool,
    /// Whether a session that begins continues an earlier one, in which work may have been done.
    pub resumed: bool,
    /// The agent's working directory; the first one of several.
    pub directory: Option<PathBuf>,
    /// The agent's last message, where the host passes it.
    pub last_message: Option<String>,
    /// Path of the transcript, where the host passes it.
    pub transcript: Option<PathBuf>,
    /// Whether the agent is continuing because a hook blocked it.
    pub continued: bool,
    /// Whether a person stopped the agent, or the agent failed: it does not claim to be done.
    pub aborted: bool,
    /// The intended tool use, where a tool is about to be used.
    pub tool: Option<ToolUse>,
}

/// An agent's intended use of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolUse {
    /// Edits this file.
    Edit(PathBuf),
    /// Runs this shell command line.
    Shell(String),
}

/// The decision of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookVerdict {
    /// No decision: the host continues as if there were no hook.
    NoOpinion,
    /// The agent may hand back.
    Allow {
        /// A note for the person. None: no note.
        note: Option<String>,
    },
    /// The agent may not hand back as done.
    Block {
        /// Reason, with facts and what to change; at most [`crate::limit::GATE_ANSWER_CHARACTERS`].
        reason: String,
    },
}

/// Output of a hook process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookReply {
    /// Complete standard output.
    pub stdout: Vec<u8>,
    /// Complete standard error.
    pub stderr: Vec<u8>,
    /// Exit code.
    pub exit: u8,
}
