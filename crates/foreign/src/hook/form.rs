//! Recognizes the host's form of an event, and knows the keys of each form.

use referee_model::foreign::Members;
use referee_model::hook::AgentHost;

use super::HookError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Claude,
    Codex,
    /// Copilot's own form, which does not contain the name of the event.
    CopilotCamel,
    /// Copilot's form of an event that is configured by a name in Pascal case.
    CopilotSnake,
    Gemini,
    Qwen,
    OpenCode,
    Cursor,
    VsCode,
}

/// The keys of a form.
pub(super) struct Keys {
    pub(super) name: &'static str,
    pub(super) session: &'static str,
    pub(super) last_message: &'static str,
    pub(super) transcript: &'static str,
}

impl Form {
    /// Returns the form of an event. Only hosts that run the hooks of others send events in another form, which
    /// is recognized by keys unique to it; otherwise the form is that of the requested host.
    pub(super) fn of(asked: AgentHost, members: &Members<'_>) -> Self {
        let has = |key: &str| members.has(key);
        let shares_hooks = matches!(asked, AgentHost::Claude | AgentHost::Copilot | AgentHost::VsCode);
        if shares_hooks {
            if has("conversation_id") && has("workspace_roots") {
                return Self::Cursor;
            }
            if has("hookEventName") {
                return Self::VsCode;
            }
            if has("sessionId") && !has("hook_event_name") {
                return Self::CopilotCamel;
            }
            if has("stop_reason") {
                return Self::CopilotSnake;
            }
        }
        match asked {
            AgentHost::Claude => Self::Claude,
            AgentHost::Codex => Self::Codex,
            AgentHost::Copilot if has("sessionId") => Self::CopilotCamel,
            AgentHost::Copilot => Self::CopilotSnake,
            AgentHost::Gemini => Self::Gemini,
            AgentHost::Qwen => Self::Qwen,
            AgentHost::OpenCode => Self::OpenCode,
            AgentHost::Cursor => Self::Cursor,
            AgentHost::VsCode => Self::VsCode,
        }
    }

    pub(super) fn host(self) -> AgentHost {
        match self {
            Self::Claude => AgentHost::Claude,
            Self::Codex => AgentHost::Codex,
            Self::CopilotCamel | Self::CopilotSnake => AgentHost::Copilot,
            Self::Gemini => AgentHost::Gemini,
            Self::Qwen => AgentHost::Qwen,
            Self::OpenCode => AgentHost::OpenCode,
            Self::Cursor => AgentHost::Cursor,
            Self::VsCode => AgentHost::VsCode,
        }
    }

    /// Returns the keys of the form. A camel-case key is also accepted in snake case, because VS Code has used
    /// both.
    pub(super) fn keys(self) -> Keys {
        let keys = |name, session, last_message, transcript| Keys { name, session, last_message, transcript };
        match self {
            Self::Claude | Self::Codex | Self::CopilotSnake | Self::Qwen | Self::OpenCode => {
                keys("hook_event_name", "session_id", "last_assistant_message", "transcript_path")
            }
            Self::CopilotCamel => keys("hook_event_name", "sessionId", "response", "transcriptPath"),
            Self::Gemini => keys("hook_event_name", "session_id", "prompt_response", "transcript_path"),
            Self::Cursor => keys("hook_event_name", "conversation_id", "last_assistant_message", "transcript_path"),
            Self::VsCode => keys("hookEventName", "sessionId", "last_assistant_message", "transcriptPath"),
        }
    }
}

/// Infers the event in Copilot's own form from the keys that only that event has (listed in its reference). The
/// order matters: an event of an earlier row may contain the keys of a later row.
pub(super) fn inferred(members: &Members<'_>) -> Result<&'static str, HookError> {
    const ROWS: [(&[&str], &str); 12] = [
        (&["stopReason", "agentName"], "subagentStop"),
        (&["stopReason", "response"], "subagentStop"),
        (&["stopReason"], "agentStop"),
        (&["toolName", "toolResult"], "postToolUse"),
        (&["toolName"], "preToolUse"),
        (&["transformedPrompt"], "userPromptTransformed"),
        (&["errorContext"], "errorOccurred"),
        (&["trigger"], "preCompact"),
        (&["source"], "sessionStart"),
        (&["prompt"], "userPromptSubmitted"),
        (&["reason"], "sessionEnd"),
        (&["agentName"], "subagentStart"),
    ];
    let found = ROWS.iter().find(|(keys, _)| keys.iter().all(|key| members.has(key)));
    let unnamed = HookError::Unnamed { host: AgentHost::Copilot, key: "stopReason" };
    found.map(|(_, name)| *name).ok_or(unnamed)
}
