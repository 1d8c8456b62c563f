//! How a host interprets a hook's answer: the counterpart of [`super::reply`], by the same contracts. It shows
//! whether an installed hook blocks where it must.

use referee_model::hook::{AgentHost, HookMoment};
use serde_json::Value;

/// How a hook's process ended, and its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange<'exchange> {
    /// Exit code. None: the process could not be started, or a signal ended it.
    pub exit: Option<i32>,
    /// Whether the host's timeout passed before the process ended.
    pub timed_out: bool,
    /// Standard output of the process.
    pub stdout: &'exchange [u8],
    /// Standard error of the process.
    pub stderr: &'exchange [u8],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostReaction {
    /// The agent continues, or what it is about to do is refused, for this reason.
    Blocked(String),
    /// The agent may hand back, as the hook answered.
    Allowed,
    /// The turn ends here, without a statement that the work is done.
    Ended(String),
    /// The hook failed, and the host continues as if there were none, so that the gate is open.
    Open(String),
}

/// Returns how a host interprets a hook's answer at a moment at which it can refuse something.
pub fn reaction(host: AgentHost, moment: HookMoment, exchange: &Exchange<'_>) -> HostReaction {
    // No host has an option that blocks where an agent hands back and its hook failed: Claude Code's `onFailure`
    // has no effect there, by its own schema, and at Cursor nothing is left to block. The opencode plugin, which is
    // Referee's own, sends the agent back then.
    let failed = |what: String| match host {
        AgentHost::OpenCode => HostReaction::Blocked(format!("the hook {what}")),
        _ => HostReaction::Open(what),
    };
    let told = String::from_utf8_lossy(exchange.stderr).trim().to_owned();
    match exchange.exit {
        _ if exchange.timed_out => failed("took longer than the host waits".to_owned()),
        None => failed("could not be started, or was killed".to_owned()),
        Some(0) => answered(host, moment, exchange.stdout)
            .unwrap_or_else(|| failed("printed what the host cannot read".to_owned())),
        Some(2) => match host {
            // For the other hosts an empty reason counts as none.
            AgentHost::Claude | AgentHost::Gemini | AgentHost::OpenCode => HostReaction::Blocked(told),
            AgentHost::Codex | AgentHost::Qwen | AgentHost::VsCode if !told.is_empty() => HostReaction::Blocked(told),
            // Where an agent has stopped, nothing is left to deny.
            AgentHost::Codex | AgentHost::Copilot | AgentHost::Qwen | AgentHost::Cursor | AgentHost::VsCode => {
                failed("exited with 2, which this host does not take for a block here".to_owned())
            }
        },
        Some(code) => failed(format!("exited with {code}")),
    }
}

/// Interprets what was printed with exit code 0. None: the host cannot read it.
fn answered(host: AgentHost, moment: HookMoment, stdout: &[u8]) -> Option<HostReaction> {
    let text = std::str::from_utf8(stdout).ok()?.trim();
    if text.is_empty() && host != AgentHost::OpenCode {
        return Some(HostReaction::Allowed);
    }
    // Text that is not JSON is shown to the person there.
    if host == AgentHost::Claude && !text.starts_with('{') {
        return None;
    }
    let Ok(Value::Object(members)) = serde_json::from_str(text) else { return None };
    // This takes precedence over every decision.
    let ends = matches!(host, AgentHost::Claude | AgentHost::Codex | AgentHost::Gemini | AgentHost::OpenCode);
    if ends && members.get("continue") == Some(&Value::Bool(false)) {
        let why = members.get("stopReason").and_then(Value::as_str).unwrap_or_default();
        return Some(HostReaction::Ended(why.to_owned()));
    }
    if moment == HookMoment::ToolIsUsed {
        let specific = members.get("hookSpecificOutput").filter(|specific| specific["permissionDecision"] == "deny");
        let why = specific.and_then(|specific| specific["permissionDecisionReason"].as_str());
        return Some(why.map_or(HostReaction::Allowed, |why| HostReaction::Blocked(why.to_owned())));
    }
    // VS Code reads the decision from there, except for subagents.
    let specific = || members.get("hookSpecificOutput").and_then(Value::as_object);
    let is_within = host == AgentHost::VsCode && moment != HookMoment::SubagentStops;
    let place = if is_within { specific() } else { Some(&members) };
    let member = |key: &str| place.and_then(|place| place.get(key)).and_then(Value::as_str);
    let decision = member("decision");
    let is_block = match host {
        AgentHost::Claude => decision == Some("block") && moment != HookMoment::TaskCompletes,
        AgentHost::Codex | AgentHost::Copilot | AgentHost::OpenCode | AgentHost::VsCode => decision == Some("block"),
        AgentHost::Gemini | AgentHost::Qwen => matches!(decision, Some("deny" | "block")),
        AgentHost::Cursor => return Some(followed_up(member("followup_message"))),
    };
    match (is_block, member("reason").filter(|reason| !reason.trim().is_empty())) {
        (true, Some(reason)) => Some(HostReaction::Blocked(reason.to_owned())),
        (true, None) => None,
        (false, _) => Some(HostReaction::Allowed),
    }
}

fn followed_up(message: Option<&str>) -> HostReaction {
    match message.filter(|message| !message.trim().is_empty()) {
        Some(message) => HostReaction::Blocked(message.to_owned()),
        None => HostReaction::Allowed,
    }
}
