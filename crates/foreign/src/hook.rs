//! Parses the events that hosts of coding agents send to a hook (conventions, "Agent hook contracts").
//!
//! Each host has its own form. An event is parsed by the form that it has rather than by the requested host, if
//! the form can be recognized: Copilot, VS Code and Cursor also run hooks that are configured for Claude Code
//! or for one another, and expect answers in their own form.

mod form;
mod speaker;

pub mod payloads;
pub mod transcript;

use std::path::PathBuf;

use referee_model::foreign::{FLAG, Foreign, ForeignError, Members, SMALL, TEXT, TEXTS, TIME};
use referee_model::hook::{AgentHost, HookEvent, HookMoment, ToolUse, moment};
use referee_model::limit;

use self::form::Form;

/// The reason why an event cannot be parsed.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    #[error("{} is empty: a host writes it to standard input", document(*host))]
    Empty { host: AgentHost },
    /// The event is larger than the limit.
    #[error("{} is too long: the limit is {} MiB", document(*host), limit::HOOK_EVENT_BYTES >> 20)]
    TooLarge { host: AgentHost },
    #[error("cannot read {}: it is UTF-16, and must be UTF-8", document(*host))]
    Encoding { host: AgentHost },
    /// The event does not include its name.
    #[error("cannot read {}: no `{key}`, and no other key names the event", document(*host))]
    Unnamed {
        host: AgentHost,
        /// Key of the event's name.
        key: &'static str,
    },
    /// A directory is not absolute.
    #[error("cannot read {}: `{key}` must be an absolute path", document(*host))]
    Relative { host: AgentHost, key: &'static str },
    /// The event is not a JSON object in the form of the host.
    #[error(transparent)]
    Form(#[from] ForeignError),
}

/// Parses an event of a host. The `host` of the returned event is the one whose form it has.
///
/// Unknown keys are ignored; an event with an unknown name is [`HookMoment::Other`]. A leading byte order mark,
/// which Cursor writes on Windows, is ignored, as are blanks in the name of an event.
///
/// # Errors
/// Fails if the event is empty, too long, not UTF-8 or not a JSON object; if a key is repeated; if its name,
/// session or directory is missing; and if a value has another type than the host's contract specifies.
pub fn read(host: AgentHost, bytes: &[u8]) -> Result<HookEvent, HookError> {
    if bytes.len() > limit::HOOK_EVENT_BYTES {
        return Err(HookError::TooLarge { host });
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") || bytes.get(1) == Some(&0) {
        return Err(HookError::Encoding { host });
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(HookError::Empty { host });
    }
    let foreign = Foreign::read(document(host), bytes)?;
    let members = foreign.members()?;
    let form = Form::of(host, &members);
    event(form, &members)
}

fn event(form: Form, members: &Members<'_>) -> Result<HookEvent, HookError> {
    let keys = form.keys();
    let host = form.host();
    // Event names contain no blanks; a name written with blanks is the same event.
    let written = members.optional(keys.name, &TEXT)?.map(|name| name.split_whitespace().collect::<String>());
    let name = match written.filter(|name| !name.is_empty()) {
        Some(name) => name,
        None if form == Form::CopilotCamel => form::inferred(members)?.to_owned(),
        None => return Err(HookError::Unnamed { host, key: keys.name }),
    };
    let own = members.required(keys.session, &TEXT)?;
    let parent = parent(form, members);
    // Qwen Code reports a prompt for every call of the model, including those with the result of a tool.
    let is_mute = form == Form::Qwen && members.optional("submitted_prompt", &TEXT)?.is_none();
    let moment = match moment(&name) {
        HookMoment::PersonSpeaks if is_mute || !speaker::is_person(members)? => HookMoment::Other,
        HookMoment::AgentStops if parent.is_some() => HookMoment::SubagentStops,
        HookMoment::SessionBegins if parent.is_some() => HookMoment::Other,
        moment => moment,
    };
    let status = members.optional("status", &TEXT);
    // Only Cursor's values for how the agent ended are documented; for other hosts the key may mean anything.
    let aborted = form == Form::Cursor && matches!(status?.as_deref(), Some("aborted" | "error"));
    let tool = (name == "PreToolUse" && form == Form::Claude).then(|| tool(members)).flatten();
    Ok(HookEvent {
        host,
        moment,
        tool,
        name,
        at: members.optional("timestamp", &TIME).ok().flatten(),
        worker_has_session: parent.is_some(),
        worker: worker(moment, parent.is_some(), members),
        session: Some(parent.unwrap_or(own)),
        resumed: moment == HookMoment::SessionBegins && is_resumed(members),
        directory: directory(form, members)?,
        last_message: members.optional(keys.last_message, &TEXT)?.filter(|message| !message.trim().is_empty()),
        transcript: transcript_of(moment, keys.transcript, members)?,
        continued: continued(form, members)?,
        aborted,
    })
}

/// Returns the action that a tool is about to take, or `None` if, as far as Claude Code's tools are known, it
/// changes no file.
fn tool(members: &Members<'_>) -> Option<ToolUse> {
    let name = members.optional("tool_name", &TEXT).ok()??;
    let input = members.object("tool_input").ok()??;
    let text = |key: &str| input.optional(key, &TEXT).ok().flatten();
    match name.as_str() {
        "Bash" => text("command").map(ToolUse::Shell),
        "Edit" | "MultiEdit" | "Write" => text("file_path").map(|path| ToolUse::Edit(path.into())),
        "NotebookEdit" => text("notebook_path").map(|path| ToolUse::Edit(path.into())),
        _ => None,
    }
}

/// Returns the id of the agent or task that wants to finish, or of an agent with a session of its own. An id
/// that is not a string is ignored: it only separates budgets.
fn worker(moment: HookMoment, has_session: bool, members: &Members<'_>) -> Option<String> {
    match moment {
        HookMoment::TaskCompletes => name(members, "taskId"),
        HookMoment::SubagentStops => name(members, "agentId"),
        _ if has_session => name(members, "agentId"),
        _ => None,
    }
}

/// Returns the session of the parent agent, if the agent that the event is about has a session of its own.
/// Copilot's agents do: their own id is both the session and the agent of their events, except when an agent
/// started by another one has stopped; the session of that event belongs to no agent.
fn parent(form: Form, members: &Members<'_>) -> Option<String> {
    let (agent, parent) = (name(members, "agentId")?, name(members, "parentAgentId")?);
    let is_copilots = matches!(form, Form::CopilotCamel | Form::CopilotSnake);
    (is_copilots || name(members, form.keys().session) == Some(agent)).then_some(parent)
}

fn name(members: &Members<'_>, key: &str) -> Option<String> {
    let id = members.optional(key, &TEXT).ok().flatten()?;
    let is_name = !id.trim().is_empty() && id.chars().count() <= limit::SESSION_ID_CHARACTERS;
    is_name.then_some(id)
}

/// Returns whether a session that begins may be a resumed one: hosts report the same session again when it is
/// continued, and when its history is compacted. A value that is not a string, or an unknown word, counts as
/// resumed.
fn is_resumed(members: &Members<'_>) -> bool {
    match members.optional("source", &TEXT) {
        Ok(source) => !matches!(source.as_deref(), None | Some("startup" | "new" | "clear")),
        Err(_) => true,
    }
}

fn directory(form: Form, members: &Members<'_>) -> Result<Option<PathBuf>, HookError> {
    let absolute = |key: &'static str, text: String| {
        let path = PathBuf::from(text);
        if path.is_absolute() { Ok(Some(path)) } else { Err(HookError::Relative { host: form.host(), key }) }
    };
    if form != Form::Cursor {
        return absolute("cwd", members.required("cwd", &TEXT)?);
    }
    let roots = members.required("workspace_roots", &TEXTS)?;
    match roots.into_iter().next() {
        Some(root) => absolute("workspace_roots", root),
        // A window without a directory: only the hook's own directory is known.
        None => Ok(None),
    }
}

/// Returns the path of the agent's transcript. An agent that another agent started has its own.
fn transcript_of(moment: HookMoment, key: &str, members: &Members<'_>) -> Result<Option<PathBuf>, ForeignError> {
    let own = match moment {
        HookMoment::SubagentStops => members.optional("agent_transcript_path", &TEXT)?,
        _ => None,
    };
    let path = match own {
        Some(own) => Some(own),
        None => members.optional(key, &TEXT)?,
    };
    Ok(path.filter(|path| !path.is_empty()).map(PathBuf::from))
}

fn continued(form: Form, members: &Members<'_>) -> Result<bool, ForeignError> {
    if form == Form::Cursor {
        return Ok(members.optional("loop_count", &SMALL)?.is_some_and(|loops| loops > 0));
    }
    Ok(members.optional("stop_hook_active", &FLAG)?.unwrap_or(false))
}

fn document(host: AgentHost) -> &'static str {
    match host {
        AgentHost::Claude => "the event of Claude Code",
        AgentHost::Codex => "the event of Codex",
        AgentHost::Copilot => "the event of Copilot",
        AgentHost::Gemini => "the event of Gemini CLI",
        AgentHost::Qwen => "the event of Qwen Code",
        AgentHost::OpenCode => "the event of opencode",
        AgentHost::Cursor => "the event of Cursor",
        AgentHost::VsCode => "the event of VS Code",
    }
}

#[cfg(test)]
mod tests;
