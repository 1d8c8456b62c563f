//! Determines who wrote a prompt. Hosts report prompts that no person typed in the same way, and such a prompt
//! does not give the agent a fresh budget.
//!
//! | prompt                                                | recognized by                                        |
//! |-------------------------------------------------------|------------------------------------------------------|
//! | to an agent started by another agent                  | an agent id (Codex, Copilot, Claude Code)            |
//! | by the host, e.g. that background work ended          | the tag that it begins with                          |
//! | an answer of a hook, passed on                        | the beginning of our reasons, with or without a tag  |

use referee_model::foreign::{ForeignError, Members, TEXT};
use referee_model::hook::ECHO;

/// End of the names of tags around host notifications about background work: `<task-notification>` (Claude
/// Code), `<system_notification>` (Copilot), `<subagent_notification>` (Codex).
const NOTIFICATION: &str = "notification";

/// Other tags around text that no person typed: messages of other agents and sessions, and scheduled triggers.
const OF_AGENTS: [&str; 5] =
    ["teammate-message", "agent-message", "cross-session-message", "coordinator-relay", "scheduled-trigger"];

/// Returns whether a person typed the prompt.
pub(super) fn is_person(members: &Members<'_>) -> Result<bool, ForeignError> {
    let agent = members.optional("agentId", &TEXT);
    let is_agents = agent.map_or(true, |agent| agent.is_some_and(|agent| !agent.trim().is_empty()));
    let prompt = members.optional("prompt", &TEXT)?;
    Ok(!is_agents && !prompt.is_some_and(|prompt| is_of_nobody(&prompt)))
}

fn is_of_nobody(prompt: &str) -> bool {
    let mut rest = prompt.trim_start();
    loop {
        if rest.starts_with(ECHO.trim_end()) {
            return true;
        }
        let Some((name, after)) = tag(rest) else { return false };
        if name.ends_with(NOTIFICATION) || OF_AGENTS.contains(&name) {
            return true;
        }
        rest = after.trim_start();
    }
}

/// Returns the name of the tag that a text begins with, and the text after the tag.
fn tag(text: &str) -> Option<(&str, &str)> {
    let (tag, after) = text.strip_prefix('<')?.split_once('>')?;
    let name = tag.split_whitespace().next()?;
    let is_name = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    name.chars().all(is_name).then_some((name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hosts_and_hooks_say_is_told_from_what_a_person_types() {
        for nobodys in [
            "<task-notification>\n<task-id>b1</task-id>\n</task-notification>\nRead the output.",
            "<system_notification>\nAgent \"reader\" (explore) has finished.\n</system_notification>",
            " <subagent_notification>{}</subagent_notification>",
            "<teammate-message teammate_id=\"lead\">go on</teammate-message>",
            "[referee] Referee does not let this turn end as done.",
            "<hook_prompt hook_run_id=\"stop:0\">[referee] Referee does not let",
        ] {
            assert!(is_of_nobody(nobodys), "{nobodys}");
        }
        for persons in [
            "",
            "fix it",
            "<div> does not close, see a.html",
            "what does <task-notification> mean?",
            "<ide_opened_file>a.rs</ide_opened_file> fix it",
            "why did it say `[referee] Referee does not let`?",
            "a < b > c",
            "<",
            "<>",
        ] {
            assert!(!is_of_nobody(persons), "{persons}");
        }
    }
}
