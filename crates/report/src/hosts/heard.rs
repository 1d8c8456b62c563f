//! What a host makes of a hook's answer: the other side of [`super::reply`], by the same contracts. It tells whether an installed
//! hook blocks where it must.

use referee_model::hook::{AgentHost, HookMoment};
use serde_json::Value;

/// How a hook's process ended, and what it printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange<'exchange> {
    /// The exit code. None: it could not be started, or a signal ended it.
    pub exit: Option<i32>,
    /// Whether the host's time was up before it ended.
    pub timed_out: bool,
    /// What it wrote to standard output.
    pub stdout: &'exchange [u8],
    /// What it wrote to standard error.
    pub stderr: &'exchange [u8],
    /// Whether the host is told to block where a hook cannot be started, dies or takes too long (`onFailure: block`).
    pub fails_closed: bool,
}

/// What a host makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// The agent goes on, with this reason.
    Blocked(String),
    /// The agent may hand back, as the hook said.
    Allowed,
    /// The hook failed, and the host goes on as if there were none: the gate is open.
    Open(String),
}

/// Tells what a host makes of a hook's answer at a gated moment.
pub fn heard(host: AgentHost, moment: HookMoment, exchange: &Exchange<'_>) -> Heard {
    // Cursor has nothing to block where an agent has stopped already, and the others know no such option.
    let fails_closed = exchange.fails_closed && host == AgentHost::Claude;
    let failed = |what: String| {
        if fails_closed { Heard::Blocked(format!("(the host blocks: the hook {what})")) } else { Heard::Open(what) }
    };
    let told = String::from_utf8_lossy(exchange.stderr).trim().to_owned();
    match exchange.exit {
        _ if exchange.timed_out => failed("took longer than the host waits".to_owned()),
        None => failed("could not be started, or was killed".to_owned()),
        // No option of any host is about what was printed.
        Some(0) => answered(host, moment, exchange.stdout)
            .unwrap_or_else(|| Heard::Open("printed what the host cannot read".to_owned())),
        Some(2) => match host {
            // For the others an empty reason is none.
            AgentHost::Claude | AgentHost::Gemini => Heard::Blocked(told),
            AgentHost::Codex | AgentHost::VsCode if !told.is_empty() => Heard::Blocked(told),
            // Where an agent has stopped there is nothing left to deny.
            AgentHost::Codex | AgentHost::Copilot | AgentHost::Cursor | AgentHost::VsCode => {
                failed("exited with 2, which this host does not take for a block here".to_owned())
            }
        },
        Some(code) => failed(format!("exited with {code}")),
    }
}

/// Reads what was printed beside exit code 0. None: the host cannot read it.
fn answered(host: AgentHost, moment: HookMoment, stdout: &[u8]) -> Option<Heard> {
    let text = std::str::from_utf8(stdout).ok()?.trim();
    if text.is_empty() {
        return Some(Heard::Allowed);
    }
    // Text that is no JSON is for the person's eyes there.
    if host == AgentHost::Claude && !text.starts_with('{') {
        return None;
    }
    let Ok(Value::Object(members)) = serde_json::from_str(text) else { return None };
    // VS Code takes the decision from there, but for subagents.
    let specific = || members.get("hookSpecificOutput").and_then(Value::as_object);
    let is_within = host == AgentHost::VsCode && moment != HookMoment::SubagentStops;
    let place = if is_within { specific() } else { Some(&members) };
    let member = |key: &str| place.and_then(|place| place.get(key)).and_then(Value::as_str);
    let decision = member("decision");
    let is_block = match host {
        AgentHost::Claude => decision == Some("block") && moment != HookMoment::TaskCompletes,
        AgentHost::Codex | AgentHost::Copilot | AgentHost::VsCode => decision == Some("block"),
        AgentHost::Gemini => matches!(decision, Some("deny" | "block")),
        AgentHost::Cursor => return Some(followed_up(member("followup_message"))),
    };
    match (is_block, member("reason").filter(|reason| !reason.trim().is_empty())) {
        (true, Some(reason)) => Some(Heard::Blocked(reason.to_owned())),
        (true, None) => None,
        (false, _) => Some(Heard::Allowed),
    }
}

fn followed_up(message: Option<&str>) -> Heard {
    match message.filter(|message| !message.trim().is_empty()) {
        Some(message) => Heard::Blocked(message.to_owned()),
        None => Heard::Allowed,
    }
}
