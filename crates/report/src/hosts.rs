//! The answer of a hook in the format of each host, and how a host interprets it (conventions, "Agent hook
//! contracts").
//!
//! ```text
//! host         block                                              allow                     says nothing
//! Claude Code  {"decision":"block","reason"}                      {"systemMessage"}         {}
//!   a task     exit 2, the reason on standard error               {"systemMessage"}         {}
//!   a tool     {"hookSpecificOutput":{"permissionDecision":"deny"}}  –                      {}
//!   settings   {"decision":"block","reason"}                      –                         {}
//!   unread     both: not known whether it was a task              –                         {}
//! Codex        {"decision":"block","reason"}                      {"systemMessage"}         {}
//! Copilot      {"decision":"block","reason"}                      {"decision":"allow"}      {}
//! Gemini CLI   {"decision":"deny","reason"}                       {"decision":"allow",…}    {}
//! Qwen Code    {"decision":"block","reason"}                      {"systemMessage"}         {}
//! opencode     {"decision":"block","reason"}                      {"systemMessage"}         {}
//! Cursor       {"followup_message"}                               {}                        {}
//! VS Code      the same twice, see `stop`                         {"systemMessage"}         {}
//! ```

pub mod configuration;
mod host_reaction;
mod length_limit;
mod limits;

use referee_model::hook::{AgentHost, HookMoment, HookReply, HookVerdict};
use serde_json::{Value, json};

use self::configuration::MARGIN_MS;
pub use self::host_reaction::{Exchange, HostReaction, reaction};
pub use self::limits::limits;

/// Time that a host gives a hook by default, in milliseconds, as `referee hook config` writes it.
const TIMEOUT_MS: u64 = 300_000;

/// Reason of a block that states none.
const NO_REASON: &str = "Whether the work may be called done is not known, so it counts as not done.";

/// Message where Referee gave no answer, in the command for PowerShell; the script beside the configuration has the
/// same.
const NO_ANSWER: &str = "Referee gave no answer: it is not installed, it died, or its time was up. Whether the work may be \
    called done is not known, so it counts as not done. A person can see what is wrong by running: referee doctor";

/// Returns what a hook answers its host. `event` is the name of the event as the host spells it. None: the event
/// could not be read, and the answer suits the given moment.
///
/// An event at which nothing can be refused is never blocked; the answer is empty then. Reasons and notes are cut
/// to a length that every host accepts, since a host would cut later and elsewhere.
pub fn reply(host: AgentHost, moment: HookMoment, event: Option<&str>, verdict: &HookVerdict) -> HookReply {
    match verdict {
        HookVerdict::Block { reason } if moment.is_refusable() => {
            block(host, moment, event, &length_limit::reason(reason))
        }
        HookVerdict::Allow { note } if moment.is_gated() => allow(host, note.as_deref()),
        HookVerdict::Block { .. } | HookVerdict::Allow { .. } | HookVerdict::NoOpinion => nothing(host, moment, event),
    }
}

/// Returns the answer of a configured command where Referee gives none: it blocks where the event is gated.
pub fn stand_in(host: AgentHost, moment: HookMoment, event: &str) -> HookReply {
    reply(host, moment, Some(event), &HookVerdict::Block { reason: NO_ANSWER.to_owned() })
}

/// Returns the default timeout of a hook in milliseconds, which is less than the host's own in the configuration
/// that `referee hook config` writes.
pub fn deadline_ms(_host: AgentHost) -> u64 {
    TIMEOUT_MS - MARGIN_MS
}

fn block(host: AgentHost, moment: HookMoment, event: Option<&str>, reason: &str) -> HookReply {
    match (host, moment) {
        // Claude Code reads no decision when a task is completed.
        (AgentHost::Claude, HookMoment::TaskCompletes) => {
            HookReply { stdout: Vec::new(), stderr: format!("{reason}\n").into_bytes(), exit: 2 }
        }
        // It is not known whether the event was a task: exit code 2 blocks at every event of Claude Code, and so
        // does the printed answer where it is read.
        (AgentHost::Claude, _) if event.is_none() => {
            let stderr = format!("{reason}\n").into_bytes();
            HookReply { stderr, exit: 2, ..printed(&json!({ "decision": "block", "reason": reason })) }
        }
        (AgentHost::Claude, HookMoment::ToolIsUsed) => printed(&json!({
            "hookSpecificOutput": {
                "hookEventName": event.unwrap_or("PreToolUse"),
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            },
        })),
        // The other hosts are given no hook at these moments.
        (_, HookMoment::ToolIsUsed | HookMoment::ConfigurationChanges) if host != AgentHost::Claude => {
            nothing(host, moment, event)
        }
        (AgentHost::Claude | AgentHost::Codex | AgentHost::Copilot | AgentHost::Qwen | AgentHost::OpenCode, _) => {
            printed(&json!({ "decision": "block", "reason": reason }))
        }
        (AgentHost::Gemini, _) => printed(&json!({ "decision": "deny", "reason": reason })),
        (AgentHost::Cursor, _) => printed(&json!({ "followup_message": reason })),
        (AgentHost::VsCode, HookMoment::SubagentStops) => printed(&json!({ "decision": "block", "reason": reason })),
        // By its documentation, VS Code reads the decision within `hookSpecificOutput`, and for custom agents as
        // for subagents.
        (AgentHost::VsCode, _) => printed(&json!({
            "decision": "block",
            "reason": reason,
            "hookSpecificOutput": { "hookEventName": event.unwrap_or("Stop"), "decision": "block", "reason": reason },
        })),
    }
}

fn allow(host: AgentHost, note: Option<&str>) -> HookReply {
    let note = note.map(length_limit::note).filter(|note| !note.is_empty());
    let aside = |value: &Value| {
        let stderr = note.as_ref().map(|note| format!("{note}\n").into_bytes()).unwrap_or_default();
        HookReply { stderr, ..printed(value) }
    };
    match host {
        AgentHost::Claude | AgentHost::Codex | AgentHost::Qwen | AgentHost::OpenCode | AgentHost::VsCode => match &note
        {
            Some(note) => printed(&json!({ "systemMessage": note })),
            None => printed(&json!({})),
        },
        AgentHost::Gemini => match &note {
            Some(note) => printed(&json!({ "decision": "allow", "systemMessage": note })),
            None => printed(&json!({ "decision": "allow" })),
        },
        // Neither host can show a note to the person.
        AgentHost::Copilot => aside(&json!({ "decision": "allow" })),
        AgentHost::Cursor => aside(&json!({})),
    }
}

fn nothing(host: AgentHost, moment: HookMoment, event: Option<&str>) -> HookReply {
    let is_prompt =
        host == AgentHost::Cursor && moment == HookMoment::PersonSpeaks && event == Some("beforeSubmitPrompt");
    if is_prompt { printed(&json!({ "continue": true })) } else { printed(&json!({})) }
}

fn printed(value: &Value) -> HookReply {
    HookReply { stdout: value.to_string().into_bytes(), stderr: Vec::new(), exit: 0 }
}

#[cfg(test)]
mod tests;
