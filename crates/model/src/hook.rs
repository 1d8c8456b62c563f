//! What hosts of coding agents tell a hook, and what a hook answers (conventions, "Agent hook contracts").

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// What every reason begins with that a hook gives. Some hosts hand it to the agent as if a person had typed it: a prompt
/// that begins so is no person's.
pub const ECHO: &str = "[referee] ";

/// A host of coding agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentHost {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Copilot, on the command line and in the cloud.
    Copilot,
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
    /// opencode.
    OpenCode,
    /// Cursor.
    Cursor,
    /// VS Code's agents.
    VsCode,
}

impl AgentHost {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Claude,
        Self::Codex,
        Self::Copilot,
        Self::Gemini,
        Self::Qwen,
        Self::OpenCode,
        Self::Cursor,
        Self::VsCode,
    ];

    /// Returns it as it is typed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::OpenCode => "opencode",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
        }
    }

    /// Returns its name as people know it.
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

/// What kind of thing happened at a host, whatever the host calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HookMoment {
    /// A session begins, or goes on.
    SessionBegins,
    /// A person says something to the agent.
    PersonSpeaks,
    /// A tool is about to be used, or was.
    ToolIsUsed,
    /// The agent wants to hand back: this is where the gate stands.
    AgentStops,
    /// An agent that the agent started wants to hand back.
    SubagentStops,
    /// A task is called completed.
    TaskCompletes,
    /// The host's own configuration changed, and may be taken as it is now.
    ConfigurationChanges,
    /// The session is over.
    SessionEnds,
    /// Anything else that the host tells.
    Other,
}

impl HookMoment {
    /// Whether the gate stands here.
    pub fn is_gated(self) -> bool {
        matches!(self, Self::AgentStops | Self::SubagentStops | Self::TaskCompletes)
    }

    /// Whether an answer that refuses is understood: where the gate stands, and where it could be taken away.
    pub fn is_refusable(self) -> bool {
        self.is_gated() || matches!(self, Self::ToolIsUsed | Self::ConfigurationChanges)
    }
}

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

/// An event of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookEvent {
    /// Who told it.
    pub host: AgentHost,
    /// What it means.
    pub moment: HookMoment,
    /// The event's name as the host spells it.
    pub name: String,
    /// When it happened, by the host: several hooks that are told of one thing are told the same time.
    pub at: Option<Timestamp>,
    /// The session, by the host's id. Of an agent with a session of its own it is that of the agent that started it.
    pub session: Option<String>,
    /// Which agent of the session, or which task, the event is about, by the host's id, where it is not the session's own.
    pub worker: Option<String>,
    /// Whether that agent has a session of its own, known by the same id: agents that it starts name it as theirs.
    pub worker_has_session: bool,
    /// Whether a session that begins goes on from an earlier one: work may have been done in it.
    pub resumed: bool,
    /// The directory that the agent works in; of several the first.
    pub directory: Option<PathBuf>,
    /// What the agent said last, where the host tells it.
    pub last_message: Option<String>,
    /// The transcript, where the host names one.
    pub transcript: Option<PathBuf>,
    /// Whether the agent goes on because a hook blocked it before.
    pub continued: bool,
    /// Whether a person stopped the agent, or it failed: it does not call anything done.
    pub aborted: bool,
    /// What is about to be done, where a tool is about to be used.
    pub tool: Option<ToolUse>,
}

/// What an agent is about to do by a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolUse {
    /// Change a file.
    Edit(PathBuf),
    /// Run a line of a shell.
    Shell(String),
}

/// What a hook has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookVerdict {
    /// Nothing: the host goes on as if there were no hook.
    NoOpinion,
    /// The agent may hand back.
    Allow {
        /// What the person is told beside it. None: nothing.
        note: Option<String>,
    },
    /// The agent may not hand back as done.
    Block {
        /// Why, as facts, with what would change it; at most [`crate::limit::GATE_ANSWER_CHARACTERS`].
        reason: String,
    },
}

/// What a hook's process gives its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookReply {
    /// Written to standard output, and nothing else.
    pub stdout: Vec<u8>,
    /// Written to standard error.
    pub stderr: Vec<u8>,
    /// The exit code.
    pub exit: u8,
}
